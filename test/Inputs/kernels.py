"""Whole kernels of examples/ whose results are rounded: compared with a reference within bounds, and with themselves bit for bit."""
import numpy as np

import examples
import ptorun

OTHERS = (["--schedule", "lazy"], ["--schedule", "random:1"], ["--check", "none"], ["--schedule", "random:2"])
GUARD = 64  # elements behind the result that no one may touch


def judge(name, got, inputs, close, what):
    bad = np.argwhere(~close(got, *inputs))
    if len(bad):
        at = tuple(bad[0])
        ptorun.fail(f"{what}: {len(bad)} of {got.size} elements are off, the first at {at}: {got[at]} ({examples.path(name)})")


def as_documented(name, inputs, output, close):
    """The command in the first comment, under every schedule with all checks on."""
    words = examples.command(name)
    at = words.index("--out")
    del words[at:at + 2]
    inputs = (inputs,) if isinstance(inputs, int) else inputs
    first = None
    for schedule in examples.SCHEDULES[:5]:
        arrays, _ = examples.outputs(name, [*words, "--werror", *schedule], [*inputs, output])
        if first is None:
            first = arrays[-1]
            judge(name, first, arrays[:-1], close, f"{name} as documented")
        ptorun.compare(arrays[-1].view(np.uint8).ravel(), first.view(np.uint8).ravel(), f"{name} {schedule}", examples.path(name))


def check(name, inputs, like, scalars, close, options, start=7):
    """Inputs, a result of the shape and type of `like`, then scalars; eager and, by turns, some other way."""
    result = np.full(like.size + GUARD, start, like.dtype)
    first = None
    turn = sum(like.shape) + len(options)
    for way in (["--schedule", "eager"], OTHERS[turn % len(OTHERS)]):
        (raw,), _ = ptorun.tool(examples.path(name), [*inputs, result, *scalars], (len(inputs),), [*options, "--werror", *way])
        if first is None:
            first = raw
            got = raw.view(like.dtype)
            judge(name, got[:like.size].reshape(like.shape), inputs, close, f"{name} {options} {scalars}")
            ptorun.compare(got[like.size:].view(np.uint8), result[like.size:].view(np.uint8), f"{name} {scalars} behind the result")
        ptorun.compare(raw, first, f"{name} {options} {scalars} with {way}", examples.path(name))
    print(f"{name} {options} {scalars}")
