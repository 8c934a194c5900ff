//===- NpyHeader.h - the dictionary of a .npy file --------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tirx::rt {

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", the
/// Python literal that NumPy writes: these three keys, in any order, and white
/// space around it. Errors give the offset.
Expected<NpyHeader> parseNpyHeader(std::string_view text);

} // namespace tirx::rt
