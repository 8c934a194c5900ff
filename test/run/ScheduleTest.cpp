//===- ScheduleTest.cpp - every tile is visited once ----------------------===//
//
// A kernel of two roles counts its visits of each tile, for each CTA of the
// cluster; only the kind of the schedule differs. The counts begin at a poison
// value, so that neither a lost tile nor a lost write goes unseen.
//
//===----------------------------------------------------------------------===//

#include "tirx/Compiler/Compiler.h"
#include "tirx/Layout/TileSchedule.h"
#include "tirx/Runtime/Device.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace tirx;
using layout::TileCoordinates;
using layout::TileGrid;
using Delivery = rt::SimOptions::Delivery;
using Schedule = rt::SimOptions::Schedule;

namespace {
constexpr int32_t poison = 0x5A5A0000;
constexpr int64_t roles = 2;

struct Config {
  std::string kind;
  int64_t cluster = 1;
  int64_t group = 1;
  int64_t rank = 2;

  auto operator<=>(const Config &) const = default;
};

/// The second role runs in the even CTAs of pairs only.
bool hasLeaders(const Config &config) { return config.cluster % 2 == 0; }

/// Visits[batch][m][n][role][rank], Owners[batch][m][n].
std::string writeKernel(const Config &config) {
  const char *names[] = {"%m", "%n", "%b"};
  const char *extents[] = {"%rows", "%columns", "%batches"};
  std::string coordinates, over, unused;
  for (int64_t axis = 0; axis < 3; ++axis) {
    if (axis >= config.rank) {
      unused +=
          fmt::format("        {} = arith.constant 0 : index\n", names[axis]);
      continue;
    }
    coordinates += (axis ? ", " : "") + std::string(names[axis]);
    over += (axis ? ", " : "") + std::string(extents[axis]);
  }
  auto role = [&](int64_t number, int64_t thread, const char *owners) {
    return fmt::format(R"(
        %tx = tirx.id tx
        %rank = tirx.id cta_rank
        %cluster = tirx.id clx
        %thread = arith.constant {1} : index
        %size = arith.constant {2} : index
        %roles = arith.constant {3} : index
        %role = arith.constant {0} : index
        %one = arith.cmpi eq, %tx, %thread : index
{4}        tirx.for_tiles ({5}) in %tiles : !tirx.schedule<{6}> {{
          scf.if %one {{
            %b_rows = arith.muli %b, %rows : index
            %row = arith.addi %b_rows, %m : index
            %at_row = arith.muli %row, %columns : index
            %tile = arith.addi %at_row, %n : index
            %at_tile = arith.muli %tile, %roles : index
            %tile_role = arith.addi %at_tile, %role : index
            %at_role = arith.muli %tile_role, %size : index
            %at = arith.addi %at_role, %rank : index
            %old = tirx.ld %Visits[%at] : index, !tirx.buffer<?xi32, global> -> vector<1xi32>
            %step = arith.constant dense<1> : vector<1xi32>
            %new = arith.addi %old, %step : vector<1xi32>
            tirx.st %new, %Visits[%at] : vector<1xi32>, index to !tirx.buffer<?xi32, global>
{7}          }}
        }})",
                       number, thread, config.cluster, roles, unused,
                       coordinates, config.rank, owners);
  };
  const char *owners = R"(
            %owner = arith.index_cast %cluster : index to i32
            %value = vector.broadcast %owner : i32 to vector<1xi32>
            tirx.st %value, %Owners[%tile] : vector<1xi32>, index to !tirx.buffer<?xi32, global>
)";
  return fmt::format(R"(
tirx.kernel @visit(%Visits: !tirx.buffer<?xi32, global>, %Owners: !tirx.buffer<?xi32, global>,
                   %rows: index, %columns: index, %batches: index) {{
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule {0} group({1}) over({2}) : !tirx.schedule<{3}>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<{3}>
  tirx.launch grid(%ctas, %c1, %c1) cluster({4}, 1, 1) threads(128) {{
    tirx.roles {{
      tirx.role "first" warps(0) {{{5}
      }}
      tirx.role "second" warps(1 to 3) {6} {{{7}
      }}
      tirx.role "schedule" warps(3) {{
        tirx.fetch_tiles %tiles : !tirx.schedule<{3}>
      }}
    }}
  }}
}})",
                     config.kind, config.group, over, config.rank,
                     config.cluster, role(0, 0, owners),
                     hasLeaders(config) ? "leader" : "", role(1, 33, ""));
}

/// Compiled once, launched for many sizes.
const rt::Kernel &getKernel(const Config &config) {
  static std::map<Config, rt::Kernel> kernels;
  if (auto known = kernels.find(config); known != kernels.end())
    return known->second;
  CompileOptions options;
  options.assemble = false;
  auto result = compile(writeKernel(config), "visit.mlir", options);
  if (!result)
    FAIL(result.error().message);
  return kernels[config] = result->artifact.kernels.front();
}

rt::Device &getDevice(const rt::SimOptions &options) {
  using Key = std::tuple<uint32_t, Delivery, Schedule, uint64_t>;
  static std::map<Key, std::unique_ptr<rt::Device>> devices;
  auto &device = devices[{options.sm_count, options.delivery, options.schedule,
                          options.seed}];
  if (!device) {
    auto opened = rt::openDevice("sim:sm_100a", options);
    REQUIRE(opened);
    device = std::move(*opened);
  }
  return *device;
}

/// An array in device memory, filled with the poison value.
class DeviceArray {
public:
  DeviceArray(rt::Device &device, int64_t count)
      : device(device), values(count, poison) {
    auto memory = device.allocate(bytes());
    REQUIRE(memory);
    data = *memory;
    REQUIRE(device.copyToDevice(data, values.data(), bytes()));
  }
  ~DeviceArray() { (void)device.free(data); }
  rt::TensorArg argument() const {
    return {data, rt::DType::i32, {(int64_t)values.size()}, {}};
  }
  const std::vector<int32_t> &read() {
    REQUIRE(device.copyToHost(values.data(), data, bytes()));
    return values;
  }

private:
  size_t bytes() const { return values.size() * sizeof(int32_t); }
  rt::Device &device;
  std::vector<int32_t> values;
  void *data;
};

struct Visits {
  /// The first thing that is wrong, or nothing.
  std::string wrong;
  /// The cluster that visited each tile, row-major.
  std::vector<int32_t> owners;
};

Visits visit(const Config &config, TileCoordinates extents,
             const rt::SimOptions &options) {
  rt::Device &device = getDevice(options);
  int64_t tiles = extents[0] * extents[1] * extents[2];
  DeviceArray visits(device, tiles * roles * config.cluster);
  DeviceArray owners(device, tiles);
  auto stats = device.launch(getKernel(config), {{"Visits", visits.argument()},
                                                 {"Owners", owners.argument()},
                                                 {"rows", extents[0]},
                                                 {"columns", extents[1]},
                                                 {"batches", extents[2]}});
  if (!stats)
    return {stats.error().message, {}};
  if (!stats->warnings.empty())
    return {stats->warnings.front(), {}};
  const std::vector<int32_t> &counts = visits.read();
  for (size_t i = 0; i < counts.size(); ++i) {
    int64_t rank = i % config.cluster;
    int64_t role = i / config.cluster % roles;
    bool runs = role == 0 || !hasLeaders(config) || rank % 2 == 0;
    if (counts[i] != poison + runs)
      return {fmt::format("tile {} is visited {} times by role {} of CTA {}",
                          i / config.cluster / roles, counts[i] - poison, role,
                          rank),
              {}};
  }
  return {"", owners.read()};
}

/// As `visit`, and that each tile was visited by the cluster whose it is.
std::string findWrong(const Config &config, TileCoordinates extents,
                      const rt::SimOptions &options) {
  Visits visits = visit(config, extents, options);
  if (!visits.wrong.empty() || config.kind == "clc")
    return visits.wrong;
  TileGrid grid{extents, config.group};
  int64_t clusters = layout::tileCount(grid);
  if (config.kind == "persistent")
    clusters =
        layout::persistentClusters(clusters, options.sm_count, config.cluster);
  for (int64_t tile = 0; tile < layout::tileCount(grid); ++tile) {
    TileCoordinates at = {tile / extents[1] % extents[0], tile % extents[1],
                          tile / (extents[0] * extents[1])};
    int64_t owner =
        layout::persistentCluster(clusters, layout::tileNumber(grid, at));
    if (visits.owners[tile] != owner)
      return fmt::format("tile {} is visited by cluster {}, not {}", tile,
                         visits.owners[tile], owner);
  }
  return {};
}

void check(const Config &config, TileCoordinates extents,
           const rt::SimOptions &options) {
  std::string wrong = findWrong(config, extents, options);
  if (!wrong.empty())
    FAIL(fmt::format("{} group({}), clusters of {}, {} SMs, {}x{}x{} tiles, "
                     "delivery {}, schedule {}, seed {}: {}",
                     config.kind, config.group, config.cluster,
                     options.sm_count, extents[0], extents[1], extents[2],
                     int(options.delivery), int(options.schedule), options.seed,
                     wrong));
}

constexpr std::array<const char *, 3> kinds = {"one_tile", "persistent", "clc"};
constexpr std::array<int64_t, 3> clusters = {1, 2, 4};
constexpr int64_t groups[] = {1, 2, 3, 8, 20};
constexpr uint32_t smCounts[] = {1, 2, 3, 8, 148};
} // namespace

TEST_CASE("every tile of every grid is visited once") {
  auto kind = GENERATE(from_range(kinds));
  auto cluster = GENERATE(from_range(clusters));
  // Groups and SM counts take turns: all 25 pairs come with many grids.
  size_t turn = 0;
  for (int64_t rows = 1; rows <= 20; ++rows)
    for (int64_t columns = 1; columns <= 20; ++columns, ++turn) {
      rt::SimOptions options;
      options.sm_count = smCounts[turn / 5 % 5];
      check({kind, cluster, groups[turn % 5]}, {rows, columns, 1}, options);
    }
}

TEST_CASE("every tile is visited once in any order of events") {
  auto kind = GENERATE(from_range(kinds));
  auto cluster = GENERATE(from_range(clusters));
  auto delivery = GENERATE(Delivery::eager, Delivery::lazy, Delivery::random);
  constexpr TileCoordinates grids[] = {
      {1, 1, 1}, {3, 10, 1}, {10, 10, 1}, {7, 13, 1}, {5, 3, 3}};
  for (TileCoordinates grid : grids)
    for (int64_t group : {1, 8})
      for (uint64_t seed = 0; seed < 4; ++seed) {
        rt::SimOptions options;
        options.sm_count = 8;
        options.delivery = delivery;
        options.schedule = seed % 2 ? Schedule::random : Schedule::round_robin;
        options.seed = seed;
        check({kind, cluster, group, grid[2] == 1 ? 2 : 3}, grid, options);
      }
  for (int64_t tiles : {1, 2, 17}) {
    rt::SimOptions options;
    options.sm_count = 3;
    options.delivery = delivery;
    check({kind, cluster, 1, 1}, {tiles, 1, 1}, options);
  }
}

TEST_CASE("clusters take over tiles of those that have not started") {
  auto cluster = GENERATE(from_range(clusters));
  size_t several = 0, tookOver = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    rt::SimOptions options;
    options.schedule = seed % 2 ? Schedule::random : Schedule::round_robin;
    options.delivery = Delivery::random;
    options.seed = seed;
    Visits visits = visit({"clc", cluster, 8}, {6, 7, 1}, options);
    INFO("clusters of " << cluster << ", seed " << seed);
    REQUIRE(visits.wrong == "");
    std::set<int32_t> owners(visits.owners.begin(), visits.owners.end());
    tookOver += owners.size() < visits.owners.size();
    several += owners.size() > 1;
  }
  CHECK(tookOver == 8);
  CHECK(several > 0);
}

TEST_CASE("a launch of too many tiles is refused") {
  rt::SimOptions options;
  options.sm_count = 8;
  rt::Device &device = getDevice(options);
  for (const char *kind : kinds) {
    DeviceArray one(device, 1);
    auto stats = device.launch(getKernel({kind}), {{"Visits", one.argument()},
                                                   {"Owners", one.argument()},
                                                   {"rows", int64_t(65536)},
                                                   {"columns", int64_t(32768)},
                                                   {"batches", int64_t(1)}});
    REQUIRE(!stats);
    CHECK_THAT(stats.error().message,
               Catch::Contains("at most 2147483647: tile numbers have 32 "
                               "bits"));
  }
}

TEST_CASE("a persistent kernel of no tiles visits none") {
  rt::SimOptions options;
  options.sm_count = 8;
  rt::Device &device = getDevice(options);
  DeviceArray one(device, 1);
  auto stats =
      device.launch(getKernel({"persistent"}), {{"Visits", one.argument()},
                                                {"Owners", one.argument()},
                                                {"rows", int64_t(0)},
                                                {"columns", int64_t(5)},
                                                {"batches", int64_t(1)}});
  if (!stats)
    FAIL(stats.error().message);
  CHECK(one.read() == std::vector<int32_t>{poison});
}
