//===- PTOBase.td - dialect, types, attributes, the record of an instruction ===//
//
// Every instruction is one record. Besides MLIR's own fields a record says on
// which pipe it executes, which bytes it touches, how undefined bytes pass
// through it, its timing class and its manual text. A record that lacks one of
// them fails the build (scripts/instr_table.py).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_PTO_BASE
#define PTOSCOPE_PTO_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def PTO_Dialect : Dialect {
  let name = "pto";
  let summary = "The PTO virtual instruction set of Ascend NPUs";
  let cppNamespace = "::ptoscope::pto";
  let useDefaultTypePrinterParser = 0;
  let useDefaultAttributePrinterParser = 0;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Aliases, and the message for names that are no instruction.
    std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef opName) const override;

    mlir::Type parseType(mlir::DialectAsmParser &parser) const override;
    void printType(mlir::Type type, mlir::DialectAsmPrinter &printer) const override;
    mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser, mlir::Type type) const override;
    void printAttribute(mlir::Attribute attr, mlir::DialectAsmPrinter &printer) const override;

    using mlir::Dialect::addOperations; // for the families, each in its own file
    mlir::TypeIDAllocator namedIds;     // of operations that share a class
  private:
    void registerTypes();
    void registerAttributes();
  public:
  }];
}

//===----------------------------------------------------------------------===//
// Types (TYPE-1 to TYPE-21)
//===----------------------------------------------------------------------===//

class PTO_Type<string name, string typeMnemonic> : TypeDef<PTO_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def PTO_PtrType : PTO_Type<"Ptr", "ptr"> {
  let summary = "byte address with element type and memory space";
  let description = [{
    `!pto.ptr<T, space>`; the space defaults to `gm`. A bare `!pto.ptr` has
    neither until `pto-resolve-types` has inferred them from its uses; an
    element that nothing asks for stays unknown and prints as `?`.
  }];
  let parameters = (ins "::mlir::Type":$element, "::ptoscope::Space":$space);
  let skipDefaultBuilders = 0;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool isResolved() const { return getSpace() != ::ptoscope::Space::None; }
    /// Bytes of an element; 1 when the element is not known.
    unsigned getElementBytes() const;
    /// Parses `<T, space>`, the part after the mnemonic.
    static mlir::Type parseBody(mlir::AsmParser &parser);
  }];
}

def PTO_VRegType : PTO_Type<"VReg", "vreg"> {
  let summary = "a 256-byte vector register seen as N elements";
  let parameters = (ins "int64_t":$lanes, "::mlir::Type":$element);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getElementBytes() const { return 256 / getLanes(); }
  }];
}

def PTO_MaskType : PTO_Type<"Mask", "mask"> {
  let summary = "a 256-bit predicate register seen at a granularity";
  let description = [{
    `!pto.mask<b8|b16|b32>`. `!pto.mask` and the literal `!pto.mask<G>` are
    wildcards that the parser of the instruction resolves (bytes = 0 before).
  }];
  let parameters = (ins "unsigned":$bytes);
  let hasCustomAssemblyFormat = 1;
}

def PTO_AlignType : PTO_Type<"Align", "align"> {
  let summary = "alignment-buffer state of an unaligned stream";
}

/// 8-bit element types that no builtin type has (TYPE-14, FMT-5 to FMT-7); a5 only.
class PTO_SmallFloatType<string name, string typeMnemonic, string text> : PTO_Type<name, typeMnemonic> {
  let summary = text;
}
def PTO_Hif8Type : PTO_SmallFloatType<"Hif8", "hif8", "HiFloat8: a tapered 8-bit float">;
def PTO_F4E1M2x2Type : PTO_SmallFloatType<"F4E1M2x2", "f4E1M2x2", "two 4-bit floats E1M2 in a byte, the first in the low half">;
def PTO_F4E2M1x2Type : PTO_SmallFloatType<"F4E2M1x2", "f4E2M1x2", "two 4-bit floats E2M1 in a byte, the first in the low half">;
def PTO_F8E8M0Type : PTO_SmallFloatType<"F8E8M0", "f8E8M0", "a scale: a power of two">;
/// Pairs; views, tiles and pointers carry them (TATTR-2, TATTR-3).
def PTO_Hif8x2Type : PTO_SmallFloatType<"Hif8x2", "hif8x2", "two HiFloat8 in two bytes">;
def PTO_BF16x2Type : PTO_SmallFloatType<"BF16x2", "bf16x2", "two bf16 in four bytes">;

def PTO_EventIdArrayType : PTO_Type<"EventIdArray", "eventid_array"> {
  let summary = "a fixed number of event ids, each set or not yet set";
  let parameters = (ins "int64_t":$size);
  let assemblyFormat = "`<` $size `>`";
  let genVerifyDecl = 1;
}

include "ptoscope/Dialect/PTO/TileTypes.td"

def PTO_AnyPtr : Type<CPred<"::llvm::isa<::ptoscope::pto::PtrType>($_self)">, "`!pto.ptr`">;
def PTO_VReg : Type<CPred<"::llvm::isa<::ptoscope::pto::VRegType>($_self)">, "`!pto.vreg`">;
def PTO_EventIdArray : Type<CPred<"::llvm::isa<::ptoscope::pto::EventIdArrayType>($_self)">, "`!pto.eventid_array`">;
def PTO_Mask : Type<CPred<"::llvm::isa<::ptoscope::pto::MaskType>($_self)">, "`!pto.mask`">;
def PTO_Scalar : Type<CPred<"$_self.isIntOrIndexOrFloat()">, "integer, index or float">;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class PTO_Attr<string name, string attrMnemonic> : AttrDef<PTO_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def PTO_PipeAttr : PTO_Attr<"Pipe", "pipe"> {
  let summary = "a pipe; the bare form `#pto.pipe` means PIPE_ALL";
  let parameters = (ins "::ptoscope::Pipe":$value);
  let hasCustomAssemblyFormat = 1;
}

/// Attributes that are a single word in angle brackets, kept as written.
class PTO_WordAttr<string name, string attrMnemonic, list<string> words>
    : PTO_Attr<name, attrMnemonic> {
  let parameters = (ins StringRefParameter<"the word">:$value);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static llvm::ArrayRef<llvm::StringRef> words();
  }];
  let extraClassDefinition = [{
    llvm::ArrayRef<llvm::StringRef> $cppClass::words() {
      static const llvm::StringRef list[] = }] # "{\"" # !interleave(words, "\", \"") # "\"};" # [{
      return list;
    }
    mlir::Attribute $cppClass::parse(mlir::AsmParser &parser, mlir::Type) {
      std::string word;
      if (parseWord(parser, getMnemonic(), words(), word))
        return {};
      return get(parser.getContext(), word);
    }
    void $cppClass::print(mlir::AsmPrinter &printer) const { printer << "<" << getValue() << ">"; }
  }];
}

/// The other words that choose between a few values: `#pto.cmp<lt>`. Which there
/// are, with their numbers, is a table in TileTypes.cpp.
def PTO_ModeAttr : AttrDef<PTO_Dialect, "Mode"> {
  let attrName = "pto.mode"; // no mnemonic: the kind stands in its place
  let parameters = (ins StringRefParameter<"what it chooses: cmp, round_mode, ...">:$kind,
                        StringRefParameter<"the word">:$value);
  let extraClassDeclaration = [{
    /// Parses what stands behind `#pto.` and the kind; nothing if there is no such kind.
    static std::optional<mlir::Attribute> parseMode(mlir::AsmParser &parser, llvm::StringRef kind);
    /// The number of the word, that of the tile API where that has one.
    unsigned getNumber() const;
  }];
}

/// What the cube core applies to tiles that it pushes (FIFO-79).
def PTO_AccPushEpilogueAttr : PTO_Attr<"AccPushEpilogue", "acc_push_epilogue"> {
  let parameters = (ins StringRefParameter<"nz2nd, nz2dn, nz2nz">:$layout, StringRefParameter<"a conversion">:$quant,
                        StringRefParameter<"no_relu, normal_relu">:$relu);
  let hasCustomAssemblyFormat = 1;
}

def PTO_EventAttr : PTO_WordAttr<"Event", "event", []>;
def PTO_MembarAttr : PTO_WordAttr<"Membar", "membar", []>;
def PTO_KernelKindAttr : PTO_WordAttr<"KernelKind", "kernel_kind", ["vector", "cube"]>;
def PTO_AddressSpaceAttr : PTO_WordAttr<"AddressSpace", "address_space",
    ["zero", "gm", "mat", "l1", "left", "l0a", "right", "l0b", "acc", "l0c", "vec", "ub", "bias", "bt", "scaling", "fb"]>;
def PTO_FuncCoreTypeAttr : PTO_WordAttr<"FuncCoreType", "func_core_type", ["AIC", "AIV", "MIX", "AIC_OR_AIV"]>;
def PTO_PipeEventTypeAttr : PTO_WordAttr<"PipeEventType", "pipe_event_type", []>;
def PTO_SyncOpTypeAttr : PTO_WordAttr<"SyncOpType", "sync_op_type", []>;
def PTO_SyncAllModeAttr : PTO_WordAttr<"SyncAllMode", "sync_all_mode", ["hard", "soft"]>;
def PTO_SyncCoreTypeAttr : PTO_WordAttr<"SyncCoreType", "sync_core_type", ["aiv_only", "aic_only", "mix"]>;

//===----------------------------------------------------------------------===//
// The record of an instruction
//===----------------------------------------------------------------------===//

defvar PTO_Ints8To32 = ["i8", "u8", "i16", "u16", "i32", "u32"];
defvar PTO_Ints8To64 = PTO_Ints8To32 # ["i64", "u64"];

class PTO_Op<string mnemonic, list<Trait> traits = []> : Op<PTO_Dialect, mnemonic, traits> {
  // Fields every record must set; scripts/instr_table.py turns them into
  // InstrTable.inc and the instruction reference, and refuses a record without.

  /// Family for the reference: program, pointer, scalar-mem, query, control,
  /// dma-config, dma, sync, vload, vstore, predicate, unary, binary, …
  string family = ?;
  /// Pipe it executes on: S, V, MTE2, …, "operand" when an operand names it.
  string pipe = ?;
  /// Bytes it touches: none, transfer, vector-load, vector-store (a window from
  /// one address on), gather, scatter (places that a register or strides name),
  /// stream (what an alignment state says), direct (ranges of UB that it computes
  /// on), cube (matrices in memories of a cube core), status (a register that another
  /// pipe writes), scalar-load, scalar-store, or fence.
  string footprint = ?;
  /// How undefined bytes pass: none (no data), copy (carried along), use
  /// (an undefined byte in an active lane is an error, the result is defined),
  /// define (the result is defined).
  string definedness = ?;
  /// Class in ptoscope/timing.def: what instructions cost alike.
  string timing = ?;
  /// Other names of the same instruction.
  list<string> aliases = [];
  /// Names that other profiles have than the record: "NAME PROFILE…". Where a
  /// profile has the name but not the record, it is refused as not modelled.
  list<string> aliasProfiles = [];
  /// Element types it takes: "i32" is i32 and si32, "u32" is ui32; "e4m3" and
  /// "e5m2" are f8E4M3FN and f8E5M2, "hif8", "e1m2x2" and "e2m1x2" types of ours.
  list<string> elements = [];
  /// Profiles that have it.
  list<string> profiles = ["a5", "a3", "a2"];
  /// Labelled constraints, each "LABEL: sentence".
  list<string> constraints = [];
  /// What a lane-wise instruction does with NaNs: "arith" (any NaN it gives
  /// becomes the canonical one when it leaves arithmetic), "canonical" (its meaning
  /// gives no other) or "bits" (it acts on bit patterns). Empty for other instructions.
  string nan = "";
  /// The configuration register it sets, a PtoRegister without PTO_REG_.
  string sets = "";
  /// Vector instructions: "lanes" has a meaning function on 64-byte groups and
  /// joins runs, "register" has one on whole registers, "" has code of its own
  /// in the lowering.
  string meaning = "";
  /// The meaning function, without `ptom_`; empty = the mnemonic and `_{r}`.
  /// {r}, {0}, {1}: element of the first register result, of an operand; {w},
  /// {w0}, {w1}: its width as b8, b16, b32, b64; {name}: value of an attribute;
  /// {_name}: an underscore and the value, nothing when that is empty. Of several
  /// results, a second register has the function with `_high` behind it, a mask
  /// beside a register the one with `_mask`.
  string symbol = "";
  /// What lanes that the last mask operand switches off do: "zero" (they are zero,
  /// or take no part in a reduction), "operand N" (they keep that operand),
  /// "source" (the instruction sees zeros there), or "none" when no mask governs.
  string inactive = "zero";
  /// Every accepted spelling, the canonical one first.
  list<string> syntax = ?;

  // Text makes instructions; the few that passes make have PTO_Built. Every builder of
  // every record would be a fifth of the time to compile them; tablegen wants one.
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins), [{}]>];
}

/// Passes make it: it has builders.
class PTO_Built {
  bit skipDefaultBuilders = 0;
  list<OpBuilder> builders = ?;
}

/// Fields of an instruction that touches no bytes.
class PTO_NoData<string ofFamily, string ofPipe, string ofTiming> {
  string family = ofFamily;
  string pipe = ofPipe;
  string footprint = "none";
  string definedness = "none";
  string timing = ofTiming;
}

/// Instructions whose text MLIR's declarative format cannot express: parser and
/// printer are the C++ functions named here.
class PTO_CustomOp<string mnemonic, string parser, string printer, list<Trait> traits = []>
    : PTO_Op<mnemonic, traits> {
  let hasCustomAssemblyFormat = 1;
  string customDefinitions = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return }] # parser # [{;
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { }] # printer # [{; }
  }];
  let extraClassDefinition = customDefinitions;
}

/// Order matters to everything around it (seam for canonicalisation: no sync or
/// memory instruction may be moved, merged or dropped).
defvar PTO_Ordered = [MemoryEffects<[MemRead, MemWrite]>];

#endif // PTOSCOPE_PTO_BASE
