//===- TmaTest.cpp - the TMA example on both targets ----------------------===//
//
// Y = 2 * X + 1 through TMA loads and stores. The same artifacts for sm_90a
// gave the same bits on an H200 (driver 580), at these shapes.
//
//===----------------------------------------------------------------------===//

#include "GemmHarness.h"

#include "tirx/Compiler/Compiler.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace tirx;

namespace {
/// The example with another layout of its staging tiles.
std::string withStaging(const std::string &layout) {
  std::string text =
      test::readExample(std::string(TIRX_EXAMPLES) + "/tma/scale_add.mlir");
  size_t begin = text.find("#staging = ");
  REQUIRE(begin != std::string::npos);
  size_t end = text.find('\n', begin);
  return text.replace(begin, end - begin,
                      "#staging = #tirx.layout<" + layout + ">");
}

std::vector<float> toFloats(const rt::HostTensor &tensor) {
  std::vector<float> values(tensor.elementCount());
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}
} // namespace

TEST_CASE("TMA moves every element where the layout says") {
  auto target = GENERATE("sm_90a", "sm_100a");
  auto staging =
      GENERATE("S[(128,2,32):(32,4096,1)] swizzle(2,3,3)",
               "S[(128,4,16):(16,2048,1)] swizzle(2,2,3)",
               "S[(128,8,8):(8,1024,1)] swizzle(2,1,3)", "S[(128,64):(64,1)]");
  auto delivery =
      GENERATE(rt::SimOptions::Delivery::eager, rt::SimOptions::Delivery::lazy,
               rt::SimOptions::Delivery::random);
  CompileOptions compileOptions;
  compileOptions.target = target;
  compileOptions.assemble = false;
  auto compiled =
      compile(withStaging(staging), "scale_add.mlir", compileOptions);
  if (!compiled)
    FAIL(compiled.error().message);

  for (auto [rows, columns] :
       {std::pair<int64_t, int64_t>(128, 64), {200, 104}, {1, 8}, {333, 72}}) {
    rt::SimOptions options;
    options.delivery = delivery;
    options.seed = rows + columns;
    INFO(target << ", " << staging << ", delivery " << int(delivery) << ", "
                << rows << "x" << columns << ", seed " << options.seed);
    auto device = rt::openDevice(std::string("sim:") + target, options);
    REQUIRE(device);
    rt::HostTensor x =
        rt::randomNormal(rt::DType::f32, {rows, columns}, options.seed);
    rt::HostTensor y = rt::poisoned(rt::DType::f32, {rows, columns});
    auto xData = (*device)->allocate(x.bytes.size());
    auto yData = (*device)->allocate(y.bytes.size());
    REQUIRE(xData);
    REQUIRE(yData);
    REQUIRE((*device)->copyToDevice(*xData, x.bytes.data(), x.bytes.size()));
    REQUIRE((*device)->copyToDevice(*yData, y.bytes.data(), y.bytes.size()));
    auto stats =
        (*device)->launch(compiled->artifact.kernels.front(),
                          {{"X", rt::TensorArg{*xData, x.dtype, x.shape, {}}},
                           {"Y", rt::TensorArg{*yData, y.dtype, y.shape, {}}}});
    if (!stats)
      FAIL(stats.error().message);
    REQUIRE((*device)->copyToHost(y.bytes.data(), *yData, y.bytes.size()));
    std::vector<float> in = toFloats(x), out = toFloats(y);
    int64_t wrong = 0;
    for (size_t i = 0; i < in.size(); ++i)
      wrong += out[i] != in[i] * 2.0f + 1.0f;
    CHECK(wrong == 0);
  }
}
