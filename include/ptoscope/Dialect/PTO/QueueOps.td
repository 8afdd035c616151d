//===- QueueOps.td - pipes between the cores of a cluster -----------------===//
// docs/isa/32b-tile-queues.md: FIFO-70 to FIFO-76

#ifndef PTOSCOPE_PTO_QUEUE_OPS
#define PTOSCOPE_PTO_QUEUE_OPS

include "ptoscope/Dialect/PTO/TileBase.td"

/// Attributes are those that the text has between braces.
class PTO_QueueOp<string mnemonic, string parser, string printer, list<Trait> traits = []>
    : PTO_TileHandling<mnemonic, parser, printer, PTO_Ordered # traits> {
  let family = "pipe";
  let timing = "sync";
}

def PTO_ReserveBufferOp : PTO_QueueOp<"reserve_buffer", "parseReserved(parser, result)", "printReserved(printer, *this)"> {
  let summary = "bytes of a memory for the entries of a pipe, which this function pops";
  let description = [{ With `auto` the planner finds their place, otherwise `base` gives it. }];
  let results = (outs I32:$result);
  let constraints = ["FIFO-71: a name, a positive size, vec or mat as location, and a base unless auto is true"];
  let syntax = ["%b = pto.reserve_buffer {name = \"n\", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32",
                "%b = pto.reserve_buffer {name = \"n\", size = 8192, location = #pto.address_space<vec>, auto = false, base = 0} -> i32"];
}
def PTO_ImportReservedBufferOp : PTO_QueueOp<"import_reserved_buffer", "parseReserved(parser, result)", "printReserved(printer, *this)"> {
  let summary = "where another function has reserved bytes";
  let results = (outs I32:$result);
  let constraints = ["FIFO-71: the function has a buffer of this name"];
  let syntax = ["%b = pto.import_reserved_buffer {name = \"n\", peer_func = @f} -> i32"];
}

class PTO_InitializePipeOp<string mnemonic, string text> : PTO_QueueOp<mnemonic, "parseInitialize(parser, result)",
    "printInitialize(printer, *this)", [AttrSizedOperandSegments]> {
  let summary = text;
  let arguments = (ins Optional<PTO_PtrOrMemref>:$gmSlotBuffer, Optional<PTO_ViewOrMemref>:$gmSlotTensor,
                       Optional<I32>:$c2vConsumerBuf, Optional<I32>:$v2cConsumerBuf);
  let constraints = ["FIFO-72: dir_mask 1 to 3, a positive slot_size, slot_num 1 to 15, ids that fit; slots in gm on a3 and a2",
                     "FIFO-79: an `acc_push_epilogue` is for pipes from the cube core"];
  let syntax = ["pto." # mnemonic # " {id = 0, dir_mask = 1, slot_size = 4096} (c2v_consumer_buf = %b : i32)",
                "pto." # mnemonic # " {dir_mask = 3, slot_size = 4096, slot_num = 4, local_slot_num = 2, nosplit = true} "
                "(gm_slot_buffer = %p : !pto.ptr<T, gm>, c2v_consumer_buf = %b : i32, v2c_consumer_buf = %c : i32)",
                "pto." # mnemonic # " {dir_mask = 1, slot_size = 4096, acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, "
                "quant = qf322f16_pre_scalar, relu = normal_relu>} (c2v_consumer_buf = %b : i32)"];
}
def PTO_AicInitializePipeOp : PTO_InitializePipeOp<"aic_initialize_pipe", "make the side of the cube core of a pipe">;
def PTO_AivInitializePipeOp : PTO_InitializePipeOp<"aiv_initialize_pipe", "make the side of a vector core of a pipe">;

class PTO_PushOp<string mnemonic, string text> : PTO_QueueOp<mnemonic, "parseOfEntry(parser, result)",
    "printOfEntry(printer, *this)", [AttrSizedOperandSegments, PTO_TakesViews]> {
  let summary = text;
  let arguments = (ins Optional<AnyType>:$entry, Optional<AnyType>:$subblock);
  let constraints = ["FIFO-73: the function has made a pipe with this id and direction; split 0 to 4"];
  let syntax = ["pto." # mnemonic # "(%t : T) {id = 0, split = 1}", "pto." # mnemonic # "(%v : TV) {split = 0}"];
}
def PTO_TPushToAivOp : PTO_PushOp<"tpush_to_aiv", "put a tile of the accumulator, or a filled entry, into a pipe to the vector cores"> {
  let constraints = ["FIFO-73: the function has made a pipe with this id and direction; split 0 to 4",
                     "FIFO-79: an `acc_push_epilogue` of the pipe converts the element of the tile to the one that is popped"];
}
def PTO_TPushToAicOp : PTO_PushOp<"tpush_to_aic", "put a vec tile, or a filled entry, into a pipe to the cube core">;

class PTO_PopOp<string mnemonic, string text> : PTO_QueueOp<mnemonic, "parseToEntry(parser, result)",
    "printToEntry(printer, *this)", [AttrSizedOperandSegments]> {
  let summary = text;
  let arguments = (ins Variadic<Index>:$valid, Optional<AnyType>:$subblock);
  let results = (outs AnyType:$result);
  let constraints = ["FIFO-73: the function has made a pipe with this id and direction; split 0 to 4",
                     "FIFO-74: valid extents are given exactly for dynamic ones; an entry is a view of fixed extents"];
  let syntax = ["%t = pto." # mnemonic # " {id = 0, split = 1} -> T", "%t = pto." # mnemonic # "(%vr, %vc) {split = 1} -> T"];
}
def PTO_TPopFromAicOp : PTO_PopOp<"tpop_from_aic", "take the next tile, or entry, of a pipe from the cube core">;
def PTO_TPopFromAivOp : PTO_PopOp<"tpop_from_aiv", "take the next tile, or entry, of a pipe from the vector cores">;
def PTO_TAllocToAivOp : PTO_PopOp<"talloc_to_aiv", "the next free entry of a pipe to the vector cores, as a view">;
def PTO_TAllocToAicOp : PTO_PopOp<"talloc_to_aic", "the next free entry of a pipe to the cube core, as a view">;

class PTO_FreeOp<string mnemonic, string text> : PTO_QueueOp<mnemonic, "parseOfEntry(parser, result)",
    "printOfEntry(printer, *this)", [AttrSizedOperandSegments, PTO_TakesViews]> {
  let summary = text;
  let arguments = (ins Optional<AnyType>:$entry, Optional<AnyType>:$subblock);
  let constraints = ["FIFO-73: the function has made a pipe with this id and direction; split 0 to 4"];
  let syntax = ["pto." # mnemonic # " {id = 0, split = 1}", "pto." # mnemonic # "(%v : TV) {split = 0}"];
}
def PTO_TFreeFromAicOp : PTO_FreeOp<"tfree_from_aic", "release the oldest popped entry of a pipe from the cube core">;
def PTO_TFreeFromAivOp : PTO_FreeOp<"tfree_from_aiv", "release the oldest popped entry of a pipe from the vector cores">;

class PTO_SetQuantOp<string mnemonic, string text, Type type, string form> : PTO_QueueOp<mnemonic, "parseOnPipe(parser, result)",
    "printOnPipe(printer, *this)"> {
  let summary = text;
  let description = [{ It holds for the pushes behind it on the pipe with this id, until the next one. }];
  let arguments = (ins type:$value);
  let timing = "config";
  let constraints = ["FIFO-80: the pipe with this id has an `acc_push_epilogue` with such a conversion"];
  let syntax = ["pto." # mnemonic # form # " {id = 0}"];
}
def PTO_SetQuantScalarOp : PTO_SetQuantOp<"set_quant_scalar", "the scale of the pushes of a pipe", F32, "(%scale : f32)">;
def PTO_SetQuantVectorOp : PTO_SetQuantOp<"set_quant_vector", "a scale for each column of the pushes of a pipe", PTO_TileBuf,
                                          "(%t : !pto.tile_buf<scaling, 1x64xui64>)">;

//===----------------------------------------------------------------------===//
// With a handle, as compilers write it
//===----------------------------------------------------------------------===//

class PTO_DeclareEntryOp<string mnemonic, string type, string text> : PTO_QueueOp<mnemonic, "parseReserved(parser, result)",
    "printReserved(printer, *this)"> {
  let summary = text;
  let results = (outs AnyType:$result);
  let constraints = ["FIFO-78: a tile, or a view of fixed extents"];
  let syntax = ["%e = pto." # mnemonic # " -> " # type];
}
def PTO_DeclareTileOp : PTO_DeclareEntryOp<"declare_tile", "!pto.tile_buf<vec, 8x64xT>", "a tile without a place, which a pop gives it">;
def PTO_DeclareGlobalOp : PTO_DeclareEntryOp<"declare_global", "!pto.partition_tensor_view<8x64xT>",
                                             "a view without a place, which a pop or an allocation gives it">;

class PTO_PipeHandleOp<string mnemonic, string text, list<string> forms> : PTO_QueueOp<mnemonic, "parseHandle(parser, result)",
    "printHandle(printer, *this)"> {
  let summary = text;
  let arguments = (ins Variadic<AnyType>:$buffers);
  let results = (outs PTO_PipeHandle:$pipe);
  let constraints = ["FIFO-72: dir_mask 1 to 3, a positive slot_size, slot_num 1 to 15, ids that fit",
                     "FIFO-78: the buffers in their order"];
  let syntax = forms;
}
def PTO_InitializeL2LPipeOp : PTO_PipeHandleOp<"initialize_l2l_pipe", "make one side of a pipe whose entries are on chip",
    ["%p = pto.initialize_l2l_pipe {dir_mask = 1, slot_size = 4096, slot_num = 8} (%l : i32) -> !pto.pipe"]>;
def PTO_InitializeL2G2LPipeOp : PTO_PipeHandleOp<"initialize_l2g2l_pipe", "make one side of a pipe whose entries are in gm",
    ["%p = pto.initialize_l2g2l_pipe {dir_mask = 1, slot_size = 4096, slot_num = 8} (%gm : !pto.ptr<T, gm>, %l : i32) -> !pto.pipe"]>;

class PTO_OnPipeOp<string mnemonic, string text, list<string> forms> : PTO_QueueOp<mnemonic, "parseOnHandle(parser, result)",
    "printOnHandle(printer, *this)", [PTO_TakesViews]> {
  let summary = text;
  let arguments = (ins Variadic<AnyType>:$all);
  let extraClassDeclaration = [{
    /// What stands behind the pipe.
    ::mlir::Value getSubblock() {
      return getAll().empty() || ::llvm::isa<PipeHandleType>(getAll().back().getType()) ? ::mlir::Value() : getAll().back();
    }
    /// The entry, if there is one, and the pipe.
    ::mlir::ValueRange getValues() { return ::mlir::ValueRange(getAll()).drop_back(getSubblock() ? 1 : 0); }
  }];
  let constraints = ["FIFO-78: a tile or a view, then the pipe; split 0 to 4"];
  let syntax = forms;
}
def PTO_TAllocOp : PTO_OnPipeOp<"talloc", "the next free entry of a pipe, as a view", ["pto.talloc(%g, %p : TV, !pto.pipe) {split = 0}"]>;
def PTO_TPushOp : PTO_OnPipeOp<"tpush", "put a tile, or a filled entry, into a pipe", ["pto.tpush(%t, %p : T, !pto.pipe) {split = 1}"]>;
def PTO_TPopOp : PTO_OnPipeOp<"tpop", "take the next tile, or entry, of a pipe", ["pto.tpop(%t, %p : T, !pto.pipe) {split = 1}"]>;
def PTO_TFreeOp : PTO_OnPipeOp<"tfree", "release the oldest popped entry of a pipe",
    ["pto.tfree(%p : !pto.pipe) {split = 1}", "pto.tfree(%g, %p : TV, !pto.pipe) {split = 0}"]>;

#endif // PTOSCOPE_PTO_QUEUE_OPS
