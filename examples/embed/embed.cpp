//===- embed.cpp - compile IR from a string and launch it -----------------===//
//
// Links the compiler and the runtime; runs on the simulator, so it needs no
// GPU, no ptxas and no Python.
//
//===----------------------------------------------------------------------===//

#include "tirx/Compiler/Compiler.h"
#include "tirx/Runtime/Device.h"

#include <cstdio>
#include <vector>

static const char *source = R"(
  #row = #tirx.layout<S[(128,32):(1@tid_in_wg,1)]>
  !matrix = !tirx.buffer<?x32xf32, global>
  !tile = !tirx.buffer<128x32xf32, global>
  tirx.kernel @scale(%X: !matrix, %Y: !matrix) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tirx.launch grid(%c1, %c1, %c1) threads(128) {
      %two = arith.constant dense<2.0> : tensor<128x32xf32, #row>
      %x = tirx.slice %X[%c0, %c0] : !matrix to !tile
      %y = tirx.slice %Y[%c0, %c0] : !matrix to !tile
      %in = tirx.copy %x : !tile to tensor<128x32xf32, #row>
      %out = arith.mulf %in, %two : tensor<128x32xf32, #row>
      tirx.copy %out to %y : tensor<128x32xf32, #row> to !tile
    }
  })";

int main() {
  using namespace tirx;
  CompileOptions options;
  options.assemble = false; // PTX is enough for the simulator
  auto compiled = compile(source, "scale.mlir", options);
  if (!compiled)
    return std::fprintf(stderr, "%s\n", compiled.error().message.c_str()), 1;
  auto device = rt::openDevice("sim:sm_100a");
  if (!device)
    return std::fprintf(stderr, "%s\n", device.error().message.c_str()), 1;

  std::vector<float> host(128 * 32, 21.0f);
  size_t bytes = host.size() * sizeof(float);
  void *x = *(*device)->allocate(bytes), *y = *(*device)->allocate(bytes);
  (void)(*device)->copyToDevice(x, host.data(), bytes);
  auto stats = (*device)->launch(
      compiled->artifact.kernels.front(),
      {{"X", rt::TensorArg{x, rt::DType::f32, {128, 32}, {}}},
       {"Y", rt::TensorArg{y, rt::DType::f32, {128, 32}, {}}}});
  if (!stats)
    return std::fprintf(stderr, "%s\n", stats.error().message.c_str()), 1;
  (void)(*device)->copyToHost(host.data(), y, bytes);
  std::printf("Y[127, 31] = %g\n", host.back());
  return host.back() == 42.0f ? 0 : 1;
}
