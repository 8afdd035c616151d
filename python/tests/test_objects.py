"""Findings, statistics, traces, comparisons: what they say, and how they look."""
import json
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import ptoscope
from conftest import example


def broken_run(**options):
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    return ptoscope.load(example("broken", "missing_flag.pto")).run(x, y, **options)


def test_finding():
    r = broken_run()
    assert not r.ok and r.completed
    found = r.findings[0]
    assert (found.code, found.severity, found.category) == ("race-raw", "error", "program")
    assert found.place.file.endswith("missing_flag.pto") and found.place.line > 5 and found.place.column > 0
    assert "pto.vlds" in found.source_line and found.source_line in str(found)
    assert found.notes and "ub" == found.bytes.space
    assert "race-raw" in repr(found) and found.code in found.explain() and "Repair:" in found.explain()
    assert json.loads(found.to_json())["code"] == "race-raw"
    # The edits repair the program: proved by running it.
    assert [edit.text for edit in found.edits] and all("flag" in edit.text for edit in found.edits)
    repaired = ptoscope.loads(found.repaired)
    x, y = np.full(64, -2, np.float32), np.zeros(64, np.float32)
    assert repaired.run(x, y).ok
    assert "flag" in broken_run(remedies=False).findings[0].help
    assert broken_run(checks="none").ok and broken_run(checks=["memory", "sync"]).ok


def test_raise():
    with pytest.raises(ptoscope.Findings) as caught:
        broken_run(raise_on_findings=True)
    assert caught.value.run.findings[0].code == caught.value.findings[0].code == "race-raw"
    assert "race-raw" in str(caught.value)


def test_text_and_html(absolute):
    r = broken_run()
    assert repr(r).startswith("<Run @missing_flag on a5, 1 block, eager schedule, checked all: 1 error>")
    assert "race-raw" in repr(r)
    page = xml.fromstring(r._repr_html_())
    assert "race-raw" in "".join(page.itertext()) and r.findings[0].source_line.strip() in "".join(page.itertext())
    assert xml.fromstring(r.findings[0]._repr_html_()).tag == "div"
    timed = absolute.run(np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32), timing=True)
    page = xml.fromstring(timed._repr_html_())
    rectangles = page.findall(".//{http://www.w3.org/2000/svg}rect")
    assert len(rectangles) == len(timed.timeline) and "cycles" in "".join(page.itertext())
    assert xml.fromstring(timed.stats._repr_html_()).tag == "pre"


def test_signatures(absolute):
    assert [kernel.name for kernel in absolute.kernels] == ["abs_kernel_2d"]
    assert [(p.name, p.element, p.is_pointer) for p in absolute.kernels[0].parameters] == [
        ("%src", "f32", True), ("%dst", "f32", True)]
    assert "@abs_kernel_2d(%src: !pto.ptr<f32, gm>, %dst: !pto.ptr<f32, gm>)" in repr(absolute)


def test_time(absolute, tmp_path):
    r = absolute.run(np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32), timing=True)
    assert r.cycles > 0 and r.microseconds > 0 and r.stats["timing"] and r.stats["instructions"] > 0
    assert "cycles" in repr(r.stats) and "instructions" in repr(r.stats)
    ends = {}
    for part in r.timeline:
        assert part.start >= ends.get((part.core, part.pipe), 0) and part.end >= part.start
        ends[part.core, part.pipe] = part.end
    assert {"MTE2", "VECTOR", "MTE3"} <= {pipe for _, pipe in ends}
    assert max(ends.values()) <= r.cycles
    assert r.trace["traceEvents"]
    for name in ("t.json", "t.pftrace"):
        r.save_trace(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    r.report(tmp_path / "page.html")
    assert "abs_kernel_2d" in (tmp_path / "page.html").read_text()


def test_compare(absolute):
    x = np.linspace(-1, 1, 1024, dtype=np.float32).reshape(32, 32)
    y = np.zeros_like(x)
    r = absolute.run(x, y)
    assert r.compare(np.abs(x)) and r.compare(np.abs(x).astype(np.float64)) and r.compare(x, argument="src")
    wrong = np.abs(x)
    wrong[3, 4] += 1
    wrong[5, 6] += 2
    result = r.compare(wrong, rtol=1e-3)
    assert not result and result.differing == 2 and result.elements == 1024
    assert result.first.index == (3, 4) and result.largest.index == (5, 6) and "2 of 1024" in result.message
    assert r.compare(wrong, atol=2.1)
    with pytest.raises(ValueError, match="no array `z`"):
        r.compare(wrong, argument="z")


def test_check_explain_ops():
    assert ptoscope.check(example("abs.pto")) == []
    assert [f.code for f in ptoscope.check("module {\n  func.func @f() { pto.vbad }\n}")]
    assert any(f.severity == "error" for f in ptoscope.check(example("broken", "missing_set.pto")))
    assert "race-raw" in ptoscope.explain("race-raw") and "pto.vadd" in ptoscope.explain("vadd")
    with pytest.raises(KeyError, match="race-raw"):
        ptoscope.explain("race-ra")
    ops = ptoscope.ops()
    assert ops["vadd"].pipe == "V" and "f32" in ops["vadd"].elements and len(ops) > 300 and "pto.vadd" in repr(ops)


def test_generators():
    assert ptoscope.array("iota:i32:2x3").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert ptoscope.array("zeros:bf16:4").dtype == np.uint16
    with pytest.raises(ValueError):
        ptoscope.array("random:f32:x")


PRINTS = """
module attributes {pto.target_arch = "a5"} {
  func.func @prints(%n: i64) attributes {pto.kernel} {
    pto.print ins("n is %d", %n : i64)
    return
  }
}
"""


def test_printing(capsys, monkeypatch):
    program = ptoscope.loads(PRINTS)
    r = program.run(3)
    assert "n is 3" in r.output and capsys.readouterr().out == r.output
    # As Python's own `print`: without a place for it, the text is dropped and the run is kept.
    monkeypatch.setattr("sys.stdout", None)
    assert program.run(4).output == r.output.replace("3", "4")


def test_devices_and_repeats(absolute):
    x, y = np.full((32, 32), -1, np.float32), np.zeros((32, 32), np.float32)
    # Code is compiled once for each way, and cores of an earlier launch leave nothing behind.
    for _ in range(3):
        for options in ({}, {"checks": "none"}, {"schedule": "lazy"}, {"schedule": "random", "seed": 3}):
            y[:] = 0
            assert absolute.run(x, y, **options).ok and (y == 1).all()
    assert absolute.run(x, y, device="a5").device == "a5"


def test_automatic_arguments(absolute):
    x, y = ptoscope.auto_args(absolute)
    assert x.dtype == y.dtype == np.float32 and x.size == 1024
    assert absolute.run(x, y).compare(np.abs(x))
    program = ptoscope.load(example("tile-ir", "vector_add.pto"))
    arguments = ptoscope.auto_args(program)
    assert program.run(*arguments).ok and isinstance(arguments[3], int)
