//===- TestFolder.h - a folder for the files of one test --------*- C++ -*-===//
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tirx::rt::test {

/// Made with the object, gone with it.
class TestFolder {
public:
  TestFolder() {
    std::string name =
        std::filesystem::temp_directory_path() / "tirx-io-XXXXXX";
    if (!::mkdtemp(name.data()))
      std::abort();
    folder = name;
  }
  ~TestFolder() { std::filesystem::remove_all(folder); }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;

  std::string operator/(const std::string &name) const { return folder / name; }
  const std::filesystem::path &path() const { return folder; }

private:
  std::filesystem::path folder;
};

} // namespace tirx::rt::test
