//===- FileReader.cpp - parts of a file -------------------------*- C++ -*-===//
#include "support/FileReader.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tirx::rt;

Expected<FileReader> FileReader::open(const std::string &path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return makeError("cannot open '{}': {}", path, std::strerror(errno));
  struct stat status = {};
  const bool known = ::fstat(descriptor, &status) == 0;
  FileReader reader(path, descriptor, static_cast<uint64_t>(status.st_size));
  if (!known)
    return makeError("cannot read '{}': {}", path, std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    return makeError("cannot read '{}': it is no regular file", path);
  return reader;
}

FileReader::FileReader(FileReader &&other) noexcept
    : name(std::move(other.name)), descriptor(other.descriptor),
      bytes(other.bytes) {
  other.descriptor = -1;
}

FileReader::~FileReader() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Expected<std::vector<std::byte>> FileReader::read(uint64_t offset,
                                                  uint64_t count) const {
  if (offset > bytes || count > bytes - offset)
    return makeError("{}: {} bytes at offset {} pass the end at {}", name,
                     count, offset, bytes);
  std::vector<std::byte> result;
  try {
    result.resize(count);
  } catch (const std::exception &) { // bad_alloc or length_error
    return makeError("cannot read '{}': not enough memory for {} bytes", name,
                     count);
  }
  for (size_t done = 0; done < count;) {
    const ssize_t got = ::pread(descriptor, result.data() + done, count - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return makeError("cannot read '{}': {}", name, std::strerror(errno));
    if (got == 0)
      return makeError("cannot read '{}': it became shorter while it was read",
                       name);
    done += static_cast<size_t>(got);
  }
  return result;
}
