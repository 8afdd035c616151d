"""Fails unless a folder holds exactly the given names, hidden ones included.

    folder.py FOLDER NAME...
"""

import os
import sys

found, wanted = sorted(os.listdir(sys.argv[1])), sorted(sys.argv[2:])
if found != wanted:
    sys.exit(f"{sys.argv[1]} holds {found}, expected {wanted}")
