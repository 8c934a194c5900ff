//===- File.cpp - whole files in and out ------------------------*- C++ -*-===//
#include "tirx/Runtime/File.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tirx::rt;

namespace {

/// Closes on every way out.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  bool isOpen() const { return number >= 0; }
  int get() const { return number; }
  /// Reports what close() says, which some file systems do late.
  bool close() {
    const int closing = number;
    number = -1;
    return ::close(closing) == 0;
  }

private:
  int number;
};

std::string cause() { return std::strerror(errno); }

bool writeAll(int descriptor, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(descriptor, bytes, size);
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return false;
    }
    bytes += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

/// A new file beside `path`, as readable as the umask lets new files be.
/// `name` is set to what it is called.
int createBeside(const std::string &path, std::string &name) {
  static std::atomic<unsigned> counter = 0;
  int descriptor = -1;
  do {
    name = fmt::format("{}.{}-{}.tmp", path, ::getpid(), counter++);
    descriptor =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);
  return descriptor;
}

} // namespace

Expected<std::vector<std::byte>> tirx::rt::readFile(const std::string &path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.isOpen())
    return makeError("cannot open '{}': {}", path, cause());
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0)
    return makeError("cannot read '{}': {}", path, cause());
  if (S_ISDIR(status.st_mode))
    return makeError("cannot read '{}': it is a directory", path);

  // The size is a hint only: pipes have none, and a file may grow.
  const size_t hint =
      S_ISREG(status.st_mode) ? static_cast<size_t>(status.st_size) + 1 : 65536;
  try {
    std::vector<std::byte> bytes(hint);
    size_t size = 0;
    while (true) {
      if (size == bytes.size())
        bytes.resize(bytes.size() * 2);
      const ssize_t got =
          ::read(file.get(), bytes.data() + size, bytes.size() - size);
      if (got == 0)
        break;
      if (got < 0) {
        if (errno == EINTR)
          continue;
        return makeError("cannot read '{}': {}", path, cause());
      }
      size += static_cast<size_t>(got);
    }
    bytes.resize(size);
    return bytes;
  } catch (const std::exception &) { // bad_alloc or length_error
    return makeError("cannot read '{}': not enough memory for its {} bytes",
                     path, hint);
  }
}

Expected<void> tirx::rt::writeFileAtomically(const std::string &path,
                                             const void *bytes, size_t size) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode))
      return makeError("cannot write '{}': it is a directory", path);
    // A device or pipe (/dev/null, /dev/stdout) is written to, not replaced.
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.isOpen() ||
        !writeAll(file.get(), static_cast<const char *>(bytes), size) ||
        !file.close())
      return makeError("cannot write '{}': {}", path, cause());
    return {};
  }

  std::string temporary;
  Descriptor file(createBeside(path, temporary));
  if (!file.isOpen())
    return makeError("cannot write '{}': {}", path, cause());
  const bool written =
      writeAll(file.get(), static_cast<const char *>(bytes), size) &&
      file.close() && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    const std::string why = cause();
    ::unlink(temporary.c_str());
    return makeError("cannot write '{}': {}", path, why);
  }
  return {};
}
