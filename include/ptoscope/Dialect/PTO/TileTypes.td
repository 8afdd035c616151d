//===- TileTypes.td - types of tile-level text --------------------------------===//
// Included by PTOBase.td. docs/isa/31-tile-ir.md

#ifndef PTOSCOPE_PTO_TILE_TYPES
#define PTOSCOPE_PTO_TILE_TYPES

/// What tiles and rows of slots of tiles say alike.
defvar PTO_TileParameters = (ins "::ptoscope::Space":$space, "::mlir::Type":$element, "int64_t":$rows, "int64_t":$cols,
    "int64_t":$validRows, "int64_t":$validCols, "::ptoscope::tile::BLayout":$blayout, "::ptoscope::tile::SLayout":$slayout,
    "int64_t":$fractal, "::ptoscope::tile::PadValue":$pad, "::ptoscope::tile::CompactMode":$compact);

def PTO_TileBufType : PTO_Type<"TileBuf", "tile_buf"> {
  let summary = "a matrix at a place of an on-chip memory";
  let description = [{
    `!pto.tile_buf<vec, 8x64xf32, valid=8x?>`, or every field with its key. A
    valid extent that the value carries is ShapedType::kDynamic. What the text
    says of the block layout of a `left` tile does not count: the parser takes it
    as col_major, and `pto-resolve-types` gives it the one of the target.
  }];
  let parameters = PTO_TileParameters;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Parses `<...>`, the part after the mnemonic.
    static mlir::Type parseBody(mlir::AsmParser &parser);
    /// What the printer writes inside `<...>`.
    void printBody(mlir::AsmPrinter &printer) const;

    /// The element as the tile instructions name it; nothing if they have none.
    static std::optional<::ptoscope::tile::Elem> elemOf(mlir::Type element);
    /// Elements of elemOf that one row and one column of the text count: pairs of
    /// 4-bit elements count once here, and lie side by side in storage.
    ::ptoscope::tile::Extents unit() const;
    /// The static descriptor: address 0, -1 for extents that the value carries.
    /// The element is one that elemOf names.
    ::ptoscope::tile::TileRef ref() const;
    /// Bytes from the first element to the end of the last one.
    int64_t getBytes() const;

    bool isBoxed() const { return getSlayout() != ::ptoscope::tile::SLayout::NoneBox; }
    bool hasDynamicRows() const { return mlir::ShapedType::isDynamic(getValidRows()); }
    bool hasDynamicCols() const { return mlir::ShapedType::isDynamic(getValidCols()); }
    /// The box that a boxed layout repeats, in rows and columns of the text; 1 x 1
    /// without.
    ::ptoscope::tile::Extents box() const;

    TileBufType withElement(mlir::Type element) const;
    TileBufType withShape(int64_t rows, int64_t cols, int64_t validRows, int64_t validCols) const;
    TileBufType withBLayout(::ptoscope::tile::BLayout blayout) const;
  }];
}

def PTO_MultiTileBufType : PTO_Type<"MultiTileBuf", "multi_tile_buf"> {
  let summary = "slots of one tile type, one behind the other";
  let description = [{ `!pto.multi_tile_buf<vec, 16x16xf16, count=3>`, or a tile type, and the number of slots. }];
  let parameters = (ins "::ptoscope::pto::TileBufType":$tile, "int64_t":$count);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class PTO_ViewType<string name, string typeMnemonic, string text> : PTO_Type<name, typeMnemonic> {
  let summary = text;
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$element);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{ int64_t getRank() const { return int64_t(getShape().size()); } }];
}
def PTO_TensorViewType : PTO_ViewType<"TensorView", "tensor_view", "a view of global memory">;
def PTO_PartitionTensorViewType : PTO_ViewType<"PartitionTensorView", "partition_tensor_view", "a window of a view of global memory">;
def PTO_LocalArrayType : PTO_ViewType<"LocalArray", "local_array", "scalars private to one execution of a function">;

def PTO_StructType : PTO_Type<"Struct", "struct"> {
  let summary = "named storage of scalars, by position; fields may be structs again";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$fields);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Scalars, those of inner structs included.
    int64_t getScalars() const;
  }];
}

def PTO_PipeHandleType : PTO_Type<"PipeHandle", "pipe"> {
  let summary = "a queue of tiles between the cores of a cluster";
}

class PTO_TypeIs<string type, string text> : Type<CPred<"::llvm::isa<" # type # ">($_self)">, text>;
def PTO_TileBuf : PTO_TypeIs<"::ptoscope::pto::TileBufType", "`!pto.tile_buf`">;
def PTO_MultiTileBuf : PTO_TypeIs<"::ptoscope::pto::MultiTileBufType", "`!pto.multi_tile_buf`">;
def PTO_TensorView : PTO_TypeIs<"::ptoscope::pto::TensorViewType", "`!pto.tensor_view`">;
def PTO_PartitionTensorView : PTO_TypeIs<"::ptoscope::pto::PartitionTensorViewType", "`!pto.partition_tensor_view`">;
def PTO_AnyView : PTO_TypeIs<"::ptoscope::pto::TensorViewType, ::ptoscope::pto::PartitionTensorViewType",
                             "`!pto.tensor_view` or `!pto.partition_tensor_view`">;
def PTO_LocalArray : PTO_TypeIs<"::ptoscope::pto::LocalArrayType", "`!pto.local_array`">;
def PTO_PipeHandle : PTO_TypeIs<"::ptoscope::pto::PipeHandleType", "`!pto.pipe`">;
def PTO_Struct : PTO_TypeIs<"::ptoscope::pto::StructType", "`!pto.struct`">;

#endif // PTOSCOPE_PTO_TILE_TYPES
