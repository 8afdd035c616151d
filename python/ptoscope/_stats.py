"""Statistics and traces of a run."""
import html
import json
import os
import tempfile
from typing import Any, Dict, Optional

from ._core import Run


class Stats(Dict[str, Any]):
    """Counters of a run; of a timed one also where its cycles went, as `timing`."""

    def __init__(self, run: Run) -> None:
        super().__init__(run._counters())
        self.table: Optional[str] = None
        self.lines: Optional[str] = None
        if run.timed:
            self["timing"] = json.loads(run._stats_json())
            self.table = run._stats_table()
            self.lines = run._stats_lines()

    def __repr__(self) -> str:
        rows = [f"{name.replace('_', ' '):17}{value}" for name, value in self.items() if name != "timing"]
        return "\n".join(([self.table.rstrip(), ""] if self.table else []) + rows)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def trace_of(run: Run) -> Any:
    """The trace that Chrome's viewer takes, as Python objects."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        run.save_trace(path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)
