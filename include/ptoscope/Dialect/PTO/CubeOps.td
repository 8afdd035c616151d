//===- CubeOps.td - the matrix unit, its loads and its stores ----------------===//
// docs/isa/04-cube.md

#ifndef PTOSCOPE_PTO_CUBE_OPS
#define PTOSCOPE_PTO_CUBE_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"
include "ptoscope/Dialect/PTO/CubeInterface.td"

/// As C++ names it.
class PTO_SpaceName<string space> {
  string name = !if(!or(!eq(space, "gm"), !eq(space, "ub"), !eq(space, "bt"), !eq(space, "fb")),
                    !toupper(!substr(space, 0, 1)) # !substr(space, 1), !toupper(space));
}

/// A word of a short list.
class PTO_Choice<list<string> words>
    : StringBasedAttr<Or<!foreach(word, words, CPred<"::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"" # word # "\"">)>,
                      "one of " # !interleave(words, ", ")>;

/// An instruction on memories of a cube core. `text` names the functions of its text
/// (parseCubeX, printCubeX), `bind` and `check` are calls in C++; its first operands are
/// pointers into `spaces`.
class PTO_CubeOp<string mnemonic, string onPipe, list<string> spaces, string text, string bind, string check,
                 list<Trait> traits = []>
    : PTO_CustomOp<mnemonic, "parseCube" # text # "(parser, result)", "printCube" # text # "(printer, *this)",
                   PTO_Ordered # traits # [DeclareOpInterfaceMethods<PTO_CubeOpInterface>]> {
  let pipe = onPipe;
  let footprint = "cube";
  let profiles = ["a5"];
  let hasVerifier = 1;
  string interfaceDefinitions = [{
    bool $cppClass::bindCube(::ptoscope::pto::CubeBinding &binding) { return }] # bind # [{; }
    ::llvm::ArrayRef<::ptoscope::Space> $cppClass::getPointerSpaces() {
      using enum ::ptoscope::Space;
      static constexpr ::ptoscope::Space kSpaces[] = }] # "{" # !interleave(!foreach(space, spaces, PTO_SpaceName<space>.name), ", ") # "}" # [{;
      return kSpaces;
    }
    ::llvm::LogicalResult $cppClass::verify() { return }] # check # [{; }
  }];
  let extraClassDefinition = customDefinitions # interfaceDefinitions;
}

defvar PTO_CubeBytes = PTO_Ints8To32 # ["f16", "bf16", "f32", "e4m3", "e5m2", "hif8", "e1m2x2", "e2m1x2"];

//===----------------------------------------------------------------------===//
// GM to L1
//===----------------------------------------------------------------------===//

def PTO_MteGmL1FracOp : PTO_CubeOp<"mte_gm_l1_frac", "MTE2", ["gm", "l1"], "Frac", "bindFrac(*this, binding)", "verifyFrac(*this)"> {
  let summary = "GM to L1: rows or columns into NZ order";
  let description = [{
    The matrix has `%n` rows and `%d` columns, row-major with `nd2nz`, column-major with `dn2nz`. Strides of the source
    are bytes, those of the destination 32-byte units. Columns beyond `%d` in the last block are filled with zero.
  }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$rows, I64:$cols, I64:$inner, Optional<I64>:$outer, I64:$groups,
                       I64:$l2, I64:$l3, I64:$l4, I64:$cache, I1:$small_c0, PTO_Choice<["nd2nz", "dn2nz"]>:$order);
  let family = "cube-load";
  let definedness = "copy";
  let timing = "load";
  let elements = PTO_CubeBytes;
  let constraints = ["FRAC-14: from gm to l1, equal elements of 1, 2 or 4 bytes, a group above 0, no negative stride, with smallc0 at most 4 columns"];
  let syntax = ["pto.mte_gm_l1_frac %src, %dst, nd2nz, shape(%n, %d), src_layout(%inner[, %outer]), dst_group(%g, %l2, %l3, %l4), ctrl(%cache, %smallc0) : "
                "!pto.ptr<T, gm>, !pto.ptr<T, l1>, nd2nz, shape i64, i64, src_layout(i64[, i64]), dst_group i64, i64, i64, i64, ctrl i64, i1",
                "pto.mte_gm_l1_frac %src, %dst, dn2nz, shape(%n, %d), src_layout(%inner[, %outer]), dst_group(%g, %l2, %l3, %l4), ctrl(%cache, %smallc0) : "
                "!pto.ptr<T, gm>, !pto.ptr<T, l1>, dn2nz, shape i64, i64, src_layout(i64[, i64]), dst_group i64, i64, i64, i64, ctrl i64, i1"];
}

class PTO_FillOp<string mnemonic> : PTO_CubeOp<mnemonic, "MTE2", ["l1"], "Flat", "bindFill(*this, binding)", "verifyFill(*this)"> {
  let summary = "fill 32-byte blocks of L1 with a word";
  let family = "cube-load";
  let definedness = "define";
  let timing = "move";
}
def PTO_RawFillL1Op : PTO_FillOp<"raw_fill_l1"> {
  let description = [{
    Each of `%repeat` turns fills `%blocks` blocks and skips `%gap` blocks; the first one begins `%offset` bytes behind
    the pointer. A word of 16 bits is the low half of `%word`.
  }];
  let arguments = (ins PTO_AnyPtr:$dst, I64:$offset, I32:$word, I64:$repeat, I64:$blocks, I64:$gap, I64Attr:$fill_word_bits);
  let constraints = ["FILL-2: in l1, words of 16 or 32 bits, an offset that is a multiple of 32, counts of 0 to 32767"];
  let syntax = ["pto.raw_fill_l1 %dst, %offset, %word, %repeat, %blocks, %gap {fill_word_bits = 32 : i64} : !pto.ptr<T, l1>, i64, i32, i64, i64, i64"];
}
def PTO_CreateCbufMatrixOp : PTO_FillOp<"create_cbuf_matrix"> {
  let description = [{ As `raw_fill_l1` without an offset; the pointer has elements of the word: ui16 or ui32. }];
  let arguments = (ins PTO_AnyPtr:$dst, I32:$word, I64:$repeat, I64:$blocks, I64:$gap, I64Attr:$fill_word_bits);
  let constraints = ["FILL-2: in l1, words of 16 or 32 bits, counts of 0 to 32767", "FILL-3: the elements of the pointer are ui16 or ui32, as wide as the word"];
  let syntax = ["pto.create_cbuf_matrix %dst, %word, %repeat, %blocks, %gap {fill_word_bits = 32 : i64} : !pto.ptr<ui32, l1>, i32, i64, i64, i64"];
}

//===----------------------------------------------------------------------===//
// L1 to L0A and L0B
//===----------------------------------------------------------------------===//

/// `side` is a or b. `counts`: how many scalars it may have; six are steps and
/// strides, less are a shape.
class PTO_L0LoadOp<string mnemonic, string side, string kind, list<int> counts>
    : PTO_CubeOp<mnemonic, "MTE1", ["l1", "l0" # side], !if(!eq(!size(counts), 3), kind, "Flat"),
                 "bindL0Load(*this, tile::CubeOp::" # kind # ", binding)",
                 "verifyL0Load(*this, {" # !interleave(counts, ", ") # "})"> {
  defvar shapes = !ne(!head(counts), 6);
  defvar scales = !eq(kind, "Scales");
  defvar start = "pto." # mnemonic # " %src, %dst, ";
  defvar extents = !if(!eq(side, "a"), "%m, %k", "%k, %n");
  defvar names = !if(scales, ["x_start", "y_start", "x_step", "y_step", "src_stride", "dst_stride"],
                     ["m_start", "k_start", "m_step", "k_step", "src_stride", "dst_stride"]);
  defvar types = " : !pto.ptr<T, l1>, !pto.ptr<T, l0" # side # ">, i64, i64";
  defvar options = !if(scales, "", " [{transpose = true}]");
  let family = !if(!eq(!substr(mnemonic, 0, 3), "mte"), "cube-load", "cube-raw");
  let definedness = "copy";
  let timing = "move";
  let elements = !if(scales, ["e4m3", "e5m2", "e1m2x2", "e2m1x2"], PTO_CubeBytes);
  let constraints = ["CUBE-10: from l1 to l0" # side # ", equal elements that it takes, no negative start",
                     "CUBE-11: it has " # !if(shapes, !if(!eq(!size(counts), 3), "two, four or six", "two or six"), "six") # " scalars" #
                         !if(!eq(!size(counts), 3), ", or all six by name", "")] #
    !if(!eq(!size(counts), 3), ["CUBE-6: the starts of a shape are the constant 0"], []) #
    ["CUBE-12: starts are 0 to 65535, steps 1 to 255, strides 1 to 65535"];
  let syntax = !if(shapes, [start # extents # options # types], []) #
    !if(!eq(!size(counts), 3), [start # extents # ", %start_row, %start_col" # options # types # ", i64, i64"], []) #
    [start # !interleave(!foreach(name, names, "%" # name), ", ") # options # types # ", i64, i64, i64, i64"] #
    !if(!eq(!size(counts), 3), [start # !interleave(!foreach(name, names, name # "(%" # name # ")"), ", ") # options # types # ", i64, i64, i64, i64"], []);
}
class PTO_L0DataOp<string mnemonic, string side, list<int> counts> : PTO_L0LoadOp<mnemonic, side, "Load", counts> {
  let summary = "L1 to " # !toupper("l0" # side) # ": 512-byte fractals of the " # !if(!eq(side, "a"), "left", "right") # " operand";
  let description = [{ Six scalars count fractals. With `transpose`, L1 holds the transposed matrix. }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, Variadic<I64>:$numbers, OptionalAttr<BoolAttr>:$transpose);
}
class PTO_L0ScaleOp<string mnemonic, string side, list<int> counts> : PTO_L0LoadOp<mnemonic, side, "Scales", counts> {
  let summary = "MX scales of the " # !if(!eq(side, "a"), "left", "right") # " operand, from L1";
  let description = [{ The scales belong to the data at the pointer. Six scalars count fragments of 32 bytes: 16 rows, 2 groups. }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, Variadic<I64>:$numbers);
}

def PTO_MteL1L0aOp : PTO_L0DataOp<"mte_l1_l0a", "a", [2, 4, 6]>;
def PTO_MteL1L0bOp : PTO_L0DataOp<"mte_l1_l0b", "b", [2, 4, 6]>;
def PTO_LoadCbufToCaOp : PTO_L0DataOp<"load_cbuf_to_ca", "a", [6]>;
def PTO_LoadCbufToCbOp : PTO_L0DataOp<"load_cbuf_to_cb", "b", [6]>;
def PTO_LoadCbufToCaS4Op : PTO_L0DataOp<"load_cbuf_to_ca_s4", "a", [6]> {
  let elements = ["i4", "e1m2x2", "e2m1x2"];
}
def PTO_LoadCbufToCbS4Op : PTO_L0DataOp<"load_cbuf_to_cb_s4", "b", [6]> {
  let elements = ["i4", "e1m2x2", "e2m1x2"];
}
def PTO_MteL1L0aMxOp : PTO_L0ScaleOp<"mte_l1_l0a_mx", "a", [2, 4, 6]>;
def PTO_MteL1L0bMxOp : PTO_L0ScaleOp<"mte_l1_l0b_mx", "b", [2, 4, 6]>;
def PTO_LoadCbufToCaMxOp : PTO_L0ScaleOp<"load_cbuf_to_ca_mx", "a", [2, 6]>;
def PTO_LoadCbufToCbMxOp : PTO_L0ScaleOp<"load_cbuf_to_cb_mx", "b", [6]>;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `start`: where the sums begin, a CubeStart.
class PTO_ProductOp<string mnemonic, string form, string start, bit mx>
    : PTO_CubeOp<mnemonic, "M", ["l0a", "l0b", "l0c"] # !if(!eq(start, "Bias"), ["bt"], []), "Product",
                 "bind" # form # "(*this, tile::CubeStart::" # start # ", " # !if(mx, "true", "false") # ", binding)",
                 "verify" # form # "(*this, " # !if(mx, "true", "false") # ")"> {
  bit hasBias = !eq(start, "Bias");
  string pointerText = !if(hasBias, " %a, %b, %c, %bias, ", " %a, %b, %c, ");
  string typeText = " : !pto.ptr<A, l0a>, !pto.ptr<B, l0b>, !pto.ptr<C, l0c>, " # !if(hasBias, "!pto.ptr<C, bt>, ", "");
  dag pointers = !con((ins PTO_AnyPtr:$a, PTO_AnyPtr:$b, PTO_AnyPtr:$c), !if(hasBias, (ins PTO_AnyPtr:$bias), (ins)));
  list<string> typeLabels = ["MAD-20: operands are in l0a, l0b, l0c" # !if(hasBias, " and bt; the bias has the element of the result", "")] #
    !if(mx, ["MAD-24: each side is f8E4M3FN or f8E5M2, or each is f4E1M2x2 or f4E2M1x2; the result is f32"],
        ["MAD-22: both sides are hif8, or neither is", "MAD-25: the elements are those of one of MAD-4 to MAD-10, not of MAD-7"]);
  let definedness = "use";
  let timing = "cube";
  let elements = !if(mx, ["e4m3", "e5m2", "e1m2x2", "e2m1x2"], ["i4", "i8", "u8", "f16", "bf16", "f32", "e4m3", "e5m2", "hif8"]);
}

class PTO_SizedProductOp<string mnemonic, string start, bit mx> : PTO_ProductOp<mnemonic, "Mad", start, mx> {
  let summary = "matrix product" # !if(mx, " with MX scales", "") #
    !if(!eq(start, "Sum"), ", added to the result", !if(hasBias, " and the bias of each column", ""));
  let description = [{ The sizes are m, n and k. With m = 1 and without `disable_gemv`, the left operand is a contiguous row. }];
  let arguments = !con(pointers, (ins I64:$m, I64:$n, I64:$k, OptionalAttr<PTO_Choice<["check_only", "check_and_set"]>>:$unit_flag,
                                      UnitAttr:$disable_gemv, OptionalAttr<PTO_Choice<["sat", "nosat"]>>:$saturation,
                                      OptionalAttr<PTO_Choice<["round_even", "round_away"]>>:$tf32_mode, UnitAttr:$n_dir));
  let family = "cube-compute";
  let profiles = !if(mx, ["a5"], ["a5", "a3", "a2"]);
  let constraints = typeLabels # ["MAD-18: m, n and k are 1 to 4095", "MAD-21: `tf32_mode` is allowed only with f32 operands and result"] #
    !if(mx, [], ["MAD-23: `sat` and `nosat` are allowed only with float types"]);
  let syntax = ["pto." # mnemonic # pointerText # "%m, %n, %k [unit_flag(check_only|check_and_set)] [disable_gemv] [sat|nosat] " #
                !if(mx, "", "[tf32_mode(round_even|round_away)] ") # "[n_dir]" # typeText # "i64, i64, i64"];
}
def PTO_MadOp : PTO_SizedProductOp<"mad", "Zero", 0>;
def PTO_MadAccOp : PTO_SizedProductOp<"mad_acc", "Sum", 0>;
def PTO_MadBiasOp : PTO_SizedProductOp<"mad_bias", "Bias", 0>;
def PTO_MadMxOp : PTO_SizedProductOp<"mad_mx", "Zero", 1>;
def PTO_MadMxAccOp : PTO_SizedProductOp<"mad_mx_acc", "Sum", 1>;
def PTO_MadMxBiasOp : PTO_SizedProductOp<"mad_mx_bias", "Bias", 1>;

class PTO_RawProductOp<string mnemonic, string start, bit mx> : PTO_ProductOp<mnemonic, "MadRaw", start, mx> {
  let summary = "matrix product" # !if(mx, " with MX scales", "") # !if(hasBias, " and bias", "") # ", described by one word";
  let description = [{ Fields: m 11:0, k 23:12, n 35:24, unit flag 56:55, `disable_gemv` 61, bias as start 62, zero as start 63. }];
  let arguments = !con(pointers, (ins I64:$word));
  let family = "cube-raw";
  let constraints = typeLabels # !if(hasBias, [], ["MAD-26: bit 62 of the word is 0"]);
  let syntax = ["pto." # mnemonic # pointerText # "%word" # typeText # "i64"];
}
def PTO_MadRawOp : PTO_RawProductOp<"mad_raw", "Zero", 0>;
def PTO_MadBiasRawOp : PTO_RawProductOp<"mad_bias_raw", "Bias", 0>;
def PTO_MadMxRawOp : PTO_RawProductOp<"mad_mx_raw", "Zero", 1>;
def PTO_MadMxBiasRawOp : PTO_RawProductOp<"mad_mx_bias_raw", "Bias", 1>;

//===----------------------------------------------------------------------===//
// Fixpipe stores
//===----------------------------------------------------------------------===//

class PTO_FixStoreOp<string space, string fixed, string fixedTypes, string more, list<string> labels>
    : PTO_CubeOp<"mte_l0c_" # space, "FIX", ["l0c", space], "Store", "bindStore(FixStore(*this), binding)", "verifyStore(FixStore(*this))",
                 [AttrSizedOperandSegments]> {
  let summary = "L0C to " # !toupper(space) # ", through conversion";
  let description = [{
    Takes m x n elements and applies, in this order, `pre_quant`, `pre_relu`, the conversion with saturation, and `clip`. Clauses
    stand in the order of the syntax; another order is accepted with a remark. Types of their operands follow those of the
    fixed ones: payload of `pre_quant`, of `pre_relu`, clip, split, loop0, and three of `loop3`.
  }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$m, I64:$n, I64:$src_rows, I64:$dst_step, Optional<I64>:$sid,
                       Optional<I64>:$l2, Optional<I64>:$subblock, Optional<AnyType>:$scale, Optional<AnyType>:$slope,
                       Optional<AnyType>:$clip, Optional<I64>:$split, Optional<I64>:$loop0, Variadic<I64>:$loop3,
                       OptionalAttr<PTO_Choice<["split_m", "split_n"]>>:$dst_mode,
                       OptionalAttr<PTO_Choice<["check_only", "check_and_clear"]>>:$unit_flag, OptionalAttr<StrAttr>:$quant,
                       OptionalAttr<StrAttr>:$relu, OptionalAttr<PTO_Choice<["nz2nd", "nz2dn", "nz2nz"]>>:$layout,
                       OptionalAttr<PTO_Choice<["sat", "preserve_nan", "nosat"]>>:$saturation, OptionalAttr<StrAttr>:$atomic_type,
                       OptionalAttr<PTO_Choice<["add", "max", "min"]>>:$atomic_op);
  let family = "fixpipe";
  let definedness = "use";
  let timing = "fix";
  let constraints = ["FIX-31: from l0c to " # space,
                     "FIX-8: without conversion the destination has the element of the source, f32 or i32",
                     "FIX-32: `pre_quant` has a mode and its payload: a pointer into fb to f16, bf16 or f32, or such a value",
                     "FIX-33: `pre_relu` has a payload with `scalar_relu` and `vector_relu`, and only there; `pwl` does not exist",
                     "FIX-34: `clip` has the type that the destination asks for",
                     "FIX-35: `nz2dn` has `loop0`, and `unit_flag` only where that is the constant 1",
                     "FIX-36: `nz2nz` has an f32 destination and no loops; `split` belongs to it",
                     "FIX-37: `loop3` has three operands, with `nz2nd` and `nz2dn`",
                     "FIX-40: the mode of `pre_quant` fixes the element of the destination"] # labels;
  let syntax = ["pto.mte_l0c_" # space # " %src, %dst, %m, %n, %src_rows, %dst_step" # fixed #
                " [, unit_flag(check_only|check_and_clear)] [, pre_quant(%payload, mode = MODE)] "
                "[, pre_relu([%payload, ]mode = no_relu|normal_relu|scalar_relu|vector_relu[, clip = %clip])] "
                "[, nz2nd|nz2dn(%loop0)|nz2nz[(%split)]] [, loop3(%count, %src3, %dst3)] [, sat|sat(preserve_nan)|nosat]" # more #
                " : !pto.ptr<S, l0c>, !pto.ptr<D, " # space # ">, i64, i64, i64, i64" # fixedTypes # "[, T]*"];
}
def PTO_MteL0cGmOp : PTO_FixStoreOp<"gm", ", %sid, %l2", ", i64, i64", " [, atomic(type = f32|f16|bf16|s32|s16|s8, op = add|max|min)]",
                                    ["FIX-38: `atomic` has type and operation; the type is that of the destination"]>;
def PTO_MteL0cL1Op : PTO_FixStoreOp<"l1", "", "", "", ["FIX-38: `atomic` is allowed only for GM"]>;
def PTO_MteL0cUbOp : PTO_FixStoreOp<"ub", ", dst_mode(%sub|split_m|split_n)", "[, i64]", "",
                                    ["FIX-38: `atomic` is allowed only for GM",
                                     "FIX-39: `dst_mode` is 0 or 1, or halves even rows or 32 columns each, without clauses that change elements or their order"]>;

#endif // PTOSCOPE_PTO_CUBE_OPS
