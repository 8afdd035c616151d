//===- ProgramState.h - what programs and their outcomes hold ---*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DRIVER_PROGRAMSTATE_H
#define PTOSCOPE_LIB_DRIVER_PROGRAMSTATE_H

#include "ptoscope/Driver/Program.h"
#include "ptoscope/Driver/Session.h"

namespace ptoscope {

/// A program as one device reads it.
struct ReadProgram {
  std::string device;
  std::unique_ptr<ParsedProgram> parsed;
  FindingList findings{SIZE_MAX}; ///< warnings and remarks
};

class Program::Ready {
public:
  Way way;
  const ReadProgram *read = nullptr;
  CompileOptions compile;
  std::unique_ptr<CompiledKernel> kernel;
  KernelSignature signature;
  FindingList findings{SIZE_MAX}; ///< warnings and remarks of the compiler
  KeptCores cores;
  KeptCheckers checkers;
};

/// What is needed to say when everything happened. The program stays alive.
struct Outcome::Timed {
  std::shared_ptr<Program> program;
  const Program::Ready &ready;
  std::unique_ptr<timing::Model> own; ///< of a file
  const timing::Model &model;
  std::string timingFile; ///< for reports
  int64_t blocks;
  std::unique_ptr<timing::Timer> timer;
  std::unique_ptr<SyncNeeds> needs;
  std::unique_ptr<timing::Touches> touches;
  bool completed;

  timing::StatsContext context() const;
  timing::AdviceInput input() const;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_DRIVER_PROGRAMSTATE_H
