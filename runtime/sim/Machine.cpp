//===- Machine.cpp - launch checks, memory lookup, warnings -----*- C++ -*-===//

#include "Machine.h"
#include "Handlers.h"
#include "Scheduler.h"

#include <chrono>
#include <cstring>

namespace tirx::rt::sim {

Machine::Machine(const Program &program, const EntryCode &entry,
                 const SimLaunch &launch, GlobalMemory &memory,
                 const SimOptions &options)
    : program(program), entry(entry), launch(launch), memory(memory),
      options(options), rng(options.seed) {
  size_t bytes = entry.constants.size() * 8;
  constants.resize(bytes + 256);
  auto raw = reinterpret_cast<uintptr_t>(constants.data());
  constant_base = constants.data() + ((raw + 255) / 256 * 256 - raw);
  if (bytes)
    std::memcpy(constant_base, entry.constants.data(), bytes);
}

Machine::~Machine() {
  for (void *pointer : registered)
    (void)memory.unregisterHost(pointer);
}

uint64_t Machine::random(uint64_t below) { return rng() % below; }

Expected<void> Machine::checkLaunch() {
  const ast::Function &function = *entry.function;
  uint64_t threads = 1, ctas = 1, cluster = 1;
  // Limits of sm_100 (CUDA C++ Programming Guide, compute capabilities).
  static constexpr uint64_t grid_limits[] = {0x7FFFFFFF, 65535, 65535};
  static constexpr uint64_t block_limits[] = {1024, 1024, 64};
  for (unsigned i = 0; i < 3; ++i) {
    char axis = "xyz"[i];
    if (launch.grid[i] == 0 || launch.grid[i] > grid_limits[i])
      return makeError("kernel '{}': grid.{} is {}; allowed are 1 to {}",
                       function.name, axis, launch.grid[i], grid_limits[i]);
    if (launch.block[i] == 0 || launch.block[i] > block_limits[i])
      return makeError("kernel '{}': block.{} is {}; allowed are 1 to {}",
                       function.name, axis, launch.block[i], block_limits[i]);
    if (launch.cluster[i] == 0 || launch.grid[i] % launch.cluster[i] != 0)
      return makeError("kernel '{}': grid.{} = {} is no multiple of cluster.{} "
                       "= {}",
                       function.name, axis, launch.grid[i], axis,
                       launch.cluster[i]);
    threads *= launch.block[i];
    ctas *= launch.grid[i];
    cluster *= launch.cluster[i];
    if (function.reqntid[0] && function.reqntid[i] != launch.block[i])
      return makeError("kernel '{}': block.{} is {}, .reqntid says {}",
                       function.name, axis, launch.block[i],
                       function.reqntid[i]);
    if (function.reqnctapercluster[0] &&
        function.reqnctapercluster[i] != launch.cluster[i])
      return makeError("kernel '{}': cluster.{} is {}, .reqnctapercluster says "
                       "{}",
                       function.name, axis, launch.cluster[i],
                       function.reqnctapercluster[i]);
  }
  uint64_t most = 1024;
  if (function.maxntid[0])
    most =
        std::min<uint64_t>(most, uint64_t(function.maxntid[0]) *
                                     function.maxntid[1] * function.maxntid[2]);
  if (threads > most)
    return makeError("kernel '{}': {} threads a block; the limit is {}{}",
                     function.name, threads, most,
                     function.maxntid[0] ? " (.maxntid)" : "");
  if (cluster > 16)
    return makeError("kernel '{}': {} CTAs a cluster; the limit is 16",
                     function.name, cluster);
  if (ctas > 0xFFFFFFFFull)
    return makeError("kernel '{}': {} CTAs exceed 2^32-1", function.name, ctas);
  uint64_t dynamic_end =
      uint64_t(entry.dynamic_shared_base) + launch.dynamic_shared_bytes;
  // 227 KiB above the reserved first KiB.
  constexpr uint64_t limit = kSharedBase + 227 * 1024;
  if (dynamic_end > limit)
    return makeError("kernel '{}': {} bytes of dynamic and {} of static shared "
                     "memory; the limit is {}",
                     function.name, launch.dynamic_shared_bytes,
                     entry.static_shared_bytes, 227 * 1024);
  if (launch.parameters.size() < function.parameter_bytes)
    return makeError(
        "kernel '{}': parameter block of {} bytes; the entry takes "
        "{}",
        function.name, launch.parameters.size(), function.parameter_bytes);
  threads_per_cta = static_cast<uint32_t>(threads);
  warps_per_cta = (threads_per_cta + kLanes - 1) / kLanes;
  cluster_size = static_cast<uint32_t>(cluster);
  shared_bytes = static_cast<uint32_t>(dynamic_end);
  return {};
}

void Machine::bindVariables() {
  const std::vector<ast::Variable> &variables = program.module.variables;
  variable_addresses.assign(variables.size(), 0);
  variable_storage.resize(variables.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    const ast::Variable &variable = variables[i];
    if ((variable.space != ast::Space::global &&
         variable.space != ast::Space::constant) ||
        variable.bytes == 0)
      continue;
    std::vector<unsigned char> &bytes = variable_storage[i];
    bytes.resize(variable.bytes + variable.align);
    auto raw = reinterpret_cast<uintptr_t>(bytes.data());
    unsigned char *base =
        bytes.data() +
        ((raw + variable.align - 1) / variable.align * variable.align - raw);
    std::copy(variable.init.begin(), variable.init.end(), base);
    variable_addresses[i] = reinterpret_cast<uintptr_t>(base);
    if (memory.registerHost(base, variable.bytes,
                            variable.space == ast::Space::global,
                            variable.name))
      registered.push_back(base);
  }
}

Expected<LaunchStats> Machine::run() {
  if (Expected<void> checked = checkLaunch(); !checked)
    return tl::unexpected<Error>(checked.error());
  auto begin = std::chrono::steady_clock::now();
  bindVariables();
  Scheduler(*this).run();
  if (!error.empty())
    return tl::unexpected<Error>(Error{error});
  stats.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return stats;
}

// --- global memory
// ------------------------------------------------------------

std::byte *Machine::findGlobal(uint64_t address, uint64_t bytes, bool write) {
  const GlobalMemory::Allocation *found = recent;
  if (!found || address < found->address ||
      address - found->address > found->bytes ||
      bytes > found->bytes - (address - found->address)) {
    found = memory.find(address, bytes);
    if (!found)
      return nullptr;
    recent = found;
  }
  if (write && !found->writable)
    return nullptr;
  return reinterpret_cast<std::byte *>(address);
}

std::string Machine::describeGlobal(uint64_t address, uint64_t bytes,
                                    bool write) {
  const GlobalMemory::Allocation *exact = memory.find(address, bytes);
  if (exact && write && !exact->writable)
    return fmt::format("{} bytes at {:#x} lie in read-only memory{}{}", bytes,
                       address, exact->name.empty() ? "" : ": ", exact->name);
  const GlobalMemory::Allocation *near = memory.nearest(address);
  if (!near)
    return fmt::format("{} bytes at {:#x}; no global memory is allocated",
                       bytes, address);
  std::string name = near->name.empty() ? std::string("the nearest allocation")
                                        : fmt::format("'{}'", near->name);
  if (address >= near->address)
    return fmt::format("{} bytes at {:#x}: {} bytes behind the start of {} "
                       "({:#x}, {} bytes)",
                       bytes, address, address - near->address, name,
                       near->address, near->bytes);
  return fmt::format("{} bytes at {:#x}: {} bytes before {} ({:#x}, {} bytes)",
                     bytes, address, near->address - address, name,
                     near->address, near->bytes);
}

Expected<std::byte *> Machine::access(uint64_t address, uint64_t bytes,
                                      bool isWrite) {
  if (std::byte *found = findGlobal(address, bytes, isWrite))
    return found;
  return makeError("global {} out of bounds: {}", isWrite ? "write" : "read",
                   describeGlobal(address, bytes, isWrite));
}

Cta *Machine::ctaOf(Cta &from, uint32_t address, std::string &why) {
  uint32_t rank = address >> kRankShift;
  if (rank >= from.cluster->ctas.size()) {
    why = fmt::format("address {:#x} names CTA rank {}, the cluster has {}",
                      address, rank, from.cluster->ctas.size());
    return nullptr;
  }
  Cta *cta = from.cluster->ctas[rank].get();
  if (cta->live_threads == 0 && cta != &from) {
    why = fmt::format("address {:#x} lies in CTA rank {}, which has exited",
                      address, rank);
    return nullptr;
  }
  return cta;
}

TensorMemory &Cta::tensorMemory() {
  if (!tmem)
    tmem = std::make_unique<TensorMemory>();
  return *tmem;
}

void CopyGroups::commit() {
  committed.push_back({std::move(open), false});
  open.clear();
}

size_t CopyGroups::pending(bool read_only) const {
  for (size_t i = 0; i < committed.size(); ++i)
    for (const std::shared_ptr<CopyStatus> &status : committed[i].copies)
      if (read_only ? !status->read : !status->written)
        return committed.size() - i;
  return 0;
}

void CopyGroups::waited(size_t left, bool read_only, uint32_t tick) {
  if (committed.size() <= left)
    return;
  auto end =
      committed.begin() + static_cast<ptrdiff_t>(committed.size() - left);
  for (auto group = committed.begin(); group != end; ++group)
    for (const auto &copy : group->copies)
      if (!copy->released)
        copy->released = tick;
  if (read_only)
    for (auto group = committed.begin(); group != end; ++group)
      group->waited = true;
  else
    committed.erase(committed.begin(), end);
}

} // namespace tirx::rt::sim
