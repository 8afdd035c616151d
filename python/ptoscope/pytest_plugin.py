"""Kernels under pytest: one test for every schedule, seed and number of blocks.

    @ptoscope.kernel_test("abs.pto", schedules=("eager", "random"), seeds=range(3), blocks=(1, 4))
    def test_abs(run):
        x, y = …
        assert run(x, y).compare(np.abs(x))

The test gets a runner as its first argument that is neither parametrized nor a fixture: `run(…)` is `Program.run` with
what the case says. It raises `ptoscope.Findings` when a check reports an error.

PYTEST_DONT_REWRITE: a conftest.py may have imported this module before pytest does, which pytest would warn of.
"""
import argparse
import inspect
import os
import re
from typing import Any, Callable, Dict, Iterable, Optional, Set, TypeVar, Union

from ._core import Program, Run

SCHEDULES = ("eager", "lazy", "random")
Test = TypeVar("Test", bound=Callable[..., Any])


class Runner:
    """Runs the kernel of a test as one case says."""

    def __init__(self, path: str, schedule: str, seed: int, blocks: int, options: Dict[str, Any],
                 load: Dict[str, Any]) -> None:
        self.path, self.schedule, self.seed, self.blocks = path, schedule, seed, blocks
        self.options, self.load = options, load
        self._program: Optional[Program] = None

    @property
    def program(self) -> Program:
        if self._program is None:
            from . import load
            self._program = load(self.path, **self.load)
        return self._program

    def __call__(self, *arguments: Any, **options: Any) -> Run:
        __tracebackhide__ = True
        given: Dict[str, Any] = {"blocks": self.blocks, "schedule": self.schedule, "raise_on_findings": True,
                                 **self.options}
        if options.get("schedule", self.schedule) == "random":
            given["seed"] = self.seed
        given.update(options)
        return self.program.run(*arguments, **given)

    def __repr__(self) -> str:
        return f"<Runner {self.path} {self.name}>"

    @property
    def name(self) -> str:
        parts = [self.schedule if self.schedule != "random" else f"random:{self.seed}"]
        parts += [f"{self.blocks}-blocks"] if self.blocks != 1 else []
        return "-".join(parts)


def kernel_test(path: Union[str, "os.PathLike[str]"], *, schedules: Union[str, Iterable[str]] = SCHEDULES,
                seeds: Iterable[int] = (0, 1, 2), blocks: Union[int, Iterable[int]] = (1,),
                device: Optional[str] = None, strict: bool = False, **options: Any) -> Callable[[Test], Test]:
    """Makes a test function one test for each schedule, seed (of random schedules) and number of blocks.

    `path` counts from the folder of the test's file. A schedule may have its own seed, "random:7". `options` are those
    of `Program.run`.
    """
    schedules = (schedules,) if isinstance(schedules, str) else tuple(schedules)
    for schedule in schedules:
        if not re.fullmatch("eager|lazy|random(:[0-9]+)?", schedule):
            raise ValueError(f"`{schedule}` is not a schedule; use eager, lazy, random or random:SEED")
    blocks = (blocks,) if isinstance(blocks, int) else tuple(blocks)

    def decorate(function: Test) -> Test:
        if not inspect.signature(function).parameters:
            raise TypeError(f"{function.__name__} takes no argument; its first one is the runner")
        where = os.path.join(os.path.dirname(os.path.abspath(function.__code__.co_filename)), os.fspath(path))
        case = {"path": where, "schedules": schedules, "seeds": tuple(seeds), "blocks": blocks, "options": options,
                "load": {"device": device, "strict": strict}}
        setattr(function, "ptoscope_case", case)
        return function

    return decorate


def _count(word: str) -> int:
    if not re.fullmatch("0*[1-9][0-9]*", word):
        raise argparse.ArgumentTypeError(f"`{word}` is not a number of seeds; use at least 1")
    return int(word)


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("ptoscope")
    group.addoption("--ptoscope-seeds", type=_count, metavar="N",
                    help="seeds 0 to N - 1 for random schedules of kernel tests")


def _argument(metafunc: Any) -> str:
    """The runner's name: of the first argument that nothing else gives."""
    parametrized: Set[str] = set()
    for mark in metafunc.definition.iter_markers("parametrize"):
        names = mark.kwargs["argnames"] if "argnames" in mark.kwargs else mark.args[0]
        parametrized.update(name.strip() for name in (names.split(",") if isinstance(names, str) else names))
    # `self` is none of pytest's names, nor is an argument with a default.
    names = [name for name in inspect.signature(metafunc.function).parameters
             if name in metafunc.fixturenames and name not in parametrized]
    if not names:
        import pytest
        pytest.fail(f"{metafunc.function.__qualname__} has no argument for the runner", pytrace=False)
    fixtures = getattr(metafunc, "_arg2fixturedefs", {})
    return next((name for name in names if name not in fixtures), names[0])


def pytest_generate_tests(metafunc: Any) -> None:
    case = getattr(metafunc.function, "ptoscope_case", None)
    if case is None:
        return
    wanted = metafunc.config.getoption("--ptoscope-seeds")
    seeds = case["seeds"] if wanted is None else range(wanted)
    runners = []
    for blocks in case["blocks"]:
        for schedule in case["schedules"]:
            kind, _, own = schedule.partition(":")
            for seed in (int(own),) if own else seeds if kind == "random" else (0,):
                runners.append(Runner(case["path"], kind, seed, blocks, case["options"], case["load"]))
    metafunc.parametrize(_argument(metafunc), runners, ids=[runner.name for runner in runners])
