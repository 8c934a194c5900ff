//===- PtxKernels.cpp - small kernels in PTX ---------------------*- C++
//-*-===//
#include "PtxKernels.h"

#include "TestKernels.h"
#include "tirx/Runtime/File.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace tirx::rt;

namespace {

const char *const kScale = R"(.address_size 64

.visible .entry scale(
    .param .u64 scale_a,
    .param .u32 scale_n,
    .param .u64 scale_d,
    .param .f32 scale_alpha
)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<8>;

    ld.param.u64 %rd1, [scale_a];
    ld.param.u32 %r1, [scale_n];
    ld.param.u64 %rd2, [scale_d];
    ld.param.f32 %f1, [scale_alpha];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra done;
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mul.wide.s32 %rd5, %r5, 4;
    add.s64 %rd6, %rd3, %rd5;
    add.s64 %rd7, %rd4, %rd5;
    ld.global.f32 %f2, [%rd6];
    mul.rn.f32 %f3, %f2, %f1;
    st.global.f32 [%rd7], %f3;
done:
    ret;
}
)";

const char *const kTile = R"(.address_size 64

.extern .shared .align 1024 .b8 tile_smem[];

.visible .entry tile(
    .param .align 64 .b8 tile_map[128],
    .param .u64 tile_d,
    .param .u32 tile_columns
)
{
    .reg .pred %p<4>;
    .reg .b32 %r<20>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<10>;
    .shared .align 8 .b64 tile_barrier;

    mov.b64 %rd1, tile_map;
    cvta.param.u64 %rd2, %rd1;
    ld.param.u64 %rd3, [tile_d];
    ld.param.u32 %r1, [tile_columns];
    cvta.to.global.u64 %rd4, %rd3;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    shl.b32 %r5, %r3, 4;
    shl.b32 %r6, %r4, 3;
    mov.u32 %r7, tile_smem;
    add.u32 %r7, %r7, 64512;
    mov.u32 %r8, tile_barrier;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra issued;
    mbarrier.init.shared::cta.b64 [%r8], 1;
    fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.shared::cta.b64 %rd5, [%r8], 512;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%rd2, {%r5, %r6}], [%r8];
issued:
    bar.sync 0;
waiting:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8], 0;
    @!%p2 bra waiting;
    shl.b32 %r9, %r2, 2;
    add.u32 %r10, %r7, %r9;
    ld.shared.f32 %f1, [%r10];
    mov.u32 %r11, %cluster_nctaid.x;
    cvt.rn.f32.u32 %f2, %r11;
    mul.rn.f32 %f3, %f1, %f2;
    shr.u32 %r12, %r2, 4;
    and.b32 %r13, %r2, 15;
    add.u32 %r14, %r6, %r12;
    add.u32 %r15, %r5, %r13;
    mad.lo.u32 %r16, %r14, %r1, %r15;
    mul.wide.u32 %rd6, %r16, 4;
    add.s64 %rd7, %rd4, %rd6;
    st.global.f32 [%rd7], %f3;
    ret;
}
)";

Artifact artifactOf(Kernel kernel, const char *target, const char *body) {
  kernel.codes.resize(1);
  kernel.codes[0].target = target;
  kernel.codes[0].ptx = fmt::format(
      ".version {}\n.target {}\n{}",
      std::string_view(target) == "sm_90a" ? "8.0" : "8.8", target, body);
  return {"tirx test", "test.ptx", {std::move(kernel)}};
}

} // namespace

Artifact test::scaleArtifact(const char *target) {
  using Kind = HostExpr::Kind;
  Kernel kernel;
  kernel.name = "scale";
  kernel.arguments = {tensorArgument("A", DType::f32, {std::nullopt}),
                      tensorArgument("D", DType::f32, {std::nullopt}),
                      scalarArgument("alpha", DType::f32)};
  for (Argument &argument : kernel.arguments)
    argument.alignment = 4;
  kernel.arguments[1].access = Argument::Access::write;
  Parameter a, n, d, alpha;
  n.kind = Parameter::Kind::value;
  n.bytes = 4;
  n.expr = dim(0, 0);
  d.argument = 1;
  alpha.kind = Parameter::Kind::scalar;
  alpha.argument = 2;
  kernel.parameters = {a, n, d, alpha};
  kernel.checks = {
      {op(Kind::eq, {dim(0, 0), dim(1, 0)}), "A and D must be equally long"}};
  kernel.grid[0] = op(Kind::ceildiv, {dim(0, 0), constant(128)});
  kernel.block = {128, 1, 1};
  return artifactOf(std::move(kernel), target, kScale);
}

Artifact test::tileArtifact(const char *target) {
  using Kind = HostExpr::Kind;
  Kernel kernel;
  kernel.name = "tile";
  kernel.arguments = {
      tensorArgument("A", DType::f32, {std::nullopt, std::nullopt}),
      tensorArgument("D", DType::f32, {std::nullopt, std::nullopt})};
  kernel.arguments[1].contiguous = true;
  kernel.arguments[1].access = Argument::Access::write;
  Parameter map, d, columns;
  map.kind = Parameter::Kind::tensor_map;
  map.tensor_map.dtype = DType::f32;
  map.tensor_map.global_dim = {dim(0, 1), dim(0, 0)};
  map.tensor_map.global_stride = {op(Kind::mul, {stride(0, 0), constant(4)})};
  map.tensor_map.box_dim = {16, 8};
  map.tensor_map.element_stride = {1, 1};
  d.argument = 1;
  columns.kind = Parameter::Kind::value;
  columns.bytes = 4;
  columns.expr = dim(1, 1);
  kernel.parameters = {map, d, columns};
  kernel.grid = {op(Kind::ceildiv, {dim(0, 1), constant(16)}),
                 op(Kind::ceildiv, {dim(0, 0), constant(8)}), constant(1)};
  const auto whole = [&](unsigned axis, unsigned gridAxis, int64_t tile) {
    return op(Kind::eq, {dim(1, axis), op(Kind::mul, {kernel.grid[gridAxis],
                                                      constant(tile)})});
  };
  kernel.checks = {
      {op(Kind::logical_and, {whole(0, 1, 8), whole(1, 0, 16)}),
       "D must have the extents of A rounded up to tiles of 8 by 16"}};
  kernel.block = {128, 1, 1};
  kernel.cluster = {2, 1, 1};
  kernel.dynamic_shared_bytes = 65536;
  return artifactOf(std::move(kernel), target, kTile);
}

std::vector<std::byte> test::assemble(const TargetCode &code) {
  const std::string base = std::filesystem::temp_directory_path() /
                           fmt::format("tirx-assemble-{}", ::getpid());
  const std::string ptx = base + ".ptx", cubin = base + ".cubin";
  if (!writeFileAtomically(ptx, code.ptx.data(), code.ptx.size()))
    return {};
  const std::string command = fmt::format(
      "PATH=$PATH:/usr/local/cuda/bin ptxas -arch={} {} -o {} 2>/dev/null",
      code.target, ptx, cubin);
  std::vector<std::byte> bytes;
  if (std::system(command.c_str()) == 0)
    bytes = readFile(cubin).value_or(bytes);
  std::filesystem::remove(ptx);
  std::filesystem::remove(cubin);
  return bytes;
}
