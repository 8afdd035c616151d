"""What a document of docs/ shows is so: excerpts are in the files they name, commands print what stands behind them. Commands run in a
folder with the examples."""
import os
import re
import subprocess
import sys


class Document:
    def __init__(self, source, scratch, name):
        self.source, self.scratch = source, scratch
        os.symlink(os.path.join(source, "examples"), os.path.join(scratch, "examples"))
        with open(os.path.join(source, name), encoding="utf-8") as file:
            self.text = file.read()

    def run(self, command):
        return subprocess.run(command, shell=True, cwd=self.scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def excerpt(self, name, shown):
        """A line `// …` stands for any others."""
        with open(os.path.join(self.source, name), encoding="utf-8") as file:
            whole = file.read()
        for part in shown.split("// …\n"):
            if part not in whole:
                sys.exit(f"{name} does not have\n{part}")
            whole = whole[whole.index(part) + len(part):]

    def check(self, least):
        """A line `…` at the end of an output stands for the rest. There are at least so many commands."""
        commands = 0
        for block in re.findall(r"^```\n(.*?)^```$", self.text, re.M | re.S):
            if block.startswith("// "):
                name, _, shown = block.partition("\n")
                self.excerpt(name[3:], shown)
                continue
            for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
                commands += 1
                done = self.run(command)
                if (done.returncode != 0) != ("error[" in shown):
                    sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout}")
                wanted = shown.removesuffix("…\n")
                if not done.stdout.startswith(wanted) or (wanted == shown and done.stdout != shown):
                    sys.exit(f"{command}\nshown:\n{shown}\nprinted:\n{done.stdout}")
        if commands < least:
            sys.exit(f"only {commands} commands found")
