"""Cases that must be reported, beside twins that must not, many in one kernel.

Every case is a vector scope of its own. `bad` emits an instruction that must be reported, with its code and what the report must
say; everything else must stay silent. The findings of the run are read as JSON and compared with exactly that; a verdict
does not depend on the schedule.
"""
import contextlib
import json
import re
import subprocess

import ptorun
import refusals
from vecrun import Bench


class Cases(Bench):
    def __init__(self, name, arch="a5", defined=None, tolerate=(), schedules=("eager", "random:1")):
        """`defined`: how many bytes of UB are written before the scopes; all by default. `tolerate`: codes that are not looked at."""
        super().__init__(name, arch)
        self.tolerate, self.schedules = tolerate, schedules
        self.defined = self.size if defined is None else defined
        self.expected = {}  # mark -> (codes, parts of the report, note)
        self.note = ""
        self.good = 0

    @contextlib.contextmanager
    def scope(self, note):
        self.note, self.known = note, {}
        self("pto.vecscope {")
        before = len(self.expected)
        yield self
        self("}")
        if self.arch != "a5":  # there the next scope may start before this one has ended
            self("pto.barrier #pto.pipe<PIPE_V>")
        self.good += before == len(self.expected)

    def bad(self, line, code, *parts):
        """`code` may be several to choose from."""
        mark = f"// case {len(self.expected)} {self.note}"
        self.expected[mark] = ((code,) if isinstance(code, str) else code, parts)
        self(f"{line} {mark}")

    def line(self, text, code, *parts):
        """Bad if there is a code, else good."""
        self.bad(text, code, *parts) if code else self(text)

    def text(self):
        p = ptorun.Program(*self.p.parameters)
        p.head, p.known = self.p.head, self.p.known
        p.gm_ub("%in", 0, 32768, self.defined // 32768, 32768, 32768)
        p.flag("MTE2", "V")
        p(*self.p.body)
        return p.text().replace('pto.target_arch = "a5"', f'pto.target_arch = "{self.arch}"')

    def run(self, options=()):
        path = self.write()
        self.start.tofile(path + ".in")
        lines = {k + 1: text for k, text in enumerate(self.text().split("\n"))}
        for schedule in self.schedules:
            command = ["ptoscope", "run", path, "--arg", path + ".in", "--arg", "zeros:i8:32", "--format", "json",
                       "--max-findings", "100000", "--schedule", schedule, *options]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode not in (0, 1):
                ptorun.fail(f"status {done.returncode}: {' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
            self.judge(json.loads(done.stdout)["findings"], lines, f"{path} --schedule {schedule}")
        print(f"{self.name}: {len(self.expected)} reports, {self.good} silent scopes")

    def judge(self, findings, lines, what):
        missing, wrong = dict(self.expected), []
        for f in findings:
            if f["severity"] not in ("error", "warning") or f["code"] in self.tolerate:
                continue
            place = f["place"]
            text = lines[place["line"]] if place else ""
            mark = text[text.find("// case"):] if "// case" in text else None
            shown = f"{f['code']}: {f['message']} {' '.join(n['message'] for n in f['notes'])} {f['help']}"
            if mark not in self.expected:
                wrong.append(f"unexpected report at line {place and place['line']}\n  {text}\n  {shown}")
                continue
            codes, parts = self.expected[mark]
            if f["code"] not in codes or not all(part in shown for part in parts):
                wrong.append(f"line {place['line']} should be {codes} with {parts}\n  {text}\n  {shown}")
            missing.pop(mark, None)
            refusals.refused(re.search(r"pto\.[\w.]+", text)[0], f["code"])
        for mark, expected in missing.items():
            line = next(n for n, text in lines.items() if text.endswith(mark))
            wrong.append(f"nothing is reported at line {line}, but it should be {expected[0]} with {expected[1]}\n  {lines[line]}")
        if wrong:
            ptorun.fail(f"{what}: {len(wrong)} differences\n" + "\n".join(wrong[:20]))

    # ---- instructions that the cases are made of

    def pointer(self, address, t):
        return f"{self.ptr(address, t)}[{self.const(0)}]"

    def vlds(self, t, address, dist="NORM", code=None, *parts):
        v = self.value()
        self.line(f'{v} = pto.vlds {self.pointer(address, t)} {{dist = "{dist}"}} : !pto.ptr<{t}, ub> -> {t.vreg}', code, *parts)
        return v

    def vsts(self, v, t, address, mask=None, grain=None, dist=None, code=None, parts=()):
        gate, gate_type = ("", "") if mask is None else (f", {mask}", f", !pto.mask<{grain or t.mask}>")
        attribute = "" if dist is None else f' {{dist = "{dist}"}}'
        self.line(f"pto.vsts {v}, {self.pointer(address, t)}{gate}{attribute} : {t.vreg}, !pto.ptr<{t}, ub>{gate_type}", code, *parts)

    def mem_bar(self, kind):
        self(f'pto.mem_bar "{kind}"')

    def use(self, v, t, image, code=None, *parts):
        """Arithmetic under a mask: reads exactly the active lanes. `image` is a mask image."""
        m, r = self.mask(image, t.mask), self.value()
        self.line(f"{r} = pto.vneg {v}, {m} : {t.vreg}, !pto.mask<{t.mask}> -> {t.vreg}", code, *parts)
