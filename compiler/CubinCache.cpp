//===- CubinCache.cpp - cubins by the content they came from --------------===//
//
// An entry is: magic, SHA-256 of the rest, length of the log (8 bytes, little
// endian), log, cubin.
//
//===----------------------------------------------------------------------===//
#include "tirx/Compiler/CubinCache.h"

#include "tirx/Runtime/Tensor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <cstdlib>

namespace tirx {
namespace {

constexpr llvm::StringLiteral magic("TIRXCB01");
constexpr size_t hashSize = 32;
constexpr size_t headerSize = magic.size() + hashSize + 8;

std::string sha256(llvm::StringRef bytes) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes));
  return std::string(digest.begin(), digest.end());
}

std::string encode(const CubinCache::Entry &entry) {
  char length[8];
  llvm::support::endian::write64le(length, entry.log.size());
  std::string body(length, sizeof(length));
  body += entry.log;
  body.append(reinterpret_cast<const char *>(entry.cubin.data()),
              entry.cubin.size());
  return magic.str() + sha256(body) + body;
}

std::optional<CubinCache::Entry> decode(llvm::StringRef bytes) {
  if (bytes.size() < headerSize || !bytes.consume_front(magic))
    return std::nullopt;
  llvm::StringRef hash = bytes.take_front(hashSize);
  llvm::StringRef body = bytes.drop_front(hashSize);
  if (hash != sha256(body))
    return std::nullopt;
  uint64_t length = llvm::support::endian::read64le(body.data());
  body = body.drop_front(8);
  if (length > body.size())
    return std::nullopt;
  CubinCache::Entry entry;
  entry.log = body.take_front(length).str();
  llvm::StringRef cubin = body.drop_front(length);
  auto *data = reinterpret_cast<const std::byte *>(cubin.data());
  entry.cubin.assign(data, data + cubin.size());
  return entry;
}

} // namespace

CubinCache::CubinCache(std::string directory) : dir(std::move(directory)) {}

std::optional<CubinCache> CubinCache::forUser() {
  struct Place {
    const char *variable, *subfolder;
  };
  for (Place place :
       {Place{"TIRX_CACHE_DIR", ""}, Place{"XDG_CACHE_HOME", "tirx"},
        Place{"HOME", ".cache/tirx"}}) {
    const char *value = std::getenv(place.variable);
    if (!value || !*value)
      continue;
    llvm::SmallString<256> path(value);
    if (*place.subfolder)
      llvm::sys::path::append(path, place.subfolder);
    return CubinCache(std::string(path));
  }
  return std::nullopt;
}

std::string CubinCache::key(std::string_view ptx, std::string_view ptxasVersion,
                            const std::vector<std::string> &options) {
  // Each part is preceded by its length, so that no two lists of parts run
  // together to the same bytes.
  std::string all;
  auto append = [&](std::string_view part) {
    all += std::to_string(part.size());
    all += ':';
    all += part;
  };
  append(ptxasVersion);
  for (const std::string &option : options)
    append(option);
  append(ptx);
  return llvm::toHex(sha256(all), /*LowerCase=*/true);
}

std::string CubinCache::pathOf(const std::string &key) const {
  llvm::SmallString<256> path(dir);
  // LLVM's pruning only ever removes files whose names start like this.
  llvm::sys::path::append(path, "llvmcache-" + key);
  return std::string(path);
}

std::optional<CubinCache::Entry>
CubinCache::load(const std::string &key) const {
  auto buffer = llvm::MemoryBuffer::getFile(pathOf(key), /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return std::nullopt;
  return decode((*buffer)->getBuffer());
}

bool CubinCache::store(const std::string &key, const Entry &entry) const {
  if (llvm::sys::fs::create_directories(dir))
    return false;
  std::string bytes = encode(entry);
  if (!rt::writeFileAtomically(pathOf(key), bytes.data(), bytes.size()))
    return false;
  llvm::CachePruningPolicy policy;
  policy.Interval = std::chrono::hours(1);
  policy.Expiration = std::chrono::hours(30 * 24);
  llvm::pruneCache(dir, policy);
  return true;
}

} // namespace tirx
