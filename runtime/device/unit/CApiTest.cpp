//===- CApiTest.cpp - the runtime through its C functions -------*- C++ -*-===//
#include "CApiUse.h"
#include "PtxKernels.h"
#include "tirx/Runtime/File.h"
#include "tirx/Runtime/Tensor.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <dlpack/dlpack.h>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace tirx::rt;

namespace {

struct DeviceCloser {
  void operator()(tirx_device *device) const { tirx_device_close(device); }
};
struct ArtifactFreer {
  void operator()(tirx_artifact *artifact) const {
    tirx_artifact_free(artifact);
  }
};
using DevicePtr = std::unique_ptr<tirx_device, DeviceCloser>;
using ArtifactPtr = std::unique_ptr<tirx_artifact, ArtifactFreer>;

DevicePtr openSim() {
  DevicePtr device(tirx_device_open("sim:sm_100a", nullptr));
  REQUIRE(device);
  return device;
}

ArtifactPtr loadScale() {
  const auto bytes = writeArtifact(test::scaleArtifact());
  ArtifactPtr artifact(tirx_artifact_load_memory(bytes.data(), bytes.size()));
  REQUIRE(artifact);
  return artifact;
}

std::vector<float> randomFloats(int64_t count, uint64_t seed) {
  const HostTensor tensor = randomNormal(DType::f32, {count}, seed);
  std::vector<float> result(static_cast<size_t>(count));
  std::memcpy(result.data(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

tirx_arg tensorArg(const char *name, void *data, const int64_t *shape) {
  tirx_arg arg = {};
  arg.name = name;
  arg.kind = TIRX_ARG_TENSOR;
  arg.value.tensor = {data, "f32", 1, shape, nullptr};
  return arg;
}

tirx_arg realArg(const char *name, double value) {
  tirx_arg arg = {};
  arg.name = name;
  arg.kind = TIRX_ARG_REAL;
  arg.value.real = value;
  return arg;
}

} // namespace

TEST_CASE("a C program launches a kernel") {
  CHECK(argSizeInC() == sizeof(tirx_arg));
  CHECK(statsSizeInC() == sizeof(tirx_launch_stats));
  const auto bytes = writeArtifact(test::scaleArtifact());
  const auto a = randomFloats(200, 0x5eed0050);
  std::vector<float> d(200, -12345.0f);
  tirx_launch_stats stats = {};
  const int status = scaleFromC("sim:sm_100a", bytes.data(), bytes.size(),
                                a.data(), d.data(), 200, 2.5f, &stats);
  INFO(tirx_last_error());
  REQUIRE(status == 0);
  for (size_t i = 0; i < d.size(); ++i)
    CHECK(d[i] == a[i] * 2.5f);
  CHECK(stats.warp_instructions > 0);
  CHECK(stats.seconds > 0);
  CHECK(scaleFromC("sim:sm_999", bytes.data(), bytes.size(), a.data(), d.data(),
                   200, 1, nullptr) == -1);
}

TEST_CASE("DLPack tensors, with offset and strides") {
  const auto device = openSim();
  const auto artifact = loadScale();
  auto a = randomFloats(64, 0x5eed0051);
  std::vector<float> d(64, -1);
  int64_t shape = 60, stride = 1;
  DLTensor in = {};
  in.data = a.data();
  in.device = {kDLCPU, 0};
  in.ndim = 1;
  in.dtype = {kDLFloat, 32, 1};
  in.shape = &shape;
  in.byte_offset = 16;
  DLTensor out = in;
  out.data = d.data();
  out.strides = &stride;
  out.byte_offset = 0;
  tirx_arg args[3] = {};
  args[0].name = "A";
  args[0].value.dlpack = &in;
  args[1].name = "D";
  args[1].value.dlpack = &out;
  args[2] = realArg("alpha", 2);
  const auto *kernel = tirx_artifact_find_kernel(artifact.get(), "scale");
  REQUIRE(kernel);
  const int status = tirx_launch(device.get(), kernel, args, 3, nullptr);
  INFO(tirx_last_error());
  REQUIRE(status == 0);
  for (size_t i = 0; i < 60; ++i)
    CHECK(d[i] == a[i + 4] * 2);
  CHECK(d[60] == -1);

  in.device = {kDLCUDA, 0};
  CHECK(tirx_launch(device.get(), kernel, args, 3, nullptr) == -1);
  CHECK_THAT(tirx_last_error(), Catch::StartsWith("argument 'A': a DLPack "
                                                  "tensor on device type 2") &&
                                    Catch::Contains("(kernel scale)"));
  args[0].value.dlpack = nullptr;
  CHECK(tirx_launch(device.get(), kernel, args, 3, nullptr) == -1);
  CHECK_THAT(tirx_last_error(), Catch::Contains("its DLTensor is NULL"));
}

TEST_CASE("device memory from C") {
  const auto device = openSim();
  void *pointer = nullptr;
  REQUIRE(tirx_device_allocate(device.get(), 64, &pointer) == 0);
  char in[64] = "bytes", out[64] = "";
  CHECK(tirx_device_copy_to_device(device.get(), pointer, in, 64) == 0);
  CHECK(tirx_device_copy_to_host(device.get(), out, pointer, 64) == 0);
  CHECK(std::strcmp(out, "bytes") == 0);
  CHECK(tirx_device_copy_to_host(device.get(), out, pointer, 1 << 20) == -1);
  CHECK(tirx_device_free(device.get(), pointer) == 0);
  CHECK(tirx_device_free(device.get(), pointer) == -1);
  CHECK(tirx_device_allocate(device.get(), 64, nullptr) == -1);
  CHECK_THAT(tirx_last_error(), Catch::Contains("pointer is NULL"));
}

TEST_CASE("artifacts and kernels from C") {
  const auto bytes = writeArtifact(test::scaleArtifact());
  const std::string path = std::filesystem::temp_directory_path() /
                           fmt::format("tirx-capi-{}.txk", ::getpid());
  REQUIRE(writeFileAtomically(path, bytes.data(), bytes.size()));
  const ArtifactPtr artifact(tirx_artifact_load_file(path.c_str()));
  std::filesystem::remove(path);
  REQUIRE(artifact);
  CHECK(tirx_artifact_kernel_count(artifact.get()) == 1);
  const auto *kernel = tirx_artifact_kernel_at(artifact.get(), 0);
  CHECK(std::string(tirx_kernel_name(kernel)) == "scale");
  CHECK(tirx_artifact_find_kernel(artifact.get(), "scale") == kernel);
  CHECK_FALSE(tirx_artifact_kernel_at(artifact.get(), 1));
  CHECK_FALSE(tirx_artifact_find_kernel(artifact.get(), "other"));
  CHECK(std::string(tirx_last_error()) ==
        "no kernel 'other'; the artifact has scale");
  CHECK_FALSE(tirx_artifact_load_file(path.c_str()));
  CHECK_THAT(tirx_last_error(), Catch::Contains("No such file"));
  CHECK_FALSE(tirx_artifact_load_memory(bytes.data(), bytes.size() - 1));
  CHECK_THAT(tirx_last_error(), Catch::Contains("truncated"));
}

TEST_CASE("wrong arguments from C") {
  const auto device = openSim();
  const auto artifact = loadScale();
  const auto *kernel = tirx_artifact_kernel_at(artifact.get(), 0);
  auto a = randomFloats(32, 0x5eed0052);
  std::vector<float> d(32, -1);
  const int64_t shape = 32;
  const tirx_arg good[3] = {tensorArg("A", a.data(), &shape),
                            tensorArg("D", d.data(), &shape),
                            realArg("alpha", 1)};
  const auto expectError = [&](auto change, const char *message) {
    std::vector<tirx_arg> args(good, good + 3);
    change(args);
    INFO(message);
    CHECK(tirx_launch(device.get(), kernel, args.data(), args.size(),
                      nullptr) == -1);
    CHECK_THAT(tirx_last_error(), Catch::Contains(message));
  };
  using Args = std::vector<tirx_arg>;
  expectError([](Args &args) { args.pop_back(); }, "argument 'alpha': missing");
  expectError([](Args &args) { args.push_back(args[0]); },
              "argument 'A': given twice (kernel scale)");
  expectError([](Args &args) { args[0].name = nullptr; },
              "argument 0 has no name");
  expectError([](Args &args) { args[0].value.tensor.dtype = "f33"; },
              "argument 'A': unknown dtype 'f33'");
  expectError([](Args &args) { args[0].value.tensor.dtype = nullptr; },
              "argument 'A': unknown dtype 'NULL'");
  expectError([](Args &args) { args[0].value.tensor.dtype = "f16"; },
              "argument 'A': dtype f16, expected f32");
  expectError([](Args &args) { args[0].value.tensor.ndim = -1; }, "rank -1");
  expectError([](Args &args) { args[0].value.tensor.shape = nullptr; },
              "rank 1 with no shape");
  expectError([](Args &args) { args[0].kind = 9; },
              "argument 'A': unknown kind 9");
  expectError(
      [](Args &args) { args[2] = tensorArg("alpha", nullptr, nullptr); },
      "argument 'alpha'");
  CHECK(d == std::vector<float>(32, -1));
  CHECK(tirx_launch(device.get(), kernel, good, 3, nullptr) == 0);
  CHECK(d == a);

  CHECK(tirx_launch(nullptr, kernel, good, 3, nullptr) == -1);
  CHECK(tirx_launch(device.get(), nullptr, good, 3, nullptr) == -1);
  CHECK(tirx_launch(device.get(), kernel, nullptr, 3, nullptr) == -1);
  CHECK_THAT(tirx_last_error(), Catch::Contains("args is NULL"));
}

TEST_CASE("NULL is survived everywhere, and messages are each thread's own") {
  CHECK_FALSE(tirx_device_open(nullptr, nullptr));
  CHECK_FALSE(tirx_artifact_load_file(nullptr));
  CHECK_FALSE(tirx_artifact_load_memory(nullptr, 0));
  CHECK_FALSE(tirx_artifact_kernel_at(nullptr, 0));
  CHECK_FALSE(tirx_artifact_find_kernel(nullptr, "x"));
  CHECK(tirx_artifact_kernel_count(nullptr) == 0);
  CHECK(std::string(tirx_kernel_name(nullptr)).empty());
  CHECK(tirx_device_warning(nullptr, 0) == nullptr);
  CHECK(tirx_device_free(nullptr, nullptr) == -1);
  CHECK(std::string(tirx_last_error()) == "device is NULL");
  tirx_device_close(nullptr);
  tirx_artifact_free(nullptr);
  std::string other = "unset";
  std::thread([&] { other = tirx_last_error(); }).join();
  CHECK(other.empty());

  tirx_sim_options options = {};
  options.delivery = 3;
  CHECK_FALSE(tirx_device_open("sim:sm_100a", &options));
  CHECK(std::string(tirx_last_error()) == "delivery = 3 is not in 0..2");
  options.delivery = TIRX_SIM_DELIVERY_LAZY;
  options.schedule = TIRX_SIM_SCHEDULE_RANDOM;
  options.seed = 5;
  const DevicePtr device(tirx_device_open("sim:sm_100a", &options));
  CHECK(device);
}
