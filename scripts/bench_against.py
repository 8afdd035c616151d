#!/usr/bin/env python3
"""Two builds measured in turns: how much slower or larger is each figure of the second?

  bench_against.py BASE NEW [--rounds N] [--limit PERCENT] [PART…]

BASE and NEW are folders of builds, or programs that print as ptoscope-bench does.
Each round runs both, one after the other, and swaps them in the next. A figure is
worse when its median ratio exceeds the limit (5 %) and three rounds of four agree
that it is not better: single rounds are noise. Exit status 1 when one is worse.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys

# A name, two spaces or more, a number, a unit, and what bench::figure adds.
FIGURE = re.compile(r"(?P<name>\S.*?) +(?P<value>\d+\.\d+) (?P<unit>\S+) *(?P<bound>\(at (?P<side>most|least) .*)?$")


def figures(program, parts):
    """Name to value and whether more of it is better."""
    done = subprocess.run([program, *parts], capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith(" ") or not (match := FIGURE.fullmatch(line)):
            continue
        more = match["side"] == "least" if match["side"] else match["unit"] == "M/s"
        found[match["name"]] = float(match["value"]), more
    if done.returncode not in (0, 1) or not found:
        sys.exit(f"error: {program} ended with status {done.returncode}\n{done.stderr}")
    return found


def compare(base, new, rounds, parts):
    """Name to the values of both and how many times worse the second was in each round."""
    result, absent = {}, set()
    for number in range(rounds):
        order = (base, new) if number % 2 == 0 else (new, base)
        measured = {program: figures(program, parts) for program in order}
        was, now = measured[base], measured[new]
        absent |= was.keys() ^ now.keys()
        for name in was.keys() & now.keys():
            (old, more), (value, _) = was[name], now[name]
            worse = (old / value if more else value / old) if old and value else 1.0
            result.setdefault(name, []).append((old, value, worse))
    return result, absent


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("base")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--limit", type=float, default=5)
    parser.add_argument("parts", nargs="*")
    words = parser.parse_args()
    programs = [os.path.join(path, "bin/ptoscope-bench") if os.path.isdir(path) else path for path in (words.base, words.new)]
    result, absent = compare(*programs, words.rounds, words.parts)
    count = 0
    print(f"{'':58} {'base':>9} {'new':>9} {'worse by':>9}   (least to most)")
    for name, rounds in sorted(result.items()):
        ratios = sorted(worse for _, _, worse in rounds)
        middle = statistics.median(ratios)
        bad = middle > 1 + words.limit / 100 and sum(ratio >= 1 for ratio in ratios) >= 0.75 * len(ratios)
        count += bad
        print(f"{name:58} {statistics.median(r[0] for r in rounds):9.2f} {statistics.median(r[1] for r in rounds):9.2f}"
              f" {100 * middle - 100:+8.1f}%   ({100 * ratios[0] - 100:+.1f} to {100 * ratios[-1] - 100:+.1f}){' WORSE' * bad}")
    for name in sorted(absent):
        print(f"{name:58} only in one of them")
    print(f"{len(result)} figures, {words.rounds} rounds: {count or 'none'} worse by more than {words.limit:g} %")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
