//===- Container.cpp - sections of a .txk file ------------------*- C++ -*-===//
#include "artifact/Container.h"

#include <cstring>

using namespace tirx::rt;

namespace {

// Offsets in the header and in a section table entry.
constexpr size_t kVersionAt = 8, kSectionCountAt = 12, kFileSizeAt = 16,
                 kHeaderChecksumAt = 24;
constexpr size_t kKindAt = 0, kReservedAt = 4, kOffsetAt = 8, kSizeAt = 16,
                 kChecksumAt = 24;

template <typename T> T load(std::span<const std::byte> bytes, size_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(bytes[at + i]) << (8 * i);
  return value;
}

template <typename T>
void store(std::vector<std::byte> &bytes, size_t at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

/// Over the header (but the checksum itself) and the section table.
uint64_t headerChecksum(std::span<const std::byte> bytes, size_t tableEnd) {
  return checksum(bytes.subspan(kHeaderBytes, tableEnd - kHeaderBytes),
                  checksum(bytes.first(kHeaderChecksumAt)));
}

bool isSectionKind(uint32_t kind) {
  return kind >= static_cast<uint32_t>(SectionKind::manifest) &&
         kind <= static_cast<uint32_t>(SectionKind::cubin);
}

} // namespace

std::string_view tirx::rt::nameOf(SectionKind kind) {
  switch (kind) {
  case SectionKind::manifest:
    return "manifest";
  case SectionKind::ptx:
    return "ptx";
  case SectionKind::cubin:
    return "cubin";
  }
  return "unknown";
}

uint64_t tirx::rt::checksum(std::span<const std::byte> bytes, uint64_t state) {
  for (std::byte byte : bytes)
    state = (state ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  return state;
}

std::vector<std::byte>
tirx::rt::writeContainer(std::span<const Section> sections) {
  const size_t tableEnd = kHeaderBytes + sections.size() * kSectionEntryBytes;
  std::vector<std::byte> bytes(tableEnd);
  for (size_t i = 0; i < kMagic.size(); ++i)
    bytes[i] = static_cast<std::byte>(kMagic[i]);
  store(bytes, kVersionAt, kFormatVersion);
  store(bytes, kSectionCountAt, static_cast<uint32_t>(sections.size()));

  for (size_t i = 0; i < sections.size(); ++i) {
    const Section &section = sections[i];
    const size_t entry = kHeaderBytes + i * kSectionEntryBytes;
    store(bytes, entry + kKindAt, static_cast<uint32_t>(section.kind));
    store(bytes, entry + kOffsetAt, static_cast<uint64_t>(bytes.size()));
    store(bytes, entry + kSizeAt, static_cast<uint64_t>(section.bytes.size()));
    store(bytes, entry + kChecksumAt, checksum(section.bytes));
    bytes.insert(bytes.end(), section.bytes.begin(), section.bytes.end());
  }
  store(bytes, kFileSizeAt, static_cast<uint64_t>(bytes.size()));
  store(bytes, kHeaderChecksumAt, headerChecksum(bytes, tableEnd));
  return bytes;
}

Expected<std::vector<Section>>
tirx::rt::readContainer(std::span<const std::byte> bytes) {
  const size_t magicBytes = std::min(bytes.size(), kMagic.size());
  if (bytes.empty() ||
      std::memcmp(bytes.data(), kMagic.data(), magicBytes) != 0)
    return makeError("not a .txk file: it does not start with the .txk magic");
  if (bytes.size() < kHeaderBytes)
    return makeError("truncated: {} bytes, the header alone has {}",
                     bytes.size(), kHeaderBytes);

  const auto version = load<uint32_t>(bytes, kVersionAt);
  if (version > kFormatVersion)
    return makeError("format version {}: this runtime reads versions up to {}",
                     version, kFormatVersion);
  if (version == 0)
    return makeError("format version 0: there is none");

  const auto fileSize = load<uint64_t>(bytes, kFileSizeAt);
  if (fileSize > bytes.size())
    return makeError("truncated: {} bytes, the header says {}", bytes.size(),
                     fileSize);
  if (fileSize < bytes.size())
    return makeError("{} bytes after the end: the header says {} bytes, there "
                     "are {}",
                     bytes.size() - fileSize, fileSize, bytes.size());

  const auto count = load<uint32_t>(bytes, kSectionCountAt);
  if (count > (bytes.size() - kHeaderBytes) / kSectionEntryBytes)
    return makeError("section table of {} entries does not fit into {} bytes",
                     count, bytes.size());
  const size_t tableEnd = kHeaderBytes + count * kSectionEntryBytes;
  if (load<uint64_t>(bytes, kHeaderChecksumAt) !=
      headerChecksum(bytes, tableEnd))
    return makeError("damaged: the checksum of the header and section table "
                     "does not match");

  std::vector<Section> sections;
  sections.reserve(count);
  uint64_t expectedOffset = tableEnd;
  for (uint32_t i = 0; i < count; ++i) {
    const size_t entry = kHeaderBytes + i * kSectionEntryBytes;
    const auto kind = load<uint32_t>(bytes, entry + kKindAt);
    const auto offset = load<uint64_t>(bytes, entry + kOffsetAt);
    const auto size = load<uint64_t>(bytes, entry + kSizeAt);
    if (!isSectionKind(kind))
      return makeError("section {}: unknown kind {}", i, kind);
    const auto kindName = nameOf(static_cast<SectionKind>(kind));
    if (load<uint32_t>(bytes, entry + kReservedAt) != 0)
      return makeError("section {} ({}): the reserved field is not zero", i,
                       kindName);
    if (offset != expectedOffset)
      return makeError("section {} ({}): at offset {}, expected {} (sections "
                       "follow one another without gap or overlap)",
                       i, kindName, offset, expectedOffset);
    if (size > bytes.size() - offset)
      return makeError("section {} ({}): {} bytes at offset {} pass the end of "
                       "the file at {}",
                       i, kindName, size, offset, bytes.size());
    const auto contents = bytes.subspan(offset, size);
    if (checksum(contents) != load<uint64_t>(bytes, entry + kChecksumAt))
      return makeError("section {} ({}): damaged, its checksum does not match",
                       i, kindName);
    sections.push_back({static_cast<SectionKind>(kind), contents});
    expectedOffset = offset + size;
  }
  if (expectedOffset != bytes.size())
    return makeError("{} bytes belong to no section",
                     bytes.size() - expectedOffset);
  return sections;
}
