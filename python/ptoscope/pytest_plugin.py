"""Kernels under pytest: one test for every schedule, seed and number of blocks.

    @ptoscope.kernel_test("abs.pto", schedules=("eager", "random"), seeds=range(3), blocks=(1, 4))
    def test_abs(run):
        x, y = …
        assert run(x, y).compare(np.abs(x))

The test gets a runner as its first argument: `run(…)` is `Program.run` with what the case says. It raises
`ptoscope.Findings` when a check reports an error.
"""
import inspect
import os

SCHEDULES = ("eager", "lazy", "random")


class Runner:
    """Runs the kernel of a test as one case says."""

    def __init__(self, path, schedule, seed, blocks, options, load):
        self.path, self.schedule, self.seed, self.blocks = path, schedule, seed, blocks
        self.options, self.load = options, load
        self._program = None

    @property
    def program(self):
        if self._program is None:
            from . import load
            self._program = load(self.path, **self.load)
        return self._program

    def __call__(self, *arguments, **options):
        __tracebackhide__ = True
        given = {"blocks": self.blocks, "schedule": self.schedule, "raise_on_findings": True, **self.options}
        if self.schedule == "random":
            given["seed"] = self.seed
        given.update(options)
        return self.program.run(*arguments, **given)

    def __repr__(self):
        return f"<Runner {self.path} {self.name}>"

    @property
    def name(self):
        parts = [self.schedule if self.schedule != "random" else f"random:{self.seed}"]
        parts += [f"{self.blocks}-blocks"] if self.blocks != 1 else []
        return "-".join(parts)


def kernel_test(path, *, schedules=SCHEDULES, seeds=(0, 1, 2), blocks=(1,), device=None, strict=False, **options):
    """Makes a test function one test for each schedule, seed (of random schedules) and number of blocks.

    `path` counts from the folder of the test's file. `options` are those of `Program.run`.
    """
    unknown = [schedule for schedule in schedules if schedule not in SCHEDULES]
    if unknown:
        raise ValueError(f"`{unknown[0]}` is no schedule; it is eager, lazy or random")
    blocks = (blocks,) if isinstance(blocks, int) else tuple(blocks)

    def decorate(function):
        parameters = list(inspect.signature(function).parameters)
        if not parameters:
            raise TypeError(f"{function.__name__} takes no argument; its first one is the runner")
        where = os.path.join(os.path.dirname(os.path.abspath(function.__code__.co_filename)), os.fspath(path))
        function.ptoscope_case = {
            "argument": parameters[0], "path": where, "schedules": tuple(schedules), "seeds": tuple(seeds),
            "blocks": blocks, "options": options, "load": {"device": device, "strict": strict}}
        return function

    return decorate


def pytest_addoption(parser):
    group = parser.getgroup("ptoscope")
    group.addoption("--ptoscope-seeds", type=int, metavar="N", help="seeds 0 to N - 1 for random schedules of kernel tests")


def pytest_generate_tests(metafunc):
    case = getattr(metafunc.function, "ptoscope_case", None)
    if case is None:
        return
    wanted = metafunc.config.getoption("--ptoscope-seeds")
    seeds = case["seeds"] if wanted is None else range(wanted)
    runners = [Runner(case["path"], schedule, seed, blocks, case["options"], case["load"])
               for blocks in case["blocks"] for schedule in case["schedules"]
               for seed in (seeds if schedule == "random" else (0,))]
    metafunc.parametrize(case["argument"], runners, ids=[runner.name for runner in runners])
