//===- TensorMap.cpp - the simulator's tensor map record --------*- C++ -*-===//
#include "TensorMap.h"

#include <algorithm>
#include <cstring>

namespace tirx::rt::sim {
namespace {

constexpr std::string_view source = "(CUDA driver API, cuTensorMapEncodeTiled)";

constexpr bool isPadded(TensorMapDType type) {
  return type == TensorMapDType::u4Align16B ||
         type == TensorMapDType::u6Align16B;
}

constexpr bool isPacked(TensorMapDType type) {
  return isPadded(type) || type == TensorMapDType::u4Align8B;
}

constexpr bool isFloat(TensorMapDType type) {
  switch (type) {
  case TensorMapDType::f16:
  case TensorMapDType::f32:
  case TensorMapDType::f64:
  case TensorMapDType::bf16:
  case TensorMapDType::f32Ftz:
  case TensorMapDType::tf32:
  case TensorMapDType::tf32Ftz:
    return true;
  default:
    return false;
  }
}

/// Bits of a box row per element, in shared memory.
unsigned sharedBits(TensorMapDType type) {
  return isPadded(type)                      ? 8
         : type == TensorMapDType::u4Align8B ? 4
                                             : 8 * sizeOf(type);
}

Expected<void> checkEnums(const TensorMapFields &fields) {
  if (fields.rank < 1 || fields.rank > 5)
    return makeError("tensor map: rank {} is outside 1..5 {}", fields.rank,
                     source);
  if (unsigned(fields.type) > unsigned(TensorMapDType::u6Align16B))
    return makeError("tensor map: data type {} is outside 0..15 {}",
                     unsigned(fields.type), source);
  if (unsigned(fields.swizzle) > unsigned(Swizzle::b128Atom64))
    return makeError("tensor map: swizzle {} is outside 0..6 {}",
                     unsigned(fields.swizzle), source);
  if (unsigned(fields.interleave) > unsigned(TensorMapInterleave::b32))
    return makeError("tensor map: interleave {} is outside 0..2 {}",
                     unsigned(fields.interleave), source);
  if (fields.l2Promotion > 3)
    return makeError("tensor map: L2 promotion {} is outside 0..3 {}",
                     fields.l2Promotion, source);
  if (unsigned(fields.fill) > unsigned(TensorMapFill::nan))
    return makeError("tensor map: out-of-bounds fill {} is outside 0..1 {}",
                     unsigned(fields.fill), source);
  return {};
}

Expected<void> checkTarget(const TensorMapFields &fields,
                           TensorMapTarget target) {
  if (target != TensorMapTarget::sm90)
    return {};
  if (isPacked(fields.type))
    return makeError("tensor map: data type {} needs sm_100; the target is "
                     "sm_90",
                     nameOf(fields.type));
  if (fields.swizzle >= Swizzle::b128Atom32)
    return makeError("tensor map: swizzle {} needs sm_100; the target is sm_90",
                     nameOf(fields.swizzle));
  return {};
}

Expected<void> checkGlobal(const TensorMapFields &fields) {
  bool wide =
      isPadded(fields.type) || fields.interleave == TensorMapInterleave::b32;
  unsigned align = wide ? 32 : 16;
  if (fields.globalAddress % align)
    return makeError("tensor map: global address {:#x} is not a multiple of {} "
                     "{}",
                     fields.globalAddress, align, source);
  for (unsigned d = 0; d < fields.rank; ++d) {
    uint64_t dim = fields.globalDim[d];
    if (dim == 0 || dim > (uint64_t(1) << 32))
      return makeError("tensor map: globalDim[{}] = {} is outside 1..2^32 {}",
                       d, dim, source);
  }
  uint64_t inner = fields.globalDim[0];
  if (isPadded(fields.type) && inner % 128)
    return makeError("tensor map: globalDim[0] = {} is not a multiple of 128, "
                     "which data type {} needs {}",
                     inner, nameOf(fields.type), source);
  if (fields.type == TensorMapDType::u4Align8B && inner % 2)
    return makeError("tensor map: globalDim[0] = {} is odd; data type {} needs "
                     "whole bytes {}",
                     inner, nameOf(fields.type), source);
  for (unsigned d = 0; d + 1 < fields.rank; ++d) {
    uint64_t stride = fields.globalStrides[d];
    if (stride % align)
      return makeError("tensor map: globalStrides[{}] = {} bytes (dimension "
                       "{}) is not a multiple of {} {}",
                       d, stride, d + 1, align, source);
    if (stride >= (uint64_t(1) << 40))
      return makeError("tensor map: globalStrides[{}] = {} bytes (dimension "
                       "{}) is not below 2^40 {}",
                       d, stride, d + 1, source);
  }
  return {};
}

Expected<void> checkBox(const TensorMapFields &fields) {
  bool interleaved = fields.interleave != TensorMapInterleave::none;
  for (unsigned d = 0; d < fields.rank; ++d) {
    if (fields.boxDim[d] == 0 || fields.boxDim[d] > 256)
      return makeError("tensor map: boxDim[{}] = {} is outside 1..256 {}", d,
                       fields.boxDim[d], source);
    if (fields.elementStrides[d] == 0 || fields.elementStrides[d] > 8)
      return makeError("tensor map: elementStrides[{}] = {} is outside 1..8 {}",
                       d, fields.elementStrides[d], source);
  }
  if (isPadded(fields.type) && fields.boxDim[0] != 128)
    return makeError("tensor map: boxDim[0] = {} but data type {} needs 128 {}",
                     fields.boxDim[0], nameOf(fields.type), source);
  unsigned innerBits = fields.boxDim[0] * sharedBits(fields.type);
  if (!interleaved && innerBits % 128)
    return makeError("tensor map: the inner box dimension has {} x {} = {} "
                     "bits, not a multiple of 16 bytes {}",
                     fields.boxDim[0], nameOf(fields.type), innerBits, source);
  unsigned width = swizzleWidth(fields.swizzle);
  if (!interleaved && fields.swizzle != Swizzle::none && innerBits / 8 > width)
    return makeError("tensor map: the inner box dimension has {} bytes, more "
                     "than the {} bytes that swizzle {} covers {}",
                     innerBits / 8, width, nameOf(fields.swizzle), source);
  return {};
}

Expected<void> checkModes(const TensorMapFields &fields) {
  if (fields.interleave != TensorMapInterleave::none && fields.rank < 3)
    return makeError("tensor map: interleaved layouts need rank 3..5, not {} "
                     "{}",
                     fields.rank, source);
  if (fields.interleave == TensorMapInterleave::b32 &&
      fields.swizzle != Swizzle::b32)
    return makeError("tensor map: interleave 32B needs swizzle 32B, not {} {}",
                     nameOf(fields.swizzle), source);
  if (fields.fill == TensorMapFill::nan && !isFloat(fields.type))
    return makeError("tensor map: NaN fill needs a floating-point type, not {} "
                     "{}",
                     nameOf(fields.type), source);
  if (isPadded(fields.type)) {
    if (fields.interleave != TensorMapInterleave::none)
      return makeError("tensor map: data type {} cannot be interleaved {}",
                       nameOf(fields.type), source);
    if (fields.swizzle != Swizzle::none && fields.swizzle != Swizzle::b128 &&
        fields.swizzle != Swizzle::b128Atom32)
      return makeError("tensor map: data type {} has swizzles none, 128B and "
                       "128B_ATOM_32B, not {} {}",
                       nameOf(fields.type), nameOf(fields.swizzle), source);
  }
  return {};
}

// The record. Field order and offsets are ours.
constexpr uint64_t magic = 0x50414D5452584954ull;
constexpr uint8_t version = 1;
constexpr size_t checksumOffset = 120;

/// FNV-1a over the bytes before the checksum.
uint64_t checksum(std::span<const std::byte, 128> record) {
  uint64_t hash = 0xCBF29CE484222325ull;
  for (size_t i = 0; i < checksumOffset; ++i)
    hash = (hash ^ uint64_t(record[i])) * 0x100000001B3ull;
  return hash;
}

/// Walks the record; the same walk writes and reads.
template <typename Transfer>
void visit(TensorMapFields &fields, Transfer &&transfer) {
  transfer(fields.type);
  transfer(fields.rank);
  transfer(fields.interleave);
  transfer(fields.swizzle);
  transfer(fields.l2Promotion);
  transfer(fields.fill);
  transfer(fields.globalAddress);
  for (unsigned d = 0; d < 5; ++d) {
    // 2^32 must fit in 32 bits; unused entries are 0 and come back as such.
    uint32_t dim = uint32_t(fields.globalDim[d] - (d < fields.rank));
    transfer(dim);
    fields.globalDim[d] = uint64_t(dim) + (d < fields.rank);
    uint16_t box = uint16_t(fields.boxDim[d]);
    transfer(box);
    fields.boxDim[d] = box;
    uint8_t stride = uint8_t(fields.elementStrides[d]);
    transfer(stride);
    fields.elementStrides[d] = stride;
  }
  for (uint64_t &stride : fields.globalStrides)
    transfer(stride);
}

} // namespace

unsigned sizeOf(TensorMapDType type) {
  constexpr unsigned sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 0, 0, 0};
  return sizes[unsigned(type)];
}

std::string_view nameOf(TensorMapDType type) {
  constexpr std::string_view names[] = {
      "UINT8",        "UINT16",       "UINT32",        "INT32",
      "UINT64",       "INT64",        "FLOAT16",       "FLOAT32",
      "FLOAT64",      "BFLOAT16",     "FLOAT32_FTZ",   "TFLOAT32",
      "TFLOAT32_FTZ", "16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B"};
  return names[unsigned(type)];
}

Expected<void> validateTensorMap(const TensorMapFields &fields,
                                 TensorMapTarget target) {
  if (auto ok = checkEnums(fields); !ok)
    return ok;
  if (auto ok = checkTarget(fields, target); !ok)
    return ok;
  if (auto ok = checkGlobal(fields); !ok)
    return ok;
  if (auto ok = checkBox(fields); !ok)
    return ok;
  return checkModes(fields);
}

Expected<TensorMapRecord> encodeTensorMap(const TensorMapFields &fields,
                                          TensorMapTarget target) {
  if (auto ok = validateTensorMap(fields, target); !ok)
    return tl::unexpected(ok.error());
  TensorMapFields copy = fields;
  for (unsigned d = fields.rank; d < 5; ++d) {
    copy.globalDim[d] = copy.boxDim[d] = copy.elementStrides[d] = 0;
    copy.globalStrides[d - 1] = 0;
  }
  TensorMapRecord record{};
  size_t offset = 0;
  auto put = [&](const auto &value) {
    std::memcpy(record.data() + offset, &value, sizeof(value));
    offset += sizeof(value);
  };
  put(magic);
  put(version);
  visit(copy, put);
  uint64_t sum = checksum(record);
  std::memcpy(record.data() + checksumOffset, &sum, 8);
  return record;
}

Expected<TensorMapFields>
decodeTensorMap(std::span<const std::byte, 128> record) {
  size_t offset = 0;
  auto get = [&](auto &value) {
    std::memcpy(&value, record.data() + offset, sizeof(value));
    offset += sizeof(value);
  };
  uint64_t foundMagic;
  uint8_t foundVersion;
  get(foundMagic);
  get(foundVersion);
  if (foundMagic != magic)
    return makeError("tensor map: the 128 bytes are no map of this simulator "
                     "(they begin with {:#018x}); a map made by the CUDA "
                     "driver, a wrong address, or memory never written",
                     foundMagic);
  uint64_t sum;
  std::memcpy(&sum, record.data() + checksumOffset, 8);
  if (sum != checksum(record))
    return makeError("tensor map: the record was changed after it was encoded "
                     "(checksum {:#018x}, contents give {:#018x})",
                     sum, checksum(record));
  if (foundVersion != version)
    return makeError("tensor map: record version {}; this simulator reads {}",
                     foundVersion, version);
  TensorMapFields fields;
  visit(fields, get);
  return fields;
}

} // namespace tirx::rt::sim
