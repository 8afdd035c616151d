"""The summaries of ptoscope_lldb.py, on values that answer as those of lldb do."""
import sys

sys.path.insert(0, sys.argv[1])
import ptoscope_lldb  # noqa: E402


class Value:
    """The part of lldb.SBValue that summaries use."""

    def __init__(self, name="", number=0, **members):
        self.name, self.number, self.members = name, number, members

    def GetNonSyntheticValue(self):
        return self

    def IsValid(self):
        return True

    def GetType(self):
        return self

    def GetCanonicalType(self):
        return self

    def GetName(self):
        return self.name

    def GetValueAsUnsigned(self):
        return self.number

    GetValueAsSigned = GetValueAsUnsigned

    def GetChildMemberWithName(self, name):
        return self.members.get(name)

    def GetChildAtIndex(self, i):
        return Value(number=self.number[i])


def check(got, expected):
    if got != expected:
        sys.exit(f"{got!r}\nis not\n{expected!r}")


full = "pto::Tile<(pto::TileType)0, float, 16, 64, (pto::BLayout)0, 16, 64, (pto::SLayout)0, 512, (pto::PadValue)0>"
check(ptoscope_lldb.tile_summary(Value(full, pointer=Value(number=0x1000)), {}), "Tile<Vec, float, 16 x 64>, at 0x1000")
part = "pto::Tile<pto::TileType::Mat, short, 32, 16, pto::BLayout::ColMajor, -1, 7, pto::SLayout::RowMajor, 512>"
held = {"pointer": Value(number=0), "RowMaskInternal": Value(number=5)}
check(ptoscope_lldb.tile_summary(Value(part, **held), {}), "Tile<Mat, short, 32 x 16> in NZ, valid 5 x 7, without a place")
# Arguments that have their defaults are left out by some compilers.
check(ptoscope_lldb.tile_summary(Value("pto::Tile<(pto::TileType)4, int, 8, 8>", pointer=Value(number=16)), {}),
      "Tile<Acc, int, 8 x 8>, at 0x10")
view = "pto::GlobalTensor<float, pto::Shape<1, 1, 1, -1, 64>, pto::Stride<1, 1, 1, 64, 1>, pto::Layout::DN>"
members = {"pointer": Value(number=0x2000), "shape_": Value(shape=Value(number=[1, 1, 1, 5, 64])),
           "stride_": Value(stride=Value(number=[1, 1, 1, 80, 1]))}
check(ptoscope_lldb.view_summary(Value(view, **members), {}),
      "GlobalTensor<float, 1 x 1 x 1 x 5 x 64> in DN, strides 1, 1, 1, 80, 1, at 0x2000")
