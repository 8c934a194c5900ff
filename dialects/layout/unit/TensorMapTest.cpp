//===- TensorMapTest.cpp - legality table and copy plans --------*- C++ -*-===//
#include "TestSupport.h"

#include "tirx/Layout/Factories.h"
#include "tirx/Layout/TensorMap.h"

using namespace tirx::layout;
using namespace tirx::layout::test;
using Catch::Matchers::Contains;

namespace {
struct Row {
  bool accepted;
  uint32_t type, rank;
  std::array<uint64_t, 5> dim;
  std::array<uint64_t, 4> stride;
  std::array<uint32_t, 5> box, elementStride;
  uint32_t swizzle, l2, oob;
};
} // namespace

TEST_CASE("tensor map: agrees with the driver on every recorded call") {
  const Row rows[] = {
#include "TensorMapRows.inc"
  };
  CHECK(std::size(rows) == 71);
  int refused = 0;
  for (const Row &r : rows) {
    TensorMapParams p;
    p.type = TensorMapType(r.type);
    p.rank = r.rank;
    p.globalAddress = 0x7f7506000000;
    p.globalDim = r.dim;
    p.globalStride = r.stride;
    p.boxDim = r.box;
    p.elementStride = r.elementStride;
    p.swizzle = SwizzleMode(r.swizzle);
    p.l2 = TensorMapL2(r.l2);
    p.oob = TensorMapOob(r.oob);
    const auto ok = checkTensorMap(p, SmTarget::Sm90a);
    INFO("row " << &r - rows << (ok ? "" : ": " + ok.error().message));
    CHECK(bool(ok) == r.accepted);
    refused += !ok;
  }
  CHECK(refused == 6);
}

TEST_CASE("tensor map: each rule refuses its mutation of a legal call") {
  TensorMapParams good;
  good.globalAddress = 1 << 20;
  good.globalDim = {128, 64};
  good.globalStride = {256};
  good.boxDim = {64, 64};
  good.swizzle = SwizzleMode::B128;
  REQUIRE(checkTensorMap(good, SmTarget::Sm90a));
  auto rule = [&](auto change, SmTarget target = SmTarget::Sm100a) {
    TensorMapParams p = good;
    change(p);
    auto r = checkTensorMap(p, target);
    return r ? std::string("accepted")
             : r.error().message.substr(0, r.error().message.find(':'));
  };
  using P = TensorMapParams;
  CHECK(rule([](P &p) { p.rank = 0; }) == "rank");
  CHECK(rule([](P &p) { p.rank = 6; }) == "rank");
  CHECK(rule([](P &p) { p.type = TensorMapType(16); }) == "type");
  CHECK(rule([](P &p) { p.globalDim = {0, 64}; }) == "global_dim");
  CHECK(rule([](P &p) { p.globalDim[1] = (uint64_t(1) << 32) + 1; }) ==
        "global_dim");
  CHECK(rule([](P &p) { p.globalDim[1] = uint64_t(1) << 32; }) == "accepted");
  CHECK(rule([](P &p) { p.globalStride[0] = uint64_t(-16); }) ==
        "global_stride_range");
  CHECK(rule([](P &p) { p.globalStride[0] = uint64_t(1) << 40; }) ==
        "global_stride_range");
  CHECK(rule([](P &p) { p.globalStride[0] = 8; }) == "global_stride_alignment");
  CHECK(rule([](P &p) { p.globalAddress += 2; }) == "global_base_alignment");
  CHECK(rule([](P &p) { p.boxDim[1] = 0; }) == "box_dim");
  CHECK(rule([](P &p) { p.boxDim[1] = 257; }) == "box_dim");
  CHECK(rule([](P &p) { p.boxDim[0] = 7; }) == "inner_box_bytes");
  CHECK(rule([](P &p) { p.boxDim[0] = 128; }) == "swizzle_inner_box");
  CHECK(rule([](P &p) {
          p.boxDim[0] = 24;
          p.swizzle = SwizzleMode::B32;
        }) == "swizzle_inner_box");
  CHECK(rule([](P &p) { p.elementStride[1] = 0; }) == "element_stride");
  CHECK(rule([](P &p) { p.elementStride[1] = 9; }) == "element_stride");
  CHECK(rule([](P &p) { p.swizzle = SwizzleMode(9); }) == "swizzle");
  CHECK(rule([](P &p) { p.interleave = TensorMapInterleave(3); }) ==
        "interleave");
  CHECK(rule([](P &p) { p.interleave = TensorMapInterleave::B16; }) ==
        "interleave");
  CHECK(rule([](P &p) { p.l2 = TensorMapL2(4); }) == "l2_promotion");
  CHECK(rule([](P &p) { p.oob = TensorMapOob(2); }) == "oob");
  CHECK(rule([](P &p) {
          p.type = TensorMapType::S32;
          p.boxDim[0] = 32;
          p.oob = TensorMapOob::NaN;
        }) == "nan_oob_dtype");
  auto atom = [](P &p) { p.swizzle = SwizzleMode::B128Atom32B; };
  CHECK(rule(atom, SmTarget::Sm90a) == "target");
  CHECK(rule(atom) == "accepted");
  auto packed = [](P &p) {
    p.type = TensorMapType::U4x16Align16;
    p.boxDim[0] = 128;
  };
  CHECK(rule(packed) == "accepted");
  CHECK(rule(packed, SmTarget::Sm90a) == "target");
  CHECK(rule([&](P &p) {
          packed(p);
          p.globalDim[0] = 192;
        }) == "global_dim");
  CHECK(rule([&](P &p) {
          packed(p);
          p.boxDim[0] = 64;
        }) == "box_dim");
  CHECK(rule([&](P &p) {
          packed(p);
          p.swizzle = SwizzleMode::B64;
        }) == "swizzle");
  CHECK(rule([&](P &p) {
          packed(p);
          p.globalStride[0] = 48;
        }) == "global_stride_alignment");
}

//===--- plans -----------------------------------------------------------===//

static TensorCopyPlan plan(const Layout &shared, Shape shape,
                           std::vector<int> axes, int rank,
                           TensorMapType type = TensorMapType::F16) {
  const TensorCopyPlan p = get(planTensorCopy(shared, shape, axes, rank, type));
  if (auto ok = proveTensorCopy(p, shared, shape, axes); !ok)
    FAIL(ok.error().message);
  // What is planned must also be encodable, for some large enough tensor.
  TensorMapParams params;
  params.type = type;
  params.rank = uint32_t(rank);
  for (int d = 0; d < rank; ++d) {
    params.globalDim[size_t(d)] = 4096;
    params.boxDim[size_t(d)] = p.box[size_t(d)];
    if (d)
      params.globalStride[size_t(d - 1)] = 65536u << d;
  }
  params.swizzle = p.swizzle;
  if (auto ok = checkTensorMap(params, SmTarget::Sm90a); !ok)
    FAIL(ok.error().message);
  int64_t bytes = 0;
  for (const TensorCopyIssue &i : p.issues)
    bytes += i.bytes;
  CHECK(bytes == p.totalBytes);
  return p;
}

using Box = std::vector<uint32_t>;

TEST_CASE("copy plans: swizzled operand tiles") {
  using enum SwizzleMode;
  auto tile = [](SwizzleMode mode, Shape s, int64_t bits = 16) {
    return get(mmaSharedLayout(bits, mode, s));
  };
  auto p = plan(tile(B128, {128, 64}), {128, 64}, {0, 1}, 2);
  CHECK(p.box == Box{64, 128});
  CHECK(p.swizzle == B128);
  CHECK(p.totalBytes == 16384);
  CHECK(p.alignment == 1024);
  REQUIRE(p.issues.size() == 1);
  CHECK(p.issues[0].sharedOffset == 0);
  // Two atoms wide: the inner box is the swizzle width, one issue an atom.
  p = plan(tile(B128, {128, 128}), {128, 128}, {0, 1}, 2);
  CHECK(p.box == Box{64, 128});
  REQUIRE(p.issues.size() == 2);
  CHECK(p.issues[1].coord == std::vector<int64_t>{64, 0});
  CHECK(p.issues[1].sharedOffset == 16384);
  p = plan(tile(B64, {128, 128}), {128, 128}, {0, 1}, 2);
  CHECK(p.box == Box{32, 128});
  CHECK(p.issues.size() == 4);
  p = plan(tile(B32, {64, 64}), {64, 64}, {0, 1}, 2);
  CHECK(p.box == Box{16, 64});
  p = plan(tile(B128, {64, 128}, 8), {64, 128}, {0, 1}, 2, TensorMapType::U8);
  CHECK(p.box == Box{128, 64});
  p = plan(tile(B128, {64, 64}, 32), {64, 64}, {0, 1}, 2, TensorMapType::F32);
  CHECK(p.box == Box{32, 64});
  CHECK(p.issues.size() == 2);
  // Packed 16-byte lines.
  p = plan(tile(None, {64, 64}), {64, 64}, {0, 1}, 2);
  CHECK(p.box == Box{8, 64});
  CHECK(p.issues.size() == 8);
  // A batch axis and an axis between: boxes of 1 there.
  p = plan(tile(B128, {128, 64}), {128, 64}, {1, 3}, 4);
  CHECK(p.box == Box{64, 1, 128, 1});
  // MN-major tile of a [K, MN] tensor: MN is the innermost global axis.
  p = plan(
      get(mmaSharedLayoutMnMajor(16, B128, {{128, 64}}, AtomOrder::KFirst)),
      {128, 64}, {1, 0}, 2);
  CHECK(p.box == Box{64, 64});
  CHECK(p.issues.size() == 2);
  // One stage of a ring.
  const Layout ring = tile(B128, {3, 128, 64});
  p = plan(get(slice(ring, {{3, 128, 64}}, {{1, 0, 0}}, {{1, 128, 64}})),
           {128, 64}, {0, 1}, 2);
  CHECK(p.issues[0].sharedOffset == 16384);
}

TEST_CASE("copy plans: long dims are split") {
  auto p = plan(L("S[(512,64):(64,1)]"), {512, 64}, {0, 1}, 2);
  CHECK(p.box == Box{64, 256});
  REQUIRE(p.issues.size() == 2);
  CHECK(p.issues[1].coord == std::vector<int64_t>{0, 256});
  CHECK(p.issues[1].sharedOffset == 32768);
  p = plan(L("S[(300,64):(64,1)]"), {300, 64}, {0, 1}, 2);
  CHECK(p.box == Box{64, 150});
  p = plan(L("S[(8,512):(512,1)]"), {8, 512}, {0, 1}, 2);
  CHECK(p.box == Box{256, 1});
  CHECK(p.issues.size() == 16);
  // A row-major tile wider than the swizzle: one row an issue.
  p = plan(L("S[(8,128):(128,1)] swizzle(3,3,3)"), {8, 128}, {0, 1}, 2);
  CHECK(p.box == Box{64, 1});
  CHECK(p.issues.size() == 16);
  // Three dense dims in one box.
  p = plan(L("S[(4,32,64):(2048,64,1)]"), {4, 32, 64}, {0, 1, 2}, 3);
  CHECK(p.box == Box{64, 32, 4});
  CHECK(p.issues.size() == 1);
  // A gap between dims: issues along the gap.
  p = plan(L("S[(8,32,64):(4096,64,1)]"), {8, 32, 64}, {0, 1, 2}, 3);
  CHECK(p.box == Box{64, 32, 1});
  CHECK(p.issues.size() == 8);
}

TEST_CASE("copy plans: refusals") {
  auto refused = [](const char *text, Shape shape, std::vector<int> axes,
                    int rank, TensorMapType type = TensorMapType::F16) {
    return errorOf(planTensorCopy(L(text), shape, axes, rank, type));
  };
  CHECK_THAT(refused("S[(64,64):(1,64)]", {64, 64}, {0, 1}, 2),
             Contains("transposed"));
  CHECK_THAT(refused("S[(64,4):(4,1)]", {64, 4}, {0, 1}, 2),
             Contains("16 bytes"));
  CHECK_THAT(refused("S[(64,64):(64,1)]", {64, 64}, {0, 1}, 3),
             Contains("innermost"));
  CHECK_THAT(refused("S[(64,32):(32,1)] swizzle(3,3,3)", {64, 32}, {0, 1}, 2),
             Contains("multiples of 128") && Contains("narrower"));
  CHECK_THAT(refused("S[(64,64):(72,1)]", {64, 64}, {0, 1}, 2),
             Contains("byte 144"));
  CHECK_THAT(refused("S[(64,64):(1@TLane,1@TCol)]", {64, 64}, {0, 1}, 2),
             Contains("axis TLane"));
  CHECK_THAT(refused("S[(64,64):(64,1)] + R[2:4096]", {64, 64}, {0, 1}, 2),
             Contains("replicas"));
  CHECK_THAT(refused("S[(64,64):(64,1)]", {64, 64}, {1, 1}, 2),
             Contains("named"));
  CHECK_THAT(refused("S[(64,64):(64,1)]", {64, 64}, {0, 1}, 2,
                     TensorMapType::U4x16Align16),
             Contains("view packed operands as u8"));
  CHECK_THAT(
      refused("S[(8192,8,64):(65536,128,1)]", {8192, 8, 64}, {0, 1, 2}, 3),
      Contains("4096"));
}

TEST_CASE("copy plans: the prover notices a wrong plan") {
  const Layout l = get(mmaSharedLayout(16, SwizzleMode::B128, {{64, 128}}));
  const Shape shape{64, 128};
  const int axes[] = {0, 1};
  const TensorCopyPlan good =
      get(planTensorCopy(l, shape, axes, 2, TensorMapType::F16));
  REQUIRE(proveTensorCopy(good, l, shape, axes));
  auto broken = [&](auto change) {
    TensorCopyPlan p = good;
    change(p);
    return errorOf(proveTensorCopy(p, l, shape, axes));
  };
  CHECK_THAT(broken([](auto &p) { p.swizzle = SwizzleMode::B64; }),
             Contains("written to"));
  CHECK_THAT(broken([](auto &p) { p.issues.pop_back(); }),
             Contains("not copied"));
  CHECK_THAT(broken([](auto &p) { p.issues[1] = p.issues[0]; }),
             Contains("twice"));
  CHECK_THAT(broken([](auto &p) { p.issues[0].sharedOffset = 128; }),
             Contains("written to"));
  CHECK_THAT(broken([](auto &p) { p.issues[0].coord[1] = 1; }),
             Contains("leaves the tile") || Contains("written"));
}
