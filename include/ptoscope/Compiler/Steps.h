//===- Steps.h - code that tells of every instruction -----------*- C++ -*-===//
//
// For a debugger: before each instruction, of the scalar unit and inside vector
// scopes, the program hands over the number of a step; behind it, what it has
// computed. Both go to the onlooker of the run (Onlooker::value).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_COMPILER_STEPS_H
#define PTOSCOPE_COMPILER_STEPS_H

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Tile/Looks.h"

#include <algorithm>

namespace ptoscope {

/// An instruction of the text.
struct Step {
  uint32_t line = 0, column = 0;
  std::string op;       ///< "pto.vadd"
  bool inScope = false; ///< a vector scope runs it
  bool assumed = false; ///< a scope that the text does not have; its first instruction stands there
};

/// A value that the text names.
struct NamedValue : tile::Shown {
  std::string name = {};     ///< "%a"
  std::string type = {};     ///< as written: "!pto.vreg<64xf32>"
  Space space = Space::None; ///< of a pointer
  uint32_t line = 0;         ///< where it is defined
};

/// Numbers that the onlooker gets are those of steps and values in turn.
struct Steps {
  std::vector<Step> steps;
  std::vector<NamedValue> values;
  std::vector<uint32_t> functions; ///< lines of the text at which they begin

  /// Which function of the text a line is in: calls are inlined, and names of both are there.
  size_t functionOf(uint32_t line) const {
    return size_t(std::ranges::upper_bound(functions, line) - functions.begin());
  }
  static bool isValue(uint32_t number) { return number & 1; }
  static uint32_t indexOf(uint32_t number) { return number / 2; }
};

/// Puts the steps into a module with one kernel.
void insertSteps(mlir::ModuleOp module, const ParsedProgram &program, Steps &steps);

/// "%a"; empty where the text gives it no name that is found.
std::string nameOf(const ParsedProgram &program, mlir::Value value);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_STEPS_H
