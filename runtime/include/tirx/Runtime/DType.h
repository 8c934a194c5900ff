//===- DType.h - element types of tensors and scalars -----------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tirx::rt {

/// Element types that arguments and files can have. Spelled as MLIR and
/// safetensors' readers do: f16, bf16, f8e4m3, i32, u8, ...
enum class DType : uint8_t {
  boolean,
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  u64,
  i64,
  f8e4m3,
  f8e5m2,
  f16,
  bf16,
  f32,
  f64,
};

/// Bytes that one element takes.
unsigned sizeOf(DType dtype);

/// The name used in manifests, on the command line and in messages.
std::string_view nameOf(DType dtype);

/// The inverse of nameOf; nullopt for a name that is none.
std::optional<DType> parseDType(std::string_view name);

/// True for f8e4m3 to f64.
bool isFloat(DType dtype);

/// Widens one element at `bytes` to double (every dtype here fits but 64-bit
/// integers above 2^53, which round). `bytes` needs no alignment.
double toDouble(DType dtype, const void *bytes);

/// Rounds `value` to the dtype (to nearest, ties to even) and writes
/// sizeOf(dtype) bytes. Overflow and infinity: f16 to f64 give infinity, the f8
/// types their largest finite value (PTX cvt's .satfinite), integers saturate.
/// NaN: floats give their quiet NaN, integers 0. boolean is `value != 0`.
void fromDouble(DType dtype, double value, void *bytes);

} // namespace tirx::rt
