"""Programs that several tests use."""
import os

import pytest

import ptoscope

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

COPY = """\
module attributes {{pto.target_arch = "a5"}} {{
  func.func @copy(%src: !pto.ptr<{element}, gm>, %dst: !pto.ptr<{element}, gm>) attributes {{pto.kernel}} {{
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %bytes = arith.constant {bytes} : i64
    %ub = pto.castptr %c0 : i64 -> !pto.ptr<{element}, ub>
    pto.mte_gm_ub %src, %ub, %c0, %bytes nburst(%c1, %c0, %c0)
      : !pto.ptr<{element}, gm>, !pto.ptr<{element}, ub>, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %ub, %dst, %bytes nburst(%c1, %c0, %c0)
      : !pto.ptr<{element}, ub>, !pto.ptr<{element}, gm>, i64, i64, i64, i64
    return
  }}
}}
"""

# Writes its scalars to memory, so that a test sees what arrived.
SCALARS = """\
module attributes {{pto.target_arch = "a5"}} {{
  func.func @scalar(%dst: !pto.ptr<{element}, gm>, %value: {element}) attributes {{pto.kernel}} {{
    %c0 = arith.constant 0 : index
    pto.store_scalar %value, %dst[%c0] : !pto.ptr<{element}, gm>, {element}
    return
  }}
}}
"""


def example(*parts):
    return os.path.join(ROOT, "examples", *parts)


def copy_of(element, count, bytes_each):
    return ptoscope.loads(COPY.format(element=element, bytes=count * bytes_each))


@pytest.fixture
def absolute():
    return ptoscope.load(example("abs.pto"))


@pytest.fixture
def long_kernel():
    """As long as its last argument says: a turn takes less than a microsecond."""
    return ptoscope.load(os.path.join(ROOT, "benchmarks", "launch.pto"))
