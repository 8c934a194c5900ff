//===- SimDeviceTest.cpp - the simulator as a device ------------*- C++ -*-===//
#include "PtxKernels.h"
#include "TestKernels.h"
#include "TileRun.h"
#include "tirx/Runtime/Compare.h"
#include "tirx/Runtime/Tensor.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace tirx::rt;
using namespace tirx::rt::test;

namespace {

std::unique_ptr<Device> openSim(const char *name = "sim:sm_100a") {
  auto device = openDevice(name);
  REQUIRE(device);
  return std::move(*device);
}

/// alpha * a, each product rounded to f32 once.
HostTensor scaled(const HostTensor &a, float alpha) {
  HostTensor result = a;
  for (size_t at = 0; at < a.bytes.size(); at += 4) {
    float value;
    std::memcpy(&value, a.bytes.data() + at, 4);
    value *= alpha;
    std::memcpy(result.bytes.data() + at, &value, 4);
  }
  return result;
}

TensorArg hostArg(HostTensor &tensor) {
  return {tensor.bytes.data(), tensor.dtype, tensor.shape, {}};
}

ArgMap scaleArgs(HostTensor &a, HostTensor &d, double alpha) {
  return {{"A", hostArg(a)}, {"D", hostArg(d)}, {"alpha", ScalarArg(alpha)}};
}

std::string launchError(Device &device, const Kernel &kernel,
                        const ArgMap &args) {
  const auto stats = device.launch(kernel, args);
  REQUIRE_FALSE(stats);
  return stats.error().message;
}

} // namespace

TEST_CASE("a kernel runs on host memory") {
  const auto device = openSim();
  const Kernel kernel = scaleArtifact().kernels[0];
  const uint64_t seed = 0x5eed0040;
  INFO("seed " << seed);
  HostTensor a = randomNormal(DType::f32, {1000}, seed);
  HostTensor d = poisoned(DType::f32, {1000});
  const auto stats = device->launch(kernel, scaleArgs(a, d, 1.75));
  if (!stats)
    FAIL(stats.error().message);
  CHECK(stats->warp_instructions > 8 * 4 * 10);
  const auto result = compare(d, scaled(a, 1.75f), 0, 0);
  REQUIRE(result);
  if (!result->ok())
    FAIL(toString(*result));

  // The program is cached: other arguments, same result otherwise.
  HostTensor shorter = randomNormal(DType::f32, {77}, seed + 1);
  HostTensor e = poisoned(DType::f32, {77});
  REQUIRE(device->launch(kernel, scaleArgs(shorter, e, -3)));
  CHECK(e.bytes == scaled(shorter, -3).bytes);
}

TEST_CASE("the simulated number of SMs") {
  struct Row {
    const char *device;
    uint32_t asked, expected;
  };
  for (const Row &row : {Row{"sim:sm_100a", 0, 148},
                         {"sim:sm_90a", 0, 132},
                         {"sim:sm_100a", 3, 3},
                         {"sim:sm_90a", 999, 999}}) {
    SimOptions options;
    options.sm_count = row.asked;
    const auto device = openDevice(row.device, options);
    REQUIRE(device);
    Kernel kernel = scaleArtifact().kernels[0];
    kernel.codes[0].target = std::string(row.device).substr(4);
    kernel.checks = {
        {op(HostExpr::Kind::eq, {smCount(), constant(row.expected)}),
         "as many SMs as expected"}};
    HostTensor a = randomNormal(DType::f32, {8}, 0x5eed0042);
    HostTensor d = poisoned(DType::f32, {8});
    CHECK((*device)->launch(kernel, scaleArgs(a, d, 2)));
    kernel.checks[0].condition.operands[1].value += 1;
    CHECK_THAT(launchError(**device, kernel, scaleArgs(a, d, 2)),
               Catch::Contains("condition sm_count() == "));
  }
}

TEST_CASE("a kernel runs on the device's own memory") {
  const auto device = openSim();
  const Kernel kernel = scaleArtifact().kernels[0];
  HostTensor a = randomNormal(DType::f32, {300}, 0x5eed0041);
  const auto deviceA = device->allocate(1200), deviceD = device->allocate(1200);
  REQUIRE(deviceA);
  REQUIRE(deviceD);
  CHECK(reinterpret_cast<uintptr_t>(*deviceA) % 256 == 0);
  REQUIRE(device->copyToDevice(*deviceA, a.bytes.data(), 1200));
  const ArgMap args = {{"A", TensorArg{*deviceA, DType::f32, {300}, {}}},
                       {"D", TensorArg{*deviceD, DType::f32, {300}, {}}},
                       {"alpha", ScalarArg(0.5)}};
  const auto stats = device->launch(kernel, args);
  if (!stats)
    FAIL(stats.error().message);
  HostTensor d = poisoned(DType::f32, {300});
  REQUIRE(device->copyToHost(d.bytes.data(), *deviceD, 1200));
  CHECK(d.bytes == scaled(a, 0.5f).bytes);

  const auto beyond = device->copyToHost(d.bytes.data(), *deviceD, 1 << 20);
  REQUIRE_FALSE(beyond);
  CHECK_THAT(
      beyond.error().message,
      Catch::Contains("not inside one allocation of device sim:sm_100a"));
  CHECK_FALSE(device->copyToDevice(d.bytes.data(), a.bytes.data(), 4));
  CHECK(device->free(*deviceA));
  CHECK_FALSE(device->free(*deviceA));
  CHECK_FALSE(device->copyToHost(d.bytes.data(), *deviceA, 4));
}

TEST_CASE("arguments may share memory") {
  const auto device = openSim();
  const Kernel kernel = scaleArtifact().kernels[0];
  HostTensor a = randomNormal(DType::f32, {256}, 0x5eed0042);
  const HostTensor before = a;
  const auto inPlace = device->launch(kernel, scaleArgs(a, a, 2));
  if (!inPlace)
    FAIL(inPlace.error().message);
  CHECK(a.bytes == scaled(before, 2).bytes);
  // Nothing stays registered: the same memory again, and part of it.
  REQUIRE(device->launch(kernel, scaleArgs(a, a, 0.5)));
  CHECK(a.bytes == before.bytes);
}

TEST_CASE("a kernel may not touch what it was not given") {
  const auto device = openSim();
  Kernel kernel = scaleArtifact().kernels[0];
  HostTensor a = randomNormal(DType::f32, {512}, 0x5eed0043);
  HostTensor d = poisoned(DType::f32, {256});
  // Without the check, the kernel writes 512 elements into 256.
  CHECK_THAT(launchError(*device, kernel, scaleArgs(a, d, 2)),
             Catch::Contains("launch check failed: A and D must be equally "
                             "long") &&
                 Catch::Contains("(kernel scale)"));
  kernel.checks.clear();
  CHECK_THAT(launchError(*device, kernel, scaleArgs(a, d, 2)),
             Catch::Contains("st.global.f32"));
  // Declared as read, written all the same.
  HostTensor e = poisoned(DType::f32, {512});
  kernel.arguments[1].access = Argument::Access::read;
  CHECK_FALSE(device->launch(kernel, scaleArgs(a, e, 2)));
  kernel.arguments[1].access = Argument::Access::write;
  CHECK(device->launch(kernel, scaleArgs(a, e, 2)));
}

TEST_CASE("code that does not fit the device or the manifest") {
  const auto device = openSim();
  HostTensor a = randomNormal(DType::f32, {128}, 0x5eed0044);
  HostTensor d = poisoned(DType::f32, {128});
  const ArgMap args = scaleArgs(a, d, 1);
  const Kernel kernel = scaleArtifact().kernels[0];
  CHECK(launchError(*openSim("sim:sm_90a"), kernel, args) ==
        "kernel scale: has no code for sm_90a, which device sim:sm_90a needs; "
        "it has code for sm_100a");

  Kernel cubinOnly = kernel;
  cubinOnly.codes[0].cubin = {std::byte(1)};
  cubinOnly.codes[0].ptx.clear();
  CHECK_THAT(launchError(*device, cubinOnly, args),
             Catch::Contains("has a cubin but no PTX for sm_100a"));

  Kernel renamed = kernel;
  renamed.name = "other";
  CHECK_THAT(
      launchError(*device, renamed, args),
      Catch::Contains("kernel other: its PTX has no entry of this name"));

  Kernel shorter = kernel;
  shorter.parameters.pop_back();
  CHECK_THAT(launchError(*device, shorter, args),
             Catch::Contains("the PTX entry has 4 parameters, the manifest 3"));

  Kernel wider = kernel;
  wider.parameters[1].bytes = 8;
  CHECK_THAT(launchError(*device, wider, args),
             Catch::Contains("parameter 1 has 4 bytes in the PTX, 8 in the "
                             "manifest"));

  Kernel malformed = kernel;
  malformed.codes[0].ptx = "this is no PTX";
  CHECK_FALSE(device->launch(malformed, args));
  CHECK(device->launch(kernel, args));
}

TEST_CASE("tensor maps, clusters and dynamic shared memory") {
  for (uint64_t seed : {0x5eed0045, 0x5eed0046})
    for (const auto delivery :
         {SimOptions::Delivery::eager, SimOptions::Delivery::lazy,
          SimOptions::Delivery::random}) {
      SimOptions options;
      options.delivery = delivery;
      options.schedule = SimOptions::Schedule::random;
      options.seed = seed;
      const auto device = openDevice("sim:sm_100a", options);
      REQUIRE(device);
      INFO("seed " << seed << " delivery " << int(delivery));
      CHECK(runTile(**device, tileArtifact().kernels[0], seed) == "");
    }
}

TEST_CASE("empty tensors launch no grid") {
  const auto device = openSim();
  HostTensor a = poisoned(DType::f32, {0}), d = a;
  CHECK_THAT(
      launchError(*device, scaleArtifact().kernels[0], scaleArgs(a, d, 1)),
      Catch::Contains("grid.x = ceildiv(A.shape[0], 128) = 0, must be in"));
}
