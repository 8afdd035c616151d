//===- Console.h - the words of the debugger --------------------*- C++ -*-===//
//
// What can be said to a debugger in words, and its answers as text: the terminal
// reads them from its input, the debug adapter from requests to evaluate.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DEBUG_CONSOLE_H
#define PTOSCOPE_DEBUG_CONSOLE_H

#include "ptoscope/Debug/Debugger.h"

#include <span>

namespace ptoscope::debug {

struct Answer {
  std::string text;
  bool failed = false; ///< the words were not understood, or could not be done
  bool moved = false;  ///< the machine stands elsewhere now
  bool quits = false;

  static Answer refusal(std::string why) { return {std::move(why) + "\n", /*failed=*/true}; }
};

class Console {
public:
  explicit Console(Debugger &debugger) : debugger(debugger) {}

  /// An empty line repeats the last motion.
  Answer say(const std::string &line);

  // --- texts, also for other front ends --------------------------------------------
  std::string stopText(const Stop &stop) const;
  std::string eventText(const Event &event) const;
  /// "block 0 AIV0"
  std::string coreText(int64_t block, CoreId core) const;
  std::string queuesText(const CoreState &core) const;
  std::string flagsText(const CoreState &core) const;
  std::string buffersText(const CoreState &core) const;
  std::string semaphoresText(const CoreState &core) const;
  std::string registersText(const CoreState &core) const;
  std::string localsText() const;
  /// In one line: "3.5", "64 x f32: 0 1 2 3 …"
  std::string valueText(const SeenValue &value) const;
  /// A name, a memory, a pointer: see `help print`.
  Answer print(std::span<const std::string> words) const;

  // --- what words are about ----------------------------------------------------------
  /// Whose state is shown; a stop brings it to where that was.
  int64_t block = 0;
  CoreId core;
  void follow(const Stop &stop);
  /// "UB 0x100 64", "%src 0 64"; a message where it is not understood.
  std::optional<Region> region(std::span<const std::string> words, std::string &problem) const;
  /// The words of a breakpoint: "31", "vadd", "pipe MTE2", "flag V MTE3 0", "finding race-raw",
  /// each with "if block 2" or "if core AIV1" behind it.
  std::optional<Breakpoint> breakpoint(std::span<const std::string> words, std::string &problem) const;
  std::string breakpointText(const Breakpoint &breakpoint) const;

private:
  using Words = std::span<const std::string>;
  Answer moveTo(const Stop &stop);
  Answer info(Words words) const;
  Answer list(Words words) const;
  Answer break_(Words words, bool once);
  Answer watch(Words words);
  Answer delete_(Words words);
  Answer who(Words words);
  Answer step(Words words);
  Answer until(Words words);
  Answer chooseCore(Words words);
  Answer where() const;
  const PtoContext *context() const { return debugger.core(block, core); }
  std::string sourceLine(uint32_t line) const;

  Debugger &debugger;
  std::string lastMotion;
  uint32_t listed = 0;
};

} // namespace ptoscope::debug

#endif // PTOSCOPE_DEBUG_CONSOLE_H
