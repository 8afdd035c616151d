//===- TileOps.td - views, tiles, their parts, arrays, structs ---------------===//
// docs/isa/31-tile-ir.md. The instructions that compute on tiles are no records
// here: they are those of the tile API (include/pto/detail/records).

#ifndef PTOSCOPE_PTO_TILE_OPS
#define PTOSCOPE_PTO_TILE_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"

/// Operands that are views may be GM memrefs in the text (TIR-8).
def PTO_TakesViews : NativeOpTrait<"TakesViews"> { let cppNamespace = "::ptoscope::pto"; }

// Memrefs stand for views and pointers until pto-resolve-types has run.
def PTO_ViewOrMemref : Type<Or<[PTO_AnyView.predicate, AnyMemRef.predicate]>, PTO_AnyView.summary>;
def PTO_PtrOrMemref : Type<Or<[PTO_AnyPtr.predicate, AnyMemRef.predicate]>, PTO_AnyPtr.summary>;

class PTO_TileHandling<string mnemonic, string parser, string printer, list<Trait> traits>
    : PTO_CustomOp<mnemonic, parser, printer, traits> {
  let family = "tile";
  let pipe = "S";
  let footprint = "none";
  let definedness = "none";
  let timing = "scalar";
  let hasVerifier = 1;
}

/// `%a, %i, ... : T -> R`: the other operands are of type `rest`.
class PTO_OnTileOp<string mnemonic, list<Trait> traits, string rest = "Index">
    : PTO_TileHandling<mnemonic, "parseOnTile(parser, result, parser.getBuilder().get" # rest # "Type())",
                       "printOnTile(printer, *this)", traits>;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

def PTO_MakeTensorViewOp : PTO_TileHandling<"make_tensor_view", "parseMakeView(parser, result)", "printMakeView(printer, *this)",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "describe an array in global memory";
  let description = [{ Extents and strides count elements. Nothing is read. Without a layout, VIEW-5 gives it. }];
  let arguments = (ins PTO_AnyPtr:$ptr, Variadic<Index>:$shape, Variadic<Index>:$strides, OptionalAttr<PTO_ModeAttr>:$layout);
  let results = (outs PTO_TensorView:$result);
  let constraints = ["VIEW-1: the pointer points into gm and has the element of the view",
                     "VIEW-3: one extent and one stride for each dimension; constants agree with fixed extents of the type",
                     "TATTR-5: the layout is nd, dn or nz"];
  let syntax = ["%v = pto.make_tensor_view %ptr, shape = [%s0, %s1], strides = [%t0, %t1] : !pto.tensor_view<?x?xT>",
                "%v = pto.make_tensor_view %ptr, shape = [%s0, %s1], strides = [%t0, %t1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xT>"];
}

def PTO_PartitionViewOp : PTO_TileHandling<"partition_view", "parsePartition(parser, result)", "printPartition(printer, *this)",
    [Pure, AttrSizedOperandSegments, PTO_TakesViews]> {
  let summary = "the part of a view that begins at the offsets";
  let arguments = (ins PTO_ViewOrMemref:$source, Variadic<Index>:$offsets, Variadic<Index>:$sizes);
  let results = (outs PTO_PartitionTensorView:$result);
  let constraints = ["VIEW-7: one offset and one size for each dimension; element and dimensions stay; constant sizes agree with the type",
                     "VIEW-9: constant offsets are not negative, constant sizes are positive, and the part is inside the view"];
  let syntax = ["%p = pto.partition_view %v, offsets = [%o0, %o1], sizes = [%z0, %z1] : !pto.tensor_view<?x?xT> -> !pto.partition_tensor_view<?x?xT>",
                "%p = pto.partition_view %v, offsets = [%o0, %o1], sizes = [%z0, %z1] : !pto.tensor_view<?x?xT>"];
}

class PTO_ViewQueryOp<string mnemonic, string text> : PTO_OnTileOp<mnemonic, [Pure, PTO_TakesViews]> {
  let summary = text;
  let arguments = (ins PTO_ViewOrMemref:$view, Index:$dim);
  let results = (outs Index:$result);
  let constraints = ["VIEW-12: a constant index is a dimension of the view"];
  let syntax = ["%n = pto." # mnemonic # " %v, %i : !pto.tensor_view<?x?xT> -> index"];
}
def PTO_GetTensorViewDimOp : PTO_ViewQueryOp<"get_tensor_view_dim", "an extent of a view, in elements">;
def PTO_GetTensorViewStrideOp : PTO_ViewQueryOp<"get_tensor_view_stride", "a stride of a view, in elements">;

def PTO_TensorViewAddrOp : PTO_OnTileOp<"tensor_view_addr", [Pure, PTO_TakesViews]> {
  let summary = "the pointer of a view";
  let arguments = (ins PTO_ViewOrMemref:$view);
  let results = (outs PTO_PtrOrMemref:$result);
  let constraints = ["VIEW-13: the pointer points into gm and has the element of the view"];
  let syntax = ["%p = pto.tensor_view_addr %v : !pto.tensor_view<?x?xT> -> !pto.ptr<T>"];
}

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
// Scalars
//===----------------------------------------------------------------------===//

def PTO_TGetValOp : PTO_TileHandling<"tgetval", "parseGetVal(parser, result)", "printGetVal(printer, *this)", PTO_Ordered> {
  let summary = "read one element of a tile";
  let description = [{ The index counts elements of storage from the start of the tile, not valid elements. }];
  let arguments = (ins PTO_TileBuf:$tile, Index:$index);
  let results = (outs PTO_Scalar:$value);
  let footprint = "scalar-load";
  let definedness = "use";
  let constraints = ["TVAL-1: the tile is in vec, the value has its element, a constant index is inside its storage"];
  let syntax = ["%x = pto.tgetval ins(%t, %i : !pto.tile_buf<vec, 8x64xT>, index) outs : T"];
}
def PTO_TSetValOp : PTO_TileHandling<"tsetval", "parseSetVal(parser, result)", "printSetVal(printer, *this)", PTO_Ordered> {
  let summary = "write one element of a tile";
  let arguments = (ins PTO_TileBuf:$tile, Index:$index, PTO_Scalar:$value);
  let footprint = "scalar-store";
  let definedness = "define";
  let constraints = ["TVAL-1: the tile is in vec, the value has its element, a constant index is inside its storage"];
  let syntax = ["pto.tsetval ins(%i, %x : index, T) outs(%t : !pto.tile_buf<vec, 8x64xT>)"];
}

def PTO_DeclareLocalArrayOp : PTO_TileHandling<"declare_local_array", "parseDeclare(parser, result)", "printDeclare(printer, *this)", PTO_Ordered> {
  let summary = "an array of scalars, none of them set";
  let results = (outs PTO_LocalArray:$array);
  let constraints = ["TVAL-2: only get and set use an array"];
  let syntax = ["%a = pto.declare_local_array -> !pto.local_array<4x8xT>"];
}
def PTO_LocalArrayGetOp : PTO_TileHandling<"local_array_get", "parseElementOf(parser, result)", "printElementOf(printer, *this)", PTO_Ordered> {
  let summary = "read an element that was set before";
  let arguments = (ins PTO_LocalArray:$array, Variadic<Index>:$indices);
  let results = (outs PTO_Scalar:$value);
  let constraints = ["TVAL-2: one index for each dimension, constants inside, the value has the element of the array"];
  let syntax = ["%x = pto.local_array_get %a[%i, %j] : !pto.local_array<4x8xT> -> T"];
}
def PTO_LocalArraySetOp : PTO_TileHandling<"local_array_set", "parseElementSet(parser, result)", "printElementSet(printer, *this)", PTO_Ordered> {
  let summary = "write an element of a local array";
  let arguments = (ins PTO_LocalArray:$array, Variadic<Index>:$indices, PTO_Scalar:$value);
  let constraints = ["TVAL-2: one index for each dimension, constants inside, the value has the element of the array"];
  let syntax = ["pto.local_array_set %a[%i, %j], %x : !pto.local_array<4x8xT>, T"];
}

def PTO_DeclareStructOp : PTO_TileHandling<"declare_struct", "parseDeclare(parser, result)", "printDeclare(printer, *this)", PTO_Ordered> {
  let summary = "a record of scalars, none of them set";
  let results = (outs PTO_Struct:$record);
  let constraints = ["TVAL-5: only get and set use a struct"];
  let syntax = ["%s = pto.declare_struct -> !pto.struct<i32, f32>"];
}
def PTO_StructGetOp : PTO_TileHandling<"struct_get", "parseFieldGet(parser, result)", "printFieldGet(printer, *this)", PTO_Ordered> {
  let summary = "read a field that was set before";
  let arguments = (ins PTO_Struct:$record, DenseI64ArrayAttr:$path);
  let results = (outs PTO_Scalar:$value);
  let constraints = ["TVAL-4: the path stays inside the struct and ends at a scalar of the type that is read"];
  let syntax = ["%x = pto.struct_get %s[0, 1] : !pto.struct<!pto.struct<i32, f32>> -> f32"];
}
def PTO_StructSetOp : PTO_TileHandling<"struct_set", "parseFieldSet(parser, result)", "printFieldSet(printer, *this)", PTO_Ordered> {
  let summary = "write a field of a struct";
  let arguments = (ins PTO_Struct:$record, PTO_Scalar:$value, DenseI64ArrayAttr:$path);
  let constraints = ["TVAL-4: the path stays inside the struct and ends at a scalar of the type that is written"];
  let syntax = ["pto.struct_set %s[0, 1], %x : !pto.struct<!pto.struct<i32, f32>>, f32"];
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
    [Pure, Terminator, ParentOneOf<["FusionRegionOp"]>]> {
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
def PTO_TPrintOp : PTO_TileHandling<"tprint", "parseInsOnly(parser, result)", "printInsOnly(printer, *this)", PTO_Ordered> {
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
