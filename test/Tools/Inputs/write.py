"""Writes the bytes of a Python expression to a file.

    write.py PATH EXPRESSION
"""

import sys

with open(sys.argv[1], "wb") as file:
    file.write(eval(sys.argv[2]))  # pylint: disable=eval-used
