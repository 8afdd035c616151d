//===- CodesFront.cpp - codes of program text and command line ------------===//
//
// What can be wrong before anything runs, and the codes of wrong use.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

namespace ptoscope::codetables {

static constexpr CodeInfo kRows[] = {
    {"parse-error", Severity::Error, Category::Program, "the program text does not parse",
     R"(The text is not a PTO program: a word is missing, a bracket is not closed, or a type or
an attribute is unknown.

Example:
  pto.set_flag["PIPE_MTE2", "PIPE_V"     // no event id, no closing bracket

Repair: compare the line with the syntax that `ptoscope ops NAME` prints for the
instruction. Where documents disagree about a spelling, every one of them is accepted by
default.

Ignore: never; a program that does not parse is not run.

Assumes: the file is UTF-8 text in MLIR's generic or PTO's own syntax.)"},

    {"not-text", Severity::Error, Category::Program, "the file is not program text",
     R"(The file contains bytes that never occur in program text: it is MLIR bytecode, an object
file or an archive, or it has zero bytes in it.

Example:
  ptoscope run kernel.o          // an object file instead of kernel.pto

Repair: pass the `.pto` or `.mlir` text. To turn bytecode into text, use the `mlir-opt`
of the tool that wrote it.

Ignore: never; the file is not read any further.

Assumes: text contains no zero byte, whatever its encoding.)"},

    {"nesting-too-deep", Severity::Error, Category::Program, "brackets or regions nest deeper than 256",
     R"(Regions, brackets or types nest more than 256 levels deep. The parser is recursive, so
such a text could exhaust the stack. It is refused before parsing.

Example:
  scf.for { scf.for { scf.for {  …  300 levels  …  } } }

Repair: deep nesting nearly always comes from a generator that did not close a region.
If it is intended, move the inner loops into functions.

Ignore: never; the program is not parsed.

Assumes: brackets inside strings and comments do not count.)"},

    {"verify-error", Severity::Error, Category::Program, "an instruction breaks a rule of its definition",
     R"(The text parses, but an instruction does not follow its definition: an operand has the
wrong type, an attribute is missing, a value is out of range, or the instruction is not
allowed in this place.

Example:
  %z = pto.vadd %x, %y, %m : !pto.vreg<64xf32>, !pto.vreg<128xf16>, …
  // both operands must have the same type

Repair: the message names the rule. `ptoscope explain P8` prints the rule with the label
P8; `ptoscope ops NAME` prints the operands and types of an instruction.

Ignore: never; the program is not run.

Assumes: the rules are those of docs/isa. A rule that documents disagree about is not
enforced.)"},

    {"unknown-instruction", Severity::Error, Category::Program, "no PTO instruction has this name",
     R"(The `pto` dialect has no instruction with this name, in any profile or spelling.

Example:
  pto.vaddd %x, %y, %m : …       // did you mean `pto.vadd`?

Repair: use the name that the message suggests, or look for the right one in `ptoscope
ops`. Remove suffixes that your own tools add.

Ignore: never; the instruction has no known meaning.

Assumes: an instruction that exists, but that PTOScope does not execute, is reported as
`not-modelled` instead.)"},

    {"not-modelled", Severity::Error, Category::NotModelled, "valid, but PTOScope does not model it",
     R"(The program is valid as far as PTOScope can tell, but it uses something that PTOScope
does not execute yet. It is refused rather than run with a guessed meaning.

Example:
  an instruction that `ptoscope ops --json` lists as not implemented

Repair: replace the instruction with others that give the same result, or run only the
part of the kernel that does not need it. `ptoscope ops` lists the implemented
instructions.

Ignore: the finding says nothing against the program. It still counts as an error,
because no result was computed.

Assumes: nothing. The gap is in PTOScope; docs/limits.md lists the known ones.)"},

    {"not-on-profile", Severity::Error, Category::Program, "the selected profile does not have this",
     R"(The instruction, pipe, type or mode exists, but not on the selected profile.

Rules: S11.

Example:
  pto.get_buf "PIPE_V", 0, 0     // buffer ids exist on a5; run with --arch a3

Repair: select the right profile with `--arch` or the module's arch attribute, or use
something that the profile has: for example flags instead of buffer ids.

Ignore: never; the hardware of that profile would reject the kernel.

Assumes: a module without an arch attribute means a5.)"},

    {"loose-spelling", Severity::Remark, Category::Program, "accepted, but not the canonical spelling",
     R"(Documents and tools spell some instructions in more than one way. PTOScope understands
this spelling, but it is not the one in the reference, and another tool may reject it.

Example:
  pto.get_buf %id, "PIPE_V"              // id before pipe
  pto.get_buf "PIPE_V", %id, %mode       // canonical

Repair: use the spelling shown in the message. `ptoscope opt` prints the whole program
in a form that `--strict` accepts.

Ignore: if the program is only meant for PTOScope or for the tool that wrote it.

Assumes: both spellings mean the same thing. With `--strict` this is an error.)"},

    {"older-form", Severity::Remark, Category::Program, "a form that only older manuals have",
     R"(Only older manuals have this rounding, conversion or form of an instruction, and no other
spelling says the same. It runs as they describe it; newer tools may reject it.

Rules: TRC-1, FUSE-6.

Example:
  %y = pto.vtrc %x, %m, "O" : …          // to the nearest odd number
  %y = pto.vtrc %x, %m, "R" : …          // a rounding that every manual has

Repair: use what every manual has, if the kernel does not depend on the difference.

Ignore: if the kernel runs on tools that have the older form.

Assumes: what the older manuals say. `--strict` accepts it: this is not a spelling.)"},

    {"no-kernel", Severity::Error, Category::Program, "no kernel to run",
     R"(The module has no function marked as a kernel, or no kernel with the name given by
`--kernel`, or several kernels and no `--kernel` to choose one.

Example:
  func.func @add(%x: !pto.ptr<f32, gm>) { … }       // attribute is missing
  func.func @add(%x: !pto.ptr<f32, gm>) attributes {pto.aicore} { … }

Repair: mark the function with `pto.aicore` or `pto.entry`, or use `--kernel` to choose
one of the kernels that the message lists.

Ignore: never; there is nothing to run.

Assumes: a module with exactly one entry needs no `--kernel`.)"},

    {"usage", Severity::Error, Category::Usage, "the command line is wrong",
     R"(An option is unknown, has a malformed value, or does not fit the kernel: there are too
few or too many `--arg` options, a word is given where a number is needed, or an element
type has the wrong width.

Example:
  ptoscope run add.pto --arg random:f32        // length and seed are missing
  ptoscope run add.pto --arg random:f32:1024:7

Repair: the message shows the expected form. `ptoscope help` lists verbs and options.

Ignore: never; nothing was run, and the exit status is 2.

Assumes: parameters are counted from 0, in the order of the kernel's signature.)"},

    {"file-error", Severity::Error, Category::Usage, "a file cannot be read or written",
     R"(A file is missing, cannot be read, is shorter or longer than its header says, has an
unsupported form (Fortran order, big-endian, Python objects), or cannot be written.

Example:
  ptoscope run add.pto --arg x.npy --out 0=/read-only/y.npy

Repair: check the path and the permissions. Save arrays in C order and little endian:
`numpy.save(path, numpy.ascontiguousarray(a))`.

Ignore: never. Either all outputs are written or none, so after this finding every
output file is as it was before the run.

Assumes: files do not change while they are read.)"},

    {"internal-error", Severity::Error, Category::Internal, "a bug in PTOScope",
     R"(PTOScope reached a state that its own rules exclude. This is a bug in PTOScope, whatever
the program does. Do not use the results of this run.

Example:
  internal error: the pipe queue lost an instruction

Repair: please report it with the program, the exact command line and the output of
`ptoscope --version`. A smaller program that shows the same message helps most.

Ignore: never. Another `--schedule`, or `--check none`, may help until the bug is fixed.

Assumes: nothing.)"},

    {"undefined-by-manual", Severity::Warning, Category::UndefinedByManual, "no manual defines this",
     R"(The program does something that no document defines, so hardware may behave in more than
one way. PTOScope did what docs/limits.md says and continued.

Example:
  pto.mte_ub_ub %p, %p_plus_32, %c4 nburst(%c1, %c0, %c0) …   // overlapping copy

Repair: rewrite the line so that the result does not depend on the undefined behaviour.
The message says what PTOScope assumed.

Ignore: if you have tested your hardware and it does what PTOScope assumed.

Assumes: the behaviour listed in docs/limits.md. It is always the same, and a test pins
it.)"},
};

std::span<const CodeInfo> frontCodes() { return kRows; }

} // namespace ptoscope::codetables
