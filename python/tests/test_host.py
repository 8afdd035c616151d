"""Threads, the GIL, Ctrl-C, pytest, C++ and types."""
import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import numpy.testing  # before threads ask for it at once
import pytest

import ptoscope
from conftest import ROOT, example


def test_threads(absolute):
    """One program and several, from several threads at once."""
    def work(number, program):
        x = np.random.default_rng(number).standard_normal((32, 32)).astype(np.float32)
        for turn in range(20):
            y = np.zeros_like(x)
            assert program.run(x, y, checks="all" if turn % 2 else "none").ok
            np.testing.assert_array_equal(y, np.abs(x))
        done.append(number)
    done = []
    threads = [threading.Thread(target=work, args=(i, absolute if i < 3 else ptoscope.load(example("abs.pto"))))
               for i in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [0, 1, 2, 3, 4]


def test_gil_is_released(long_kernel):
    x, y = np.ones(1024, np.float32), np.zeros(1024, np.float32)
    long_kernel.run(x, y, 1, checks="none")
    counted, running = [], threading.Event()
    running.set()

    def count():
        while running.is_set():
            counted.append(time.perf_counter())
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    begin = time.perf_counter()
    assert long_kernel.run(x, y, 300_000, checks="none").ok
    end = time.perf_counter()
    running.clear()
    thread.join()
    assert sum(begin < at < end for at in counted) >= 5


def run_python(text, *words, **options):
    return subprocess.run([sys.executable, "-B", "-c", textwrap.dedent(text), *words], capture_output=True, text=True,
                          timeout=60, **options)


INTERRUPTED = """
    import os, signal, sys, threading, time
    import numpy as np
    import ptoscope
    k = ptoscope.load(sys.argv[1])
    x, y = np.ones(1024, np.float32), np.zeros(1024, np.float32)
    k.run(x, y, 1, checks="none")
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.perf_counter()
    try:
        k.run(x, y, 1 << 40, checks="none")
    except KeyboardInterrupt:
        assert time.perf_counter() - begin < 5
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        k.run(x, y, 1)
        print("interrupted")
"""


def test_interrupt():
    done = run_python(INTERRUPTED, os.path.join(ROOT, "benchmarks", "launch.pto"))
    assert done.stdout == "interrupted\n", done.stderr


TESTS = """
    import numpy as np
    import ptoscope

    @ptoscope.kernel_test({good!r}, seeds=range(2), blocks=(1, 2))
    def test_good(run):
        x = np.full((32, 32), -3, np.float32)
        assert run(x, y := np.zeros_like(x)).compare(np.abs(x))

    @ptoscope.kernel_test({bad!r}, schedules=["lazy"])
    def test_bad(kernel):
        kernel(np.ones(64, np.float32), np.zeros(64, np.float32))

    @ptoscope.kernel_test({good!r}, schedules=["eager"], checks="none")
    def test_wrong(run):
        x = np.full((32, 32), -3, np.float32)
        assert run(x, np.zeros_like(x)).compare(x)
"""


def run_pytest(folder, *words, **options):
    return subprocess.run([sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", *words, "test_kernels.py"],
                          cwd=folder, capture_output=True, text=True, timeout=60, **options)


def test_plugin(tmp_path):
    bad = example("broken", "missing_flag.pto")
    good = tmp_path / "one_block.pto"
    with open(example("abs.pto"), encoding="utf-8") as file:
        good.write_text(file.read())
    # Two blocks of it write the same bytes, which is a race.
    (tmp_path / "test_kernels.py").write_text(textwrap.dedent(TESTS.format(good="one_block.pto", bad=bad)))
    done = run_pytest(tmp_path, "-rA", "--ptoscope-seeds=1")
    text = done.stdout
    assert done.returncode == 1, text + done.stderr
    for name in ("eager", "lazy", "random:0"):
        assert f"PASSED test_kernels.py::test_good[{name}]" in text
        assert f"FAILED test_kernels.py::test_good[{name}-2-blocks]" in text
    assert "FAILED test_kernels.py::test_bad[lazy]" in text and "error[race-raw]" in text and "race-blocks" in text
    assert "1024 of 1024" in text
    assert "5 failed, 3 passed" in text


@pytest.mark.parametrize("installed", [True, False])
def test_plugin_by_name(tmp_path, installed):
    """A conftest.py that names the plugin works with the entry point of an installed package and without."""
    (tmp_path / "ptoscope").symlink_to(os.path.dirname(os.path.abspath(ptoscope.__file__)))
    if installed:
        folder = tmp_path / "ptoscope-1.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: ptoscope\nVersion: 1\n")
        with open(os.path.join(ROOT, "python", "entry_points.txt"), encoding="utf-8") as file:
            (folder / "entry_points.txt").write_text(file.read())
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text('import ptoscope\npytest_plugins = "ptoscope.pytest_plugin"\n')
    (tests / "test_kernels.py").write_text(textwrap.dedent(f"""
        import ptoscope

        @ptoscope.kernel_test({example("abs.pto")!r}, schedules="lazy")
        def test_abs(run):
            assert run.program.kernels
    """))
    done = run_pytest(tests, "-W", "error", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert "1 passed" in done.stdout, done.stdout + done.stderr


ARGUMENTS = """
    import numpy as np
    import pytest
    import ptoscope

    def runs(run):
        x = np.full((32, 32), -3, np.float32)
        return run(x, np.zeros_like(x)).compare(np.abs(x))

    class TestKernels:
        @ptoscope.kernel_test({path!r}, schedules="lazy")
        def test_method(self, run):
            assert runs(run)

        @staticmethod
        @ptoscope.kernel_test({path!r}, schedules="lazy")
        def test_static(run):
            assert runs(run)

        @pytest.mark.parametrize("n", [1, 2])
        @ptoscope.kernel_test({path!r}, schedules=["eager", "random:7"])
        def test_last(self, n, tmp_path, kernel, factor=2):
            assert n in (1, 2) and tmp_path.is_dir() and factor == 2 and runs(kernel)

    @ptoscope.kernel_test({path!r}, schedules="random", seeds=[5])
    @pytest.mark.parametrize("n, m", [(1, 2)])
    def test_other_schedules(n, m, run):
        x = np.ones((32, 32), np.float32)
        assert run(x, x).schedule == run(x, x, schedule="random").schedule == "random:5"
        assert run(x, x, schedule="random:3").schedule == "random:3"
        assert run(x, x, schedule="lazy").schedule == "lazy"
        assert run(x, x, seed=9).schedule == "random:9"
"""


def test_plugin_arguments(tmp_path):
    (tmp_path / "test_kernels.py").write_text(textwrap.dedent(ARGUMENTS.format(path=example("abs.pto"))))
    done = run_pytest(tmp_path, "-rA")
    for name in ("TestKernels::test_method[lazy]", "TestKernels::test_static[lazy]", "TestKernels::test_last[eager-1]",
                 "TestKernels::test_last[random:7-2]", "test_other_schedules[random:5-1-2]"):
        assert f"PASSED test_kernels.py::{name}" in done.stdout, done.stdout + done.stderr
    assert "7 passed" in done.stdout
    for seeds in ("-1", "0", "x"):
        done = run_pytest(tmp_path, f"--ptoscope-seeds={seeds}")
        assert done.returncode == 4 and f"`{seeds}` is not a number of seeds; use at least 1" in done.stderr
    (tmp_path / "test_kernels.py").write_text(textwrap.dedent(f"""
        import ptoscope

        class TestKernels:
            @ptoscope.kernel_test({example("abs.pto")!r})
            def test_none(self):
                pass
    """))
    assert "TestKernels.test_none has no argument for the runner" in run_pytest(tmp_path).stdout
    for schedules in ("fair", ["eager", "random:x"]):
        with pytest.raises(ValueError, match="`(fair|random:x)` is not a schedule"):
            ptoscope.kernel_test("abs.pto", schedules=schedules)


SCALE = """
    #include <pto/pto-inst.hpp>
    #include "size.hpp"
    using namespace pto;
    extern "C" __global__ AICORE void scale(__gm__ float *x, __gm__ float *y, float s) {
      Tile<TileType::Vec, float, kRows, 64> in, out;
      TASSIGN<0x0000>(in);
      TASSIGN<0x4000>(out);
      using View = GlobalTensor<float, TileShape2D<float, kRows, 64>, BaseShape2D<float, kRows, 64>>;
      View from(x), to(y);
      TLOAD(in, from);
    #ifndef FORGET
      set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
      wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    #endif
      TMULS(out, in, s);
      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
      TSTORE(to, out);
    }
    extern "C" void call(unsigned blocks, void *stream, float *x, float *y, float s) {
      scale<<<blocks, nullptr, stream>>>(x, y, s);
    }
    extern "C" long next(long n) { return n + 1; }
"""


def test_cpp(tmp_path, monkeypatch):
    monkeypatch.setenv("PTOSCOPE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "size.hpp").write_text("constexpr int kRows = 16;\n")
    source = tmp_path / "scale.cpp"
    source.write_text(textwrap.dedent(SCALE))
    module = ptoscope.cpp.compile(source, flags=["-O0"])
    x = np.random.default_rng(8).standard_normal((16, 64)).astype(np.float32)
    y = np.zeros_like(x)
    r = module.call("call", 1, None, x, y, np.float32(0.75))
    assert r.ok and r.findings == [], r
    np.testing.assert_array_equal(y, np.float32(0.75) * x)
    begin = time.perf_counter()
    assert ptoscope.cpp.compile(source, flags=["-O0"]).path == module.path  # nothing is compiled
    assert ptoscope.cpp.compile(source, flags="-O0").path == module.path
    assert time.perf_counter() - begin < 1
    for number in (-2 ** 63, -1, 2 ** 63 - 2):
        assert module.call("next", number, restype=ctypes.c_long).value == number + 1
    assert module.call("next", 2 ** 64 - 1, restype=ctypes.c_ulong).value == 0
    for number in (2 ** 64, 2 ** 70 + 4, -2 ** 63 - 1):
        with pytest.raises(ValueError, match=f"argument 0: {number} does not fit"):
            module.call("next", number)
    with pytest.raises(ValueError, match="`seed`: -1 does not fit; it is at least 0"):
        module.call("next", 1, schedule="random", seed=-1)
    with pytest.raises(ValueError, match="`threads`: 0 does not fit; it is at least 1"):
        module.call("next", 1, threads=0)
    with pytest.raises(ValueError, match="not contiguous"):
        module.call("call", 1, None, x.T, y, np.float32(1))
    with pytest.raises(AttributeError, match='extern "C"'):
        module.call("nothing")
    small = module.call("call", 1, None, x[:8], y, np.float32(1))
    assert not small.ok and small.findings[0].severity == "error" and small.findings[0].code in repr(small)
    source.write_text("#error stop here\n")
    with pytest.raises(ptoscope.cpp.CompileError, match="stop here"):
        ptoscope.cpp.compile(source)


USE = """
    from pathlib import Path

    import numpy as np
    import ptoscope
    from ptoscope.pytest_plugin import Runner

    x = np.zeros(4, np.float32)
    k = ptoscope.load(Path("k.pto"))
    r = k.run(x, x, checks=["race"], timing=Path("a5.timing"))
    print(r.stats.table, r.stats.lines, r.stats["timing"], r.compare(x, argument="dst").first)
    reveal_type(r.findings[0].place.line)
    reveal_type(r.stats)
    reveal_type(ptoscope.ops()["vadd"])
    reveal_type(ptoscope.array("zeros:f32:3"))
    reveal_type(ptoscope.decode(ptoscope.encode([1, 2.5], "bf16"), "bf16"))
    reveal_type(ptoscope.explain("vadd").upper())
    reveal_type(ptoscope.compare(x, [1, 2]))

    @ptoscope.kernel_test("abs.pto", schedules="lazy", seeds=range(3), blocks=(1,))
    def test_abs(run: Runner) -> None:
        reveal_type(run(x))

    reveal_type(test_abs)
    m = ptoscope.cpp.compile("scale.cpp", flags=["-O1"])
    reveal_type(m.call("call", 8, None, x, np.float32(1), checks="all", schedule="random", seed=3))
    try:
        pass
    except ptoscope.ProgramError as error:
        reveal_type(error.findings)
"""
TYPES = ("builtins.int", "ptoscope._stats.Stats", "ptoscope._core.Op", "numpy.ndarray[",
         "builtins.str", "ptoscope._core.Comparison", "ptoscope._core.Run", "def (run: ptoscope.pytest_plugin.Runner)",
         "ptoscope.cpp.Run", "builtins.list[ptoscope._core.Finding]")


def test_types(tmp_path):
    """The stubs name what is there, and mypy reads them."""
    core = os.path.join(os.path.dirname(ptoscope.__file__), "_core.pyi")
    with open(core, encoding="utf-8") as file:
        stub = file.read()
    from ptoscope import _core
    for name in dir(_core):
        if not name.startswith("__"):
            assert f"class {name}" in stub or f"def {name}(" in stub, name
            for member in vars(getattr(_core, name)) if isinstance(getattr(_core, name), type) else ():
                if not member.startswith("_"):
                    assert f"def {member}(" in stub, f"{name}.{member}"
    script = tmp_path / "use.py"
    script.write_text(textwrap.dedent(USE))
    done = subprocess.run([sys.executable, "-B", "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(script)],
                          capture_output=True, text=True, timeout=120,
                          env={**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(ptoscope.__file__))})
    # Without errors: as MYPYPATH names the package, this holds for its own sources, too.
    assert "Success" in done.stdout, done.stdout + done.stderr
    for revealed in TYPES:
        assert f'Revealed type is "{revealed}' in done.stdout, f"{revealed}: {done.stdout}"


def test_signal_handlers_stay():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
