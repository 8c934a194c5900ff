//===- FileTest.cpp - whole files in and out --------------------*- C++ -*-===//
#include "tirx/Runtime/File.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tirx::rt;
namespace fs = std::filesystem;

namespace {

/// A folder that is gone at the end of the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = fs::temp_directory_path() / "tirx-file-XXXXXX";
    REQUIRE(::mkdtemp(name.data()));
    folder = name;
  }
  ~TemporaryFolder() { fs::remove_all(folder); }
  std::string operator/(const char *name) const { return folder / name; }
  size_t fileCount() const {
    return std::distance(fs::directory_iterator(folder),
                         fs::directory_iterator());
  }

private:
  fs::path folder;
};

std::string readBack(const std::string &path) {
  const auto bytes = readFile(path);
  REQUIRE(bytes);
  return {reinterpret_cast<const char *>(bytes->data()), bytes->size()};
}

} // namespace

TEST_CASE("a file is written whole, replaced whole, and read back") {
  TemporaryFolder folder;
  const std::string path = folder / "out.bin";
  const std::string first(100000, 'x'), second = "short";
  REQUIRE(writeFileAtomically(path, first.data(), first.size()));
  CHECK(readBack(path) == first);
  REQUIRE(writeFileAtomically(path, second.data(), second.size()));
  CHECK(readBack(path) == second);
  REQUIRE(writeFileAtomically(path, nullptr, 0));
  CHECK(readBack(path).empty());
  CHECK(folder.fileCount() == 1);

  const mode_t mask = ::umask(0);
  ::umask(mask);
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == (0666 & ~mask));
}

TEST_CASE("a file that cannot be written leaves nothing behind") {
  TemporaryFolder folder;
  const auto missing =
      writeFileAtomically(folder / "no/such/folder.bin", "x", 1);
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().message,
             Catch::Contains("cannot write") &&
                 Catch::Contains("no/such/folder.bin") &&
                 Catch::Contains("No such file"));
  CHECK(folder.fileCount() == 0);

  fs::create_directory(folder / "folder");
  const auto directory = writeFileAtomically(folder / "folder", "x", 1);
  REQUIRE_FALSE(directory);
  CHECK_THAT(directory.error().message, Catch::Contains("is a directory"));
  CHECK(folder.fileCount() == 1);

  // /dev/full takes the open and refuses the write.
  const auto full = writeFileAtomically("/dev/full", "x", 1);
  REQUIRE_FALSE(full);
  CHECK_THAT(full.error().message, Catch::Contains("No space left"));
  CHECK(fs::exists("/dev/full"));
  CHECK(writeFileAtomically("/dev/null", "x", 1));
  CHECK_FALSE(fs::is_regular_file("/dev/null"));
}

TEST_CASE("a write that fails half-way leaves the old file alone") {
  TemporaryFolder folder;
  const std::string path = folder / "out.bin";
  REQUIRE(writeFileAtomically(path, "old", 3));
  const std::string large(100000, 'x');
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto *const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {50000, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto result = writeFileAtomically(path, large.data(), large.size());
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message, Catch::Contains("File too large"));
  CHECK(readBack(path) == "old");
  CHECK(folder.fileCount() == 1);
}

TEST_CASE("the old file survives a failed replacement") {
  if (::geteuid() == 0) {
    WARN("skipped: root may write into read-only folders");
    return;
  }
  TemporaryFolder folder;
  const std::string path = folder / "out.bin";
  REQUIRE(writeFileAtomically(path, "old", 3));
  fs::permissions(fs::path(path).parent_path(),
                  fs::perms::owner_read | fs::perms::owner_exec);
  const auto result = writeFileAtomically(path, "new", 3);
  fs::permissions(fs::path(path).parent_path(), fs::perms::owner_all);
  REQUIRE_FALSE(result);
  CHECK(readBack(path) == "old");
  CHECK(folder.fileCount() == 1);
}

TEST_CASE("files that cannot be read") {
  TemporaryFolder folder;
  const auto missing = readFile(folder / "absent");
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().message, Catch::Contains("cannot open") &&
                                          Catch::Contains("absent") &&
                                          Catch::Contains("No such file"));
  const auto directory = readFile(fs::temp_directory_path());
  REQUIRE_FALSE(directory);
  CHECK_THAT(directory.error().message, Catch::Contains("it is a directory"));
}
