//===- TIRxAttrs.td - layouts, descriptors, enumerations ---*- tablegen -*-===//

#ifndef TIRX_ATTRS_TD
#define TIRX_ATTRS_TD

include "tirx/Dialect/TIRxDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class TIRx_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TIRx_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def TIRx_LayoutAttr : TIRx_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let summary = "Where each element of a tile lies";
  let description = [{
    A TIRx layout in S/R/O notation: shard iterators `S[(extents):(strides)]`,
    optional replicas `R[...]`, optional per-axis offsets, optional XOR swizzle
    on the memory axis. A stride names its axis with `@`; without one it is `m`,
    the linear memory (or register) axis.

    ```mlir attribute
    #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>      // 128-byte swizzled f16
    #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>          // a TMEM accumulator
    #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>           // a row a thread
    ```

    As the encoding of a `tensor` it describes a register tile: thread axes say
    which thread holds an element, `m` says in which of its registers.
  }];
  let parameters = (ins
    AttrParameter<"::tirx::layout::Layout", "the layout",
                  "const ::tirx::layout::Layout &">:$value);
  let hasCustomAssemblyFormat = 1;
}

class TIRx_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tirx::ir";
  let genSpecializedAttr = 0;
}
class TIRx_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<TIRx_Dialect, info, mnemonic> {
  // Its generic form is `#tirx<mnemonic value>`; operations print it after ``
  // to have one space before it.
  let assemblyFormat = "custom<EnumKeyword>($value)";
}

def TIRx_MemorySpace : TIRx_I32Enum<"MemorySpace", "where a buffer lives", [
    I32EnumAttrCase<"global", 0>, I32EnumAttrCase<"shared", 1>,
    I32EnumAttrCase<"tmem", 2>]>;

def TIRx_ThreadAxis : TIRx_I32Enum<"ThreadAxis", "a coordinate of the executing thread", [
    I32EnumAttrCase<"bx", 0>, I32EnumAttrCase<"by", 1>, I32EnumAttrCase<"bz", 2>,
    I32EnumAttrCase<"tx", 3>, I32EnumAttrCase<"warpid", 4>,
    I32EnumAttrCase<"laneid", 5>, I32EnumAttrCase<"wgid", 6>,
    I32EnumAttrCase<"tid_in_wg", 7>, I32EnumAttrCase<"wid_in_wg", 8>,
    I32EnumAttrCase<"cta_rank", 9>,
    I32EnumAttrCase<"cbx", 10>, I32EnumAttrCase<"cby", 11>, I32EnumAttrCase<"cbz", 12>,
    I32EnumAttrCase<"clx", 13>, I32EnumAttrCase<"cly", 14>, I32EnumAttrCase<"clz", 15>]>;
def TIRx_ThreadAxisAttr : TIRx_EnumAttr<TIRx_ThreadAxis, "thread_axis">;

def TIRx_FenceKind : TIRx_I32Enum<"FenceKind", "a fence instruction", [
    I32EnumAttrCase<"proxy_async", 0>,
    I32EnumAttrCase<"mbarrier_init", 1>,
    I32EnumAttrCase<"tcgen05_before_thread_sync", 2>,
    I32EnumAttrCase<"tcgen05_after_thread_sync", 3>,
    I32EnumAttrCase<"proxy_async_global", 4>]>;
def TIRx_FenceKindAttr : TIRx_EnumAttr<TIRx_FenceKind, "fence_kind">;

def TIRx_GridDepAction : TIRx_I32Enum<"GridDepAction", "what griddepcontrol does", [
    I32EnumAttrCase<"wait", 0>, I32EnumAttrCase<"launch_dependents", 1>]>;
def TIRx_GridDepActionAttr : TIRx_EnumAttr<TIRx_GridDepAction, "griddep_action">;

def TIRx_SetMaxNRegAction : TIRx_I32Enum<"SetMaxNRegAction", "what setmaxnreg does", [
    I32EnumAttrCase<"increase", 0>, I32EnumAttrCase<"decrease", 1>]>;
def TIRx_SetMaxNRegActionAttr : TIRx_EnumAttr<TIRx_SetMaxNRegAction, "setmaxnreg_action">;

def TIRx_Tcgen05WaitKind : TIRx_I32Enum<"Tcgen05WaitKind", "what tcgen05.wait waits for", [
    I32EnumAttrCase<"ld", 0>, I32EnumAttrCase<"st", 1>]>;
def TIRx_Tcgen05WaitKindAttr : TIRx_EnumAttr<TIRx_Tcgen05WaitKind, "tcgen05_wait_kind">;

def TIRx_PipelineSignal : TIRx_I32Enum<"PipelineSignal", "who signals that a stage is full or empty", [
    I32EnumAttrCase<"tma", 0>, I32EnumAttrCase<"mma", 1>,
    I32EnumAttrCase<"threads", 2>]>;
def TIRx_PipelineSignalAttr : TIRx_EnumAttr<TIRx_PipelineSignal, "pipeline_signal">;

def TIRx_ScheduleKind : TIRx_I32Enum<"ScheduleKind", "how CTAs come to their tiles", [
    I32EnumAttrCase<"one_tile", 0>, I32EnumAttrCase<"persistent", 1>,
    I32EnumAttrCase<"clc", 2>]>;
def TIRx_ScheduleKindAttr : TIRx_EnumAttr<TIRx_ScheduleKind, "schedule_kind">;

def TIRx_ClcQuery : TIRx_I32Enum<"ClcQuery", "what to read from a response of clc.try_cancel", [
    I32EnumAttrCase<"is_canceled", 0>, I32EnumAttrCase<"first_ctaid_x", 1>,
    I32EnumAttrCase<"first_ctaid_y", 2>, I32EnumAttrCase<"first_ctaid_z", 3>]>;
def TIRx_ClcQueryAttr : TIRx_EnumAttr<TIRx_ClcQuery, "clc_query">;

def TIRx_SwizzleMode : TIRx_I32Enum<"SwizzleMode", "swizzle of a tensor map or an MMA operand", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"swizzle32B", 1>,
    I32EnumAttrCase<"swizzle64B", 2>, I32EnumAttrCase<"swizzle128B", 3>,
    I32EnumAttrCase<"swizzle128B_atom32B", 4>]>;

def TIRx_MajorMode : TIRx_I32Enum<"MajorMode", "which dimension of an MMA operand is contiguous", [
    I32EnumAttrCase<"K", 0>, I32EnumAttrCase<"MN", 1>]>;

def TIRx_Tcgen05LdStShape : TIRx_I32Enum<"Tcgen05LdStShape", "shape of tcgen05.ld and tcgen05.st", [
    I32EnumAttrCase<"shape_32x32b", 0>,
    I32EnumAttrCase<"shape_16x64b", 1>,
    I32EnumAttrCase<"shape_16x128b", 2>,
    I32EnumAttrCase<"shape_16x256b", 3>]>;

def TIRx_Tcgen05LdStShapeAttr
    : TIRx_EnumAttr<TIRx_Tcgen05LdStShape, "tcgen05_ldst_shape">;

def TIRx_SmemDescAttr : TIRx_Attr<"SmemDesc", "smem_desc"> {
  let summary = "The address-independent part of an MMA shared-memory descriptor";
  let description = [{
    Leading and stride byte offsets (LBO, SBO), swizzle mode and major-ness of a
    shared-memory operand of `tcgen05.mma` (PTX ISA, "Shared memory descriptor").
    `swizzle128B_atom32B` moves units of 32 bytes instead of 16; it is that of
    MN-major f32 operands.

    ```mlir attribute
    #tirx.smem_desc<lbo = 16, sbo = 1024, swizzle128B, K>
    ```
  }];
  let parameters = (ins "int64_t":$lbo, "int64_t":$sbo,
                        EnumParameter<TIRx_SwizzleMode>:$swizzle,
                        EnumParameter<TIRx_MajorMode>:$major);
  let assemblyFormat = "`<` `lbo` `=` $lbo `,` `sbo` `=` $sbo `,` "
                       "custom<EnumKeyword>($swizzle) `,` custom<EnumKeyword>($major) `>`";
  let genVerifyDecl = 1;
}

#endif // TIRX_ATTRS_TD
