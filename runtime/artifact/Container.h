//===- Container.h - sections of a .txk file --------------------*- C++ -*-===//
//
// Bytes to checked sections and back; what the sections hold is not this
// file's business. docs/artifact.md describes the layout.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Runtime/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tirx::rt {

enum class SectionKind : uint32_t { manifest = 1, ptx = 2, cubin = 3 };

/// "manifest", "ptx", "cubin".
std::string_view nameOf(SectionKind kind);

/// A view into the bytes of a file (reading) or of an artifact (writing).
struct Section {
  SectionKind kind;
  std::span<const std::byte> bytes;
};

inline constexpr std::array<unsigned char, 8> kMagic = {0x89, 'T',  'X',  'K',
                                                        '\r', '\n', 0x1A, '\n'};
inline constexpr uint32_t kFormatVersion = 2;
inline constexpr size_t kHeaderBytes = 32;
inline constexpr size_t kSectionEntryBytes = 32;

/// 64-bit FNV-1a. Detects damage (any change of one byte changes it), not
/// forgery.
uint64_t checksum(std::span<const std::byte> bytes,
                  uint64_t state = 0xcbf29ce484222325);

std::vector<std::byte> writeContainer(std::span<const Section> sections);

/// Errors: not a .txk file, newer version, truncated or with bytes after its
/// end, sections that leave a gap, overlap or pass the end, bad checksums,
/// unknown section kinds.
Expected<std::vector<Section>> readContainer(std::span<const std::byte> bytes);

} // namespace tirx::rt
