//===- CudaDeviceTest.cpp - the CUDA device, on a stand-in ------*- C++ -*-===//
#include "FakeCuda.h"
#include "TestKernels.h"
#include "device/CudaDriver.h"
#include "device/Devices.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <dlfcn.h>

using namespace tirx::rt;
using namespace tirx::rt::test;

namespace {

/// The stand-in, reset: one device of compute capability 10.0.
FakeCudaState &fake() {
  void *library = ::dlopen(TIRX_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library);
  auto *get =
      reinterpret_cast<FakeCudaState *(*)()>(::dlsym(library, "fakeCudaState"));
  REQUIRE(get);
  FakeCudaState &state = *get();
  state = FakeCudaState();
  state.capability[0] = 10;
  state.smCount = 148;
  state.deviceCount = 1;
  const size_t sizes[] = {128, 128, 8, 4, 4};
  std::copy(std::begin(sizes), std::end(sizes), state.parameterBytes);
  return state;
}

std::unique_ptr<Device> openFake(unsigned ordinal = 0) {
  auto device = openCudaDevice(ordinal, TIRX_FAKE_CUDA);
  if (!device)
    FAIL(device.error().message);
  return std::move(*device);
}

/// An ELF header without sections; its padding holds a text.
std::vector<std::byte> emptyCubin() {
  std::vector<std::byte> bytes(64);
  std::memcpy(bytes.data(),
              "\x7F"
              "ELF\x02\x01\x01marker",
              13);
  return bytes;
}

std::string openError(unsigned ordinal, const char *library) {
  const auto device = openCudaDevice(ordinal, library);
  REQUIRE_FALSE(device);
  return device.error().message;
}

} // namespace

TEST_CASE("a machine without a CUDA driver says so") {
  CHECK_THAT(openError(0, "libcuda-that-is-not-there.so.1"),
             Catch::StartsWith("no CUDA driver on this machine: cannot open "
                               "libcuda-that-is-not-there.so.1") &&
                 Catch::Contains("sim:sm_100a"));
  if (void *driver = ::dlopen("libcuda.so.1", RTLD_NOW)) {
    ::dlclose(driver);
  } else {
    const auto device = openDevice("cuda:0");
    REQUIRE_FALSE(device);
    CHECK_THAT(device.error().message,
               Catch::Contains("cannot open libcuda.so.1"));
  }
}

TEST_CASE("a library that is no driver") {
  CHECK_THAT(openError(0, "libm.so.6"),
             Catch::Contains("libm.so.6 lacks cuInit"));
}

TEST_CASE("device names") {
  const char *const unknown[] = {
      "",    "cuda", "cuda:",     "cuda:x", "cuda:-1",         "cuda:1 ",
      "sim", "sim:", "sim:sm_80", "gpu:0",  "cuda:99999999999"};
  for (const char *name : unknown) {
    const auto device = openDevice(name);
    INFO(name);
    REQUIRE_FALSE(device);
    CHECK(device.error().message ==
          fmt::format("unknown device '{}'; known: sim:sm_100a, sim:sm_90a, "
                      "cuda:N",
                      name));
  }
  for (const char *name : {"sim:sm_100a", "sim:sm_90a"}) {
    const auto device = openDevice(name);
    REQUIRE(device);
    CHECK((*device)->name() == name);
  }
}

TEST_CASE("errors of the driver while opening") {
  FakeCudaState &state = fake();
  state.failFunction = "cuInit";
  state.failCode = 100;
  CHECK_THAT(openError(0, TIRX_FAKE_CUDA),
             Catch::Contains("cuInit: unknown error (100): no description"));
  for (const char *function :
       {"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
        "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain"}) {
    state.failFunction = function;
    state.failCode = 719;
    CHECK_THAT(openError(0, TIRX_FAKE_CUDA),
               Catch::StartsWith(fmt::format(
                   "{}: CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch "
                   "failure",
                   function)));
    CHECK(state.contextRetains == 0);
  }
  state.failFunction = nullptr;
  CHECK(openError(1, TIRX_FAKE_CUDA) ==
        "cuda:1: this machine has 1 CUDA device");
  CHECK(openFake()->name() == "cuda:0");
}

TEST_CASE("a context is current during calls only, and released") {
  FakeCudaState &state = fake();
  {
    const auto device = openFake();
    CHECK(state.contextRetains == 1);
    const auto pointer = device->allocate(1000);
    REQUIRE(pointer);
    const char text[] = "some bytes";
    char back[sizeof text] = {};
    REQUIRE(device->copyToDevice(*pointer, text, sizeof text));
    REQUIRE(device->copyToHost(back, *pointer, sizeof back));
    CHECK(std::strcmp(back, text) == 0);
    REQUIRE(device->free(*pointer));
    CHECK(state.contextDepth == 0);

    state.failFunction = "cuMemAlloc";
    state.failCode = 719;
    const auto failed = device->allocate(77);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message ==
          "cuda:0: cuMemAlloc of 77 bytes: CUDA_ERROR_LAUNCH_FAILED (719): "
          "unspecified launch failure");
    state.failFunction = "cuCtxPushCurrent";
    CHECK_FALSE(device->allocate(77));
    CHECK(state.contextDepth == 0);
    state.failFunction = nullptr;
  }
  CHECK(state.contextRetains == 0);
}

TEST_CASE("a launch reaches the driver as the manifest says") {
  FakeCudaState &state = fake();
  {
    const auto device = openFake();
    Kernel kernel = gemmKernel();
    kernel.codes[0].cubin = emptyCubin();
    TensorMapRecipe &recipe = kernel.parameters[1].tensor_map;
    recipe.l2_promotion = TensorMapRecipe::L2Promotion::b256;
    recipe.oob_fill = TensorMapRecipe::OobFill::nan;
    GemmArguments arguments(300, 256, 64);
    const auto stats = device->launch(kernel, arguments.map);
    if (!stats)
      FAIL(stats.error().message);
    CHECK(stats->seconds >= 0);

    CHECK(state.launches == 1);
    CHECK(std::memcmp(state.image, emptyCubin().data(), 13) == 0);
    kernel.codes[0].cubin.resize(63);
    const auto damaged = device->launch(kernel, arguments.map);
    REQUIRE_FALSE(damaged);
    CHECK_THAT(damaged.error().message,
               Catch::Contains("cubin for sm_100a: no cubin: 63 bytes"));
    kernel.codes[0].cubin = emptyCubin();
    const unsigned grid[] = {3, 2, 1}, block[] = {128, 1, 1};
    CHECK(std::equal(grid, grid + 3, state.grid));
    CHECK(std::equal(block, block + 3, state.block));
    CHECK(state.sharedBytes == 65536);
    CHECK(state.dynamicSharedLimit == 65536);
    CHECK(state.launchAttributes == 0);

    // The last map encoded is B's.
    CHECK(state.tensorMapsEncoded == 2);
    CHECK(state.dataType == cuda::kTensorMapFloat16);
    CHECK(state.rank == 2);
    CHECK(state.address == arguments.tensor("B").data);
    CHECK(state.globalDim[0] == 64);
    CHECK(state.globalDim[1] == 256);
    CHECK(state.globalStride[0] == 128);
    CHECK(state.boxDim[0] == 64);
    CHECK(state.boxDim[1] == 128);
    CHECK(state.elementStride[1] == 1);
    CHECK(state.interleave == 0);
    CHECK(state.swizzle == 3);
    CHECK(state.l2Promotion == 3);
    CHECK(state.oobFill == 1);

    // The stand-in fills map i with the byte i.
    for (int i = 0; i < 128; ++i) {
      CHECK(state.parameters[0][i] == 1);
      CHECK(state.parameters[1][i] == 2);
    }
    void *pointer = nullptr;
    int32_t m = 0;
    float alpha = 0;
    std::memcpy(&pointer, state.parameters[2], 8);
    std::memcpy(&m, state.parameters[3], 4);
    std::memcpy(&alpha, state.parameters[4], 4);
    CHECK(pointer == arguments.tensor("D").data);
    CHECK(m == 300);
    CHECK(alpha == 0.5f);

    // Again: nothing is loaded or encoded twice.
    REQUIRE(device->launch(kernel, arguments.map));
    CHECK(state.launches == 2);
    CHECK(state.modulesLoaded == 1);
    CHECK(state.tensorMapsEncoded == 2);
    arguments.tensor("A").shape[0] = 299;
    REQUIRE(device->launch(kernel, arguments.map));
    CHECK(state.tensorMapsEncoded == 3);
    CHECK(state.contextDepth == 0);
  }
  CHECK(state.modulesUnloaded == 1);
  CHECK(state.contextRetains == 0);
}

TEST_CASE("clusters and PTX without a cubin") {
  FakeCudaState &state = fake();
  const auto device = openFake();
  Kernel kernel = gemmKernel();
  kernel.codes[0].ptx = "some ptx";
  kernel.cluster = {2, 1, 1};
  const GemmArguments arguments;
  REQUIRE(device->launch(kernel, arguments.map));
  CHECK(std::strcmp(reinterpret_cast<char *>(state.image), "some ptx") == 0);
  CHECK(state.launchAttributes == 1);
  CHECK(state.cluster[0] == 2);
  CHECK(state.cluster[1] == 1);
  CHECK(state.nonPortableCluster == 0);

  kernel.grid = {constant(16), constant(1), constant(1)};
  kernel.cluster = {16, 1, 1};
  REQUIRE(device->launch(kernel, arguments.map));
  CHECK(state.nonPortableCluster == 1);
  CHECK(state.cluster[0] == 16);
}

TEST_CASE("the driver's SM count and programmatic dependent launch") {
  FakeCudaState &state = fake();
  state.smCount = 132;
  const auto device = openFake();
  Kernel kernel = gemmKernel();
  kernel.grid = {op(HostExpr::Kind::sub, {smCount(), constant(2)}), constant(1),
                 constant(1)};
  const GemmArguments arguments;
  REQUIRE(device->launch(kernel, arguments.map));
  CHECK(state.grid[0] == 130);
  CHECK(state.launchAttributes == 0);
  CHECK(state.programmaticStreamSerialization == 0);

  kernel.programmatic_dependent_launch = true;
  REQUIRE(device->launch(kernel, arguments.map));
  CHECK(state.launchAttributes == 1);
  CHECK(state.programmaticStreamSerialization == 1);
  CHECK(state.cluster[0] == 0);

  kernel.cluster = {2, 1, 1};
  REQUIRE(device->launch(kernel, arguments.map));
  CHECK(state.launchAttributes == 2);
  CHECK(state.programmaticStreamSerialization == 1);
  CHECK(state.cluster[0] == 2);
}

TEST_CASE("the code must be for the device") {
  FakeCudaState &state = fake();
  const GemmArguments arguments;
  Kernel kernel = gemmKernel();
  state.capability[0] = 9;
  const auto hopper = openFake();
  const auto refused = hopper->launch(kernel, arguments.map);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        "kernel gemm_step04: has no code for sm_90a or sm_90, which device "
        "cuda:0 (Fake GPU, sm_90) needs; it has code for sm_100a");
  kernel.codes.push_back(kernel.codes[0]);
  kernel.codes[1].target = "sm_90a";
  kernel.codes[1].ptx = "for hopper";
  REQUIRE(hopper->launch(kernel, arguments.map));
  CHECK(std::strcmp(reinterpret_cast<char *>(state.image), "for hopper") == 0);

  // Static shared memory that ptxas reported counts too.
  kernel.codes[1].resources = ResourceReport();
  kernel.codes[1].resources->static_shared_bytes = 232448 - 65536;
  CHECK(hopper->launch(kernel, arguments.map));
  kernel.codes[1].resources->static_shared_bytes += 1;
  const auto tooMuch = hopper->launch(kernel, arguments.map);
  REQUIRE_FALSE(tooMuch);
  CHECK_THAT(tooMuch.error().message,
             Catch::Contains("166913 bytes of static and 65536 of dynamic "
                             "shared memory for sm_90a, more than 232448"));
}

TEST_CASE("errors of the driver at launch") {
  FakeCudaState &state = fake();
  const auto device = openFake();
  const GemmArguments arguments;
  for (const char *function :
       {"cuModuleLoadData", "cuModuleGetFunction", "cuFuncSetAttribute",
        "cuTensorMapEncodeTiled", "cuLaunchKernelEx", "cuCtxSynchronize"}) {
    // A new kernel each time: nothing is cached.
    Kernel kernel = gemmKernel();
    kernel.codes[0].ptx = function;
    GemmArguments own;
    state.failFunction = function;
    state.failCode = 719;
    const auto result = device->launch(kernel, own.map);
    INFO(function);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message,
               Catch::StartsWith("kernel gemm_step04 on cuda:0: ") &&
                   Catch::Contains(function) &&
                   Catch::Contains("CUDA_ERROR_LAUNCH_FAILED (719)"));
    CHECK(state.contextDepth == 0);
  }
  state.failFunction = nullptr;
  Kernel renamed = gemmKernel();
  renamed.name = "other";
  const auto missing = device->launch(renamed, arguments.map);
  REQUIRE_FALSE(missing);
  CHECK_THAT(
      missing.error().message,
      Catch::Contains("cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500)"));

  // Wrong arguments do not reach the driver.
  const int launches = state.launches;
  GemmArguments wrong;
  wrong.tensor("A").dtype = DType::bf16;
  CHECK_FALSE(device->launch(gemmKernel(), wrong.map));
  CHECK(state.launches == launches);
  CHECK(device->launch(gemmKernel(), arguments.map));
  CHECK(state.launches == launches + 1);
}
