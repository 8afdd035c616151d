"""Data of a run that never happened, in the form of docs/report-format.md, as large as a test wants."""
import random

REASONS = ["nothing", "issue", "flag"]
TEXT = """// a sample
pto.copy_gm_to_ubuf %in
pto.set_flag
pto.wait_flag
pto.vecscope {
}
pto.copy_ubuf_to_gm %out
"""
SITES = [(2, "pto.copy_gm_to_ubuf"), (3, "pto.set_flag"), (4, "pto.wait_flag"), (5, "pto.vecscope"),
         (7, "pto.copy_ubuf_to_gm")]


def sample(slices, blocks=1, seed=1, kernel="sample", slower=1.0):
    """A pipeline of three pipes per block: load, compute, store."""
    draw = random.Random(seed)
    tracks, memory = [], []
    arrows = {key: [] for key in ("from", "to", "left", "travel", "kind", "id")}
    length = 0
    for block in range(blocks):
        turns = slices // blocks // 3
        ends = [0, 0, 0]
        rows = [{key: [] for key in ("gap", "length", "site", "bytes", "path", "reason", "waited", "cause", "causeTrack")}
                for _ in range(3)]
        used = []
        for _ in range(turns):
            before = 0
            for pipe, row in enumerate(rows):
                busy = int(draw.randint(40_00, 90_00) * slower)
                start = max(ends[pipe], before)
                waited = start - ends[pipe]
                row["gap"].append(waited)
                row["length"].append(busy)
                row["site"].append((0, 3, 4)[pipe])
                row["bytes"].append((4096, 0, 4096)[pipe])
                row["path"].append((1, 0, 2)[pipe])
                row["reason"].append(2 if waited else 0)
                row["waited"].append(waited)
                row["cause"].append(1 if waited else -1)
                row["causeTrack"].append(block * 3 + pipe - 1 if waited and pipe else -1)
                if waited and pipe and len(arrows["from"]) < 20000:
                    for key, value in zip(arrows, (block * 3 + pipe - 1, block * 3 + pipe, before, 0, 2, 0)):
                        arrows[key].append(value)
                ends[pipe] = before = start + busy
                if pipe == 0:
                    loaded = start
                if pipe == 2:
                    used.append((loaded, before - loaded))
        length = max(length, *ends)
        for pipe, row in zip(("MTE2", "VECTOR", "MTE3"), rows):
            tracks.append({"block": block, "core": "AIV0", "pipe": pipe, "physicalCore": block, **row})
        memory.append({"block": block, "core": "AIV0", "space": "ub", "capacity": 262144,
                       "from": [start - (used[i - 1][0] if i else 0) for i, (start, _) in enumerate(used)],
                       "length": [span for _, span in used], "begin": [i % 16 * 4096 for i in range(turns)],
                       "bytes": [4096] * turns, "track": [block * 3] * turns, "site": [0] * turns})
    last = 0
    order = sorted(range(len(arrows["left"])), key=lambda i: arrows["left"][i])
    arrows = {key: [column[i] for i in order] for key, column in arrows.items()}
    for i, left in enumerate(arrows["left"]):
        arrows["left"][i], last = left - last, left
    pipes = ("MTE2", "VECTOR", "MTE3")
    busy = [sum(sum(t["length"]) for t in tracks if t["pipe"] == pipe) / 100 for pipe in pipes]
    waits = [sum(sum(t["waited"]) for t in tracks if t["pipe"] == pipe) / 100 for pipe in pipes]
    count = slices // blocks // 3 * blocks
    sites = [{"file": "sample.pto", "line": line, "column": 1, "op": op} for line, op in SITES]
    stats = {
        "schema": 1, "timing": {"file": "a sample", "profile": "a5", "figures": 3, "assumed": ["queue.depth"]},
        "launch": {"cycles": length / 100, "cyclesWithLaunch": length / 100 + 1300, "clockMHz": 1650, "coresUsed": blocks,
                   "coresThere": 64, "gmReadBytes": 4096 * count, "gmWriteBytes": 4096 * count, "firstTouchBytes": 0,
                   "l2HitShare": 0},
        "pipes": [{"core": "AIV0", "pipe": pipe, "busy": busy[i] / blocks, "waiting": waits[i] / blocks,
                   "idle": length / 100 - (busy[i] + waits[i]) / blocks, "waitingFor": {"flag": waits[i] / blocks},
                   "instructions": count, "bytes": 4096 * count if i != 1 else 0} for i, pipe in enumerate(pipes)],
        "overlap": {"share": 0.9, "best": 0.95, "anyBusy": 1},
        "bound": {"core": "AIV0", "pipe": "MTE3", "roofline": busy[2] / blocks, "share": busy[2] / blocks / length * 100},
        "waits": [{"core": "AIV0", "pipe": pipe, "place": sites[place], "reason": "flag", "cause": sites[1],
                   "causePipe": "MTE2", "cycles": waits[i], "times": count}
                  for i, (pipe, place) in enumerate(zip(pipes, (0, 3, 4))) if waits[i]],
        "sites": [{"place": sites[place], "busy": busy[i], "waited": waits[i], "times": count}
                  for i, place in enumerate((0, 3, 4))],
        "advice": [], "remarks": [],
    }
    return {
        "schema": "ptoscope-report/1", "tool": {"name": "ptoscope", "version": "0"}, "kernel": kernel, "blocks": blocks,
        "isCluster": False, "stats": stats, "ticksPerCycle": 100, "reasons": REASONS,
        "paths": ["", "GM to UB", "UB to GM"], "files": [{"path": "sample.pto", "text": TEXT}],
        "sites": [{"file": 0, "line": line, "column": 1, "op": op} for line, op in SITES],
        "tracks": tracks, "arrows": arrows, "memory": memory,
        "findings": [{"code": "race-raw", "severity": "error", "message": "`pto.vecscope` reads what is still written",
                      "help": "wait for a flag", "file": 0, "line": 5, "sites": [3], "turn": 2, "count": 1, "notes": []}],
        "leftOut": {"slices": 0, "arrows": 0, "blocks": 0},
    }
