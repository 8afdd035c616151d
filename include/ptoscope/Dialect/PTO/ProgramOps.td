//===- ProgramOps.td - scopes, sections, pointers, scalars, queries ----------===//
// docs/isa/01-program.md

#ifndef PTOSCOPE_PTO_PROGRAM_OPS
#define PTOSCOPE_PTO_PROGRAM_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def PTO_VecScopeOp : PTO_CustomOp<"vecscope", "parseRegionOp(parser, result)", "printRegionOp(printer, *this)",
    [NoRegionArguments, SingleBlock, NoTerminator, RecursiveMemoryEffects]>, PTO_NoData<"program", "V", "scope">, PTO_Built {
  let summary = "a vector scope: one launch of a vector function on PIPE_V";
  let description = [{
    The scalar unit places the scope in the queue of PIPE_V and goes on. The
    body may use surrounding values; vector registers, masks and alignment
    states do not leave it.
  }];
  let regions = (region SizedRegion<1>:$body);
  let constraints = ["P4: vector scopes do not nest", "P5: vreg, mask and align values stay inside"];
  let syntax = ["pto.vecscope { ... }"];
  let hasVerifier = 1;
}

def PTO_StrictVecScopeOp : PTO_CustomOp<"strict_vecscope", "parseStrictScope(parser, result)", "printStrictScope(printer, *this)",
    [SingleBlock, NoTerminator, IsolatedFromAbove, RecursiveMemoryEffects]>, PTO_NoData<"program", "V", "scope"> {
  let summary = "a vector scope that gets every outside value as an operand";
  let arguments = (ins Variadic<AnyType>:$captures);
  let regions = (region SizedRegion<1>:$body);
  let constraints = ["P4: vector scopes do not nest", "P6: block arguments match the operands in number and type"];
  let syntax = ["pto.strict_vecscope(%a, ...) { ^bb0(%x: T, ...): ... } : (T, ...) -> ()"];
  let hasVerifier = 1;
}

class PTO_SectionOp<string mnemonic, string side> : PTO_CustomOp<mnemonic, "parseRegionOp(parser, result)",
    "printRegionOp(printer, *this)", [NoRegionArguments, SingleBlock, NoTerminator, RecursiveMemoryEffects]>,
    PTO_NoData<"program", "S", "none"> {
  let summary = "the part of a mixed kernel that " # side # " cores run";
  let regions = (region SizedRegion<1>:$body);
  let constraints = ["P1: at most one section of a kind per function, none nested"];
  let syntax = ["pto." # mnemonic # " { ... }"];
  let hasVerifier = 1;
}
def PTO_SectionCubeOp : PTO_SectionOp<"section.cube", "cube">;
def PTO_SectionVectorOp : PTO_SectionOp<"section.vector", "vector">;

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

class PTO_PointerOp<string mnemonic, string form> : PTO_CustomOp<mnemonic, "parsePointerOp(parser, result)",
    "printPointerOp(printer, *this)", [Pure]>, PTO_NoData<"pointer", "S", "scalar"> {
  let syntax = [form];
  let hasVerifier = 1;
}

def PTO_CastPtrOp : PTO_PointerOp<"castptr", "%r = pto.castptr %a : i64 -> !pto.ptr<T, space>">, PTO_Built {
  let summary = "byte address to pointer, pointer to integer, or another element type";
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
  let constraints = ["P9: the space does not change; integer to integer is no pointer cast"];
}
def PTO_PtrToIntOp : PTO_PointerOp<"ptrtoint", "%r = pto.ptrtoint %p : !pto.ptr<T, space> -> i64"> {
  let summary = "the byte address of a pointer";
  let arguments = (ins PTO_AnyPtr:$input);
  let results = (outs AnyInteger:$result);
}
def PTO_IntToPtrOp : PTO_PointerOp<"inttoptr", "%r = pto.inttoptr %a : i64 -> !pto.ptr<T>"> {
  let summary = "a gm pointer from a byte address";
  let arguments = (ins AnyInteger:$input);
  let results = (outs PTO_AnyPtr:$result);
  let constraints = ["P9: gives gm pointers, for scalar loads and stores only"];
}
def PTO_AddPtrOp : PTO_PointerOp<"addptr", "%r = pto.addptr %p, %i : !pto.ptr<T, space> -> !pto.ptr<T, space>">, PTO_Built {
  let summary = "pointer plus a number of elements";
  let description = [{ The address advances by `index * sizeof(T)` bytes; the index may be negative. }];
  let arguments = (ins PTO_AnyPtr:$ptr, Index:$index);
  let results = (outs PTO_AnyPtr:$result);
  let constraints = ["P9: element type and space are kept"];
}

//===----------------------------------------------------------------------===//
// Scalar memory
//===----------------------------------------------------------------------===//

def PTO_LoadScalarOp : PTO_CustomOp<"load_scalar", "parseLoadScalar(parser, result)", "printScalarLoad(printer, *this)",
    [MemoryEffects<[MemRead]>]> {
  let summary = "read one element";
  let description = [{ At function level an access of PIPE_S; inside a scope one of the scope's scalar part. }];
  let arguments = (ins PTO_AnyPtr:$ptr, Index:$index);
  let results = (outs PTO_Scalar:$value);
  let family = "scalar-mem";
  let pipe = "S";
  let footprint = "scalar-load";
  let definedness = "use";
  let timing = "scalar";
  let aliases = ["load", "ldg"];
  let aliasProfiles = ["ldg a5"];
  let constraints = ["P10: the value has the pointer's element type; only ub and gm can be accessed"];
  let syntax = ["%v = pto.load_scalar %p[%i] : !pto.ptr<T, space> -> T", "%v = pto.load %p[%i] : !pto.ptr<T, space> -> T",
                "%v = pto.ldg %p[%i] l1cache(cache) l2cache(nmfv) : !pto.ptr<T, gm> -> T"];
  let hasVerifier = 1;
}

def PTO_StoreScalarOp : PTO_CustomOp<"store_scalar", "parseStoreScalar(parser, result)", "printScalarStore(printer, *this)",
    PTO_Ordered> {
  let summary = "write one element";
  let arguments = (ins PTO_Scalar:$value, PTO_AnyPtr:$ptr, Index:$index);
  let family = "scalar-mem";
  let pipe = "S";
  let footprint = "scalar-store";
  let definedness = "define";
  let timing = "scalar";
  let aliases = ["store", "stg"];
  let aliasProfiles = ["stg a5"];
  let constraints = ["P10: the value has the pointer's element type; only ub and gm can be accessed"];
  let syntax = ["pto.store_scalar %v, %p[%i] : !pto.ptr<T, space>, T", "pto.store %v, %p[%i] : !pto.ptr<T, space>, T",
                "pto.stg %v, %p[%i] l1cache(cache) l2cache(nmfv) : !pto.ptr<T, gm>, T"];
  let hasVerifier = 1;
}

class PTO_DeviceAccessOp<string mnemonic, string text, string parser, string printer, list<Trait> traits>
    : PTO_CustomOp<mnemonic, parser, printer, traits> {
  let summary = text;
  let description = [{ Past the cache of the scalar unit, in program order; neither atomic nor ordered against pipes. }];
  let family = "scalar-mem";
  let pipe = "S";
  let timing = "scalar";
  let elements = PTO_Ints8To64;
  let profiles = ["a5"];
  let constraints = ["DEV-1: the pointer is in gm and has integer elements of 8 to 64 bits, the value is one of them",
                     "DEV-2: it stands in the body of a kernel", "DEV-3: it takes no cache hints"];
  let hasVerifier = 1;
}
def PTO_LdDevOp : PTO_DeviceAccessOp<"ld_dev", "read one element of gm past the cache", "parseLoadScalar(parser, result)",
                                     "printScalarLoad(printer, *this)", [MemoryEffects<[MemRead]>]> {
  let arguments = (ins PTO_AnyPtr:$ptr, Index:$index);
  let results = (outs AnyInteger:$value);
  let footprint = "scalar-load";
  let definedness = "use";
  let syntax = ["%v = pto.ld_dev %p[%i] : !pto.ptr<T, gm> -> T"];
}
def PTO_StDevOp : PTO_DeviceAccessOp<"st_dev", "write one element of gm past the cache", "parseStoreScalar(parser, result)",
                                     "printScalarStore(printer, *this)", PTO_Ordered> {
  let arguments = (ins AnyInteger:$value, PTO_AnyPtr:$ptr, Index:$index);
  let footprint = "scalar-store";
  let definedness = "define";
  let syntax = ["pto.st_dev %v, %p[%i] : !pto.ptr<T, gm>, T"];
}

//===----------------------------------------------------------------------===//
// Queries and control registers
//===----------------------------------------------------------------------===//

class PTO_QueryOp<string mnemonic, string text> : PTO_CustomOp<mnemonic, "parseQuery(parser, result)",
    "printer.printOptionalAttrDict((*this)->getAttrs())", [Pure]>, PTO_NoData<"query", "S", "scalar"> {
  let summary = text;
  let results = (outs I64:$value);
  let syntax = ["%x = pto." # mnemonic, "%x = pto." # mnemonic # " : i64"];
}
def PTO_GetBlockIdxOp : PTO_QueryOp<"get_block_idx", "number of this block, from 0">;
def PTO_GetBlockNumOp : PTO_QueryOp<"get_block_num", "number of blocks launched">;
def PTO_GetSubblockIdxOp : PTO_QueryOp<"get_subblock_idx", "0 or 1: which vector core of the cluster this is">;
def PTO_GetSubblockNumOp : PTO_QueryOp<"get_subblock_num", "vector cores of a block: 1, or 2 in a mixed kernel">;

class PTO_ControlOp<string mnemonic, list<Trait> traits> : PTO_Op<mnemonic, traits>, PTO_NoData<"control", "S", "scalar"> {
}
def PTO_GetCtrlOp : PTO_ControlOp<"get_ctrl", [MemoryEffects<[MemRead]>]>, PTO_Built {
  let summary = "read the core's 64-bit CTRL register";
  let results = (outs I64:$value);
  let assemblyFormat = "attr-dict `:` type($value)";
  let syntax = ["%c = pto.get_ctrl : i64"];
}
def PTO_SetCtrlOp : PTO_ControlOp<"set_ctrl", PTO_Ordered> {
  let summary = "write the core's 64-bit CTRL register";
  let description = [{ Takes effect for instructions issued later by the same scalar unit. }];
  let arguments = (ins I64:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let syntax = ["pto.set_ctrl %c : i64"];
}
/// Writes a field of CTRL; the other bits stay (CREG-18).
class PTO_AtomicModeOp<string word, string what, string mask, int value> : PTO_ControlOp<"set_atomic_" # word, PTO_Ordered> {
  let summary = "CTRL: later stores from UB to GM " # what;
  let description = [{ Takes effect for stores issued later by the same scalar unit. Type and operation are separate fields. }];
  let assemblyFormat = "attr-dict";
  let syntax = ["pto.set_atomic_" # word];
  let extraClassDeclaration = "static constexpr int64_t kField = int64_t(" # mask # "), kValue = int64_t(" # value # ") * (kField & -kField);";
}
class PTO_AtomicTypeOp<string word, int value> : PTO_AtomicModeOp<word, "combine elements of type " # word, "7 << 6", value>;
class PTO_AtomicOperationOp<string word, string what, int value> : PTO_AtomicModeOp<word, what # ", if a type is selected", "3 << 9", value>;
def PTO_SetAtomicNoneOp : PTO_AtomicModeOp<"none", "replace what is there", "7 << 6", 0>;
def PTO_SetAtomicF32Op : PTO_AtomicTypeOp<"f32", 1>;
def PTO_SetAtomicF16Op : PTO_AtomicTypeOp<"f16", 2>;
def PTO_SetAtomicS16Op : PTO_AtomicTypeOp<"s16", 3>;
def PTO_SetAtomicS32Op : PTO_AtomicTypeOp<"s32", 4>;
def PTO_SetAtomicS8Op : PTO_AtomicTypeOp<"s8", 5>;
def PTO_SetAtomicBf16Op : PTO_AtomicTypeOp<"bf16", 6>;
def PTO_SetAtomicAddOp : PTO_AtomicOperationOp<"add", "add", 0>;
def PTO_SetAtomicMaxOp : PTO_AtomicOperationOp<"max", "keep the larger element", 1>;
def PTO_SetAtomicMinOp : PTO_AtomicOperationOp<"min", "keep the smaller element", 2>;
class PTO_BitSetOp<string mnemonic, string text> : PTO_ControlOp<mnemonic, [Pure]> {
  let summary = text;
  let arguments = (ins I64:$input, I64:$bit);
  let results = (outs I64:$result);
  let assemblyFormat = "$input `,` $bit attr-dict `:` type($input) `,` type($bit) `->` type($result)";
  let syntax = ["%r = pto." # mnemonic # " %v, %bit : i64, i64 -> i64"];
}
def PTO_SBitSet0Op : PTO_BitSetOp<"sbitset0", "clear one bit of a scalar">;
def PTO_SBitSet1Op : PTO_BitSetOp<"sbitset1", "set one bit of a scalar">;
def PTO_TrapOp : PTO_ControlOp<"trap", PTO_Ordered> {
  let summary = "abort the kernel";
  let assemblyFormat = "attr-dict";
  let syntax = ["pto.trap"];
}

#endif // PTOSCOPE_PTO_PROGRAM_OPS
