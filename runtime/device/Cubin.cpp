//===- Cubin.cpp - is a cubin whole? ----------------------------*- C++ -*-===//
#include "device/Cubin.h"

#include <cstdint>
#include <cstring>
#include <string_view>

using namespace tirx::rt;

namespace {

// ELF-64 object file format: offsets in the file header, a section header and
// a program header.
constexpr size_t kHeaderBytes = 64;
constexpr size_t kPhOffAt = 32, kShOffAt = 40, kPhEntSizeAt = 54, kPhNumAt = 56,
                 kShEntSizeAt = 58, kShNumAt = 60;
constexpr size_t kSectionHeaderBytes = 64, kSectionTypeAt = 4,
                 kSectionOffsetAt = 24, kSectionSizeAt = 32;
constexpr size_t kProgramHeaderBytes = 56, kSegmentOffsetAt = 8,
                 kSegmentFileSizeAt = 32;
constexpr uint32_t kSectionTypeNoBits = 8;

class ElfChecker {
public:
  explicit ElfChecker(std::span<const std::byte> bytes) : bytes(bytes) {}

  Expected<void> run() const {
    // Class 2: 64 bits; data encoding 1: little-endian.
    constexpr std::string_view ident("\x7F"
                                     "ELF\x02\x01",
                                     6);
    if (bytes.size() < kHeaderBytes ||
        std::memcmp(bytes.data(), ident.data(), ident.size()) != 0)
      return makeError("no cubin: {} bytes that do not start with a 64-bit ELF "
                       "header",
                       bytes.size());
    return table("section", load<uint64_t>(kShOffAt), load<uint16_t>(kShNumAt),
                 load<uint16_t>(kShEntSizeAt), kSectionHeaderBytes)
        .and_then([&] {
          return table("program", load<uint64_t>(kPhOffAt),
                       load<uint16_t>(kPhNumAt), load<uint16_t>(kPhEntSizeAt),
                       kProgramHeaderBytes);
        })
        .and_then([&] { return sections(); })
        .and_then([&] { return segments(); });
  }

private:
  std::span<const std::byte> bytes;

  template <typename T> T load(uint64_t at) const {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }

  Expected<void> inside(std::string_view what, size_t index, uint64_t offset,
                        uint64_t size) const {
    if (offset <= bytes.size() && size <= bytes.size() - offset)
      return {};
    return makeError("truncated cubin: {} {} has {} bytes at offset {}, the "
                     "cubin has {}",
                     what, index, size, offset, bytes.size());
  }

  Expected<void> table(std::string_view what, uint64_t offset, uint16_t count,
                       uint16_t entryBytes, size_t expectedBytes) const {
    if (count == 0)
      return {};
    if (entryBytes != expectedBytes)
      return makeError("malformed cubin: {} headers of {} bytes, expected {}",
                       what, entryBytes, expectedBytes);
    return inside(fmt::format("{} header table", what), 0, offset,
                  uint64_t(count) * entryBytes);
  }

  Expected<void> sections() const {
    for (size_t i = 0; i < load<uint16_t>(kShNumAt); ++i) {
      const uint64_t at = load<uint64_t>(kShOffAt) + i * kSectionHeaderBytes;
      if (load<uint32_t>(at + kSectionTypeAt) == kSectionTypeNoBits)
        continue;
      const auto valid =
          inside("section", i, load<uint64_t>(at + kSectionOffsetAt),
                 load<uint64_t>(at + kSectionSizeAt));
      if (!valid)
        return valid;
    }
    return {};
  }

  Expected<void> segments() const {
    for (size_t i = 0; i < load<uint16_t>(kPhNumAt); ++i) {
      const uint64_t at = load<uint64_t>(kPhOffAt) + i * kProgramHeaderBytes;
      const auto valid =
          inside("segment", i, load<uint64_t>(at + kSegmentOffsetAt),
                 load<uint64_t>(at + kSegmentFileSizeAt));
      if (!valid)
        return valid;
    }
    return {};
  }
};

} // namespace

Expected<void> tirx::rt::checkCubin(std::span<const std::byte> bytes) {
  return ElfChecker(bytes).run();
}
