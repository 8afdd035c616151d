"""The sessions that docs/python.md shows."""
import doctest
import os
import re

from conftest import ROOT


def test_sessions(monkeypatch):
    monkeypatch.chdir(ROOT)
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```python\n(>>>.*?)```", file.read(), re.DOTALL)
    assert len(blocks) >= 4
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said = []
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
