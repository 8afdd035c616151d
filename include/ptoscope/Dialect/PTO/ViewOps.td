//===- ViewOps.td - views of global memory --------------------------------===//

#ifndef PTOSCOPE_PTO_VIEW_OPS
#define PTOSCOPE_PTO_VIEW_OPS

include "ptoscope/Dialect/PTO/TileBase.td"

def PTO_MakeTensorViewOp : PTO_TileHandling<"make_tensor_view", "parseMakeView(parser, result)", "printMakeView(printer, *this)",
    [Pure, AttrSizedOperandSegments]>, PTO_Built {
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

#endif // PTOSCOPE_PTO_VIEW_OPS
