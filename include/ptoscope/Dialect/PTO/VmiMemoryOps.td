//===- VmiMemoryOps.td - virtual vectors and UB -------------------------------===//
// docs/isa/40-vmi.md, memory. Offsets and strides count elements of the pointer.

#ifndef PTOSCOPE_PTO_VMI_MEMORY_OPS
#define PTOSCOPE_PTO_VMI_MEMORY_OPS

include "ptoscope/Dialect/PTO/VmiBase.td"

defvar VMEM_Space = "VMEM-1: the pointer addresses ub";
defvar VMEM_Element = "VMEM-2: the pointer has the element type of the vector";
defvar VMEM_Access = [VMI_FormRule, VMEM_Space, VMEM_Element];
defvar VMEM_Rules = VMEM_Access # [VMI_LanesRule, VMI_MaskRule];
defvar VMEM_Modes = [VMI_GroupRule, "VMEM-3: `group` and a stride come together", "VMEM-4: with `group` there is no `dist_mode`, except \"brc\" of a load",
                     "VMEM-5: a block stride comes with a repeat stride, without `group` and `dist_mode`",
                     "VMEM-6: \"dintlv\" has two vectors of one type, other forms one",
                     "VMEM-7: `dist_mode` is \"continuous\", \"dintlv\", or \"brc\" of a load"];
defvar VMEM_Bounds = ["VUB-4: continuous accesses of 32 bytes and more and block strides are 32-byte aligned, others to their element",
                      "VUB-3: every element that is accessed lies in UB"];

class PTO_VmiLoadOp<string name, string text, string ofKind, string ofMicro, string signature, list<string> attributes>
    : PTO_VmiOp<name, text, ofKind, ofMicro, signature, VMI_Elements, attributes> {
  let family = "vload";
  let footprint = "vector-load";
  let definedness = "copy";
  let timing = "vld";
  let constraints = VMEM_Rules # VMEM_Bounds;
}

def PTO_VmiVloadOp : PTO_VmiLoadOp<"vload", "load N elements from UB", "load", "vlds",
    "buffer [offset -> v v? | buffer [offset stride -> v #VMEM-5 | buffer [offset step step -> v", ["dist_mode", "group#"]> {
  let description = [{
    Without attributes lane i is element offset + i. "brc" puts the first element into every lane, "dintlv"
    gives even elements to the first and odd ones to the second vector. With `group = C`, group g of N / C lanes
    is a row of elements from offset + g * stride on, with "brc" the first of them in all its lanes. With a
    block stride, 32-byte block b comes from the address + 32 * b * stride bytes.
  }];
  let constraints = VMEM_Access # VMEM_Modes # VMEM_Bounds;
  let syntax = ["%r = pto.vmi.vload %p[%off] : !pto.ptr<T, ub> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vload %p[%off] {dist_mode = \"brc\"} : !pto.ptr<T, ub> -> !pto.vmi.vreg<NxT>",
                "%lo, %hi = pto.vmi.vload %p[%off] {dist_mode = \"dintlv\"} : !pto.ptr<T, ub> -> !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vload %p[%off], %stride {group = C} : !pto.ptr<T, ub> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vload %p[%off], %stride {group = C, dist_mode = \"brc\"} : !pto.ptr<T, ub> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vload %p[%off], %bs, %rs : !pto.ptr<T, ub> -> !pto.vmi.vreg<NxT>"];
}

def PTO_VmiStrideLoadOp : PTO_VmiLoadOp<"stride_load", "load 32-byte blocks at a stride, blocks without an active lane as zero", "load", "vsldb",
    "buffer [offset step step m -> v", []> {
  let syntax = ["%r = pto.vmi.stride_load %p[%off], %bs, %rs, %m : !pto.ptr<T, ub>, i16, i16, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}

class PTO_VmiPassLoadOp<string name, string text, string ofKind, string ofMicro>
    : PTO_VmiLoadOp<name, text, ofKind, ofMicro, "buffer [offset m v -> v", []> {
  let syntax = ["%r = pto.vmi." # name # " %p[%off], %m, %pass : !pto.ptr<T, ub>, !pto.vmi.mask<Nxpred>, !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiMaskedLoadOp : PTO_VmiPassLoadOp<"masked_load", "load the active lanes, the others from a vector", "load", "vlds">;
def PTO_VmiExpandLoadOp : PTO_VmiPassLoadOp<"expand_load", "load consecutive elements into the active lanes, the others from a vector", "load", "vusqz"> {
  let footprint = "gather";
}

defvar VMEM_IndexRule = "VMEM-9: indices are signless or unsigned integers of 16 or 32 bits, of the element's width or, for 8-bit elements, 16 bits; ui16 indices gather ui16 elements";

class PTO_VmiGatherClass<string name, string text, string signature>
    : PTO_VmiLoadOp<name, text, "gather", "vgather2", signature, ["pmode"]> {
  let family = "gather";
  let footprint = "gather";
  let timing = "vgather";
  let constraints = VMEM_Rules # [VMEM_IndexRule, VMI_ModeRule] # VMEM_Bounds;
}
def PTO_VmiVgatherOp : PTO_VmiGatherClass<"vgather", "load elements by index, zero where inactive", "buffer v m -> v"> {
  let syntax = ["%r = pto.vmi.vgather %p, %idx, %m : !pto.ptr<T, ub>, !pto.vmi.vreg<NxI>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiGatherOp : PTO_VmiGatherClass<"gather", "load elements by index, inactive lanes from a vector", "buffer [v m v -> v"> {
  let syntax = ["%r = pto.vmi.gather %p[%idx], %m, %pass : !pto.ptr<T, ub>, !pto.vmi.vreg<NxI>, !pto.vmi.mask<Nxpred>, !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>"];
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

class PTO_VmiStoreOp<string name, string text, string ofKind, string ofMicro, string signature, list<string> attributes>
    : PTO_VmiOp<name, text, ofKind, ofMicro, signature, VMI_Elements, attributes> {
  let family = "vstore";
  let footprint = "vector-store";
  let definedness = "copy";
  let timing = "vst";
  let constraints = VMEM_Rules # [VMI_ModeRule] # VMEM_Bounds;
}

def PTO_VmiVstoreOp : PTO_VmiStoreOp<"vstore", "store N elements to UB, inactive ones untouched", "store", "vsts",
    "v v? buffer [offset stride? m? #VMEM-5 | v buffer [offset step step m?", ["dist_mode", "group#", "pmode"]> {
  let description = [{
    The forms of `vload`. With `group` a vector of 32-bit integers may go to a pointer of 8-bit integers: the
    low byte of each lane is stored.
  }];
  let constraints = VMEM_Rules # VMEM_Modes # ["VMEM-8: a mask goes with the continuous and the block form only", VMI_ModeRule] # VMEM_Bounds;
  let syntax = ["pto.vmi.vstore %v, %p[%off] : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>",
                "pto.vmi.vstore %v, %p[%off], %m : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>, !pto.vmi.mask<Nxpred>",
                "pto.vmi.vstore %lo, %hi, %p[%off] {dist_mode = \"dintlv\"} : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>",
                "pto.vmi.vstore %v, %p[%off], %stride {group = C} : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>",
                "pto.vmi.vstore %v, %p[%off], %bs, %rs : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>",
                "pto.vmi.vstore %v, %p[%off], %bs, %rs, %m : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>, !pto.vmi.mask<Nxpred>"];
}

def PTO_VmiVsstbOp : PTO_VmiStoreOp<"vsstb", "store the active lanes as 32-byte blocks at a stride", "store", "vsstb",
    "v buffer [offset step m", ["pmode"]> {
  let footprint = "scatter";
  let syntax = ["pto.vmi.vsstb %v, %p[%off], %bs, %m : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>, !pto.vmi.mask<Nxpred>"];
}

def PTO_VmiCompressStoreOp : PTO_VmiStoreOp<"compress_store", "store the active lanes to consecutive elements", "store", "vsqz",
    "v buffer [offset m", []> {
  let constraints = VMEM_Rules # VMEM_Bounds;
  let syntax = ["pto.vmi.compress_store %v, %p[%off], %m : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>, !pto.vmi.mask<Nxpred>"];
}

def PTO_VmiVscatterOp : PTO_VmiStoreOp<"vscatter", "store the active lanes to places that indices name", "scatter", "vscatter",
    "v buffer v m", ["pmode"]> {
  let family = "scatter";
  let footprint = "scatter";
  let timing = "vscatter";
  let constraints = VMEM_Rules # [VMEM_IndexRule, VMI_ModeRule] # VMEM_Bounds;
  let syntax = ["pto.vmi.vscatter %v, %p, %idx, %m : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>, !pto.vmi.vreg<NxI>, !pto.vmi.mask<Nxpred>"];
}

//===----------------------------------------------------------------------===//
// Other names
//===----------------------------------------------------------------------===//

class PTO_VmiLoadAlias<string name, string signature, string arguments> : PTO_VmiAlias<name, "vload", signature, VMI_Elements,
    ["%r = pto.vmi." # name # " " # arguments # " : !pto.ptr<T, ub> -> !pto.vmi.vreg<NxT>"]>;
def PTO_VmiLoadName : PTO_VmiLoadAlias<"load", "buffer [offset -> v", "%p[%off]">;
def PTO_VmiDeinterleaveLoadName : PTO_VmiAlias<"deinterleave_load", "vload", "buffer [offset -> v v", VMI_Elements,
    ["%lo, %hi = pto.vmi.deinterleave_load %p[%off] : !pto.ptr<T, ub> -> !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>"]> { let attributeMap = ["dist_mode=dintlv"]; }
class PTO_VmiGroupLoadAlias<string name> : PTO_VmiLoadAlias<name, "buffer [offset stride -> v", "%p[%off], %stride {num_groups = C}"> {
  let attributeMap = ["num_groups>group"];
}
def PTO_VmiGroupLoadName : PTO_VmiGroupLoadAlias<"group_load">;
def PTO_VmiGroupSlotLoadName : PTO_VmiGroupLoadAlias<"group_slot_load"> { let needs = "slots"; }
def PTO_VmiGroupBroadcastLoadName : PTO_VmiGroupLoadAlias<"group_broadcast_load"> { let attributeMap = ["num_groups>group", "dist_mode=brc"]; }

class PTO_VmiStoreAlias<string name, string target, string signature, string text> : PTO_VmiAlias<name, target, signature, VMI_Elements,
    ["pto.vmi." # name # " " # text]>;
def PTO_VmiStoreName : PTO_VmiStoreAlias<"store", "vstore", "v buffer [offset", "%v, %p[%off] : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>">;
def PTO_VmiMaskedStoreName : PTO_VmiStoreAlias<"masked_store", "vstore", "v buffer [offset m",
    "%v, %p[%off], %m : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>, !pto.vmi.mask<Nxpred>">;
def PTO_VmiInterleaveStoreName : PTO_VmiStoreAlias<"interleave_store", "vstore", "v v buffer [offset",
    "%lo, %hi, %p[%off] : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>"> { let attributeMap = ["dist_mode=dintlv"]; }
def PTO_VmiGroupStoreName : PTO_VmiStoreAlias<"group_store", "vstore", "v buffer [offset stride",
    "%v, %p[%off], %stride {num_groups = C} : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>"> { let attributeMap = ["num_groups>group"]; }
def PTO_VmiStrideStoreName : PTO_VmiStoreAlias<"stride_store", "vstore", "v buffer [offset step step m",
    "%v, %p[%off], %bs, %rs, %m : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>, i16, i16, !pto.vmi.mask<Nxpred>">;
def PTO_VmiScatterName : PTO_VmiStoreAlias<"scatter", "vscatter", "v buffer [v m",
    "%v, %p[%idx], %m : !pto.vmi.vreg<NxT>, !pto.ptr<T, ub>, !pto.vmi.vreg<NxI>, !pto.vmi.mask<Nxpred>">;

#endif // PTOSCOPE_PTO_VMI_MEMORY_OPS
