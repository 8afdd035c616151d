#!/usr/bin/env python3
"""The picture of a report for the documents: report_picture.py PTOSCOPE OUTPUT.png

Runs a flash-attention kernel, opens its report in Chromium, chooses a slice that waits,
and keeps what the window shows.
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "Report", "Inputs"))
from browser import Browser  # noqa: E402

WAITING = """
const { timeline, view } = window.ptoscope, run = timeline.runs[0];
const track = run.tracks.find((t) => t.pipe === "CUBE") ?? run.tracks[0];
let best = 0;
for (let i = 0; i < track.count; ++i) if (track.waited[i] > track.waited[best]) best = i;
const row = timeline.rowOf(0, track.index);
view.show(track.start[best], track.end[best]);
view.zoom(6);
return [track.index, best];
"""


def main(ptoscope, output):
    ptoscope = os.path.abspath(ptoscope)
    with tempfile.TemporaryDirectory() as folder:
        page_path = os.path.join(folder, "report.html")
        subprocess.run([ptoscope, "run", "examples/cube/attention.pto", "--arg", "auto", "--report", page_path],
                       cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        with Browser(1400, 1100) as page:
            page.open(page_path)
            page.wait("return window.ptoscope && document.querySelector('#timeline').width > 0", "the page opens")
            track, number = page.run(WAITING)
            page.run("return new Promise((done) => setTimeout(done, 300))")
            page.run("window.scrollTo(0, 0)")
            x, y = page.run("const { timeline } = window.ptoscope, [k, i] = arguments, row = timeline.rowOf(0, k),"
                            "b = timeline.canvas.getBoundingClientRect(), t = timeline.runs[0].tracks[k];"
                            "return [b.x + (timeline.x(t.start[i]) + timeline.x(t.end[i])) / 2,"
                            "b.y + 26 + row.top + row.height / 2]", track, number)
            page.mouse(("move", x, y), "down", "up")
            page.run("return new Promise((done) => setTimeout(done, 300))")
            page.screenshot(output)


main(*sys.argv[1:])
