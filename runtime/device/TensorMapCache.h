//===- TensorMapCache.h - encoded tensor maps of a device -------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Device.h"
#include "tirx/Runtime/Limits.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tirx::rt {

using TensorMapBytes = std::array<std::byte, kTensorMapBytes>;

/// Remembers what encoding gave for a (pointer, shape, strides, recipe).
class TensorMapCache {
public:
  /// The cached map, or what `encode()` gives (an Expected<TensorMapBytes>).
  template <typename Encode>
  Expected<TensorMapBytes> get(const TensorMapRecipe &recipe,
                               const ResolvedLaunch::TensorMap &map,
                               Encode encode) {
    Key key = makeKey(recipe, map);
    if (const auto found = maps.find(key); found != maps.end())
      return found->second;
    Expected<TensorMapBytes> encoded = encode();
    if (!encoded)
      return encoded;
    // A program that never repeats a pointer must not grow without end.
    if (maps.size() >= kMaxMaps)
      maps.clear();
    maps.emplace(std::move(key), *encoded);
    return encoded;
  }

  size_t size() const { return maps.size(); }
  static constexpr size_t kMaxMaps = 1024;

private:
  using Key = std::vector<uint64_t>;
  std::map<Key, TensorMapBytes> maps;

  /// Each list is preceded by its length, so that no two inputs meet.
  static Key makeKey(const TensorMapRecipe &recipe,
                     const ResolvedLaunch::TensorMap &map) {
    Key key = {reinterpret_cast<uint64_t>(map.base),
               static_cast<uint64_t>(recipe.dtype),
               static_cast<uint64_t>(recipe.swizzle),
               static_cast<uint64_t>(recipe.l2_promotion),
               static_cast<uint64_t>(recipe.oob_fill)};
    const auto append = [&](const auto &list) {
      key.push_back(list.size());
      key.insert(key.end(), list.begin(), list.end());
    };
    append(map.global_dim);
    append(map.global_stride);
    append(recipe.box_dim);
    append(recipe.element_stride);
    return key;
  }
};

} // namespace tirx::rt
