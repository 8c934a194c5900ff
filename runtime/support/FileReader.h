//===- FileReader.h - parts of a file ---------------------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tirx::rt {

/// An open regular file, read in parts: weights are larger than what one wants
/// of them. Errors name the path and the cause.
class FileReader {
public:
  static Expected<FileReader> open(const std::string &path);
  FileReader(FileReader &&other) noexcept;
  FileReader &operator=(FileReader &&) = delete;
  ~FileReader();

  const std::string &path() const { return name; }
  uint64_t size() const { return bytes; }

  /// Bytes [offset, offset + count); error if the file ends before.
  Expected<std::vector<std::byte>> read(uint64_t offset, uint64_t count) const;

private:
  FileReader(std::string name, int descriptor, uint64_t bytes)
      : name(std::move(name)), descriptor(descriptor), bytes(bytes) {}

  std::string name;
  int descriptor;
  uint64_t bytes;
};

} // namespace tirx::rt
