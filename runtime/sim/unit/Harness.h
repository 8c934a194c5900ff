//===- Harness.h - run small PTX kernels in tests ---------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Simulator.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

namespace tirx::rt::sim::test {

/// The head that every test module starts with.
inline std::string module(const std::string &body) {
  return ".version 8.8\n.target sm_100a\n.address_size 64\n" + body;
}

/// An entry `k` with parameters p0, p1, ... of 64 bits.
inline std::string kernel(unsigned parameters, const std::string &body,
                          const std::string &before = {}) {
  std::string text = before + ".visible .entry k(";
  for (unsigned i = 0; i < parameters; ++i)
    text += (i ? ", " : "") + std::string(".param .u64 p") + std::to_string(i);
  return module(text + ")\n{\n" + body + "\n}\n");
}

struct Launch {
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {32, 1, 1},
                          cluster = {1, 1, 1};
  uint32_t shared = 0;
  SimOptions options;
};

/// One buffer of device memory with typed access.
template <class T> class Buffer {
public:
  Buffer(GlobalMemory &memory, size_t count, const std::string &name = {})
      : memory(memory), count(count) {
    auto pointer = memory.allocate(count * sizeof(T), name);
    REQUIRE(pointer);
    data = static_cast<T *>(*pointer);
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { (void)memory.free(data); }
  T &operator[](size_t i) { return data[i]; }
  uint64_t address() const { return reinterpret_cast<uintptr_t>(data); }
  size_t size() const { return count; }
  T *begin() { return data; }
  T *end() { return data + count; }

private:
  GlobalMemory &memory;
  size_t count;
  T *data = nullptr;
};

/// Packs 64-bit parameters.
inline std::vector<std::byte> pack(std::initializer_list<uint64_t> values) {
  std::vector<std::byte> out(values.size() * 8);
  size_t at = 0;
  for (uint64_t value : values) {
    std::memcpy(out.data() + at, &value, 8);
    at += 8;
  }
  return out;
}

inline Expected<LaunchStats> tryRun(const std::string &ptx,
                                    GlobalMemory &memory,
                                    const std::vector<std::byte> &parameters,
                                    const Launch &launch = {}) {
  auto program = loadProgram(ptx, "test.ptx");
  if (!program)
    return tl::unexpected<Error>(program.error());
  SimLaunch sim;
  sim.grid = launch.grid;
  sim.block = launch.block;
  sim.cluster = launch.cluster;
  sim.dynamic_shared_bytes = launch.shared;
  sim.parameters = parameters;
  SimOptions options = launch.options;
  if (options.max_instructions == 0)
    options.max_instructions = 20'000'000;
  return run(**program, "k", sim, memory, options);
}

inline LaunchStats mustRun(const std::string &ptx, GlobalMemory &memory,
                           const std::vector<std::byte> &parameters,
                           const Launch &launch = {}) {
  auto result = tryRun(ptx, memory, parameters, launch);
  if (!result)
    FAIL(result.error().message);
  return *result;
}

inline std::string mustFail(const std::string &ptx, GlobalMemory &memory,
                            const std::vector<std::byte> &parameters,
                            const Launch &launch = {}) {
  auto result = tryRun(ptx, memory, parameters, launch);
  REQUIRE_FALSE(result);
  return result.error().message;
}

/// A generator whose seed the test prints.
struct Random {
  explicit Random(uint64_t seed) : seed(seed), engine(seed) {}
  uint64_t seed;
  std::mt19937_64 engine;
  uint64_t bits() { return engine(); }
  float normal() { return std::normal_distribution<float>()(engine); }
};

} // namespace tirx::rt::sim::test
