//===- GemmKernel.h - a whole tcgen05 GEMM in PTX ---------------*- C++ -*-===//
//
// D[128 x 128] = A[128 x K] * B[128 x K]^T for f16, one CTA of four warps a
// tile: TMA loads into 128-byte-swizzled tiles of 64 columns, tcgen05.mma into
// TMEM, tcgen05.ld, conversion, swizzled st.shared, TMA store. ptxas accepts it
// for sm_100a. The markers {…} are what mutation tests remove or replace.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Harness.h"

#include <fmt/format.h>

namespace tirx::rt::sim::test {

/// Pieces of the kernel that a test may replace.
struct GemmPieces {
  std::string proxy_fence = "fence.proxy.async.shared::cta;";
  std::string wait_full = R"(
WAIT_FULL:
  mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r21], %r22;
  @%p4 bra HAVE_FULL;
  bra WAIT_FULL;
HAVE_FULL:)";
  std::string wait_done = R"(
WAIT_DONE:
  mbarrier.try_wait.parity.shared::cta.b64 %p6, [%r23], %r28;
  @!%p6 bra WAIT_DONE;)";
  std::string wait_stage = R"(
WAIT_STAGE:
  mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r23], %r22;
  @!%p5 bra WAIT_STAGE;)";
  std::string wait_ld = "tcgen05.wait::ld.sync.aligned;";
  std::string wait_store = "cp.async.bulk.wait_group.read 0;";
  std::string dealloc =
      "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r24, 128;";
  std::string commit =
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
      "[%r23];";
  std::string tensor_fence = "tcgen05.fence::after_thread_sync;";
  unsigned expect_bytes = 32768;
  std::string descriptor_high = "0x40004040"; ///< swizzle 128B, SBO 1024
};

inline std::string gemmPtx(const GemmPieces &pieces = {}) {
  std::string text = R"(
.file 1 "gemm.mlir"
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .align 64 .b8 map_a[128], .param .align 64 .b8 map_b[128],
  .param .align 64 .b8 map_d[128], .param .u32 k_tiles)
.reqntid 128
{
  .reg .pred %p<10>;
  .reg .b32 %r<60>;
  .reg .b64 %rd<20>;
  .reg .b32 %f<33>;
  .reg .b32 %h<17>;
  .loc 1 10 1
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  mov.u32 %r20, smem;
  add.u32 %r21, %r20, 65536;      // full
  add.u32 %r23, %r20, 65544;      // done
  setp.ne.u32 %p1, %r2, 0;
  setp.ne.u32 %p2, %r1, 0;
  @%p1 bra AFTER_ALLOC;
  add.u32 %r3, %r20, 65552;
  .loc 1 12 1
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 128;
  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
AFTER_ALLOC:
  @%p2 bra AFTER_INIT;
  mbarrier.init.shared::cta.b64 [%r21], 1;
  mbarrier.init.shared::cta.b64 [%r23], 1;
  fence.mbarrier_init.release.cluster;
AFTER_INIT:
  bar.sync 0;
  ld.shared.b32 %r24, [%r20+65552];
  ld.param.b32 %r25, [k_tiles];
  @%p2 bra EPILOGUE;
  mov.b64 %rd1, map_a;
  cvta.param.u64 %rd1, %rd1;
  mov.b64 %rd2, map_b;
  cvta.param.u64 %rd2, %rd2;
  prefetch.tensormap [%rd1];
  add.u32 %r26, %r20, 16384;
  shr.u32 %r30, %r20, 4;
  and.b32 %r30, %r30, 0x3FFF;
  or.b32 %r30, %r30, 0x10000;
  add.u32 %r31, %r30, 1024;
  mov.u32 %r22, 0;                // phase
  mov.u32 %r27, 0;                // k tile
K_LOOP:
  .loc 1 20 3
  shl.b32 %r29, %r27, 6;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], )" +
                     std::to_string(pieces.expect_bytes) + R"(;
  .loc 1 21 3
  cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd1, {%r29, 0}], [%r21];
  cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r26], [%rd2, {%r29, 0}], [%r21];
  .loc 1 22 3
)" + pieces.wait_full +
                     R"(
  .loc 1 24 3
)";
  // Four steps of K = 16: 32 bytes further into the swizzle atom.
  for (unsigned step = 0; step < 4; ++step)
    text += fmt::format(R"(
  {{
    .reg .pred q;
    .reg .b32 la, lb, z;
    add.u32 la, %r30, {0};
    add.u32 lb, %r31, {0};
    mov.b64 %rd3, {{la, {1}}};
    mov.b64 %rd4, {{lb, {1}}};
    or.b32 z, %r27, {2};
    setp.ne.u32 q, z, 0;
    tcgen05.mma.cta_group::1.kind::f16.collector::a::discard [%r24], %rd3, %rd4, 0x08200010, q;
  }})",
                        2 * step, pieces.descriptor_high, step);
  text += "\n  .loc 1 25 3\n  " + pieces.commit + "\n  .loc 1 26 3\n" +
          pieces.wait_stage + R"(
  xor.b32 %r22, %r22, 1;
  add.u32 %r27, %r27, 1;
  setp.lt.u32 %p3, %r27, %r25;
  @%p3 bra K_LOOP;
EPILOGUE:
  add.u32 %r28, %r25, 1;
  and.b32 %r28, %r28, 1;          // parity of the last phase
  .loc 1 30 1
)" + pieces.wait_done +
          R"(
  bar.sync 0;
  )" + pieces.tensor_fence +
          R"(
  shl.b32 %r32, %r2, 21;          // lane window of the warp
  add.u32 %r33, %r24, %r32;
  and.b32 %r34, %r1, 7;
  shl.b32 %r35, %r1, 7;
  add.u32 %r36, %r20, 32768;
  add.u32 %r36, %r36, %r35;       // this thread's row
)";
  for (unsigned part = 0; part < 4; ++part) {
    std::string registers;
    for (unsigned i = 0; i < 32; ++i)
      registers += fmt::format("{}%f{}", i ? ", " : "", i);
    text += fmt::format("  .loc 1 31 1\n  tcgen05.ld.sync.aligned.32x32b.x32"
                        ".b32 {{{}}}, [%r33+{}];\n  {}\n",
                        registers, 32 * part, pieces.wait_ld);
    for (unsigned i = 0; i < 16; ++i)
      text += fmt::format("  cvt.rn.f16x2.f32 %h{}, %f{}, %f{};\n", i,
                          2 * i + 1, 2 * i);
    for (unsigned i = 0; i < 4; ++i) {
      unsigned chunk = (part % 2) * 4 + i;
      text += fmt::format(
          "  xor.b32 %r40, %r34, {0};\n  shl.b32 %r40, %r40, 4;\n"
          "  add.u32 %r41, %r36, %r40;\n"
          "  st.shared.v4.b32 [%r41+{1}], {{%h{2}, %h{3}, %h{4}, %h{5}}};\n",
          chunk, (part / 2) * 16384, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
    }
  }
  text += "  .loc 1 35 1\n  " + pieces.proxy_fence + R"(
  bar.sync 0;
  @%p1 bra AFTER_STORE;
  {
    .reg .pred e;
    .reg .b32 s;
    elect.sync _|e, 0xffffffff;
    @!e bra NOT_ELECTED;
    mov.b64 %rd5, map_d;
    cvta.param.u64 %rd5, %rd5;
    add.u32 s, %r20, 32768;
    .loc 1 36 1
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd5, {0, 0}], [s];
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd5, {64, 0}], [s+16384];
    cp.async.bulk.commit_group;
    )" + pieces.wait_store +
          R"(
NOT_ELECTED:
    bar.warp.sync 0xffffffff;
  }
  .loc 1 40 1
  )" + pieces.dealloc +
          R"(
AFTER_STORE:
  ret;
}
)";
  return module(text);
}

/// Operands of the kernel below: rows of a tile are 128 bytes in every kind.
struct PairKind {
  std::string kind = "kind::f16";
  std::string idesc = "0x10200010"; ///< M 256, N 128, f32 accumulators
  unsigned columns = 64;            ///< K elements in 128 bytes
};

/// D[256 x 128] = A[256 x K] * B[128 x K]^T by a pair of CTAs: each holds half
/// of A's rows and half of B's, the even one issues the MMAs; D is f16. ptxas
/// accepts it.
inline std::string pairGemmPtx(const PairKind &kind = {}) {
  std::string text = R"(
.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .align 64 .b8 map_a[128], .param .align 64 .b8 map_b[128],
  .param .align 64 .b8 map_d[128], .param .u32 k_tiles)
.reqntid 128
.explicitcluster .reqnctapercluster 2, 1, 1
{
  .reg .pred %p<10>;
  .reg .b32 %r<60>;
  .reg .b64 %rd<20>;
  .reg .b32 %f<33>;
  .reg .b32 %h<17>;
  .reg .b16 %m;
  mov.u32 %r1, %tid.x;
  shr.u32 %r2, %r1, 5;
  mov.u32 %r50, %cluster_ctarank;
  mov.u32 %r20, smem;
  add.u32 %r21, %r20, 65536;      // full
  and.b32 %r51, %r21, 0xFEFFFFFF; // of the even CTA
  add.u32 %r23, %r20, 65544;      // done
  setp.ne.u32 %p1, %r2, 0;
  setp.ne.u32 %p2, %r1, 0;
  setp.ne.u32 %p7, %r50, 0;
  @%p1 bra AFTER_ALLOC;
  add.u32 %r3, %r20, 65552;
  tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r3], 128;
  tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
AFTER_ALLOC:
  @%p2 bra AFTER_INIT;
  mbarrier.init.shared::cta.b64 [%r21], 1;
  mbarrier.init.shared::cta.b64 [%r23], 1;
  fence.mbarrier_init.release.cluster;
AFTER_INIT:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ld.shared.b32 %r24, [%r20+65552];
  ld.param.b32 %r25, [k_tiles];
  @%p2 bra EPILOGUE;
  mov.b64 %rd1, map_a;
  cvta.param.u64 %rd1, %rd1;
  mov.b64 %rd2, map_b;
  cvta.param.u64 %rd2, %rd2;
  add.u32 %r26, %r20, 16384;
  shr.u32 %r30, %r20, 4;
  and.b32 %r30, %r30, 0x3FFF;
  or.b32 %r30, %r30, 0x10000;
  add.u32 %r31, %r30, 1024;
  shl.b32 %r52, %r50, 7;          // first row of A
  shl.b32 %r53, %r50, 6;          // first row of B
  mov.u32 %r22, 0;
  mov.u32 %r27, 0;
  mov.b16 %m, 3;
K_LOOP:
  mul.lo.u32 %r29, %r27, )" +
                     std::to_string(kind.columns) + R"(;
  @!%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 49152;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%r20], [%rd1, {%r29, %r52}], [%r51];
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%r26], [%rd2, {%r29, %r53}], [%r51];
  @%p7 bra WAIT_STAGE;
WAIT_FULL:
  mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r21], %r22;
  @!%p4 bra WAIT_FULL;
)";
  for (unsigned step = 0; step < 4; ++step)
    text += fmt::format(R"(
  {{
    .reg .pred q;
    .reg .b32 la, lb, z;
    add.u32 la, %r30, {0};
    add.u32 lb, %r31, {0};
    mov.b64 %rd3, {{la, 0x40004040}};
    mov.b64 %rd4, {{lb, 0x40004040}};
    or.b32 z, %r27, {1};
    setp.ne.u32 q, z, 0;
    tcgen05.mma.cta_group::2.{2} [%r24], %rd3, %rd4, {3}, q;
  }})",
                        2 * step, step, kind.kind, kind.idesc);
  text += R"(
  tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r23], %m;
WAIT_STAGE:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p5, [%r23], %r22;
  @!%p5 bra WAIT_STAGE;
  xor.b32 %r22, %r22, 1;
  add.u32 %r27, %r27, 1;
  setp.lt.u32 %p3, %r27, %r25;
  @%p3 bra K_LOOP;
EPILOGUE:
  add.u32 %r28, %r25, 1;
  and.b32 %r28, %r28, 1;
WAIT_DONE:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p6, [%r23], %r28;
  @!%p6 bra WAIT_DONE;
  bar.sync 0;
  tcgen05.fence::after_thread_sync;
  shl.b32 %r32, %r2, 21;
  add.u32 %r33, %r24, %r32;
  and.b32 %r34, %r1, 7;
  shl.b32 %r35, %r1, 7;
  add.u32 %r36, %r20, 32768;
  add.u32 %r36, %r36, %r35;
)";
  for (unsigned part = 0; part < 4; ++part) {
    std::string registers;
    for (unsigned i = 0; i < 32; ++i)
      registers += fmt::format("{}%f{}", i ? ", " : "", i);
    text += fmt::format("  tcgen05.ld.sync.aligned.32x32b.x32.b32 {{{}}}, "
                        "[%r33+{}];\n  tcgen05.wait::ld.sync.aligned;\n",
                        registers, 32 * part);
    for (unsigned i = 0; i < 16; ++i)
      text += fmt::format("  cvt.rn.f16x2.f32 %h{}, %f{}, %f{};\n", i,
                          2 * i + 1, 2 * i);
    for (unsigned i = 0; i < 4; ++i)
      text += fmt::format(
          "  xor.b32 %r40, %r34, {0};\n  shl.b32 %r40, %r40, 4;\n"
          "  add.u32 %r41, %r36, %r40;\n"
          "  st.shared.v4.b32 [%r41+{1}], {{%h{2}, %h{3}, %h{4}, %h{5}}};\n",
          (part % 2) * 4 + i, (part / 2) * 16384, 4 * i, 4 * i + 1, 4 * i + 2,
          4 * i + 3);
  }
  text += R"(
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p2 bra STORED;
  mov.b64 %rd5, map_d;
  cvta.param.u64 %rd5, %rd5;
  add.u32 %r42, %r20, 32768;
  shl.b32 %r52, %r50, 7;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd5, {0, %r52}], [%r42];
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd5, {64, %r52}], [%r42+16384];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
STORED:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  @%p1 bra END;
  tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r24, 128;
END:
  ret;
}
)";
  return module(text);
}

} // namespace tirx::rt::sim::test
