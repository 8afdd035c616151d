//===- ScalarStorageOps.td - scalars in tiles, arrays, structs ------------===//

#ifndef PTOSCOPE_PTO_SCALAR_STORAGE_OPS
#define PTOSCOPE_PTO_SCALAR_STORAGE_OPS

include "ptoscope/Dialect/PTO/TileBase.td"

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
  let arguments = (ins Index:$index, PTO_Scalar:$value, PTO_TileBuf:$tile);
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

#endif // PTOSCOPE_PTO_SCALAR_STORAGE_OPS
