#!/usr/bin/env python3
"""Divides a bitcode module into parts and writes them and the list of their functions as C++.

embed_parts.py FOLDER-OF-LLVM-TOOLS MODULE.bc OUTPUT.cpp

A kernel uses a few of more than a thousand functions, and a reader of bitcode visits the
declaration of every function of a module.
"""

import pathlib
import subprocess
import sys
import tempfile

PARTS = 64


def main() -> None:
    tools, module, output = sys.argv[1:]

    def tool(name: str, *words: str) -> str:
        return subprocess.run([f"{tools}/{name}", *words], check=True, text=True, stdout=subprocess.PIPE).stdout

    arrays, names = [], []
    with tempfile.TemporaryDirectory() as folder:
        tool("llvm-split", f"-j={PARTS}", "--preserve-locals", "-o", f"{folder}/part", module)
        for number in range(PARTS):
            part = f"{folder}/{number}.bc"
            tool("opt", "-passes=strip-dead-prototypes", f"{folder}/part{number}", "-o", part)
            names += [(name, number) for name in tool("llvm-nm", "--defined-only", "-j", part).split()]
            data = pathlib.Path(part).read_bytes()
            arrays.append(f"alignas(8) constexpr unsigned char kPart{number}[] = {{{','.join(map(str, data))}}};\n")

    # strcmp orders by bytes, as Python does for these names.
    lines = "".join(f'    {{"{name}", kPart{number}}},\n' for name, number in sorted(names))
    pathlib.Path(output).write_text(
        f"""// Generated from Exports.cpp.
#include "ptoscope/Meaning/Bitcode.h"

namespace {{

{"".join(arrays)}
constexpr ptoscope::MeaningPart kMeanings[] = {{
{lines}}};

}} // namespace

std::span<const ptoscope::MeaningPart> ptoscope::meaningParts() {{ return kMeanings; }}
""",
        encoding="ascii",
    )


main()
