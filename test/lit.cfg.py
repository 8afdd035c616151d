# How the text tests run: `ptoscope`, FileCheck and a Python with NumPy on PATH.
import os
import shutil
import subprocess

import lit.formats

config.name = "ptoscope"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".pto", ".mlir", ".test"]
config.excludes = ["Inputs", "Unchecked", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.ptoscope_build, "test")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.test_source_root, "Inputs/compilers"), os.path.join(config.ptoscope_build, "bin"), config.llvm_tools,
     os.environ["PATH"]])
config.environment["NO_COLOR"] = "1"
config.environment["OPENBLAS_NUM_THREADS"] = "1"  # NumPy's, which otherwise wait for work in busy loops while it loads
# Code of kernels that an earlier run of the tests compiled; nothing of the user's.
config.environment["PTOSCOPE_CACHE"] = os.path.join(config.ptoscope_build, "code-cache")
if "PTOSCOPE_TEST_LONG" in os.environ:
    config.environment["PTOSCOPE_TEST_LONG"] = os.environ["PTOSCOPE_TEST_LONG"]
    config.available_features.add("long")
if "PTOSCOPE_DIGESTS" in os.environ:  # scripts/digests.py
    config.environment["PTOSCOPE_DIGESTS"] = os.environ["PTOSCOPE_DIGESTS"]
if config.asan_options:
    config.environment["ASAN_OPTIONS"] = config.asan_options_llvm
    config.available_features.add("sanitized")
else:
    config.available_features.add("packages")  # nobody packs what is sanitized


def python_with_numpy():
    """The system's interpreter has the distribution's NumPy; another one on PATH may not."""
    for candidate in ("/usr/bin/python3", shutil.which("python3")):
        if candidate and subprocess.run([candidate, "-c", "import numpy"], capture_output=True).returncode == 0:
            return candidate
    lit_config.fatal("no python3 with numpy found; install python3-numpy")


config.substitutions.append(("%python", python_with_numpy()))
config.substitutions.append(("%examples", os.path.join(config.ptoscope_source, "examples")))
config.substitutions.append(("%source", config.ptoscope_source))
config.substitutions.append(("%build", config.ptoscope_build))

# Programs of the tile API are compiled by the tests, with both compilers.
config.substitutions.append(("%tile", f"-std=c++20 -Wall -Wextra -Werror -I{config.ptoscope_source}/include"))
tile_link = f"{config.sanitizer_link} -L{config.ptoscope_build}/lib -lptoscope -Wl,-rpath,{config.ptoscope_build}/lib"
config.substitutions.append(("%link", tile_link))
config.environment["PTOSCOPE_TILE_LINK"] = tile_link  # of programs that tests write themselves

# Bundles the page of reports; nothing else needs it.
if shutil.which("npm") and shutil.which("node"):
    config.available_features.add("npm")
