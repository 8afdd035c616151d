"""Every instruction of the tile API runs in a program test, or is refused by name.

complete.py SOURCE COMPILER...

The list is docs/isa/ops-tile.tsv. An instruction that has a record, or a function of its
own among the headers, has to be called by a source of TileProgramTests, and so has
every form that has a record of its own. Back-end names are called by test/Tile/Inputs, too. All others have to be refused by each
compiler with "NAME is not modelled"."""
import pathlib
import re
import subprocess
import sys

source, compilers = pathlib.Path(sys.argv[1]), sys.argv[2:]
headers = source / "include/pto/detail"

# Forms with a record of their own: the call that makes one.
FORMS = {
    "TQUANT_ASYM": r"TQUANT<QuantType::INT8_ASYM>\(",
    "TQUANT_MX": r"TQUANT<\w+>\(\w+, \w+, &",
    "TGATHER_MASK": r"TGATHER<[^()]*>\(\w+, \w+\)",
    "TGATHER_CMP": r"gathersColumns<\w+>\(",  # of text only
    "TSCATTER_MASK": r"TSCATTER<[^()]*>\(\w+, \w+\)",
    "TMRGSORT_RUNS": r"TMRGSORT\(\w+, \w+, \d+",
    "TMATMUL_MX_ACC": r"TMATMUL_MX<\w+>\(c, c,",
    "TMATMUL_MX_BIAS": r"TMATMUL_MX<\w+>\([^()]*, biasTile\)",
    "TGEMV_MX_ACC": r"TGEMV_MX<\w+>\(c, c,",
    "TGEMV_MX_BIAS": r"TGEMV_MX<\w+>\([^()]*, biasTile\)",
    "TLOAD_CONV": r"TLOAD\(conv, ",
    "TTRANS_CONV": r"transposed<Blocks, Planes>\(",
}


def code(path):
    """A C++ file without comments and strings."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", path.read_text(), flags=re.S)


problems = []
listed = dict(line.split("\t")[:2] for line in (source / "docs/isa/ops-tile.tsv").read_text().splitlines()[1:])
records = re.findall(r"^PTO_(?:CUSTOM_)?RECORD\((\w+)", "".join(p.read_text() for p in headers.glob("records/*.def")), re.M)
declared = "\n".join(code(p) for p in [*headers.glob("inst/*.hpp"), headers / "sync.hpp", *source.glob("include/pto/comm/*.hpp")])
refused = set(re.findall(r"PTO_NOT_MODELLED\((\w+)", declared)) & set(listed)

tests = source / "unittests/Tile"
names = re.search(r"TileProgramTests\s+SOURCES(.*?)LINK", (tests / "CMakeLists.txt").read_text(), re.S).group(1).split()
programs = "\n".join(code(tests / name) for name in names)
called = set(re.findall(r"\b([A-Z][A-Z0-9_]+)\s*[<(]", programs))
called |= set(re.findall(r"\b(?:ROWS|COLUMNS)\(([A-Z]+),", programs))  # macros that call their argument

run = 0
for name in listed:
    if name in refused:
        continue
    if name not in records and not re.search(rf"\b(?:void|bool|RecordEvent|AsyncEvent) {name}\(|PTO_(?:COLLECTIVE|CONV_REGISTER)\({name},", declared):
        problems.append(f"{name} is neither an instruction nor refused")
    elif name not in called:
        problems.append(f"no program test calls {name}")
    run += 1
for name, category in listed.items():
    if category in ("elementwise", "tile-scalar", "reduce", "expand") and name not in records:
        problems.append(f"{name} has no record")
for name in records:
    if name not in listed and name not in FORMS:
        problems.append(f"the record {name} is missing in ops-tile.tsv")
    if name in FORMS and not re.search(FORMS[name], programs):
        problems.append(f"no program test has the form {name}")
forms = "".join(code(p) for p in (source / "test/Tile/Inputs").rglob("*.cpp"))
for name in re.findall(r"\b([A-Z][A-Z0-9_]+_IMPL)\(", declared):
    if name not in called and not re.search(rf"\b{name}[<(]", forms):
        problems.append(f"no program test calls {name}")

program = "#include <pto/pto-inst.hpp>\n"
for number, name in enumerate(sorted(refused)):
    program += f"void f{number}() {{ int a = 0; pto::{name}(a); pto::{name}<1>(a); pto::{name}<int, 2>(a); }}\n"
for compiler in compilers:
    unlimited = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    command = [compiler, "-std=c++20", "-fsyntax-only", unlimited, "-I", source / "include", "-x", "c++", "-"]
    result = subprocess.run(command, input=program, capture_output=True, text=True)
    for name in sorted(refused):
        count = len(re.findall(rf"static assertion failed[^\n]*: {name} is not modelled: \w", result.stderr))
        if count != 3:
            problems.append(f"{compiler} refuses {name} in {count} of 3 forms")

if not run:
    problems.append("nothing was looked at")
for problem in sorted(set(problems)):
    print("problem:", problem)
print(f"{len(listed)} instructions: {run} run, {len(refused)} refused")
sys.exit(bool(problems))
