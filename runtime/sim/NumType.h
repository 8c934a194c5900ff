//===- NumType.h - fundamental types of operands ----------------*- C++ -*-===//
#pragma once

#include <stdint.h>

namespace tirx::rt::sim {

/// Instruction types, for handlers that select by type at run time.
enum class NumType : uint8_t {
  u8,
  s8,
  u16,
  s16,
  u32,
  s32,
  u64,
  s64,
  f16,
  bf16,
  f32,
  f64,
  b128,
};

constexpr unsigned bytesOf(NumType type) {
  switch (type) {
  case NumType::u8:
  case NumType::s8:
    return 1;
  case NumType::u16:
  case NumType::s16:
  case NumType::f16:
  case NumType::bf16:
    return 2;
  case NumType::u32:
  case NumType::s32:
  case NumType::f32:
    return 4;
  case NumType::b128:
    return 16;
  default:
    return 8;
  }
}

constexpr bool isFloat(NumType type) {
  return type >= NumType::f16 && type <= NumType::f64;
}
constexpr bool isSigned(NumType type) {
  return type == NumType::s8 || type == NumType::s16 || type == NumType::s32 ||
         type == NumType::s64;
}

} // namespace tirx::rt::sim
