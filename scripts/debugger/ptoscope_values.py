"""How debuggers show tiles and views: what ptoscope_gdb.py and ptoscope_lldb.py have in common.

Numbers come from the debugger; nothing here asks it."""

DYNAMIC = -1
TILE_TYPES = ("Vec", "Mat", "Left", "Right", "Acc", "Bias", "Scaling", "ScaleLeft", "ScaleRight", "Ctrl")
LAYOUTS = (
    "ND DN NZ SCALE MX_A_ND MX_A_DN MX_A_ZZ MX_B_ND MX_B_DN MX_B_NN HIF4_A_ZZ HIF4_B_NN NC1HWC0 GNC1HWC0 NCHW GNCHW NHWC "
    "NDC1HWC0 NCDHW FRACTAL_Z FRACTAL_Z_S16S8 FRACTAL_Z_3D MAX"
).split()
SHOWN_ROWS, SHOWN_COLS = 4, 8


def name_of(names, number):
    return names[number] if 0 <= number < len(names) else str(number)


def block_layout(block, inner):
    """Of a tile: row-major or column-major, or fractals by the order of their blocks and of their elements."""
    if inner == 0:
        return "ND" if block == 0 else "DN"
    return {(1, 1): "NZ", (0, 2): "ZN", (0, 1): "ZZ", (1, 2): "NN"}.get((block, inner), "?")


def tile_text(location, element, rows, cols, block, inner, valid, pointer):
    """`valid` is the pair of valid extents."""
    text = f"Tile<{name_of(TILE_TYPES, location)}, {element}, {rows} x {cols}>"
    layout = block_layout(block, inner)
    if layout != "ND":
        text += f" in {layout}"
    if tuple(valid) != (rows, cols):
        text += f", valid {valid[0]} x {valid[1]}"
    return text + (f", at {pointer:#x}" if pointer else ", without a place")


def shown(rows, cols, block, inner, valid):
    """Rows of element numbers that a debugger shows, where elements are in plain order."""
    if inner != 0:
        return []
    row_step, col_step = (cols, 1) if block == 0 else (1, rows)
    return [
        [row * row_step + col * col_step for col in range(min(valid[1], SHOWN_COLS))]
        for row in range(min(valid[0], SHOWN_ROWS))
    ]


def row_text(values, more):
    return "{" + ", ".join(values) + (", ...}" if more else "}")


def view_text(element, shape, stride, layout, pointer):
    extents = " x ".join(map(str, shape))
    steps = ", ".join(map(str, stride))
    kind = name_of(LAYOUTS, layout)
    text = f"GlobalTensor<{element}, {extents}>" + (f" in {kind}" if kind != "ND" else "")
    return text + f", strides {steps}, " + (f"at {pointer:#x}" if pointer else "without memory")
