#!/usr/bin/env python3
"""Pictures of reports for the documents: report_picture.py PTOSCOPE FOLDER

report.png: a flash-attention kernel, with the longest wait of its cube core chosen.
report-two.png: a kernel with one buffer and its twin with two, side by side.
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "Report", "Inputs"))
from browser import Browser  # noqa: E402
from small_png import decode, encode  # noqa: E402

TILES = ["--arg", "random:f32:8x32x256:1", "--arg", "random:f32:8x32x256:2", "--arg", "zeros:f32:8x32x256", "--arg", "8"]
WAITING = """
const { timeline, view } = window.ptoscope, run = timeline.runs[0];
const track = run.tracks.find((t) => t.pipe === "CUBE") ?? run.tracks[0];
let best = 0;
for (let i = 0; i < track.count; ++i) if (track.waited[i] > track.waited[best]) best = i;
view.show(track.start[best], track.end[best]);
view.zoom(6);
return [track.index, best];
"""
PLACE = """
const { timeline } = window.ptoscope, [k, i] = arguments, row = timeline.rowOf(0, k);
const box = timeline.canvas.getBoundingClientRect(), track = timeline.runs[0].tracks[k];
return [box.x + (timeline.x(track.start[i]) + timeline.x(track.end[i])) / 2, box.y + 26 + row.top + row.height / 2];
"""


def open_page(page, path):
    page.open(path)
    page.wait("return window.ptoscope && document.querySelector('#timeline').width > 0", "the page opens")


def settle(page):
    page.run("return new Promise((done) => setTimeout(done, 300))")


def keep(page, path):
    page.screenshot(path)
    with open(path, "rb") as file:
        pixels = decode(file.read())
    with open(path, "wb") as file:
        file.write(encode(pixels))


def main(ptoscope, output):
    ptoscope = os.path.abspath(ptoscope)
    output = os.path.abspath(output)

    with tempfile.TemporaryDirectory() as folder:
        def run(kernel, name, *words):
            path = os.path.join(folder, name)
            subprocess.run([ptoscope, "run", kernel, *words, "--report", path], cwd=ROOT, check=True,
                           stdout=subprocess.DEVNULL)
            return path

        attention = run("examples/cube/attention.pto", "attention.html", "--arg", "auto")
        with Browser(1400, 1100) as page:
            open_page(page, attention)
            track, number = page.run(WAITING)
            settle(page)
            page.run("window.scrollTo(0, 0)")
            x, y = page.run(PLACE, track, number)
            page.mouse(("move", x, y), "down", "up")
            settle(page)
            keep(page, os.path.join(output, "report.png"))

        two = os.path.join(folder, "two.html")
        runs = [run("examples/single_buffer.pto", "one.json", *TILES),
                run("examples/double_buffer_flags.pto", "two.json", *TILES)]
        subprocess.run([ptoscope, "report", *runs, "-o", two], check=True)
        with Browser(1400, 1000) as page:
            open_page(page, two)
            settle(page)
            keep(page, os.path.join(output, "report-two.png"))


main(*sys.argv[1:])
