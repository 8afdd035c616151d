"""Runs as text."""
from typing import Optional

from ._core import Run


def count(number: int, one: str, many: Optional[str] = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def headline(run: Run) -> str:
    """One line: what ran, and how it ended."""
    errors = sum(finding.severity == "error" for finding in run.findings)
    warnings = sum(finding.severity == "warning" for finding in run.findings)
    said = [count(errors, "error")] if errors else []
    said += [count(warnings, "warning")] if warnings else []
    if not run.completed:
        said.append("not completed")
    checked = "unchecked" if run.checks == "none" else f"checked {run.checks}"
    return (f"@{run.kernel.name} on {run.device}, {count(run.blocks, 'block')}, {run.schedule} schedule, {checked}: "
            + (", ".join(said) or "no error"))


def run(run: Run) -> str:
    lines = [f"<Run {headline(run)}>"]
    lines += [str(finding).rstrip() for finding in run.findings if finding.severity != "remark"]
    return "\n".join(lines)
