"""The sessions that documents show."""
import doctest
import os
import re

import pytest

from conftest import ROOT


@pytest.mark.parametrize("page, least", [("docs/python.md", 4), ("README.md", 1)])
def test_sessions(monkeypatch, page, least):
    monkeypatch.chdir(ROOT)
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        blocks = re.findall(r"```python\n(>>>.*?)```", file.read(), re.DOTALL)
    assert len(blocks) >= least
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said = []
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
