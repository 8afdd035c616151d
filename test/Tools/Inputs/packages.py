"""Packages that are installed into an empty root work without the build folder.

  packages.py BUILD SOURCE
"""
import os
import subprocess
import sys
import tempfile

build, source = map(os.path.abspath, sys.argv[1:])
LONG = bool(os.environ.get("PTOSCOPE_TEST_LONG"))


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(condition, what):
    if not condition:
        sys.exit(what)


def hidden(root, script, **variables):
    """Runs a script with the build folder covered by an empty one; where the host forbids that, as it is."""
    environment = {"PATH": f"{root}/usr/bin:/usr/bin:/bin", "LD_LIBRARY_PATH": f"{root}/usr/lib",
                   "PTOSCOPE_CACHE": f"{root}/cache", "HOME": root, **variables}
    cover = f"mount -t tmpfs none {build} && "
    able = subprocess.run(["unshare", "-m", "sh", "-c", cover + "true"], capture_output=True, check=False).returncode == 0
    command = ["unshare", "-m", "sh", "-ec", cover + script] if able else ["sh", "-ec", script]
    return run(*command, env=environment, cwd=root)


def clean(path):
    """No path of the build is left in a program or library."""
    dynamic = run("readelf", "-d", path)
    check(build not in dynamic and source not in dynamic, f"{path} looks for libraries in the build:\n{dynamic}")


with tempfile.TemporaryDirectory() as root:
    packages = f"{root}/packages"
    os.makedirs(packages)
    # What is compiled is stripped and packed as `make package` does it; least effort for the archives.
    run("cpack", "--config", f"{build}/CPackConfig.cmake", "-B", packages, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")
    files = {name.split("_")[0]: f"{packages}/{name}" for name in os.listdir(packages) if name.endswith(".deb")}
    check(sorted(files) == ["libptoscope", "libptoscope-dev", "ptoscope", "python3-ptoscope"], f"packages: {files}")

    # Into a root with an empty database; what they depend on, and the shell that would configure them, are the host's.
    os.makedirs(f"{root}/var/lib/dpkg/updates")
    os.makedirs(f"{root}/var/lib/dpkg/info")
    open(f"{root}/var/lib/dpkg/status", "w", encoding="utf-8").close()
    run("dpkg", f"--root={root}", "--log=/dev/null", "--force-depends", "--force-not-root", "--force-bad-path",
        "--unpack", *files.values())
    state = run("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${Package} ${db:Status-Status}|${Depends}\n")
    fields = {line.split()[0]: line for line in state.splitlines()}
    check(all(" unpacked|" in line for line in fields.values()), state)
    for name, needed in {"ptoscope": ["libc6 (", "libstdc++6 (", "libboost-context"], "libptoscope": ["libc6 ("],
                         "libptoscope-dev": ["libptoscope (= "], "python3-ptoscope": ["python3-numpy", "libc6 ("]}.items():
        for word in needed:
            check(word in fields[name], f"{name} does not depend on {word}: {fields[name]}")
    for path in ("share/man/man1/ptoscope.1", "share/bash-completion/completions/ptoscope", "include/pto/pto-inst.hpp",
                 "lib/libptoscope.so", "lib/cmake/ptoscope/ptoscope-config.cmake", "lib/pkgconfig/ptoscope.pc"):
        check(os.path.exists(f"{root}/usr/{path}") or os.path.exists(f"{root}/usr/{path}.gz"), f"there is no /usr/{path}")
    module = f"{root}/usr/lib/python3/dist-packages"
    extension = [name for name in os.listdir(f"{module}/ptoscope") if name.endswith(".so")]
    for path in (f"{root}/usr/bin/ptoscope", f"{root}/usr/lib/libptoscope.so", f"{module}/ptoscope/{extension[0]}"):
        clean(path)

    example = f"{root}/usr/share/doc/ptoscope/examples"
    said = hidden(root, f"ptoscope run {example}/abs.pto --arg random:f32:32x32:1 --arg zeros:f32:32x32")
    check("no error" in said, said)
    program = (f"import numpy as np, ptoscope; k = ptoscope.load('{example}/abs.pto'); x = -np.ones((32, 32), np.float32); "
               "y = np.zeros_like(x); print(k.run(x, y).ok, y.sum(), ptoscope.__file__)")
    said = hidden(root, f'/usr/bin/python3 -B -c "{program}"', PYTHONPATH=module)
    check(said.startswith("True 1024.0 " + module), said)
    # A C++ program by pkg-config, and a project by CMake.
    said = hidden(root, f"g++ {source}/examples/cmake-project/scale.cpp $(pkg-config --cflags --libs ptoscope) -o {root}/scale "
                  f"&& {root}/scale", PKG_CONFIG_PATH=f"{root}/usr/lib/pkgconfig")
    check("32768 products as expected" in said, said)
    if LONG:
        said = hidden(root, f"cmake -S {source}/examples/cmake-project -B {root}/project -G Ninja -DCMAKE_PREFIX_PATH={root}/usr "
                      f">/dev/null && cmake --build {root}/project >/dev/null && {root}/project/mixed")
        check("0 of 8192 elements are wrong" in said, said)

    if not LONG:
        sys.exit(print("packages work"))
    # The tarball, unpacked elsewhere and moved.
    run(f"{source}/scripts/tarball.sh", build, f"{root}/ptoscope-test.tar.gz")
    run("tar", "-xzf", f"{root}/ptoscope-test.tar.gz", "-C", root)
    os.rename(f"{root}/ptoscope-test", f"{root}/moved")
    names = os.listdir(f"{root}/moved/lib")
    check(any(name.startswith("libboost_context") for name in names), f"the tarball lacks a library: {names}")
    said = hidden(root, f"{root}/moved/bin/ptoscope run {example}/abs.pto --arg auto && ldd {root}/moved/bin/ptoscope",
                  LD_LIBRARY_PATH="")
    check("no error" in said and f"{root}/moved" in said.split("libboost_context")[1].splitlines()[0], said)
    said = hidden(root, f'/usr/bin/python3 -B -c "{program}"', PYTHONPATH=f"{root}/moved/lib/python3/dist-packages",
                  LD_LIBRARY_PATH="")
    check("True 1024.0" in said, said)
print("packages work")
