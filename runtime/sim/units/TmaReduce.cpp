//===- TmaReduce.cpp - bulk tensor reductions -------------------*- C++ -*-===//
#include "FloatFormats.h"
#include "TmaBox.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tirx::rt::sim {
namespace {

std::string_view nameOfOp(TmaReduceOp op) {
  constexpr std::string_view names[] = {"add", "min", "max", "inc",
                                        "dec", "and", "or",  "xor"};
  return names[unsigned(op)];
}

/// Legal (operation, type) pairs of cp.reduce.async.bulk.tensor (PTX ISA).
bool isDefined(TmaReduceOp op, TensorMapDType type) {
  using T = TensorMapDType;
  bool half = type == T::f16 || type == T::bf16;
  bool integer =
      type == T::u32 || type == T::s32 || type == T::u64 || type == T::s64;
  switch (op) {
  case TmaReduceOp::add:
    return half || type == T::f32 || type == T::u32 || type == T::s32 ||
           type == T::u64;
  case TmaReduceOp::min:
  case TmaReduceOp::max:
    return half || integer;
  case TmaReduceOp::inc:
  case TmaReduceOp::dec:
    return type == T::u32;
  case TmaReduceOp::bitAnd:
  case TmaReduceOp::bitOr:
  case TmaReduceOp::bitXor:
    return integer;
  }
  return false;
}

template <typename T> T combineInteger(TmaReduceOp op, T old, T value) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case TmaReduceOp::add:
    return T(U(old) + U(value));
  case TmaReduceOp::min:
    return std::min(old, value);
  case TmaReduceOp::max:
    return std::max(old, value);
  case TmaReduceOp::inc: // wraps to 0 at the bound, as atom.inc
    return U(old) >= U(value) ? T(0) : T(U(old) + 1);
  case TmaReduceOp::dec: // wraps to the bound, as atom.dec
    return old == 0 || U(old) > U(value) ? value : T(U(old) - 1);
  case TmaReduceOp::bitAnd:
    return old & value;
  case TmaReduceOp::bitOr:
    return old | value;
  case TmaReduceOp::bitXor:
    return old ^ value;
  }
  return old;
}

/// f32 add flushes subnormal inputs and results, sign kept (PTX ISA,
/// cp.reduce.async.bulk).
float flush(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

float combineFloat(TmaReduceOp op, float old, float value) {
  if (op == TmaReduceOp::add)
    return old + value;
  if (old != old)
    return value;
  if (value != value)
    return old;
  return op == TmaReduceOp::min ? std::min(old, value) : std::max(old, value);
}

template <typename T>
void combineAt(TmaReduceOp op, std::byte *global, const std::byte *shared) {
  T old, value;
  std::memcpy(&old, global, sizeof(T));
  std::memcpy(&value, shared, sizeof(T));
  T result = combineInteger(op, old, value);
  std::memcpy(global, &result, sizeof(T));
}

void combineHalf(TmaReduceOp op, bool bf16, std::byte *global,
                 const std::byte *shared) {
  uint16_t old, value;
  std::memcpy(&old, global, 2);
  std::memcpy(&value, shared, 2);
  auto widen = bf16 ? bf16ToFloat : f16ToFloat;
  float sum = combineFloat(op, widen(old), widen(value));
  uint16_t result = bf16 ? floatToBf16(sum) : floatToF16(sum);
  std::memcpy(global, &result, 2);
}

void combineElement(TmaReduceOp op, TensorMapDType type, std::byte *global,
                    const std::byte *shared) {
  switch (type) {
  case TensorMapDType::u32:
    return combineAt<uint32_t>(op, global, shared);
  case TensorMapDType::s32:
    return combineAt<int32_t>(op, global, shared);
  case TensorMapDType::u64:
    return combineAt<uint64_t>(op, global, shared);
  case TensorMapDType::s64:
    return combineAt<int64_t>(op, global, shared);
  case TensorMapDType::f16:
    return combineHalf(op, false, global, shared);
  case TensorMapDType::bf16:
    return combineHalf(op, true, global, shared);
  case TensorMapDType::f64: {
    double old, value;
    std::memcpy(&old, global, 8);
    std::memcpy(&value, shared, 8);
    old += value;
    std::memcpy(global, &old, 8);
    return;
  }
  default: {
    float old, value;
    std::memcpy(&old, global, 4);
    std::memcpy(&value, shared, 4);
    float result = flush(flush(old) + flush(value));
    std::memcpy(global, &result, 4);
    return;
  }
  }
}

} // namespace

Expected<void> executeTmaReduce(const TmaPlan &plan, TmaReduceOp op,
                                size_t first, size_t count,
                                ConstSharedSpan shared, GlobalSpace &global) {
  if (!isDefined(op, plan.type))
    return makeError("TMA reduction .{} is not defined for data type {} (PTX "
                     "ISA, cp.reduce.async.bulk.tensor)",
                     nameOfOp(op), nameOf(plan.type));
  if (first > plan.segments.size() || count > plan.segments.size() - first)
    return makeError("TMA: segments [{}, {}) of a plan with {}", first,
                     first + count, plan.segments.size());
  const uint32_t e = sizeOf(plan.type);
  for (size_t i = first; i < first + count; ++i) {
    const TmaSegment &segment = plan.segments[i];
    auto to = global.access(segment.global, segment.bytes, true);
    if (!to)
      return addContext("TMA reduction", to.error());
    for (uint32_t offset = 0; offset < segment.bytes; offset += e) {
      uint32_t from = applySwizzle(plan.swizzle, segment.shared + offset);
      if (auto ok = checkSharedRange(shared.size(), from, e, "TMA reduction");
          !ok)
        return ok;
      combineElement(op, plan.type, *to + offset, shared.data() + from);
    }
  }
  return {};
}

Expected<void> reduceBulk(TmaReduceOp op, TensorMapDType type,
                          std::byte *global, const std::byte *source,
                          uint32_t bytes) {
  const bool doubleAdd = op == TmaReduceOp::add && type == TensorMapDType::f64;
  if (!isDefined(op, type) && !doubleAdd)
    return makeError("cp.reduce.async.bulk.{} is not defined for {} (PTX ISA, "
                     "cp.reduce.async.bulk)",
                     nameOfOp(op), nameOf(type));
  for (uint32_t offset = 0; offset < bytes; offset += sizeOf(type))
    combineElement(op, type, global + offset, source + offset);
  return {};
}

} // namespace tirx::rt::sim
