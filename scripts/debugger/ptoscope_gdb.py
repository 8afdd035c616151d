"""Tiles and views in gdb: (gdb) source ptoscope_gdb.py"""

import pathlib
import re
import sys

import gdb
import gdb.printing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import ptoscope_values as show  # noqa: E402


def number(value, names, default):
    """A member that holds an integer, by the first of its names that there is."""
    for name in names:
        try:
            return int(value[name])
        except gdb.error:
            continue
    return default


class TilePrinter:
    def __init__(self, value):
        self.value = value
        kind = value.type.strip_typedefs()
        self.element = kind.template_argument(1)
        self.location, self.rows, self.cols, self.block = (int(kind.template_argument(i)) for i in (0, 2, 3, 4))
        self.inner = int(kind.template_argument(7))
        rows, cols = int(kind.template_argument(5)), int(kind.template_argument(6))
        self.valid = (
            rows if rows != show.DYNAMIC else number(value, ("RowMaskInternal", "validRow_"), self.rows),
            cols if cols != show.DYNAMIC else number(value, ("ColMaskInternal", "validCol_"), self.cols),
        )

    def to_string(self):
        pointer = int(self.value["pointer"])
        return show.tile_text(
            self.location, self.element, self.rows, self.cols, self.block, self.inner, self.valid, pointer
        )

    def children(self):
        if not int(self.value["pointer"]):
            return
        data = self.value["pointer"].cast(self.element.pointer())
        for row, places in enumerate(show.shown(self.rows, self.cols, self.block, self.inner, self.valid)):
            try:
                values = [str(data[place]) for place in places]
            except gdb.error:
                return
            yield f"[{row}]", show.row_text(values, self.valid[1] > len(places))


class ViewPrinter:
    def __init__(self, value):
        self.value = value

    def numbers(self, held, fixed_type):
        fixed = [int(fixed_type.template_argument(i)) for i in range(5)]
        return [int(held[i]) if fixed[i] == show.DYNAMIC else fixed[i] for i in range(5)]

    def to_string(self):
        kind = self.value.type.strip_typedefs()
        shape = self.numbers(self.value["shape_"]["shape"], self.base(kind.template_argument(1), "Shape"))
        stride = self.numbers(self.value["stride_"]["stride"], self.base(kind.template_argument(2), "Stride"))
        layout = int(kind.template_argument(3))
        return show.view_text(kind.template_argument(0), shape, stride, layout, int(self.value["pointer"]))

    @staticmethod
    def base(kind, name):
        """TileShape2D and BaseShape2D inherit their numbers."""
        kind = kind.strip_typedefs()
        while not re.match(rf"(\w+::)*{name}<", str(kind)):
            kind = kind.fields()[0].type.strip_typedefs()
        return kind


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("ptoscope")
    collection.add_printer("Tile", r"^pto::(\w+::)?(Located)?Tile<.*>$", TilePrinter)
    collection.add_printer("GlobalTensor", r"^pto::(\w+::)?GlobalTensor<.*>$", ViewPrinter)
    return collection


gdb.printing.register_pretty_printer(None, printers(), replace=True)
