"""Pipes of tile-level text: for each constraint of each instruction, a line that breaks it and nothing else (FIFO-71 to FIFO-78)."""

PROGRAM = """module attributes {{pto.target_arch = "a5"}} {{
  func.func private @other() attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %b = pto.reserve_buffer {{name = "n", size = 4096, location = #pto.address_space<vec>, auto = true}} -> i32
    return
  }}
  func.func private @k(%ring: i32, %slots: !pto.ptr<f32>, %view: !pto.partition_tensor_view<16x32xf32>, %tile: {tile})
      attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}} {{
    {lines}
    return
  }}
}}
"""
VIEW = "!pto.partition_tensor_view<16x32xf32>"
VEC = "!pto.tile_buf<vec, 8x32xf32>"
ACC = "!pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>"
MAT = "!pto.tile_buf<mat, 16x32xf32, blayout=col_major, slayout=row_major>"
BUFFERS = "(c2v_consumer_buf = %ring : i32, v2c_consumer_buf = %ring : i32)"
ON_CHIP = "%p = pto.initialize_l2l_pipe {dir_mask = 1, slot_size = 2048, slot_num = 2} (%ring : i32) -> !pto.pipe"
IN_GM = "%p = pto.initialize_l2g2l_pipe {dir_mask = 1, slot_size = 2048, slot_num = 2} (%slots, %ring : !pto.ptr<f32>, i32) -> !pto.pipe"


def made(core):
    return f"pto.{core}_initialize_pipe {{id = 0, dir_mask = 3, slot_size = 2048, slot_num = 2}} {BUFFERS}"


EPILOGUE = "acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = {}, relu = no_relu>"
WORDS = "!pto.tile_buf<scaling, 1x32xui64>"


def converting(core, quant):
    return f"pto.{core}_initialize_pipe {{id = 0, dir_mask = 1, slot_size = 2048, {EPILOGUE.format(quant)}}} (c2v_consumer_buf = %ring : i32)"


def lines():
    """Instruction, core, what comes before it, the line, and what breaks which label in it."""
    yield ("reserve_buffer", "aiv", "", '%b = pto.reserve_buffer {name = "m", size = 4096, location = #pto.address_space<vec>, auto = true} -> i32',
           [("FIFO-71", "size = 4096", "size = 0"), ("FIFO-71", "<vec>", "<gm>"), ("FIFO-71", ", auto = true", ""),
            ("FIFO-71", "auto = true", "auto = false, base = 40"), ("FIFO-71", 'name = "m", ', "")])
    yield ("aiv_initialize_pipe", "aiv", "", '%r = pto.reserve_buffer {name = "room", size = 16384, location = #pto.address_space<vec>, auto = true} -> i32\n'
           "pto.aiv_initialize_pipe {id = 0, dir_mask = 1, slot_size = 2048} (c2v_consumer_buf = %r : i32)", [("FIFO-72", "size = 16384", "size = 16352"), ("FIFO-72", "<vec>", "<mat>")])
    yield ("aic_initialize_pipe", "aic", "", '%r = pto.reserve_buffer {name = "room", size = 16384, location = #pto.address_space<mat>, auto = true} -> i32\n'
           "pto.aic_initialize_pipe {id = 0, dir_mask = 2, slot_size = 2048} (v2c_consumer_buf = %r : i32)", [("FIFO-72", "<mat>", "<vec>")])
    yield ("import_reserved_buffer", "aic", "", '%b = pto.import_reserved_buffer {name = "n", peer_func = @other} -> i32',
           [("FIFO-71", "@other", "@k"), ("FIFO-71", "@other", "@nowhere"), ("FIFO-71", '"n"', '"m"'), ("FIFO-71", 'name = "n", ', "")])
    for core in ("aic", "aiv"):
        many = "\n".join(f"pto.{core}_initialize_pipe {{id = {n}, dir_mask = 3, slot_size = 64}} {BUFFERS}" for n in range(1, 5))
        yield (f"{core}_initialize_pipe", core, "", made(core),
               [("FIFO-72", "dir_mask = 3", "dir_mask = 4"), ("FIFO-72", "slot_size = 2048", "slot_size = 0"), ("FIFO-72", "slot_num = 2", "slot_num = 16"),
                ("FIFO-72", "slot_num = 2", "local_slot_num = 0"), ("FIFO-72", "id = 0", "id = 8"), ("FIFO-72", made(core), f"{made(core)}\n{many}"), ("FIFO-72", made(core), f"{made(core)}\n{made(core)}")])
        yield f"{core}_initialize_pipe", core, "", converting(core, "f32_f16"), [
            ("FIFO-79", "dir_mask = 1", "dir_mask = 2"), ("FIFO-79", EPILOGUE.format("f32_f16"), "acc_push_epilogue = 1")]
    for layout, quant, split, old, new in (("nz2nd", "f32_f16", 1, "quant = f32_f16", "quant = deqf16_scalar"),
                                           ("nz2nd", "f32_f16", 1, "layout = nz2nd", "layout = nz2dn")):
        yield "tpush_to_aiv", "aic", "", f"{converting('aic', quant)}\npto.tpush_to_aiv(%tile : T) {{id = 0, split = {split}}}", [("FIFO-79", old, new)]
    yield "set_quant_scalar", "aic", "%x = arith.constant 2.0 : f32", f"{converting('aic', 'qf322f16_pre_scalar')}\npto.set_quant_scalar(%x : f32) {{id = 0}}", [
        ("FIFO-80", "%x : f32) {id = 0}", "%x : f32) {id = 1}"), ("FIFO-80", "qf322f16_pre_scalar", "qf322b8_pre_vec"), ("FIFO-80", "qf322f16_pre_scalar", "f32_f16")]
    yield "set_quant_vector", "aic", f"%w = pto.alloc_tile : {WORDS}", f"{converting('aic', 'qf322b8_pre_vec')}\npto.set_quant_vector(%w : {WORDS}) {{id = 0}}", [
        ("FIFO-80", f"{WORDS}) {{id = 0}}", f"{WORDS}) {{id = 1}}"), ("FIFO-80", "qf322b8_pre_vec", "qf322b8_pre_scalar"), ("FIFO-80", f"(%w : {WORDS})", "(%tile : T)")]
    for name, core, line in (("tpush_to_aiv", "aic", "pto.tpush_to_aiv(%tile : T) {id = 0, split = 1}"),
                             ("tpush_to_aic", "aiv", "pto.tpush_to_aic(%tile : T) {id = 0, split = 1}"),
                             ("tfree_from_aic", "aiv", "pto.tfree_from_aic {id = 0, split = 1}"),
                             ("tfree_from_aiv", "aic", "pto.tfree_from_aiv {id = 0, split = 1}")):
        yield name, core, made(core), line, [("FIFO-73", "id = 0", "id = 5"), ("FIFO-73", "split = 1", "split = 5")]
        yield name, core, "", f"{made(core)}\n{line}", [("FIFO-73", made(core), made("aiv" if core == "aic" else "aic"))]
        yield name, core, made(core), f"{line}\n{line}", [("FIFO-73", f"{line}\n{line}", line + "\n" + line.replace("split = 1", "split = 0"))]
    for name, core, result in (("tpop_from_aic", "aiv", VEC), ("tpop_from_aiv", "aic", MAT)):
        yield (name, core, made(core), f"%e = pto.{name} {{id = 0, split = 1}} -> {result}",
               [("FIFO-73", "id = 0", "id = 5"), ("FIFO-73", "split = 1", "split = -1"), ("FIFO-74", result, result[:-1] + ", valid=?x?>"),
                ("FIFO-74", result, "!pto.partition_tensor_view<?x32xf32>")])
    for name, core in (("talloc_to_aiv", "aic"), ("talloc_to_aic", "aiv")):
        yield (name, core, made(core), f"%e = pto.{name} {{id = 0, split = 0}} -> {VIEW}",
               [("FIFO-73", "id = 0", "id = 5"), ("FIFO-74", VIEW, "!pto.partition_tensor_view<?x32xf32>"), ("FIFO-74", VIEW, VEC)])
    yield "declare_tile", "aiv", "", f"%e = pto.declare_tile -> {VEC}", [("FIFO-78", VEC, VIEW)]
    yield "declare_global", "aiv", "", f"%e = pto.declare_global -> {VIEW}", [("FIFO-78", VIEW, "!pto.partition_tensor_view<?x32xf32>")]
    yield ("initialize_l2l_pipe", "aiv", "", ON_CHIP,
           [("FIFO-72", "dir_mask = 1", "dir_mask = 0"), ("FIFO-78", "(%ring : i32)", "(%ring, %ring, %ring : i32, i32, i32)"),
            ("FIFO-78", "(%ring : i32)", "(%slots : !pto.ptr<f32>)")])
    yield ("initialize_l2g2l_pipe", "aiv", "", IN_GM,
           [("FIFO-72", "slot_num = 2", "slot_num = 16"), ("FIFO-78", "(%slots, %ring : !pto.ptr<f32>, i32)", "(%ring : i32)")])
    yield "talloc", "aic", f"{IN_GM}\n%e = pto.declare_global -> {VIEW}", f"pto.talloc(%e, %p : {VIEW}, !pto.pipe) {{split = 0}}", [
        ("FIFO-78", "split = 0", "split = 5"), ("FIFO-78", f"%e, %p : {VIEW}", "%tile, %p : T")]
    yield "tpush", "aic", ON_CHIP, "pto.tpush(%tile, %p : T, !pto.pipe) {split = 1}", [
        ("FIFO-78", "split = 1", "split = 5"), ("FIFO-78", "(%tile, %p : T, !pto.pipe)", "(%p : !pto.pipe)"), ("FIFO-78", "%tile, %p : T", "%ring, %p : i32")]
    yield "tpop", "aiv", f"{ON_CHIP}\n%e = pto.declare_tile -> {VEC}", f"pto.tpop(%e, %p : {VEC}, !pto.pipe) {{split = 1}}", [
        ("FIFO-78", "split = 1", "split = 5"), ("FIFO-78", f"(%e, %p : {VEC}, !pto.pipe)", "(%p : !pto.pipe)")]
    yield "tfree", "aiv", ON_CHIP, "pto.tfree(%p : !pto.pipe) {split = 1}", [("FIFO-78", "split = 1", "split = 5")]


def cases():
    """(instruction, label, broken, repaired)"""
    for name, core, before, line, breaks in lines():
        tile = ACC if core == "aic" else VEC

        def text(written):
            return PROGRAM.format(kind="cube" if core == "aic" else "vector", tile=tile,
                                  lines="\n    ".join(f"{before}\n{written}".strip().replace(": T", f": {tile}").split("\n")))
        for label, old, new in breaks:
            assert old in line, (line, old)
            yield f"pto.{name}", label, text(line.replace(old, new)), text(line)
