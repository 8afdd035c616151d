"""ALIGN-1 to ALIGN-5, broken at every instruction that uses or gives the state of a stream."""
HEAD = """module attributes {pto.target_arch = "a5"} {
func.func @k(%more: i1) attributes {pto.kernel} {
%zero = arith.constant 0 : i64
%n = arith.constant 1 : i32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
%words = pto.castptr %zero : i64 -> !pto.ptr<ui32, ub>
pto.vecscope {
%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
%x = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
"""
TAIL = "}\nreturn\n}\n}\n"
START = {"pto.init_align": "{} = pto.init_align : !pto.align", "pto.vldas": "{} = pto.vldas %ub : !pto.ptr<f32, ub> -> !pto.align"}
# From one state to the next.
STEP = {
    "pto.vstus": "{} = pto.vstus {}, %n, %x, %ub : !pto.align, i32, !pto.vreg<64xf32>, !pto.ptr<f32, ub> -> !pto.align",
    "pto.vstur": "{} = pto.vstur {}, %x, %ub : !pto.align, !pto.vreg<64xf32>, !pto.ptr<f32, ub> -> !pto.align",
    "pto.vstu": '{0}, {0}_o = pto.vstu {1}, %c0, %x, %ub, "POST_UPDATE" : !pto.align, index, !pto.vreg<64xf32>, !pto.ptr<f32, ub> '
                "-> !pto.align, index",
    "pto.pstu": "{0}, {0}_p = pto.pstu {1}, %m, %words : !pto.align, !pto.mask<b32>, !pto.ptr<ui32, ub> -> !pto.align, !pto.ptr<ui32, ub>",
    "pto.vldus": "{0}_v, {0} = pto.vldus %ub, {1} : !pto.ptr<f32, ub>, !pto.align -> !pto.vreg<64xf32>, !pto.align"}
FLUSH = {"pto.vsta": "pto.vsta {}, %ub[%c0] : !pto.align, !pto.ptr<f32, ub>, index", "pto.vstar": "pto.vstar {}, %ub : !pto.align, !pto.ptr<f32, ub>",
         "pto.vstas": "pto.vstas {}, %ub, %n : !pto.align, !pto.ptr<f32, ub>, i32"}
INIT, LOAD = (START[name].format("%a") for name in ("pto.init_align", "pto.vldas"))
STORE, LOADED, END = STEP["pto.vstus"].format, STEP["pto.vldus"].format, FLUSH["pto.vstar"].format


def loop(*lines):
    return ["scf.for %k = %c0 to %c1 step %c1 {", *lines, "}"]


def carried(state):
    """`state` through a loop that may not carry it, as %w."""
    return [f"%w = scf.while (%s = {state}) : (!pto.align) -> !pto.align {{", "scf.condition(%more) %s : !pto.align", "} do {",
            "^bb0(%t: !pto.align):", "scf.yield %t : !pto.align", "}"]


def table():
    """(instruction, label, broken lines, repaired lines)."""
    for name in STEP:
        step, loads = STEP[name].format, name == "pto.vldus"
        root, other, end = (LOAD, INIT, []) if loads else (INIT, LOAD, [END("%d")])
        yield name, "ALIGN-1", [other, *([] if loads else [LOADED("%b", "%a")]), step("%d", "%a" if loads else "%b"), *end], \
            [root, step("%d", "%a"), *end]
        first = LOADED if loads else STORE
        yield name, "ALIGN-2", [root, first("%b", "%a"), step("%d", "%a"), *end], [root, first("%b", "%a"), step("%d", "%b"), *end]
        yield name, "ALIGN-3", [root, *loop(step("%d", "%a"), *end)], loop(root, step("%d", "%a"), *end)
        if not loads:
            yield name, "ALIGN-4", [root, step("%d", "%a")], [root, step("%d", "%a"), *end]
        last = LOADED("%z", "%w") if loads else END("%w")
        yield name, "ALIGN-5", [root, step("%d", "%a"), *carried("%d"), last], [root, step("%d", "%a"), last.replace("%w", "%d")]
    for name in FLUSH:
        flush, stored = FLUSH[name].format, [INIT, STORE("%b", "%a")]
        yield name, "ALIGN-1", [LOAD, flush("%a")], [*stored, flush("%b")]
        yield name, "ALIGN-2", [*stored, flush("%a")], [*stored, flush("%b")]
        yield name, "ALIGN-3", [INIT, *loop(flush("%a"))], loop(*stored, flush("%b"))
        yield name, "ALIGN-4", [*stored, END("%b"), flush("%b")], [*stored, flush("%b")]
    yield "pto.init_align", "ALIGN-1", [INIT, LOADED("%b", "%a")], [LOAD, LOADED("%b", "%a")]
    yield "pto.init_align", "ALIGN-5", [INIT, *carried("%a"), STORE("%b", "%w"), END("%b")], [INIT, STORE("%b", "%a"), END("%b")]
    yield "pto.vldas", "ALIGN-1", [LOAD, END("%a")], [INIT, STORE("%b", "%a"), END("%b")]
    yield "pto.vldas", "ALIGN-5", [LOAD, *carried("%a"), LOADED("%b", "%w")], [LOAD, LOADED("%b", "%a")]


def cases():
    for name, label, broken, repaired in table():
        yield name, label, *(HEAD + "\n".join(lines) + "\n" + TAIL for lines in (broken, repaired))
