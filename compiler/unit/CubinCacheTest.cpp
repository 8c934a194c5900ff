//===- CubinCacheTest.cpp -------------------------------------------------===//
#include "tirx/Compiler/CubinCache.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>

using namespace tirx;
namespace fs = std::filesystem;

namespace {

/// A folder of this process, removed at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() /
                  ("tirx-cache-test-" + std::to_string(::getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

CubinCache::Entry randomEntry(std::mt19937 &random) {
  CubinCache::Entry entry;
  for (unsigned i = 0, n = 1 + random() % 500; i < n; ++i)
    entry.cubin.push_back(std::byte(random()));
  for (unsigned i = 0, n = random() % 100; i < n; ++i)
    entry.log += char(random());
  return entry;
}

std::string slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void spit(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace

TEST_CASE("an entry comes back as it was stored", "[cache]") {
  Folder folder;
  CubinCache cache((folder.path / "new" / "folders").string());
  unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20; ++i) {
    CubinCache::Entry entry = randomEntry(random);
    std::string key = CubinCache::key(std::to_string(random()), "13.0", {});
    CHECK_FALSE(cache.load(key));
    REQUIRE(cache.store(key, entry));
    auto loaded = cache.load(key);
    REQUIRE(loaded);
    CHECK(loaded->cubin == entry.cubin);
    CHECK(loaded->log == entry.log);
  }
}

TEST_CASE("a damaged entry counts as absent and can be replaced", "[cache]") {
  Folder folder;
  CubinCache cache(folder.path.string());
  unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  CubinCache::Entry entry = randomEntry(random);
  std::string key = CubinCache::key("ptx", "13.0", {});
  REQUIRE(cache.store(key, entry));
  std::string bytes = slurp(cache.pathOf(key));
  for (size_t length = 0; length < bytes.size(); ++length) {
    spit(cache.pathOf(key), bytes.substr(0, length));
    CHECK_FALSE(cache.load(key));
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] ^= char(1 << random() % 8);
    spit(cache.pathOf(key), flipped);
    CHECK_FALSE(cache.load(key));
  }
  spit(cache.pathOf(key), bytes + "x");
  CHECK_FALSE(cache.load(key));
  REQUIRE(cache.store(key, entry));
  CHECK(cache.load(key));
}

TEST_CASE("the key depends on everything that decides the cubin", "[cache]") {
  std::string key = CubinCache::key("ptx", "13.0", {"-arch=sm_100a", "-v"});
  CHECK(key.size() == 64);
  CHECK(key == CubinCache::key("ptx", "13.0", {"-arch=sm_100a", "-v"}));
  CHECK(key != CubinCache::key("ptx ", "13.0", {"-arch=sm_100a", "-v"}));
  CHECK(key != CubinCache::key("ptx", "13.1", {"-arch=sm_100a", "-v"}));
  CHECK(key != CubinCache::key("ptx", "13.0", {"-arch=sm_90a", "-v"}));
  CHECK(key != CubinCache::key("ptx", "13.0", {"-arch=sm_100a"}));
  // Parts do not run together.
  CHECK(CubinCache::key("", "13.0", {"ab", "c"}) !=
        CubinCache::key("", "13.0", {"a", "bc"}));
}

TEST_CASE("a folder that cannot be used caches nothing", "[cache]") {
  CubinCache cache("/dev/null/cache");
  std::string key = CubinCache::key("ptx", "13.0", {});
  CHECK_FALSE(cache.store(key, {{std::byte(1)}, ""}));
  CHECK_FALSE(cache.load(key));
}

TEST_CASE("the user's folder comes from the environment", "[cache]") {
  auto folderWith = [](const char *own, const char *xdg, const char *home) {
    ::setenv("TIRX_CACHE_DIR", own, 1);
    ::setenv("XDG_CACHE_HOME", xdg, 1);
    ::setenv("HOME", home, 1);
    auto cache = CubinCache::forUser();
    return cache ? cache->directory() : "none";
  };
  CHECK(folderWith("/a", "/b", "/c") == "/a");
  CHECK(folderWith("", "/b", "/c") == "/b/tirx");
  CHECK(folderWith("", "", "/c") == "/c/.cache/tirx");
  CHECK(folderWith("", "", "") == "none");
}
