//===- CudaHardwareTest.cpp - the CUDA device on a real GPU -----*- C++ -*-===//
//
// Skipped, visibly, where there is no GPU of compute capability 9.0 or 10.0.
//
//===----------------------------------------------------------------------===//
#include "PtxKernels.h"
#include "TileRun.h"
#include "tirx/Runtime/Tensor.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace tirx::rt;
using namespace tirx::rt::test;

namespace {

/// cuda:0 and the target it runs, if there is one that these tests can use.
struct Gpu {
  std::unique_ptr<Device> device;
  const char *target = nullptr;

  Gpu() {
    auto opened = openDevice("cuda:0");
    if (!opened) {
      WARN("skipped: " << opened.error().message);
      return;
    }
    device = std::move(*opened);
    for (const char *candidate : {"sm_90a", "sm_100a"})
      if (runTile(*device, tileArtifact(candidate).kernels[0], 1)
              .find("has no code for") == std::string::npos)
        target = candidate;
    if (!target)
      WARN("skipped: cuda:0 runs neither sm_90a nor sm_100a");
  }
};

std::string scaleError(Device &device, const Kernel &kernel, int64_t n,
                       void *d) {
  const auto stats =
      device.launch(kernel, {{"A", TensorArg{d, DType::f32, {n}, {}}},
                             {"D", TensorArg{d, DType::f32, {n}, {}}},
                             {"alpha", ScalarArg(2.0)}});
  return stats ? "" : stats.error().message;
}

} // namespace

TEST_CASE("a GPU runs PTX and cubins with tensor maps and clusters") {
  Gpu gpu;
  if (!gpu.target)
    return;
  Kernel kernel = tileArtifact(gpu.target).kernels[0];
  CHECK(runTile(*gpu.device, kernel, 0x5eed0060) == "");
  // Twice: module, function and attributes come from the cache.
  CHECK(runTile(*gpu.device, kernel, 0x5eed0061) == "");

  kernel.codes[0].cubin = assemble(kernel.codes[0]);
  if (kernel.codes[0].cubin.empty()) {
    WARN("skipped: no ptxas, only PTX was tested");
    return;
  }
  CHECK(runTile(*gpu.device, kernel, 0x5eed0062) == "");
  // Damaged code is refused, and the device goes on working.
  Kernel damaged = kernel;
  damaged.codes[0].cubin.resize(100);
  CHECK_THAT(runTile(*gpu.device, damaged, 1),
             Catch::Contains("truncated cubin"));
  Kernel malformed = kernel;
  malformed.codes[0].cubin.clear();
  malformed.codes[0].ptx.insert(0, "this is no PTX\n");
  CHECK_THAT(runTile(*gpu.device, malformed, 1),
             Catch::Contains("cuModuleLoadData of the PTX"));
  CHECK(runTile(*gpu.device, kernel, 0x5eed0063) == "");
}

TEST_CASE("a GPU gets scalars and pointers as the manifest says") {
  Gpu gpu;
  if (!gpu.target)
    return;
  const Kernel kernel = scaleArtifact(gpu.target).kernels[0];
  const HostTensor a = randomNormal(DType::f32, {1000}, 0x5eed0064);
  const auto memory = gpu.device->allocate(4000);
  REQUIRE(memory);
  REQUIRE(gpu.device->copyToDevice(*memory, a.bytes.data(), 4000));
  CHECK(scaleError(*gpu.device, kernel, 1000, *memory) == "");
  HostTensor d = poisoned(DType::f32, {1000});
  REQUIRE(gpu.device->copyToHost(d.bytes.data(), *memory, 4000));
  for (int64_t i = 0; i < 1000; ++i) {
    float before, after;
    std::memcpy(&before, a.bytes.data() + 4 * i, 4);
    std::memcpy(&after, d.bytes.data() + 4 * i, 4);
    if (after != 2 * before)
      FAIL("element " << i);
  }
  CHECK(gpu.device->free(*memory));

  // An address that is none: the driver's report, no crash. The context is
  // lost with it, so this comes last.
  CHECK_THAT(scaleError(*gpu.device, kernel, 1000,
                        reinterpret_cast<void *>(uintptr_t(4096))),
             Catch::Contains("CUDA_ERROR_ILLEGAL_ADDRESS"));
}
