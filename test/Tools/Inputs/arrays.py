"""Makes and compares arrays for the command-line tests.

    arrays.py make PATH EXPRESSION     saves the NumPy expression as .npy, or as raw bytes
    arrays.py same PATH EXPRESSION     fails unless the .npy file has that dtype, shape and bits
"""

import sys

import numpy as np


def main():
    verb, path, expression = sys.argv[1:]
    wanted = np.asarray(eval(expression, {"np": np}))  # pylint: disable=eval-used
    if verb == "make":
        if path.endswith(".npy"):
            np.save(path, wanted)
        else:
            wanted.tofile(path)
        return
    got = np.load(path)
    if got.dtype != wanted.dtype or got.shape != wanted.shape or got.tobytes() != wanted.tobytes():
        sys.exit(f"{path}: {got.dtype} {got.shape} {got}\nexpected {wanted.dtype} {wanted.shape} {wanted}")


main()
