//===- ValidateTest.cpp - artifacts that are wrong --------------*- C++ -*-===//
#include "RandomArtifact.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace tirx::rt;

namespace {

TensorMapRecipe &map(Kernel &kernel) { return kernel.parameters[3].tensor_map; }

struct Row {
  const char *reason;
  std::function<void(Kernel &)> change;
};

} // namespace

TEST_CASE("kernels beyond a limit are refused, kernels at it are not") {
  const Row refused[] = {
      {"block[0] = 0 is not in 1..1024", [](Kernel &k) { k.block[0] = 0; }},
      {"block[0] = 1025", [](Kernel &k) { k.block[0] = 1025; }},
      {"block[2] = 65 is not in 1..64", [](Kernel &k) { k.block[2] = 65; }},
      {"has 1056 threads, more than 1024",
       [](Kernel &k) { k.block = {32, 33, 1}; }},
      {"cluster[1] = 0", [](Kernel &k) { k.cluster[1] = 0; }},
      {"has 18 CTAs, more than 16", [](Kernel &k) { k.cluster = {3, 3, 2}; }},
      {"232449 bytes of dynamic shared memory, more than 232448",
       [](Kernel &k) { k.dynamic_shared_bytes = 232449; }},
      {"rank 0 is not in 1..5 (cuTensorMapEncodeTiled)",
       [](Kernel &k) {
         map(k).global_dim.clear();
         map(k).global_stride.clear();
       }},
      {"rank 6 is not in 1..5", [](Kernel &k) { map(k).global_dim.resize(6); }},
      {"global_stride has 2 entries, expected 1",
       [](Kernel &k) { map(k).global_stride.resize(2); }},
      {"element_stride has 3 entries, expected 2",
       [](Kernel &k) { map(k).element_stride.resize(3, 1); }},
      {"box_dim[1] = 257 is not in 1..256 (cuTensorMapEncodeTiled)",
       [](Kernel &k) { map(k).box_dim[1] = 257; }},
      {"box_dim[1] = 0", [](Kernel &k) { map(k).box_dim[1] = 0; }},
      {"element_stride[1] = 9 is not in 1..8",
       [](Kernel &k) { map(k).element_stride[1] = 9; }},
      {"box_dim[0] = 12 elements of f16 are 24 bytes, must be a multiple of 16",
       [](Kernel &k) { map(k).box_dim[0] = 12; }},
      {"are 144 bytes, more than the swizzle's 128",
       [](Kernel &k) { map(k).box_dim[0] = 72; }},
      {"are 80 bytes, more than the swizzle's 64",
       [](Kernel &k) {
         map(k).box_dim[0] = 40;
         map(k).swizzle = TensorMapRecipe::Swizzle::b64;
       }},
      {"fill with NaN needs f16, bf16, f32 or f64, not u16",
       [](Kernel &k) {
         map(k).dtype = DType::u16;
         map(k).oob_fill = TensorMapRecipe::OobFill::nan;
       }},
      {"fill with NaN needs f16, bf16, f32 or f64, not f8e4m3",
       [](Kernel &k) {
         map(k).dtype = DType::f8e4m3;
         map(k).oob_fill = TensorMapRecipe::OobFill::nan;
       }},
      {"argument 5, but the kernel has 2",
       [](Kernel &k) { map(k).argument = 5; }},
      {"argument 'n' is a scalar", [](Kernel &k) { map(k).argument = 1; }},
      {"add has 1 operands, expected 2",
       [](Kernel &k) {
         k.grid[1].kind = HostExpr::Kind::add;
         k.grid[1].operands.resize(1);
       }},
      {"constant has 1 operands, expected 0",
       [](Kernel &k) { k.grid[1].operands.resize(1); }},
      {"argument 'n' is f32, expressions take integers only",
       [](Kernel &k) {
         k.arguments[1].dtype = DType::f32;
         k.grid[0].kind = HostExpr::Kind::scalar;
         k.grid[0].argument = 1;
       }},
      {"alignment 8192 is not a power of two up to 4096",
       [](Kernel &k) { k.arguments[0].alignment = 8192; }},
      {"argument 'A': extent of axis 1 is -64",
       [](Kernel &k) { k.arguments[0].shape[1] = -64; }},
  };
  for (const Row &row : refused) {
    Kernel kernel = test::smallArtifact().kernels[0];
    row.change(kernel);
    const auto result = validateKernel(kernel);
    INFO(row.reason);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Catch::StartsWith("kernel 'copy': ") &&
                                           Catch::Contains(row.reason));
  }

  const Row accepted[] = {
      {"unchanged", [](Kernel &) {}},
      {"block 1024", [](Kernel &k) { k.block = {1024, 1, 1}; }},
      {"block 4x4x64", [](Kernel &k) { k.block = {4, 4, 64}; }},
      {"cluster 16", [](Kernel &k) { k.cluster = {4, 2, 2}; }},
      {"227 KiB", [](Kernel &k) { k.dynamic_shared_bytes = 232448; }},
      {"box 256", [](Kernel &k) { map(k).box_dim[1] = 256; }},
      {"element stride 8", [](Kernel &k) { map(k).element_stride[1] = 8; }},
      {"box of 16 bytes", [](Kernel &k) { map(k).box_dim[0] = 8; }},
      {"box of 512 bytes without swizzle",
       [](Kernel &k) {
         map(k).box_dim[0] = 256;
         map(k).swizzle = TensorMapRecipe::Swizzle::none;
       }},
      {"fill with NaN",
       [](Kernel &k) { map(k).oob_fill = TensorMapRecipe::OobFill::nan; }},
      {"integer scalar in the grid",
       [](Kernel &k) {
         k.grid[0].kind = HostExpr::Kind::scalar;
         k.grid[0].argument = 1;
       }},
      {"alignment 4096", [](Kernel &k) { k.arguments[0].alignment = 4096; }},
  };
  for (const Row &row : accepted) {
    Kernel kernel = test::smallArtifact().kernels[0];
    row.change(kernel);
    INFO(row.reason);
    CHECK(validateKernel(kernel));
  }
}

TEST_CASE("artifacts whose kernels do not fit together") {
  const auto refused = [](Artifact artifact, const char *reason) {
    const auto result = validateArtifact(artifact);
    INFO(reason);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Catch::Contains(reason));
    // What validateArtifact refuses cannot be read back either.
    CHECK_FALSE(readArtifact(writeArtifact(artifact)));
  };
  Artifact twins = test::smallArtifact();
  twins.kernels.push_back(twins.kernels[0]);
  refused(twins, "two kernels are named 'copy'");
  twins.kernels[1].name = "copy2";
  CHECK(validateArtifact(twins));

  Artifact sameTarget = test::smallArtifact();
  sameTarget.kernels[0].codes.push_back(sameTarget.kernels[0].codes[0]);
  refused(sameTarget, "two codes for sm_100a");
  sameTarget.kernels[0].codes[1].target = "sm_90a";
  CHECK(validateArtifact(sameTarget));

  Artifact noCode = test::smallArtifact();
  noCode.kernels[0].codes[0].ptx.clear();
  CHECK(validateArtifact(noCode));
  noCode.kernels[0].codes[0].cubin.clear();
  refused(noCode, "neither PTX nor a cubin for sm_100a");
  noCode.kernels[0].codes.clear();
  refused(noCode, "kernel 'copy': has no code for any target");

  const std::pair<const char *, bool> texts[] = {{"é漢😀", true},
                                                 {"\x80", false},
                                                 {"\xC3", false},
                                                 {"\xC1\x81", false},
                                                 {"\xE0\x80\x80", false},
                                                 {"\xED\xA0\x80", false},
                                                 {"\xF4\x90\x80\x80", false},
                                                 {"\xF5\x80\x80\x80", false},
                                                 {"\xF4\x8F\xBF\xBF", true},
                                                 {"\xED\x9F\xBF", true}};
  for (const auto &[text, valid] : texts) {
    Artifact artifact = test::smallArtifact();
    artifact.kernels[0].checks[0].message = text;
    CHECK(validateArtifact(artifact).has_value() == valid);
  }
}
