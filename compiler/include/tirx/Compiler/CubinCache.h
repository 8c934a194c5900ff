//===- CubinCache.h - cubins by the content they came from ------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tirx {

/// A folder of cubins, each under the hash of what determines it. Entries
/// appear whole (temporary file and rename) and carry a checksum: one that is
/// truncated or altered counts as absent and is written anew. Entries that have
/// not been used for 30 days are removed. A folder that cannot be read or
/// written only means that nothing is cached.
class CubinCache {
public:
  struct Entry {
    std::vector<std::byte> cubin;
    std::string log; ///< ptxas' output
  };

  /// The cache in `directory`, which need not exist yet.
  explicit CubinCache(std::string directory);

  /// The user's: $TIRX_CACHE_DIR, else $XDG_CACHE_HOME/tirx, else
  /// $HOME/.cache/tirx; nullopt where none of them is set.
  static std::optional<CubinCache> forUser();

  /// The name of an entry: SHA-256 of PTX, ptxas version and options.
  static std::string key(std::string_view ptx, std::string_view ptxasVersion,
                         const std::vector<std::string> &options);

  /// The entry, if it is there and intact.
  std::optional<Entry> load(const std::string &key) const;

  /// Stores an entry; false if the folder cannot be written.
  bool store(const std::string &key, const Entry &entry) const;

  const std::string &directory() const { return dir; }
  /// The file of an entry, whether it exists or not.
  std::string pathOf(const std::string &key) const;

private:
  std::string dir;
};

} // namespace tirx
