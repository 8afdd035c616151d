"""Runs the kernels of EndToEnd/Inputs/seed-*.pto, whole and with lines taken out."""
import ptorun

SCHEDULES = [["--schedule", name] for name in ("eager", "lazy", "random:1", "random:2", "random:3")]


class Kernels:
    """One file with several kernels."""

    def __init__(self, path, *options):
        self.path, self.options, self.turn = path, list(options), 0
        self.lines = open(path).read().splitlines()

    def line(self, kernel, part, nth=0):
        """The number of the nth line of a kernel that holds `part`."""
        first, last = self._range(kernel)
        found = [k + 1 for k in range(first, last) if part in self.lines[k]]
        if nth >= len(found):
            ptorun.fail(f"@{kernel} of {self.path} has no line {nth} with `{part}`")
        return found[nth]

    def _range(self, kernel):
        first = next(k for k, line in enumerate(self.lines) if f"@{kernel}(" in line)
        last = next(k for k in range(first, len(self.lines)) if self.lines[k].strip() == "return")
        return first, last

    def expect(self, kernel, args, expected, *options):
        """The same bytes under every kind of schedule with all checks on, and without."""
        ways = [*([*way, "--werror"] for way in SCHEDULES[:4]), ["--check", "none", "--schedule", "random:4"]]
        ptorun.expect(self.path, args, expected, [*self.options, "--kernel", kernel, *options], ways, f"@{kernel}")

    def broken(self, kernel, name, args, contains, *lines, replace=None, status=1, options=()):
        """Without these lines (numbers), or with (old, new) in them instead, the eager and, in turns, another schedule say each of `contains`."""
        text = [line if k + 1 not in lines else line.replace(*replace) if replace else "" for k, line in enumerate(self.lines)]
        if text == self.lines:
            ptorun.fail(f"@{kernel} {name}: nothing has changed")
        path = ptorun.scratch(f"{kernel}_{name}.pto")
        with open(path, "w") as file:
            file.write("\n".join(text) + "\n")
        self.turn += 1
        for way in (SCHEDULES[0], SCHEDULES[1 + self.turn % 2]):
            ptorun.refused(path, args, [*self.options, "--kernel", kernel, *options, *way], contains, status)
