"""Kernels for `check --prove`: each construct broken and repaired, and random ones.

prove.py twins              every broken kernel is refuted and every repaired one is proved
prove.py random FIRST LAST  whatever is proved shows no race with random arguments and schedules, and
                            whatever is refuted shows one with the arguments that are given
prove.py share FOLDER       the table of docs/proving.md for the kernels in a folder of examples
prove.py share FOLDER PAGE  the page has it, and at least 80 % of the affine ones are proved
"""
import json
import os
import random
import subprocess
import sys
import tempfile

HEAD = """module attributes {{pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>}} {{
  func.func @k(%a: !pto.ptr<f32, gm>, %b: !pto.ptr<f32, gm>, %n: i32) attributes {{pto.kernel}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %depth = arith.constant {depth} : index
    %c64 = arith.constant 64 : index
    %step = arith.constant {step} : index
    %apart = arith.constant {apart} : index
    %z = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %bytes = arith.constant 256 : i64
    %at_out = arith.constant 4096 : i64
    %ub_in0 = pto.castptr %z : i64 -> !pto.ptr<f32, ub>
    %ub_out0 = pto.castptr %at_out : i64 -> !pto.ptr<f32, ub>
    %all = arith.index_cast %n : i32 to index
    %block_i64 = pto.get_block_idx
    %block = arith.index_cast %block_i64 : i64 to index
    %blocks_i64 = pto.get_block_num
    %blocks = arith.index_cast %blocks_i64 : i64 to index
"""
LOOP = """    {head}
      %off = arith.muli %pp, %apart : index
      {tile}
      %start = arith.muli %t, %step : index
      %in = pto.addptr %ub_in0, %off : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>
      %out = pto.addptr %ub_out0, %off : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>
      %gm_a = pto.addptr %a, %start : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>
      %gm_b = pto.addptr %b, %start : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>
{body}
{foot}    }}
"""
# How a kernel chooses its buffer: lines of the turn, or of what the loop carries to the next one. Most are for two buffers.
ODD = "%odd_i = arith.andi %i, %c1 : index\n      %is_odd = arith.cmpi ne, %odd_i, %c0 : index\n      "
CHOICES = {"remainder": "%pp = arith.remui %i, %depth : index",
           "select": ODD + "%pp = arith.select %is_odd, %c1, %c0 : index",
           "branch": ODD + "%pp = scf.if %is_odd -> (index) {\n        scf.yield %c1 : index\n      } else {\n"
                           "        scf.yield %c0 : index\n      }",
           "difference": "%half = arith.divsi %i, %c2 : index\n      %even = arith.muli %half, %c2 : index\n"
                         "      %pp = arith.subi %i, %even : index",
           "pairs": "%half = arith.divui %i, %c2 : index\n      %pp = arith.remui %half, %c2 : index"}
CARRIED = {"flip": "%next = arith.xori %pp, %c1 : index",
           "other": "%next = arith.subi %c1, %pp : index",
           "wrap": "%more = arith.addi %pp, %c1 : index\n      %end = arith.cmpi eq, %more, %depth : index\n"
                   "      %next = arith.select %end, %c0, %more : index",
           "round": "%more = arith.addi %pp, %c1 : index\n      %next = arith.remui %more, %depth : index"}
LOAD = """pto.mte_gm_ub %gm_a, %in, %z, %bytes nburst(%one, %z, %z) : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64"""
STORE = """pto.mte_ub_gm %out, %gm_b, %bytes nburst(%one, %z, %z) : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64"""
SCOPE = """pto.vecscope {
        %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
        %x = pto.vlds %in[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
        %y = pto.vabs %x, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        pto.vsts %y, %out[%c0], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
      }"""
# The same with tiles.
TILE, PART = "!pto.tile_buf<vec, 1x64xf32>", "!pto.partition_tensor_view<64xf32>"
TILES = f"""%off_i64 = arith.index_cast %off : index to i64
      %four = arith.constant 4 : i64
      %in_at = arith.muli %off_i64, %four : i64
      %out_at = arith.addi %in_at, %at_out : i64
      %tile_in = pto.alloc_tile addr = %in_at : {TILE}
      %tile_out = pto.alloc_tile addr = %out_at : {TILE}
      %large = arith.constant 1048576 : index
      %view_a = pto.make_tensor_view %a, shape = [%large], strides = [%c1] : !pto.tensor_view<?xf32>
      %view_b = pto.make_tensor_view %b, shape = [%large], strides = [%c1] : !pto.tensor_view<?xf32>
      %part_a = pto.partition_view %view_a, offsets = [%start], sizes = [%c64] : !pto.tensor_view<?xf32> -> {PART}
      %part_b = pto.partition_view %view_b, offsets = [%start], sizes = [%c64] : !pto.tensor_view<?xf32> -> {PART}"""
TILE_LOAD = f"pto.tload ins(%part_a : {PART}) outs(%tile_in : {TILE})"
TILE_ABS = f"pto.tabs ins(%tile_in : {TILE}) outs(%tile_out : {TILE})"
TILE_STORE = f"pto.tstore ins(%tile_out : {TILE}) outs(%part_b : {PART})"
ONE_BLOCK, EACH_BLOCK = "%t = arith.addi %i, %c0 : index", """%turns = arith.muli %i, %blocks : index
      %t = arith.addi %turns, %block : index"""
TAIL = "    return\n  }\n}\n"


def flag(verb, src, dst, event):
    if isinstance(event, int):
        return f'pto.{verb}_flag["PIPE_{src}", "PIPE_{dst}", "EVENT_ID{event}"]'
    return f"pto.{verb}_flag_dyn[#pto.pipe<PIPE_{src}>, #pto.pipe<PIPE_{dst}>, {event}]"


def loop(tile, body, choice="remainder"):
    head, foot = "scf.for %i = %c0 to %all step %c1 {\n      " + CHOICES.get(choice, ""), ""
    if choice in CARRIED:
        head = "%last = scf.for %i = %c0 to %all step %c1 iter_args(%pp = %c0) -> (index) {"
        foot = f"      {CARRIED[choice]}\n      scf.yield %next : index\n"
    return LOOP.format(tile=tile, body="\n".join("      " + line for line in body), head=head, foot=foot)


def stream(depth=1, step=64, apart=64, ready=True, free_in=True, free_out=True, done=True, extra=False, primed=None,
           tile=EACH_BLOCK, ids=None, after="", choice="remainder", tiles=False):
    """Load, compute, store in a loop; `depth` buffers. Each of the four orders can be left out."""
    load, compute, store = (TILE_LOAD, TILE_ABS, TILE_STORE) if tiles else (LOAD, SCOPE, STORE)
    ids = ids if ids is not None else ("%pp" if depth > 1 else 0)
    events = range(depth) if ids == "%pp" else [0]
    primed = primed if primed is not None else 1
    body, before, behind = [], [], []
    if free_in:
        before += [flag("set", "V", "MTE2", e) for e in events for _ in range(primed)]
        behind += [flag("wait", "V", "MTE2", e) for e in events for _ in range(primed)]
        body += [flag("wait", "V", "MTE2", ids)]
    if extra:
        before += [flag("set", "MTE2", "V", e) for e in events]
        behind += [flag("wait", "MTE2", "V", e) for e in events]
    body += [TILES] if tiles else []
    body += [load]
    if ready:
        body += [flag("set", "MTE2", "V", ids), flag("wait", "MTE2", "V", ids)]
    if free_out:
        before += [flag("set", "MTE3", "V", e) for e in events]
        behind += [flag("wait", "MTE3", "V", e) for e in events]
        body += [flag("wait", "MTE3", "V", ids)]
    body += [compute]
    if free_in:
        body += [flag("set", "V", "MTE2", ids)]
    if done:
        body += [flag("set", "V", "MTE3", ids), flag("wait", "V", "MTE3", ids)]
    body += [store]
    if free_out:
        body += [flag("set", "MTE3", "V", ids)]
    text = HEAD.format(depth=depth, step=step, apart=apart) + "".join(f"    {line}\n" for line in before)
    text += loop(tile, body, choice)
    return text + "".join(f"    {line}\n" for line in behind) + after + TAIL


def waits_late(ready=True, free_in=True, free_out=True, done=True, tile=EACH_BLOCK):
    """Two buffers, none primed: a turn waits for the one two before it, and behind the loop for as many as there were."""
    freed = [("V", "MTE2")] * free_in + [("MTE3", "V")] * free_out
    late = {pair: "scf.if %late {\n        " + flag("wait", *pair, "%pp") + "\n      }" if pair in freed else ""
            for pair in (("V", "MTE2"), ("MTE3", "V"))}
    body = ["%late = arith.cmpi sge, %i, %c2 : index", late["V", "MTE2"], LOAD]
    body += [flag("set", "MTE2", "V", "%pp"), flag("wait", "MTE2", "V", "%pp")] * ready + [late["MTE3", "V"], SCOPE]
    body += [flag("set", "V", "MTE2", "%pp")] * free_in + [flag("set", "V", "MTE3", "%pp"), flag("wait", "V", "MTE3", "%pp")] * done
    body += [STORE] + [flag("set", "MTE3", "V", "%pp")] * free_out
    text = HEAD.format(depth=2, step=64, apart=64) + loop(tile, body)
    text += "    %more = arith.addi %all, %c1 : index\n"
    for count, number in (("%c1", "%more"), ("%c2", "%all")):
        left = "\n      ".join(flag("wait", *pair, "%left") for pair in freed)
        text += f"""    %are{count[1:]} = arith.cmpi sge, %all, {count} : index
    scf.if %are{count[1:]} {{
      %left = arith.remui {number}, %c2 : index
      {left}
    }}
"""
    return text + TAIL


def buffers(release_v=True):
    body = ['pto.get_buf "PIPE_MTE2", 0, 0', LOAD, 'pto.rls_buf "PIPE_MTE2", 0, 0', 'pto.get_buf "PIPE_V", 0, 0',
            'pto.get_buf "PIPE_V", 1, 0', SCOPE, 'pto.rls_buf "PIPE_V", 0, 0' if release_v else "",
            'pto.rls_buf "PIPE_V", 1, 0', 'pto.get_buf "PIPE_MTE3", 1, 0', STORE, 'pto.rls_buf "PIPE_MTE3", 1, 0']
    text = HEAD.format(depth=1, step=64, apart=64)
    return text + loop(EACH_BLOCK, body) + TAIL


def barriers(last=True):
    body = [LOAD, flag("set", "MTE2", "V", 0), flag("wait", "MTE2", "V", 0), SCOPE, flag("set", "V", "MTE3", 0),
            flag("wait", "V", "MTE3", 0), STORE, "pto.barrier #pto.pipe<PIPE_ALL>" if last else ""]
    text = HEAD.format(depth=1, step=64, apart=64)
    return text + loop(EACH_BLOCK, body) + TAIL


def odd_tail(waits):
    """After the loop, where n is odd, one more load into the buffer that V reads."""
    wait = flag("wait", "V", "MTE2", 1) if waits else ""
    after = f"""    {flag("set", "V", "MTE2", 1)}
    %rest = arith.remui %all, %c2 : index
    %odd = arith.cmpi eq, %rest, %c1 : index
    scf.if %odd {{
      {wait}
      pto.mte_gm_ub %a, %ub_in0, %z, %bytes nburst(%one, %z, %z) : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
      {flag("set", "V", "MTE2", 1) if waits else ""}
    }}
    {flag("wait", "V", "MTE2", 1) if waits else ""}
"""
    text = stream(after="")
    body = text[:text.rindex("    pto.wait_flag[\"PIPE_V\", \"PIPE_MTE2\"")]
    rest = text[len(body):text.rindex("    return")]
    return body + (after if waits else after.replace(flag("set", "V", "MTE2", 1), "")) + rest + TAIL


def prefetch(guard):
    """Tile i + 1 is loaded while V works on tile i; without the guard the last turn loads into a buffer in use."""
    load = LOAD.replace("%gm_a", "%gm_next").replace("%in,", "%in_next,")
    inner = f"""{flag("wait", "V", "MTE2", 0)}
        %after = arith.addi %i, %c1 : index
        %pn = arith.remui %after, %depth : index
        %offn = arith.muli %pn, %apart : index
        %sn = arith.muli %after, %step : index
        %in_next = pto.addptr %ub_in0, %offn : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>
        %gm_next = pto.addptr %a, %sn : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>
        {load}
        {flag("set", "MTE2", "V", 0)}"""
    ahead = "%nx = arith.addi %i, %c1 : index\n      %more = arith.cmpi slt, %nx, %all : index\n      scf.if %more {\n        " + inner + "\n      }"
    free = flag("set", "V", "MTE2", 0)
    body = [ahead, flag("wait", "MTE2", "V", 0), SCOPE, free if guard else "", flag("set", "V", "MTE3", 0),
            flag("wait", "V", "MTE3", 0), STORE, "pto.barrier #pto.pipe<PIPE_MTE3>", flag("set", "MTE3", "V", 0),
            flag("wait", "MTE3", "V", 0)]
    first = LOAD.replace("%gm_a", "%a").replace("%in,", "%ub_in0,")
    if not guard:  # one set for free too many at the start instead of one in each turn's end
        body[0] = body[0].replace(flag("wait", "V", "MTE2", 0), "")
    text = HEAD.format(depth=2, step=64, apart=64) + f"    {first}\n    {flag('set', 'MTE2', 'V', 0)}\n"
    if guard:
        text += f"    {flag('set', 'V', 'MTE2', 0)}\n"
    text += loop(ONE_BLOCK, body)
    return text + TAIL


# name, broken, repaired, options
TWINS = [
    ("flag missing", stream(ready=False), stream(), []),
    ("a set too many, so that each wait has the set of the turn before", stream(extra=True), stream(), []),
    ("one id for both buffers, primed twice", stream(depth=2, apart=32, ids=0, primed=2), stream(depth=2, ids=0, primed=2), []),
    ("nothing says that a buffer is free: only from the third tile on", stream(depth=2, free_in=False), stream(depth=2), []),
    ("primed twice: a distance of two turns for one buffer", stream(primed=2), stream(primed=1), []),
    ("only with odd n", odd_tail(False), odd_tail(True), []),
    ("tiles overlap in GM, since the step is smaller than the tile", stream(step=48), stream(step=64), []),
    ("buffers overlap in UB", stream(depth=2, apart=32), stream(depth=2, apart=64), []),
    ("blocks write the same tiles", stream(tile=ONE_BLOCK), stream(tile=EACH_BLOCK), []),
    ("prefetch without waiting until the buffer is free", prefetch(False), prefetch(True), ["--assume", "n>=1", "--assume", "blocks=1"]),
    ("waits from the third turn on, but none for the buffer to be free", waits_late(free_in=False), waits_late(), []),
    ("waits from the third turn on, and none for the store", waits_late(free_out=False), waits_late(), []),
    ("buffer id that is not released", buffers(False), buffers(True), []),
    ("barrier missing", barriers(False), barriers(True), []),
    ("no flag after the scope", stream(done=False), stream(done=True), []),
    *((f"buffers overlap, chosen by {choice}", stream(depth=2, apart=32, choice=choice), stream(depth=2, choice=choice), [])
      for choice in [*CHOICES, *CARRIED] if choice != "remainder"),
    ("tiles overlap in UB", stream(depth=2, apart=32, tiles=True), stream(depth=2, tiles=True), []),
    ("tiles overlap in GM", stream(step=48, tiles=True), stream(tiles=True), []),
    ("blocks store the same tiles", stream(tile=ONE_BLOCK, tiles=True), stream(tiles=True), []),
]


def prove(path, options=()):
    done = subprocess.run(["ptoscope", "check", "--prove", "--format", "json", *options, path], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)["proofs"]


def races(words):
    done = subprocess.run(words + ["--check", "race", "--format", "json"], capture_output=True, text=True)
    return [f["code"] for f in json.loads(done.stdout)["findings"] if f["code"].startswith("race-")]


def twins():
    with tempfile.TemporaryDirectory() as folder:
        for name, broken, repaired, options in TWINS:
            for text, wanted in ((broken, "refuted"), (repaired, "proved")):
                path = os.path.join(folder, "k.pto")
                open(path, "w").write(text)
                status, (proof,) = prove(path, options)
                got = proof["verdict"]
                if got != wanted or status != (wanted == "refuted"):
                    sys.exit(f"{name}: {got} instead of {wanted}, status {status}: {proof}\n{text}")
                if wanted == "refuted" and proof["code"] not in races(proof["command"].split()):
                    sys.exit(f"{name}: the run does not show it: {proof}")
            print("ok:", name)


def random_kernel(rng):
    depth = rng.choice([1, 1, 2, 3])
    kind = rng.random()
    if kind < 0.1:
        return buffers(rng.random() < 0.5)
    if kind < 0.2:
        return barriers(rng.random() < 0.5)
    often = lambda: rng.random() < 0.85
    if kind < 0.35:
        return waits_late(ready=often(), free_in=often(), free_out=often(), done=often(), tile=EACH_BLOCK if often() else ONE_BLOCK)
    choice = rng.choice([*CHOICES, *CARRIED]) if depth == 2 and rng.random() < 0.7 else "remainder"
    return stream(depth=depth, choice=choice, tiles=rng.random() < 0.3, step=rng.choice([64, 64, 64, 48, 96]), apart=rng.choice([64, 64, 64, 32, 128]), ready=often(),
                  free_in=often(), free_out=often(), done=often(), extra=rng.random() < 0.1, primed=rng.choice([1, 1, 1, 2]),
                  tile=EACH_BLOCK if rng.random() < 0.8 else ONE_BLOCK)


def randoms(first, last):
    last = last * 25 if "PTOSCOPE_TEST_LONG" in os.environ else last
    counts = {"proved": 0, "refuted": 0, "undecided": 0}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            rng = random.Random(seed)
            path = os.path.join(folder, "k.pto")
            open(path, "w").write(random_kernel(rng))
            _, (proof,) = prove(path)
            counts[proof["verdict"]] += 1
            if proof["verdict"] == "refuted" and not races(proof["command"].split()):
                sys.exit(f"seed {seed}: refuted, but the run shows no race: {proof}")
            if proof["verdict"] != "proved":
                continue
            for _ in range(2):
                n, blocks = rng.randrange(0, 8), rng.choice([1, 2, 3])
                size = (n * blocks + blocks + 1) * 128
                words = ["ptoscope", "run", path, "--block-dim", str(blocks), "--arg", f"random:f32:{size}:1", "--arg",
                         f"zeros:f32:{size}", "--arg", str(n), "--schedule", rng.choice(["eager", f"random:{seed}"])]
                found = races(words)
                if found:
                    sys.exit(f"seed {seed}: proved, but {found} with {' '.join(words)}")
    print(" ".join(f"{name} {count}" for name, count in counts.items()))


# Bounds that examples rely on; the table shows them.
ASSUMED = {"layer_norm": ["n<=8192"], "two_pass": ["n<=8192"],
           "multi_block": ["n<=16384"], "gemm_batched": ["m<=128", "n<=128", "k<=128"]}


def share(folder):
    """One row for each kernel; the last line says how many are decided."""
    rows = []
    for root, folders, files in sorted(os.walk(folder)):
        folders[:] = [name for name in folders if name not in ("expected", "cmake-project")]
        for file in sorted(files):
            if not file.endswith(".pto"):
                continue
            path = os.path.join(root, file)
            options = [word for kernel, facts in ASSUMED.items() if kernel in open(path).read() for fact in facts for word in ("--assume", fact)]
            done = subprocess.run(["ptoscope", "check", "--prove", "--format", "json", *options, path], capture_output=True, text=True)
            for proof in json.loads(done.stdout).get("proofs", []):
                needed = "".join(f', `--assume "{fact}"`' for fact in ASSUMED.get(proof["kernel"], []))
                rows.append((os.path.relpath(path, folder), {**proof, "needed": needed}))
    lines = [f"| {path} | {proof['kernel']} | {'yes' if proof['affine'] else 'no'} | {proof['verdict']}{proof['needed']} | "
             f"{proof.get('reason', proof.get('code', ''))} |" for path, proof in rows]
    count = lambda wanted: sum(1 for path, proof in rows if wanted(path, proof))
    decided = lambda proof: proof["verdict"] != "undecided"
    right = lambda path: not path.startswith("broken")
    lines.append(f"Affine kernels outside `broken/`: {count(lambda p, v: right(p) and v['affine'] and v['verdict'] == 'proved')} of "
                 f"{count(lambda p, v: right(p) and v['affine'])} are proved. Affine kernels: "
                 f"{count(lambda p, v: v['affine'] and decided(v))} of {count(lambda p, v: v['affine'])} are decided. "
                 f"All kernels: {count(lambda p, v: decided(v))} of {len(rows)}.")
    return lines


def share_is(folder, page):
    """The page has the table, and the share proved of affine kernels is at least 80 %."""
    text = open(page).read()
    for line in share(folder):
        if line not in text:
            sys.exit(f"docs/proving.md does not have: {line}")
    proved, affine = (int(word) for word in line.split(":")[1].split(" are")[0].split(" of "))
    if proved < 0.8 * affine:
        sys.exit(f"only {proved} of {affine} affine examples are proved")


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "twins":
        twins()
    elif what == "random":
        randoms(int(sys.argv[2]), int(sys.argv[3]))
    elif len(sys.argv) > 3:
        share_is(sys.argv[2], sys.argv[3])
    else:
        print("\n".join(share(sys.argv[2])))
