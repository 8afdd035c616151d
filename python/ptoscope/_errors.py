"""What the module raises besides TypeError, ValueError and OSError."""
from typing import Any, Iterable, List

from ._core import Finding, Run


class Error(Exception):
    """Base of the errors below."""


class ProgramError(Error):
    """The program is refused: `findings` say where and why."""

    def __init__(self, findings: Iterable[Any]) -> None:
        self.findings: List[Finding] = list(findings)
        super().__init__("\n".join(str(finding).rstrip() for finding in self.findings))


class InternalError(ProgramError):
    """A fault of PTOScope itself."""


class Findings(Error):
    """A run with `raise_on_findings=True` has errors: `run` is that run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.findings = [finding for finding in run.findings if finding.severity != "remark"]
        text = "\n".join(str(finding).rstrip() for finding in self.findings)
        super().__init__(text or f"@{run.kernel.name} did not run to its end")
