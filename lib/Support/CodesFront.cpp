//===- CodesFront.cpp - codes of program text and command line ------------===//
//
// What can be wrong before anything runs, and the codes of wrong use.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"parse-error", Severity::Error, Category::Program, "the program text does not parse",
     R"(The text is not a PTO program: a word is missing, a bracket is not closed, a type
or an attribute is not known. Nothing after this place was looked at.

Example:
  pto.set_flag["PIPE_MTE2", "PIPE_V"     // no event id, no closing bracket

Repair: compare the line with the syntax that `ptoscope ops` prints for the
instruction. Spellings that documents disagree about are accepted by default.

Ignore: never; a program that does not parse is not run.

Assumes: the file is UTF-8 text in MLIR's generic or PTO's own syntax.)"},

    {"not-text", Severity::Error, Category::Program, "the file is not program text",
     R"(The file holds bytes that no program text contains: zero bytes, an MLIR bytecode
header, an object file or an archive.

Example:
  ptoscope run kernel.o          // an object file instead of kernel.pto

Repair: give the `.pto` or `.mlir` text. Bytecode becomes text with the `mlir-opt`
of the tool that wrote it.

Ignore: never; the file is not read any further.

Assumes: text has no zero byte in it, whatever its encoding claims.)"},

    {"nesting-too-deep", Severity::Error, Category::Program, "brackets or regions nest deeper than 256",
     R"(Regions, brackets or types nest more than 256 levels deep. The parser works by
recursion, so such a text could exhaust the stack; it is refused before parsing.

Example:
  scf.for { scf.for { scf.for {  …  300 levels  …  } } }

Repair: deep nesting nearly always comes from a generator that forgot to close a
region. Move inner loops into functions if it is meant.

Ignore: never; the program is not parsed.

Assumes: brackets inside strings and comments do not count.)"},

    {"verify-error", Severity::Error, Category::Program, "an instruction breaks a rule of its definition",
     R"(The text parses, but an instruction is used against its definition: operand types,
a missing attribute, a value outside its range, a place where it may not stand.

Example:
  %z = pto.vadd %x, %y, %m : !pto.vreg<64xf32>, !pto.vreg<128xf16>, …
  // both operands must have the same type

Repair: the message names the rule; `ptoscope explain P8` prints the rule with the label P8,
`ptoscope ops` the operands and types of every instruction.

Ignore: never; the program is not run.

Assumes: rules are those of the instruction reference; a rule on which documents
disagree is not enforced.)"},

    {"unknown-instruction", Severity::Error, Category::Program, "no PTO instruction has this name",
     R"(The `pto` dialect has no instruction of this name, in any profile or spelling.

Example:
  pto.vaddd %x, %y, %m : …       // did you mean `pto.vadd`?

Repair: take the name that the message proposes, or look for it in `ptoscope ops`.
Extra suffixes of a tool of your own have to be removed first.

Ignore: never; nobody knows what the instruction should do.

Assumes: an instruction that exists but that PTOScope does not execute is reported as
`not-modelled` instead.)"},

    {"not-modelled", Severity::Error, Category::NotModelled, "valid, but PTOScope does not model it",
     R"(The program is valid as far as we can tell, but uses something PTOScope does not
execute yet. It is refused rather than run with a guessed meaning.

Example:
  an instruction that `ptoscope ops --json` lists as not implemented

Repair: replace the instruction by others with the same result, or run the part of the
kernel that does not need it. `ptoscope ops` shows what is implemented.

Ignore: the finding says nothing against the program. It still counts as an error,
because no result was computed.

Assumes: nothing; the fault is on our side, and docs/limits.md lists the gaps.)"},

    {"not-on-profile", Severity::Error, Category::Program, "the selected profile does not have this",
     R"(The instruction, pipe, type or mode does not exist on the profile the program is
run for, though another profile has it.

Rules: S11.

Example:
  pto.get_buf "PIPE_V", 0, 0     // buffer ids exist on a5; run with --arch a3

Repair: select the right profile with `--arch` or the module's arch attribute, or use
what the profile has: flags instead of buffer ids, for example.

Ignore: never; hardware of that profile would reject the kernel.

Assumes: a module without an arch attribute means a5.)"},

    {"loose-spelling", Severity::Remark, Category::Program, "accepted, but not the canonical spelling",
     R"(Documents and tools spell some instructions in more than one way. This spelling is
understood, but it is not the one the reference gives, and another tool may reject it.

Example:
  pto.get_buf %id, "PIPE_V"              // id before pipe
  pto.get_buf "PIPE_V", %id, %mode       // canonical

Repair: write the spelling shown in the message; `ptoscope opt` prints the whole
program in canonical form.

Ignore: when the program is only meant for PTOScope or for the tool that wrote it.

Assumes: both spellings mean the same. With `--strict` this is an error.)"},

    {"no-kernel", Severity::Error, Category::Program, "no kernel to run",
     R"(The module has no function marked as a kernel, none of the name given with
`--kernel`, or several entries and no choice between them.

Example:
  func.func @add(%x: !pto.ptr<f32, gm>) { … }       // attribute is missing
  func.func @add(%x: !pto.ptr<f32, gm>) attributes {pto.aicore} { … }

Repair: mark the function with `pto.aicore` or `pto.entry`, or name one of the kernels
the message lists with `--kernel`.

Ignore: never; there is nothing to run.

Assumes: a module with exactly one entry needs no `--kernel`.)"},

    {"usage", Severity::Error, Category::Usage, "the command line is wrong",
     R"(An option is unknown, has a malformed value, or does not fit the kernel: too few or
too many `--arg`, a word where a number is needed, an element type of another width.

Example:
  ptoscope run add.pto --arg random:f32        // length and seed are missing
  ptoscope run add.pto --arg random:f32:1024:7

Repair: the message shows the expected form. `ptoscope help` lists verbs and options.

Ignore: never; nothing was run, and the exit status is 2.

Assumes: parameters are counted from 0, in the order of the kernel's signature.)"},

    {"file-error", Severity::Error, Category::Usage, "a file cannot be read or written",
     R"(A file is missing, unreadable, shorter or longer than its header says, in a form we
do not read (Fortran order, big-endian, Python objects), or cannot be written.

Example:
  ptoscope run add.pto --arg x.npy --out 0=/read-only/y.npy

Repair: check path and rights. Save arrays with `numpy.save` in C order and little
endian: `numpy.save(path, numpy.ascontiguousarray(a))`.

Ignore: never. Outputs are written whole or not at all, so after this finding every
output file is as it was before the run.

Assumes: files do not change while they are read.)"},

    {"internal-error", Severity::Error, Category::Internal, "a bug in PTOScope",
     R"(PTOScope reached a state that its own rules exclude. This is our bug, whatever the
program does; results of this run mean nothing.

Example:
  internal error: the pipe queue lost an instruction

Repair: please report it with the program, the exact command line and the output of
`ptoscope --version`. A smaller program that shows the same message helps most.

Ignore: never. Another `--schedule` or `--check none` may get you past it meanwhile.

Assumes: nothing.)"},

    {"undefined-by-manual", Severity::Warning, Category::UndefinedByManual, "no manual defines this",
     R"(The program does something that no document defines: hardware may do one thing or
another. PTOScope did what docs/limits.md recommends and went on.

Example:
  pto.mte_ub_ub %p, %p_plus_32, %c4 nburst(%c1, %c0, %c0) …   // overlapping copy

Repair: rewrite the line so that the result does not depend on the undefined part; the
message says what was assumed.

Ignore: when you have measured your hardware and it does what we assumed.

Assumes: the recommended reading, always the same one, is pinned by a test.)"},
};

std::span<const CodeInfo> frontCodes() { return kRows; }

} // namespace ptoscope::codetables
