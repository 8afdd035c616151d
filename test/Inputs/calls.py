"""calls.py N TIMES: N functions of which each calls the one before that many times; the kernel stores what the last adds up to."""
import sys

count, times = int(sys.argv[1]), int(sys.argv[2])
print("module {\n  func.func private @f0(%v0: i32) -> i32 {\n    %one = arith.constant 1 : i32")
print("    %r = arith.addi %v0, %one : i32\n    return %r : i32\n  }")
for k in range(1, count):
    print(f"  func.func private @f{k}(%v0: i32) -> i32 {{")
    for t in range(times):
        print(f"    %v{t + 1} = func.call @f{k - 1}(%v{t}) : (i32) -> i32")
    print(f"    return %v{times} : i32\n  }}")
print("  func.func @k(%gm: !pto.ptr<i32, gm>) attributes {pto.kernel} {")
print("    %zero = arith.constant 0 : i32\n    %first = arith.constant 0 : index")
print(f"    %sum = func.call @f{count - 1}(%zero) : (i32) -> i32")
print("    pto.store_scalar %sum, %gm[%first] : !pto.ptr<i32, gm>, i32\n    return\n  }\n}")
