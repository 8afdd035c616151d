//===- TileOps.td - tiles, their parts, and regions of them ---------------===//

#ifndef PTOSCOPE_PTO_TILE_OPS
#define PTOSCOPE_PTO_TILE_OPS

include "ptoscope/Dialect/PTO/TileBase.td"

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

class PTO_AllocOp<string mnemonic, string type> : PTO_TileHandling<mnemonic, "parseAlloc(parser, result)", "printAlloc(printer, *this)",
    PTO_Ordered # [AttrSizedOperandSegments]> {
  let arguments = (ins Optional<I64>:$addr, Optional<Index>:$validRow, Optional<Index>:$validCol);
  let constraints = ["TBUF-9: rows (columns, boxes) of the layout have whole 32-byte blocks (boxes)",
                     "TBUF-13: constant valid extents are inside the tile",
                     "ALLOC-2: valid_row and valid_col are given exactly for dynamic extents, or neither of two",
                     "PLAN-8: a constant address is a multiple of 32 and not negative"];
  let syntax = ["%t = pto." # mnemonic # " : " # type, "%t = pto." # mnemonic # " addr = %a valid_row = %r valid_col = %c : " # type];
}
def PTO_AllocTileOp : PTO_AllocOp<"alloc_tile", "!pto.tile_buf<vec, 8x64xT, valid=?x?>"> {
  let summary = "make a tile";
  let description = [{
    The address is a byte offset in the memory of the tile; without one the tile is placed. An `alloc_tile` in a loop is one
    tile that every turn reuses.
  }];
  let results = (outs PTO_TileBuf:$result);
}
def PTO_AllocMultiTileOp : PTO_AllocOp<"alloc_multi_tile", "!pto.multi_tile_buf<vec, 16x16xT, valid=?x?, count=3>"> {
  let summary = "make tiles of one type, one behind the other";
  let description = [{ With an address, tile k is at the address plus k times the bytes of a tile. }];
  let results = (outs PTO_MultiTileBuf:$result);
}

def PTO_MultiTileGetOp : PTO_TileHandling<"multi_tile_get", "parseElementOf(parser, result)", "printElementOf(printer, *this)", PTO_Ordered> {
  let summary = "tile k of those that alloc_multi_tile made";
  let arguments = (ins PTO_MultiTileBuf:$tiles, Index:$index);
  let results = (outs PTO_TileBuf:$result);
  let constraints = ["ALLOC-6: a constant index is inside, and the result has the type of the tiles"];
  let syntax = ["%t = pto.multi_tile_get %m[%k] : !pto.multi_tile_buf<vec, 16x16xT, count=3> -> !pto.tile_buf<vec, 16x16xT>"];
}

def PTO_SubviewOp : PTO_TileHandling<"subview", "parseSubview(parser, result)", "printSubview(printer, *this)",
    PTO_Ordered # [AttrSizedOperandSegments]> {
  let summary = "a window of a tile, which shares its storage";
  let description = [{
    Element (i, j) of the window is element (row + i, col + j) of the tile; the window keeps the pitch of the tile. Its valid
    extents are those of `valid`, or of the result type, or the sizes.
  }];
  let arguments = (ins PTO_TileBuf:$source, Index:$row, Index:$col, Optional<Index>:$validRow, Optional<Index>:$validCol,
                       DenseI64ArrayAttr:$sizes);
  let results = (outs PTO_TileBuf:$result);
  let aliases = ["subset"];
  let constraints = ["ALIAS-1: the window has the sizes, and memory, element and layout of the tile",
                     "ALIAS-3: dynamic valid extents are given; constant ones agree with the type",
                     "ALIAS-4: sizes and constant offsets of boxed tiles are multiples of the box",
                     "ALIAS-5: constant offsets and sizes stay inside the tile",
                     "VIEW-9: of a view, the older spelling of partition_view, which keeps the rules of that"];
  let syntax = ["%u = pto.subview %t[%r, %c] sizes [8, 16] : !pto.tile_buf<vec, 8x64xT> -> !pto.tile_buf<vec, 8x16xT>",
                "%u = pto.subview %t[%r, %c] sizes [8, 16] valid [%vr, %vc] : !pto.tile_buf<vec, 8x64xT> -> !pto.tile_buf<vec, 8x16xT, valid=?x?>",
                "%u = pto.subview %t[%r, %c] sizes [8, 16] : !pto.tile_buf<vec, 8x64xT>",
                "%u = pto.subset %t[%r, %c] sizes [8, 16] : !pto.tile_buf<vec, 8x64xT>",
                "%p = pto.subview %v, offsets = [%o0, %o1], sizes = [%z0, %z1] : !pto.tensor_view<?x?xT> -> !pto.tile_view<?x?xT>"];
}

def PTO_SetValidShapeOp : PTO_OnTileOp<"set_validshape", PTO_Ordered> {
  let summary = "change the valid extents of a tile in place";
  let arguments = (ins PTO_TileBuf:$tile, Index:$rows, Index:$cols);
  let constraints = ["ALIAS-7: both valid extents of the type are dynamic", "TBUF-13: constant extents are inside the tile"];
  let syntax = ["pto.set_validshape %t, %r, %c : !pto.tile_buf<vec, 8x64xT, valid=?x?>"];
}
def PTO_GetValidShapeOp : PTO_OnTileOp<"get_validshape", [MemoryEffects<[MemRead]>]> {
  let summary = "the valid rows and columns that a tile has at this point";
  let arguments = (ins PTO_TileBuf:$tile);
  let results = (outs Index:$rows, Index:$cols);
  let syntax = ["%r, %c = pto.get_validshape %t : !pto.tile_buf<vec, 8x64xT>"];
  let hasVerifier = 0;
}
class PTO_TileExtentOp<string mnemonic, string text> : PTO_OnTileOp<mnemonic, [MemoryEffects<[MemRead]>]> {
  let summary = text;
  let arguments = (ins PTO_TileBuf:$tile);
  let results = (outs Index:$result);
  let syntax = ["%n = pto." # mnemonic # " %t : !pto.tile_buf<vec, 8x64xT> -> index"];
  let hasVerifier = 0;
}
def PTO_TileValidRowsOp : PTO_TileExtentOp<"tile_valid_rows", "the valid rows that a tile has at this point">;
def PTO_TileValidColsOp : PTO_TileExtentOp<"tile_valid_cols", "the valid columns that a tile has at this point">;

def PTO_BitcastOp : PTO_OnTileOp<"bitcast", PTO_Ordered> {
  let summary = "the same tile with another element of the same size";
  let arguments = (ins PTO_TileBuf:$source);
  let results = (outs PTO_TileBuf:$result);
  let constraints = ["ALIAS-9: the element has the same size; everything else stays"];
  let syntax = ["%u = pto.bitcast %t : !pto.tile_buf<vec, 8x64xf32> -> !pto.tile_buf<vec, 8x64xi32>"];
}

def PTO_TReshapeOp : PTO_TileHandling<"treshape", "parseReshape(parser, result)", "printReshape(printer, *this)", PTO_Ordered> {
  let summary = "the same bytes in another shape";
  let description = [{
    Valid extents are those of the new type; a dynamic one is that of the source, at most the new rows or columns. The form with
    `outs` binds an existing tile to the storage of the source.
  }];
  let arguments = (ins PTO_TileBuf:$source, Optional<PTO_TileBuf>:$target);
  let results = (outs Optional<PTO_TileBuf>:$result);
  let constraints = ["TBUF-9: rows (columns, boxes) of the layout have whole 32-byte blocks (boxes)",
                     "ALIAS-10: same memory, same size in bytes, both boxed or both unboxed"];
  let syntax = ["%u = pto.treshape %t : !pto.tile_buf<vec, 8x64xT> -> !pto.tile_buf<vec, 16x32xT>",
                "pto.treshape ins(%t : !pto.tile_buf<vec, 8x64xT>) outs(%u : !pto.tile_buf<vec, 16x32xT>)"];
}

def PTO_TileBufAddrOp : PTO_OnTileOp<"tile_buf_addr", [Pure]> {
  let summary = "the address of element (0, 0) of a tile";
  let arguments = (ins PTO_TileBuf:$tile);
  let results = (outs PTO_PtrOrMemref:$result);
  let constraints = ["ALIAS-12: the pointer points into the memory of the tile and has its element"];
  let syntax = ["%p = pto.tile_buf_addr %t : !pto.tile_buf<vec, 8x64xT> -> !pto.ptr<T, ub>"];
}

def PTO_TAssignOp : PTO_OnTileOp<"tassign", PTO_Ordered, "I64"> {
  let summary = "a tile of the same type at another address";
  let description = [{ The old value stays where it is. }];
  let arguments = (ins PTO_TileBuf:$source, I64:$addr);
  let results = (outs PTO_TileBuf:$result);
  let constraints = ["ALIAS-13: the type stays the same", "PLAN-8: a constant address is a multiple of 32 and not negative"];
  let syntax = ["%u = pto.tassign %t, %addr : !pto.tile_buf<vec, 8x64xT> -> !pto.tile_buf<vec, 8x64xT>"];
}

//===----------------------------------------------------------------------===//
// Structure, order, output
//===----------------------------------------------------------------------===//

def PTO_FusionRegionOp : PTO_TileHandling<"fusion_region", "parseFusion(parser, result)", "printFusion(printer, *this)",
    [NoRegionArguments, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a group of instructions that a compiler has scheduled; its body runs in place";
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let timing = "none";
  let constraints = ["TIR-10: the yielded values have number and types of the results"];
  let syntax = ["%r = pto.fusion_region { ... pto.yield(%v) : (T) -> () } : T", "pto.fusion_region { ... }"];
}
def PTO_YieldOp : PTO_TileHandling<"yield", "parseYield(parser, result)", "printYield(printer, *this)",
    [Pure, Terminator, ParentOneOf<["FusionRegionOp"]>]>, PTO_Built {
  let summary = "the results of the fusion_region around it";
  let arguments = (ins Variadic<AnyType>:$values);
  let timing = "none";
  let syntax = ["pto.yield(%v) : (T) -> ()", "pto.yield"];
  let hasVerifier = 0;
}

def PTO_TSyncOp : PTO_TileHandling<"tsync", "parseInsOnly(parser, result)", "printInsOnly(printer, *this)", PTO_Ordered> {
  let summary = "what touches these values before it ends before what touches them after it starts";
  let description = [{ In a function that means program order it changes nothing; elsewhere it is a barrier of all pipes. }];
  let arguments = (ins Variadic<AnyType>:$values);
  let family = "sync";
  let timing = "sync";
  let syntax = ["pto.tsync ins(%a, %b : !pto.tile_buf<vec, 8x64xT>, !pto.tile_buf<vec, 8x64xT>)"];
  let hasVerifier = 0;
}

def PTO_TileOrView : Type<Or<[PTO_TileBuf.predicate, PTO_AnyView.predicate]>, "`!pto.tile_buf` or a view">;
def PTO_TPrintOp : PTO_TileHandling<"tprint", "parseInsOnly(parser, result)", "printInsOnly(printer, *this)", PTO_Ordered>, PTO_Built {
  let summary = "print the valid region of a tile, or a view";
  let arguments = (ins PTO_TileOrView:$value);
  let syntax = ["pto.tprint ins(%t : !pto.tile_buf<vec, 8x64xT>)"];
  let hasVerifier = 0;
}
def PTO_PrintOp : PTO_TileHandling<"print", "parsePrint(parser, result)", "printPrint(printer, *this)", PTO_Ordered> {
  let summary = "print a scalar";
  let arguments = (ins StrAttr:$format, PTO_Scalar:$value);
  let family = "control";
  let syntax = ["pto.print ins(\"x = %d\", %x : T)"];
  let hasVerifier = 0;
}

#endif // PTOSCOPE_PTO_TILE_OPS
