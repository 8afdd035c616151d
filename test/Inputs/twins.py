"""The programs of test/Checkers/codes.txt: each broken, and its repaired twin."""
import re

import ptorun

ARGS = ["--arg", "iota:f32:1024", "--arg", "zeros:f32:1024"]
HEAD = """module attributes {{pto.target_arch = "a5"{kind}}} {{
func.func @k(%in: !pto.ptr<f32, gm>, %out: !pto.ptr<f32, gm>) attributes {{pto.kernel}} {{
%true = arith.constant true
%false = arith.constant false
{constants}
%ub = pto.castptr %n0 : i64 -> !pto.ptr<f32, ub>
%ubi = pto.castptr %n0 : i64 -> !pto.ptr<i32, ub>
%ub2 = pto.castptr %n8192 : i64 -> !pto.ptr<f32, ub>
"""
TYPES = {"n": "i64", "c": "index", "w": "i32"}


def expand(line):
    word, *args = line.split()
    if word == "@gm_ub":
        src, dst, length, n, ss, ds = args
        return f"pto.mte_gm_ub {src}, {dst}, %n0, {length} nburst({n}, {ss}, {ds}) : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>" + ", i64" * 5
    if word == "@ub_gm":
        src, dst, length, n, ss, ds = args
        return f"pto.mte_ub_gm {src}, {dst}, {length} nburst({n}, {ss}, {ds}) : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>" + ", i64" * 4
    if word == "@flag":
        pair = f'["PIPE_{args[0]}", "PIPE_{args[1]}", "EVENT_ID0"]'
        return f"pto.set_flag{pair}\npto.wait_flag{pair}"
    if word == "@nest":
        return "scf.if %true {\n" * int(args[0]) + "}\n" * int(args[0])
    if line == "pto.vecscope {":
        return line + '\n%mask = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>'
    return line.replace("\\0", "\0")


def program(lines, raw):
    body = "\n".join(expand(line) for line in lines)
    if raw:
        return body + "\n"
    constants = []
    for kind, minus, number in sorted(set(re.findall(r"%([ncw])(m?)(\d+)\b", body + " %n0 %n8192"))):
        constants.append(f"%{kind}{minus}{number} = arith.constant {'-' if minus else ''}{number} : {TYPES[kind]}")
    kind = "" if "pto.section" in body else ", pto.kernel_kind = #pto.kernel_kind<vector>"
    return HEAD.format(constants="\n".join(constants), kind=kind) + body + "\nreturn\n}\n}\n"


def read(manifest):
    """Code -> words behind it and lines, with their signs."""
    cases = {}
    for line in open(manifest).read().split("\n"):
        if line.startswith("=== "):
            code, _, words = line[4:].partition(" :: ")
            if code in cases:
                ptorun.fail(f"`{code}` twice in {manifest}")
            current = cases[code] = (words.split(), [])
        elif line and not line.startswith("#"):
            current[1].append(line)
    return cases


def twin(code, words, lines, side):
    """Writes the program of one side; its path and its options."""
    chosen = [line[1:] for line in lines if line[0] in (" ", side)]
    options = [word for line in chosen if line.startswith("$") for word in line[1:].split()]
    path = ptorun.scratch(f"{code}{'-broken' if side == '-' else '-repaired'}.pto")
    with open(path, "w") as file:
        file.write(program([line for line in chosen if not line.startswith("$")], "raw" in words))
    if "check" not in words and "--arg" not in options:
        options = ARGS + options
    return path, options
