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

TEST_CASE("a batch of tiles plus a vector that every thread holds") {
  CompileOptions compileOptions;
  compileOptions.assemble = false;
  auto compiled = compile(R"(
#staging = #tirx.layout<S[(128,2,32):(32,4096,1)] swizzle(2,3,3)>
#rows = #tirx.layout<S[(128,64):(1@tid_in_wg,1)]>
#all = #tirx.layout<S[64:1] + R[128:1@tid_in_wg]>
!batch = !tirx.buffer<?x?x?xf32, global>
!slice = !tirx.buffer<1x128x64xf32, global>
!staging = !tirx.buffer<128x64xf32, #staging, shared>
!vector = !tirx.buffer<?xf32, global>
!bias = !tirx.buffer<64xf32, global>
!biasS = !tirx.buffer<64xf32, #tirx.layout<S[64:1]>, shared>
tirx.kernel @bias(%X: !batch, %V: !vector, %Y: !batch) {
  %c1 = arith.constant 1 : index
  %L = tirx.dim %X, 0 : !batch
  tirx.launch grid(%L, %c1, %c1) threads(128) {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %xs = tirx.shared.alloc : !staging
    %vs = tirx.shared.alloc : !biasS
    %full = tirx.mbarrier.alloc : !tirx.barrier<1>
    %l = tirx.id bx
    %x = tirx.slice %X[%l, %c0, %c0] : !batch to !slice
    %y = tirx.slice %Y[%l, %c0, %c0] : !batch to !slice
    %v = tirx.slice %V[%c0] : !vector to !bias
    tirx.elect {
      tirx.mbarrier.init %full count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    tirx.cta_sync
    tirx.elect {
      tirx.mbarrier.arrive %full expect(%xs, %vs : !staging, !biasS) : !tirx.barrier<1>
      tirx.copy_async %x to %xs signal(%full : !tirx.barrier<1>) : !slice to !staging
      tirx.copy_async %v to %vs signal(%full : !tirx.barrier<1>) : !bias to !biasS
    }
    tirx.mbarrier.wait %full parity(%false) : !tirx.barrier<1>
    %tile = tirx.copy %xs : !staging to tensor<128x64xf32, #rows>
    %bias = tirx.copy %vs : !biasS to tensor<64xf32, #all>
    %biases = tirx.broadcast %bias : tensor<64xf32, #all> to tensor<128x64xf32, #rows>
    %sum = arith.addf %tile, %biases : tensor<128x64xf32, #rows>
    tirx.copy %sum to %xs : tensor<128x64xf32, #rows> to !staging
    tirx.fence proxy_async
    tirx.cta_sync
    tirx.elect {
      tirx.copy_async %xs to %y : !staging to !slice
      tirx.bulk.commit_group
      tirx.bulk.wait_group 0
    }
  }
}
)",
                          "bias.mlir", compileOptions);
  if (!compiled)
    FAIL(compiled.error().message);

  for (auto [batches, rows, columns] :
       {std::tuple<int64_t, int64_t, int64_t>(3, 128, 64), {2, 100, 40}}) {
    uint64_t seed = batches + rows + columns;
    INFO(batches << "x" << rows << "x" << columns << ", seed " << seed);
    auto device = rt::openDevice("sim:sm_100a", {});
    REQUIRE(device);
    rt::HostTensor tensors[] = {
        rt::randomNormal(rt::DType::f32, {batches, rows, columns}, seed),
        rt::randomNormal(rt::DType::f32, {columns}, seed + 1),
        rt::poisoned(rt::DType::f32, {batches, rows, columns})};
    rt::ArgMap arguments;
    void *data[3];
    for (int i = 0; i < 3; ++i) {
      rt::HostTensor &tensor = tensors[i];
      auto memory = (*device)->allocate(tensor.bytes.size());
      REQUIRE(memory);
      data[i] = *memory;
      REQUIRE((*device)->copyToDevice(data[i], tensor.bytes.data(),
                                      tensor.bytes.size()));
      arguments[std::string(1, "XVY"[i])] =
          rt::TensorArg{data[i], tensor.dtype, tensor.shape, {}};
    }
    auto stats =
        (*device)->launch(compiled->artifact.kernels.front(), arguments);
    if (!stats)
      FAIL(stats.error().message);
    rt::HostTensor &y = tensors[2];
    REQUIRE((*device)->copyToHost(y.bytes.data(), data[2], y.bytes.size()));
    std::vector<float> x = toFloats(tensors[0]), v = toFloats(tensors[1]),
                       out = toFloats(y);
    int64_t wrong = 0;
    for (size_t i = 0; i < x.size(); ++i)
      wrong += out[i] != x[i] + v[i % (size_t)columns];
    CHECK(wrong == 0);
  }
}
