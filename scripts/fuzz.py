"""Runs the fuzz targets and prints executions, coverage and findings of each.

    fuzz.py BUILD [--seconds N] [--workers N] [TARGET…]

Seconds are those of the whole run; targets share them by their weights, and `workers` run at once (default: one per
core). A target that has executed as many inputs as are wanted ends, and leaves its time to those behind it. Inputs begin with the
programs, files and messages of the tree; what a run finds interesting stays in BUILD/corpus/TARGET for the next. An input that ends a target, takes too long or too much memory is kept in
BUILD/findings/TARGET, and the target goes on. Status 1 if there was one. An interrupt ends the targets that run, and the rest do not begin.
"""
import argparse
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
# Faults of generated code are findings, so signals are ours, and so is memory that there is not.
ASAN = "handle_segv=0:allow_user_segv_handler=1:allocator_may_return_null=1"
# What LLVM poisons is its own affair; what it keeps for the life of a process is no leak of ours.
ASAN_LLVM = ASAN + ":allow_user_poisoning=0:detect_leaks=0"
SECONDS_OF_INPUT = 30
MOST_FINDINGS = 5  # of one target: more of them are mostly the same
INTERRUPTED = 72  # the status of a target that SIGINT has ended


def read(path):
    with open(path, "rb") as file:
        return file.read()


def find(*patterns):
    return sorted(path for pattern in patterns for path in glob.glob(os.path.join(SOURCE, pattern), recursive=True))


def repaired_programs(path):
    """The repaired programs of a test with cases (test/Inputs/repairs.py)."""
    around, part, raw = {"prologue": "", "epilogue": ""}, None, False
    for line in read(path).decode().split("\n") + ["=== end"]:
        if line.startswith("=== "):
            if isinstance(part, list) and part:
                text = "\n".join(part) + "\n"
                yield text if raw else around["prologue"] + text + around["epilogue"]
            name, _, options = line[4:].partition("::")
            raw, part = "raw" in options.split(), name.strip()
            if part in around:
                around[part] = ""
            else:
                part = []
        elif line[:1] in (" ", "+"):
            if isinstance(part, list):
                part.append(line[1:])
            elif part:
                around[part] += line[1:] + "\n"


def programs():
    for path in find("examples/**/*.pto", "test/**/*.pto"):
        for part in re.split(rb"^// -----.*$", read(path), flags=re.M):
            yield part
    for path in find("test/**/*.test", "test/**/codes.txt"):
        if b"\n=== " in read(path):
            for text in repaired_programs(path):
                yield text.encode()


def micro_programs():
    return (text for text in programs() if b"tile" not in text)


def tile_programs():
    return (text for text in programs() if b"tile" in text)


def arrays():
    for path in find("examples/**/*.npy"):
        yield read(path)[:512]


def timing_files():
    for path in find("share/timing/*.timing"):
        lines = [line for line in read(path).split(b"\n") if line and not line.startswith(b"#")]
        for k in range(1, len(lines), 10):
            yield b"\n".join([lines[0], *lines[k:k + 10]]) + b"\n"


def reports():
    finding = {"code": "race-raw", "severity": "error", "category": "program",
               "place": {"file": "a.pto", "line": 3, "column": 5}, "message": "m",
               "notes": [{"place": None, "message": "n"}], "help": "h",
               "edits": [{"place": {"file": "a.pto", "line": 3, "column": 0}, "after": True, "insertText": "x"}],
               "bytes": {"space": "ub", "parameter": "", "begin": 0, "end": 64}, "iterations": [1], "otherIterations": [],
               "cores": ["AIV"], "count": 2}
    for findings in ([], [finding], [finding, dict(finding, bytes=None, code="deadlock")]):
        yield json.dumps({"schema": 1, "findings": findings}).encode()


def in_lines(messages):
    return "\n".join(json.dumps(message) for message in messages).encode()


def in_frames(messages):
    bodies = [json.dumps(message).encode() for message in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


def editor_messages():
    uri = "file:///k.pto"
    place = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 12}}
    asked = [("hover", {}), ("completion", {}), ("definition", {}), ("references", {"context": {}}),
             ("documentHighlight", {}), ("prepareRename", {}), ("rename", {"newName": "y"}), ("documentSymbol", {}),
             ("foldingRange", {}), ("formatting", {"options": {"tabSize": 2}}), ("semanticTokens/full", {}),
             ("codeAction", {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}},
                             "context": {"diagnostics": []}}),
             ("inlayHint", {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}}),
             ("signatureHelp", {})]
    for path in find("examples/abs.pto", "examples/broken/missing_set.pto", "examples/broken/tile_missing_flag.pto"):
        text = read(path).decode()
        changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [
            {"range": {"start": {"line": 3, "character": 0}, "end": {"line": 4, "character": 2}}, "text": "  "}]}
        for k in range(0, len(asked), 5):
            yield in_lines([
                {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
                {"method": "initialized", "params": {}},
                {"method": "textDocument/didOpen",
                 "params": {"textDocument": {"uri": uri, "languageId": "pto", "version": 1, "text": text}}},
                *({"id": 2 + i, "method": "textDocument/" + name, "params": {**place, **more}}
                  for i, (name, more) in enumerate(asked[k:k + 5])),
                {"method": "textDocument/didChange", "params": changed},
                {"method": "textDocument/didClose", "params": place},
                {"id": 9, "method": "shutdown"}, {"method": "exit"}])
    yield in_frames([{"id": 1, "method": "initialize", "params": {}}, {"id": 2, "method": "shutdown"}])


def debugger_messages():
    # Threads are units of cores: the scalar unit of AIV0, and its vector pipe.
    unit, pipe, path = {"threadId": 17}, {"threadId": 18}, os.path.join(SOURCE, "examples/abs.pto")
    lines = [{"line": 20}, {"line": 25, "condition": "block 0"}]
    asked = [[("setBreakpoints", {"source": {"path": path}, "breakpoints": lines})],
             [("next", unit), ("stepIn", pipe), ("stepBack", unit), ("reverseContinue", unit), ("stepOut", pipe)],
             [("stackTrace", unit), ("scopes", {"frameId": 68}), ("variables", {"variablesReference": 1}),
              ("variables", {"variablesReference": 8, "start": 1, "count": 2})],
             [("evaluate", {"expression": "ub[0:16] as f32", "context": "repl"}), ("evaluate", {"expression": "%v", "frameId": 68})],
             [("evaluate", {"expression": line, "context": "repl"})
              for line in ("break pto.vlds", "watch ub 0 256", "info queues", "list", "where", "who ub 0 64", "until 20")],
             [("evaluate", {"expression": line, "context": "repl"})
              for line in ("next", "step pipe V", "print ub 0 64 as f32", "back 3", "goto 12", "finish", "info locals")],
             [("readMemory", {"memoryReference": "mem 0 1 2 0", "offset": 0, "count": 64}),
              ("readMemory", {"memoryReference": "arg 0 0", "offset": 8, "count": 64}), ("threads", {})],
             [("dataBreakpointInfo", {"name": "ub 0 256"}), ("setDataBreakpoints", {"breakpoints": [{"dataId": "1 ub 0 256"}]})],
             [("setFunctionBreakpoints", {"breakpoints": [{"name": "pto.vlds"}]}), ("exceptionInfo", unit)],
             [("setExceptionBreakpoints", {"filters": ["findings"]}), ("restart", {}), ("pause", unit)]]
    for more in asked:
        words = [("initialize", {"adapterID": "ptoscope"}), ("launch", {"program": path, "stopOnEntry": True}),
                 ("configurationDone", {}), *more, ("continue", unit), *more, ("disconnect", {})]
        messages = [{"seq": i + 1, "type": "request", "command": command, "arguments": arguments}
                    for i, (command, arguments) in enumerate(words)]
        yield in_lines(messages)
    yield in_frames(messages)


def launches():
    for k in range(24):  # any bytes are a launch
        yield hashlib.sha512(b"launch %d" % k).digest() * 2
    yield bytes(160)


class Target:
    def __init__(self, name, corpus, weight, length, wanted=0, program=None, llvm=True):
        self.name, self.corpus, self.weight, self.length, self.wanted = name, corpus, weight, length, wanted
        self.program, self.llvm = program or name, llvm
        self.executions = self.edges = self.known = self.kept = self.cpu_seconds = 0
        self.findings = []


TARGETS = [
    Target("npy", arrays, 4, 2048, 10**7, llvm=False),
    Target("timing", timing_files, 7, 1024, 10**7, llvm=False),
    Target("findings", reports, 1, 4096, llvm=False),
    Target("launch", launches, 2, 400, llvm=False),
    Target("parse", programs, 20, 8192, 10**6),
    Target("check", programs, 3, 8192),
    Target("run", micro_programs, 6, 6144, 10**5),
    Target("tiles", tile_programs, 5, 6144, 10**5, program="run"),
    Target("language", editor_messages, 3, 16384),
    Target("debug", debugger_messages, 3, 4096),
]


def seed(target, folder):
    os.makedirs(folder, exist_ok=True)
    for text in target.corpus():
        if text.strip() and len(text) <= target.length:
            with open(os.path.join(folder, hashlib.sha1(text).hexdigest()), "wb") as file:
                file.write(text)


def is_slow(command, environment):
    """Whether an input takes too long by the processor's time, too: the host may have had other work."""
    limit = SECONDS_OF_INPUT, SECONDS_OF_INPUT + 1
    return subprocess.run(command, env=environment, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit),
                          capture_output=True, check=False).returncode != 0


def run(target, build, seconds, shares):
    folder = {name: os.path.join(build, name, target.name) for name in ("corpus", "findings")}
    os.makedirs(folder["findings"], exist_ok=True)
    seed(target, folder["corpus"])
    environment = dict(os.environ, ASAN_OPTIONS=ASAN_LLVM if target.llvm else ASAN, PTOSCOPE_CACHE="off")
    end = time.monotonic() + seconds
    wanted = target.wanted or sys.maxsize
    log_path = os.path.join(build, "findings", target.name + ".log")
    program = os.path.join(build, "bin", "fuzz-" + target.program)
    with open(log_path, "wb") as log:
        while ((left := int(end - time.monotonic())) > 0 and target.executions < wanted and not shares.stopped
               and len(target.findings) < MOST_FINDINGS):
            before = set(os.listdir(folder["findings"]))
            begin = log.tell()
            process = subprocess.Popen(
                [program, folder["corpus"], f"-max_total_time={left}",
                 f"-runs={wanted - target.executions if target.wanted else -1}", f"-max_len={target.length}",
                 f"-timeout={SECONDS_OF_INPUT}", "-report_slow_units=1000", "-rss_limit_mb=3000", "-print_final_stats=1",
                 "-detect_leaks=0" if target.llvm else "-detect_leaks=1", f"-artifact_prefix={folder['findings']}/"],
                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
            shares.running.add(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            shares.running.discard(process.pid)
            process.returncode = os.waitstatus_to_exitcode(status)
            target.cpu_seconds += usage.ru_utime + usage.ru_stime
            log.flush()
            told = read(log_path)[begin:].decode(errors="replace")
            for pattern, name, more in ((r"stat::number_of_executed_units:\s*(\d+)", "executions", True),
                                        (r"\((\d+) inline 8-bit counters\)", "known", False),
                                        (r"cov: (\d+)", "edges", False), (r"corp: (\d+)", "kept", False)):
                if numbers := re.findall(pattern, told):
                    setattr(target, name, int(numbers[-1]) + (getattr(target, name) if more else 0))
            if process.returncode in (0, INTERRUPTED):
                break
            new = [os.path.join(folder["findings"], name) for name in sorted(set(os.listdir(folder["findings"])) - before)]
            fast = [path for path in new if "timeout-" in path and not is_slow([program, "-timeout=100000", path], environment)]
            for path in fast:
                os.remove(path)
            target.findings += [path for path in new if path not in fast] or (
                [] if fast else [f"status {process.returncode}, see {log_path}"])
            if not re.search(r"number_of_executed_units", told):
                break  # it cannot even start
    return target


class Shares:
    """Time that targets divide among them: each gets its part of what is left when it begins."""

    def __init__(self, targets, workers, seconds):
        self.waiting, self.workers, self.end = list(targets), workers, time.monotonic() + seconds
        self.promised = {}  # ends of those that run
        self.running, self.stopped = set(), False
        self.lock = threading.Lock()

    def stop(self, *_):
        self.stopped = True
        for process in list(self.running):
            os.kill(process, signal.SIGINT)

    def run_next(self, build):
        with self.lock:
            if self.stopped:
                return None
            target, now = self.waiting.pop(0), time.monotonic()
            left = self.workers * (self.end - now) - sum(max(0, end - now) for end in self.promised.values())
            share = left * target.weight / (target.weight + sum(other.weight for other in self.waiting))
            seconds = max(1, round(min(share, self.end - now)))
            self.promised[target.name] = now + seconds
        run(target, build, seconds, self)
        with self.lock:
            del self.promised[target.name]
        return target


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("targets", nargs="*")
    options = parser.parse_intermixed_args()
    names = [target.name for target in TARGETS]
    if unknown := [name for name in options.targets if name not in names]:
        print(f"fuzz.py: there is no target `{unknown[0]}`; they are {', '.join(names)}", file=sys.stderr)
        return 2
    chosen = [target for target in TARGETS if not options.targets or target.name in options.targets]
    workers = min(options.workers, len(chosen))
    print(f"{'target':10} {'executions':>12} {'CPU s':>7} {'edges':>7} {'of':>7} {'':>5} {'corpus':>7} {'findings':>9}", flush=True)
    # Those that may end early come first, then those that take longest.
    order = sorted(chosen, key=lambda target: (target.llvm or not target.wanted, -target.weight))
    shares = Shares(order, workers, options.seconds)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, shares.stop)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for job in concurrent.futures.as_completed([pool.submit(shares.run_next, options.build) for _ in chosen]):
            if not (target := job.result()):
                continue
            reached = f"{100 * target.edges // target.known}%" if target.known else ""
            print(f"{target.name:10} {target.executions:12} {target.cpu_seconds:7.0f} {target.edges:7} {target.known:7} {reached:>5} "
                  f"{target.kept:7} {len(target.findings):9}", flush=True)
    for target in chosen:
        for finding in target.findings:
            print(f"{target.name}: {finding}")
        if target.executions == 0 and not shares.stopped:
            print(f"{target.name}: nothing was executed")
    if shares.stopped:
        return 130
    return 1 if any(target.findings or target.executions == 0 for target in chosen) else 0


sys.exit(main())
