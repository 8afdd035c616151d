"""Assembly uses only instructions this host has, and no fused multiply-add.

    host-code.py FILE.s

What the host has is read from /proc/cpuinfo, not from the compiler that is under
test.
"""

import platform
import re
import sys

# Feature flag of /proc/cpuinfo -> what gives its use away in an instruction line.
X86 = {
    "avx": r"%ymm|^v[a-z]",
    "avx2": r"^(vpbroadcast|vperm[dq]|vpgather|vinserti128|vextracti128|vps[lr][la]v)",
    "avx512f": r"%zmm|%k[0-7]|%[xyz]mm(1[6-9]|2\d|3[01])",
    "avx512bw": r"^(k\w+[dq]|vp(blendm|cmpu?|add|sub|max\w|min\w)[bw])\b.*(%zmm|%k)",
    "avx512dq": r"^(vpmullq|vcvtt?(qq|uqq)2|vcvtt?p[sd]2u?qq|kmovb|vandps.*%zmm|vxorps.*%zmm|vorps.*%zmm)",
    "avx512vl": r"(%xmm|%ymm)(?!.*%zmm).*\{%k",
    "avx512vbmi": r"^(vpermb|vperm[it]2b|vpmultishiftqb)",
    "avx512_vbmi2": r"^(vpsh[lr]d|vpcompress[bw]|vpexpand[bw])",
    "avx512_bf16": r"^(vcvtne2?ps2bf16|vdpbf16ps)|^vcvtneps2bf16",
    "avx512_fp16": r"^v(add|sub|mul|div|max|min|sqrt|cmp)[ps]h\b|^vcvt\w*ph(x|2\w*dq|2u?[wq])",
    "avx512_vnni": r"^vpdp(bus|wss)d",
    "avx512_bitalg": r"^(vpopcnt[bw]|vpshufbitqmb)",
    "avx512_vpopcntdq": r"^vpopcnt[dq]",
    "avx512cd": r"^(vplzcnt|vpconflict)",
    "f16c": r"^vcvt(ph2ps|ps2ph)\b",
    "gfni": r"gf2p8",
    "vaes": r"^vaes",
    "bmi1": r"^(andn|bextr|bls(i|r|msk)|tzcnt)",
    "bmi2": r"^(shlx|shrx|sarx|rorx|mulx|pdep|pext|bzhi)",
    "abm": r"^lzcnt",
    "popcnt": r"^popcnt",
    "movbe": r"^movbe",
    "sse4_1": r"^(pmulld|pblend|blendv?p|round[ps]|pmaxs[bd]|pminu[dw]|ptest|pinsr[bdq]|pextr[bdq])",
    "ssse3": r"^(pshufb|pabs|palignr|phadd)",
    "amx_tile": r"%tmm",
}
ARM = {
    "sve": r"\bz\d+\.[bhsd]|\bp\d+/[mz]|\bptrue",
    "asimdhp": r"^f(add|sub|mul|div|max|min|abs|neg|cm\w\w)\s+v\d+\.[48]h",
    "bf16": r"^bf(cvt|dot|mmla|mlal)",
    "asimddp": r"^[us]dot",
    "i8mm": r"^[us]+mmla|^usdot",
    "atomics": r"^(cas|ldadd|ldset|swp)",
}
FUSED = {"x86": r"^vf(n?m(add|sub)|madd(sub)|msubadd)", "arm": r"^f(n?m(add|sub)|ml[as])\b"}


def main():
    machine = platform.machine()
    family, table = ("x86", X86) if machine in ("x86_64", "AMD64") else ("arm", ARM) if machine == "aarch64" else (None, {})
    flags = set()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.lower().startswith(("flags", "features")):
                flags |= set(line.split(":", 1)[1].split())
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    code = [line for line in lines if line and not re.match(r"[.#/]|\w[\w.$]*:", line)]
    if len(code) < 20:
        sys.exit("there is no code to look at")
    missing = {flag: re.compile(pattern) for flag, pattern in table.items() if flag not in flags}
    fused = re.compile(FUSED.get(family, "$^"))
    for line in code:
        if fused.search(line):
            sys.exit(f"fused multiply-add: {line}")
        for flag, pattern in missing.items():
            if pattern.search(line):
                sys.exit(f"the host has no {flag}, but the code has: {line}")


main()
