//===- Machine.h - state of a running kernel --------------------*- C++ -*-===//
#pragma once

#include "AsyncEngine.h"
#include "Decoder.h"
#include "Program.h"
#include "SharedRaces.h"
#include "SharedShadow.h"
#include "TmemOrder.h"
#include "units/Mbarrier.h"
#include "units/TensorMemory.h"
#include "units/TmaBox.h"

#include <memory>
#include <random>
#include <set>

namespace tirx::rt::sim {

struct Cta;
struct Cluster;
struct TmemUse;
struct Warp;
struct Machine;

/// Generic addresses of windows that are no host memory. Bits 56.. are never
/// set in host pointers.
inline constexpr uint64_t kSharedWindow = uint64_t(1) << 56;
inline constexpr uint64_t kLocalWindow = uint64_t(2) << 56;
inline constexpr uint64_t kParamWindow = uint64_t(3) << 56;
inline constexpr uint64_t kWindowMask = uint64_t(0xFF) << 56;
/// A shared::cluster address: CTA rank above, offset into its window below.
inline constexpr uint32_t kRankShift = 24;
inline constexpr uint32_t kOffsetMask = (1u << kRankShift) - 1;

/// Why a fragment does not run.
struct Wait {
  enum class Kind : uint8_t {
    none,
    join,        ///< lanes of the same branch are still under way
    converge,    ///< a .sync/.aligned instruction waits for other lanes
    mbarrier,    ///< try_wait
    named,       ///< bar.sync and the like
    cluster,     ///< barrier.cluster.wait
    bulk_group,  ///< cp.async.bulk.wait_group
    async_group, ///< cp.async.wait_group
    tmem_load,   ///< tcgen05.wait::ld, or a register that a ld still fills
    tmem_store,  ///< tcgen05.wait::st
    tmem_alloc,  ///< tcgen05.alloc without free columns
    registers,   ///< setmaxnreg.inc without free registers
  };
  Kind kind = Kind::none;
  Cta *cta = nullptr;   ///< mbarrier: whose
  uint32_t address = 0; ///< mbarrier; named: barrier number
  uint32_t parity = 0;
  bool by_token = false;
  uint64_t token = 0;
  uint64_t count = 0;     ///< groups left; generation of a named barrier
  bool arrived = false;   ///< named: this fragment's arrival is counted
  bool timed_out = false; ///< mbarrier: give up once, as hardware may
  uint64_t since = 0;     ///< machine instructions when it began
};

/// Lanes of a warp that run together.
struct Fragment {
  uint32_t pc = 0;
  uint32_t mask = 0;
  int32_t group = -1; ///< Warp::groups: the innermost branch it came from
  Wait wait;
  uint32_t spins = 0; ///< test_wait results of false in a row
  uint64_t turns = 0; ///< times it was scheduled
};

/// Lanes that parted at a branch and meet again at `pc`.
struct JoinGroup {
  uint32_t pc = 0;
  uint32_t expected = 0;
  uint32_t arrived = 0;
  int32_t parent = -1;
};

/// Completion of an asynchronous copy that some group waits for.
struct CopyStatus {
  bool read = false;    ///< its source may be reused
  bool written = false; ///< its destination is complete
  uint32_t line = 0;
  /// The issuing warp's tick when it had waited for the read; 0: not yet.
  uint32_t released = 0;
};
struct CopyGroups {
  struct Group {
    std::vector<std::shared_ptr<CopyStatus>> copies;
    bool waited = false; ///< some wait covered (at least) its reads
  };
  std::vector<std::shared_ptr<CopyStatus>> open;
  std::vector<Group> committed;

  void commit();
  /// Groups that are not complete, counted from the oldest such to the newest.
  size_t pending(bool read_only) const;
  /// Notes a successful wait, at `tick` of the warp, that left `left` groups.
  void waited(size_t left, bool read_only, uint32_t tick);
};

/// A setmaxnreg that a warp has executed.
struct RegisterChange {
  uint32_t count = 0;
  bool increase = false;
  uint32_t line = 0;
  bool operator==(const RegisterChange &other) const {
    return count == other.count && increase == other.increase;
  }
};

struct Warp {
  LaneState lanes;
  Cta *cta = nullptr;
  uint32_t index = 0;
  uint32_t existing = 0; ///< lanes that were launched
  uint32_t live = 0;     ///< lanes that have not exited
  std::vector<Fragment> fragments;
  std::vector<JoinGroup> groups;
  std::vector<unsigned char> storage;
  std::vector<uint32_t> preds;
  std::vector<unsigned char> local;              ///< local_bytes a lane
  std::map<unsigned, CopyGroups> bulk, cp_async; ///< by lane
  unsigned pending_tmem_loads = 0, pending_tmem_stores = 0;
  std::set<uint32_t> pending_slots; ///< registers that tcgen05.ld will write
  /// When each lane last executed fence.proxy.async and tcgen05.fence.
  uint64_t fence_time[kLanes] = {}, before_time[kLanes] = {},
           after_time[kLanes] = {};
  VectorClock clock;      ///< happens-before of shared memory
  uint32_t agent = 0;     ///< index in `clock`: the warp in its cluster
  uint32_t registers = 0; ///< of a thread (setmaxnreg); 0: not known
  std::vector<RegisterChange> register_changes;
  uint32_t cluster_arrived = 0; ///< lanes between cluster arrive and wait
};

struct NamedBarrier {
  uint64_t generation = 0;
  uint32_t expected = 0; ///< threads; 0: no arrival yet
  uint32_t arrived = 0;
  bool counted = false; ///< the thread count was given
  uint32_t red_and = 1, red_or = 0, red_popc = 0;
  uint32_t result_and = 0, result_or = 0, result_popc = 0;
  std::map<uint32_t, uint32_t> warps; ///< lanes arrived by warp
  BarrierClock clock;
};

/// Arrivals by threads of other CTAs: PTX lines, 0 for none.
struct RemoteArrivals {
  uint32_t pending = 0;   ///< in the current phase
  uint32_t completed = 0; ///< in the phase before
};

struct Cta {
  Cta();
  ~Cta();
  Machine *machine = nullptr;
  Cluster *cluster = nullptr;
  uint32_t linear = 0; ///< index in the grid
  uint32_t rank = 0;   ///< in the cluster
  std::array<uint32_t, 3> id = {}, rank3 = {};
  std::vector<std::byte> shared; ///< window from offset 0
  SharedShadow shadow;
  MbarrierFile barriers;
  std::unique_ptr<TensorMemory> tmem;
  TmemAllocator allocator;
  std::vector<TmemUse> tmem_uses; ///< by outstanding operations
  std::unique_ptr<TmemOrder> tmem_order;
  NamedBarrier named[16];
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t live_threads = 0;
  uint32_t exited_threads = 0;
  std::map<uint32_t, BarrierClock> barrier_clocks; ///< of mbarriers
  VectorClock exit_clock; ///< of warps that have exited
  std::vector<RaceWord> race_words;
  std::vector<BulkRead> bulk_reads; ///< sources of bulk copies in this memory
  /// Threads of other CTAs that arrived at a barrier, by its offset.
  std::map<uint32_t, RemoteArrivals> remote_arrivals;
  uint32_t free_registers = 0; ///< for setmaxnreg.inc

  SharedSpan span() { return shared; }
  TensorMemory &tensorMemory();
};

struct Cluster {
  std::array<uint32_t, 3> id = {};
  std::vector<std::unique_ptr<Cta>> ctas;
  uint32_t live_threads = 0;
  /// barrier.cluster: arrivals of the phase.
  uint64_t phase = 0;
  uint32_t arrived = 0;
  std::map<const Warp *, uint32_t> arrived_lanes;
  BarrierClock clock;       ///< of barrier.cluster
  VectorClock memory_clock; ///< of strong and atomic accesses
  uint32_t race_base = 0;   ///< tick that all of its warps have acquired
  /// A bulk tensor copy was multicast to CTAs of several pairs.
  bool multicast_beyond_pair = false;
  /// PTX line of a query that showed a failed try_cancel; 0: none did.
  uint32_t cancel_failed = 0;
};

/// What a handler works on.
struct Context {
  Machine &machine;
  Warp &warp;
  uint32_t fragment; ///< index into warp.fragments
  const Instr &instr;
  uint32_t mask; ///< active lanes: the fragment's, less those guarded off
  /// Other fragments on whose behalf the instruction runs (converge); they
  /// advance or block as this one does.
  std::vector<uint32_t> others = {};

  Fragment &frag() { return warp.fragments[fragment]; }
  Cta &cta() { return *warp.cta; }
  bool resumed() { return frag().wait.kind != Wait::Kind::none; }
  Outcome fault(const std::string &what, int lane = -1);
  Outcome block(Wait wait);
  Actor actor(unsigned lane, std::string_view op = {}) const;
  unsigned firstLane() const { return __builtin_ctz(mask); }
  uint32_t read32(uint32_t operand, unsigned lane) const {
    return reinterpret_cast<const uint32_t *>(warp.lanes.at(operand))[lane];
  }
  uint64_t read64(uint32_t operand, unsigned lane) const {
    return reinterpret_cast<const uint64_t *>(warp.lanes.at(operand))[lane];
  }
  void write32(uint32_t operand, unsigned lane, uint32_t value) const {
    reinterpret_cast<uint32_t *>(warp.lanes.at(operand))[lane] = value;
  }
  void write64(uint32_t operand, unsigned lane, uint64_t value) const {
    reinterpret_cast<uint64_t *>(warp.lanes.at(operand))[lane] = value;
  }
};

struct Machine : GlobalSpace {
  Machine(const Program &program, const EntryCode &entry,
          const SimLaunch &launch, GlobalMemory &memory,
          const SimOptions &options);
  ~Machine() override;

  Expected<LaunchStats> run();

  // GlobalSpace, for the units.
  Expected<std::byte *> access(uint64_t address, uint64_t bytes,
                               bool isWrite) override;
  /// Null when [address, address + bytes) is in no allocation.
  std::byte *findGlobal(uint64_t address, uint64_t bytes, bool write);
  std::string describeGlobal(uint64_t address, uint64_t bytes, bool write);

  /// Shared memory behind a shared::cluster address, seen from `from`; null
  /// with `why` set when there is none.
  Cta *ctaOf(Cta &from, uint32_t address, std::string &why);

  /// Something happened that may let a blocked fragment go on.
  void event() { ++events; }
  /// Adds a warning about the instruction at `pc`, once for each `kind`.
  void warn(uint32_t pc, std::string_view kind, const std::string &text);
  /// Report text for an instruction: kernel, source line, PTX line and text,
  /// CTA, warp, lanes.
  std::string where(const Warp &warp, uint32_t pc, uint32_t mask) const;
  std::string whereLine(uint32_t pc) const;
  void fault(const Warp &warp, uint32_t pc, uint32_t mask,
             const std::string &what);
  void faultText(const std::string &what);

  uint64_t random(uint64_t below);

  const Program &program;
  const EntryCode &entry;
  const SimLaunch &launch;
  GlobalMemory &memory;
  const SimOptions &options;
  LaunchStats stats;
  std::string error;
  AsyncEngine engine;
  std::mt19937_64 rng;
  uint64_t events = 0;
  uint64_t stores = 0; ///< instructions that changed memory
  uint64_t time = 1;   ///< counts instructions; orders writes and fences
  std::vector<std::unique_ptr<Cluster>> clusters; ///< resident
  /// Clusters in grid order; those from next_cluster on have not started.
  uint64_t next_cluster = 0, cluster_count = 0;
  uint32_t race_base = 1; ///< no tick of any clock so far is larger
  /// Records of shared memory of CTAs that have ended, to be used again.
  std::vector<std::vector<RaceWord>> race_memory;
  std::vector<uint64_t> variable_addresses; ///< module variables
  /// Shared memory of MMA operands by descriptor and tile: address, bytes.
  std::map<std::array<uint32_t, 6>, std::vector<std::pair<uint32_t, uint32_t>>>
      operand_ranges;
  uint32_t warps_per_cta = 0, threads_per_cta = 0, cluster_size = 1;
  uint32_t shared_bytes = 0; ///< end of the window

private:
  friend class Scheduler;
  Expected<void> checkLaunch();
  void bindVariables();
  std::vector<unsigned char> constants;
  unsigned char *constant_base = nullptr;
  std::vector<std::vector<unsigned char>> variable_storage;
  std::vector<void *> registered;
  const GlobalMemory::Allocation *recent = nullptr;
  std::set<std::pair<uint32_t, std::string>> warned;

public:
  unsigned char *constantBase() const { return constant_base; }
};

} // namespace tirx::rt::sim
