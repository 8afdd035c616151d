"""What headers declare for programs is to be had from the shared library.

exports.py SOURCE LIBRARY"""
import pathlib
import re
import subprocess
import sys

declared = set()
for header in (pathlib.Path(sys.argv[1]) / "include/pto").rglob("*.hpp"):
    declared |= set(re.findall(r"^(?:\[\[noreturn\]\] )?PTO_API [^;]*?\b(\w+)\(", header.read_text(), re.M))
symbols = subprocess.run(["nm", "-DC", "--defined-only", sys.argv[2]], capture_output=True, text=True, check=True).stdout
exported = set(re.findall(r" T ptoscope::tile::(\w+)\(", symbols))
for name in sorted(declared - exported):
    print("not exported:", name)
print(len(declared), "functions are declared")
sys.exit(not declared or bool(declared - exported))
