"""What headers declare for programs is to be had from the shared library.

exports.py SOURCE LIBRARY"""
import pathlib
import re
import subprocess
import sys

include = pathlib.Path(sys.argv[1]) / "include/pto"
declared = {name for header in include.rglob("*.hpp") for name in re.findall(r"PTO_API [^;#]*?\b(\w+)\(", header.read_text())}
symbols = subprocess.run(["nm", "-DC", "--defined-only", sys.argv[2]], capture_output=True, text=True, check=True).stdout
exported = set(re.findall(r" T ptoscope::tile::(\w+)\(", symbols))
for name in sorted(declared - exported):
    print("not exported:", name)
sys.exit(not declared or bool(declared - exported))
