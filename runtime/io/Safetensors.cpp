//===- Safetensors.cpp - one tensor of a .safetensors file ------*- C++ -*-===//
#include "support/FileReader.h"
#include "support/Json.h"
#include "tirx/Runtime/Tensor.h"

#include <algorithm>
#include <tuple>

using namespace tirx::rt;
using nlohmann::json;

namespace {

/// The format's own limit of the header.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;

constexpr std::pair<std::string_view, DType> kDTypeNames[] = {
    {"BOOL", DType::boolean},   {"U8", DType::u8},          {"I8", DType::i8},
    {"U16", DType::u16},        {"I16", DType::i16},        {"U32", DType::u32},
    {"I32", DType::i32},        {"U64", DType::u64},        {"I64", DType::i64},
    {"F8_E4M3", DType::f8e4m3}, {"F8_E5M2", DType::f8e5m2}, {"F16", DType::f16},
    {"BF16", DType::bf16},      {"F32", DType::f32},        {"F64", DType::f64},
};

std::optional<DType> parseName(std::string_view name) {
  for (const auto &[text, dtype] : kDTypeNames)
    if (text == name)
      return dtype;
  return std::nullopt;
}

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0; ///< relative to the end of the header
};

bool isCount(const json &value) {
  return value.is_number_integer() &&
         (value.is_number_unsigned()
              ? value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX)
              : value.get<int64_t>() >= 0);
}

Expected<Entry> readEntry(const std::string &name, const json &value) {
  if (!value.is_object())
    return makeError("tensor '{}': expected an object, got {}", name,
                     value.type_name());
  for (const auto &[key, unused] : value.items())
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      return makeError("tensor '{}': unknown field \"{}\"", name, key);
  for (const char *field : {"dtype", "shape", "data_offsets"})
    if (!value.contains(field))
      return makeError("tensor '{}': lacks the field \"{}\"", name, field);
  const json &dtype = value["dtype"], &shape = value["shape"],
             &offsets = value["data_offsets"];
  Entry entry;
  entry.name = name;
  if (!dtype.is_string())
    return makeError("tensor '{}': dtype is no string", name);
  entry.dtype = dtype.get<std::string>();
  if (!shape.is_array() || !std::all_of(shape.begin(), shape.end(), isCount))
    return makeError("tensor '{}': shape {} is no list of extents", name,
                     shape.dump());
  entry.shape = shape.get<std::vector<int64_t>>();
  if (!offsets.is_array() || offsets.size() != 2 || !isCount(offsets[0]) ||
      !isCount(offsets[1]) ||
      offsets[0].get<uint64_t>() > offsets[1].get<uint64_t>())
    return makeError("tensor '{}': data_offsets {} is no [begin, end]", name,
                     offsets.dump());
  entry.begin = offsets[0].get<uint64_t>();
  entry.end = offsets[1].get<uint64_t>();
  return entry;
}

/// Range, and agreement with dtype and shape where the dtype is known.
Expected<void> checkEntry(const Entry &entry, uint64_t dataBytes) {
  if (entry.end > dataBytes)
    return makeError("tensor '{}': data_offsets [{}, {}] pass the end of the "
                     "data at {}",
                     entry.name, entry.begin, entry.end, dataBytes);
  const auto count = elementCount(entry.shape);
  if (!count)
    return makeError("tensor '{}': shape {} has more than 2^63-1 elements",
                     entry.name, shapeToString(entry.shape));
  const auto dtype = parseName(entry.dtype);
  if (!dtype)
    return {};
  uint64_t expected = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(*count), sizeOf(*dtype),
                             &expected) ||
      expected != entry.end - entry.begin)
    return makeError(
        "tensor '{}': shape {} of {} does not take the {} bytes of "
        "data_offsets [{}, {}]",
        entry.name, shapeToString(entry.shape), entry.dtype,
        entry.end - entry.begin, entry.begin, entry.end);
  return {};
}

/// Sorted by place, the tensors must cover the data without gap or overlap.
Expected<void> checkCoverage(std::vector<Entry> entries, uint64_t dataBytes) {
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t at = 0;
  const Entry *previous = nullptr;
  for (const Entry &entry : entries) {
    if (entry.begin < at)
      return makeError("tensors '{}' and '{}' overlap", previous->name,
                       entry.name);
    if (entry.begin > at)
      return makeError("bytes {} to {} of the data belong to no tensor", at,
                       entry.begin);
    at = entry.end;
    previous = &entry;
  }
  if (at != dataBytes)
    return makeError("bytes {} to {} of the data belong to no tensor", at,
                     dataBytes);
  return {};
}

Expected<std::vector<Entry>> readEntries(const json &header,
                                         uint64_t dataBytes) {
  if (!header.is_object())
    return makeError("the header is no JSON object");
  std::vector<Entry> entries;
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__") {
      if (!value.is_object() ||
          !std::all_of(value.begin(), value.end(),
                       [](const json &text) { return text.is_string(); }))
        return makeError("__metadata__ is no map of strings");
      continue;
    }
    auto entry = readEntry(name, value);
    if (!entry)
      return tl::unexpected(entry.error());
    if (const auto valid = checkEntry(*entry, dataBytes); !valid)
      return tl::unexpected(valid.error());
    entries.push_back(std::move(*entry));
  }
  if (const auto covered = checkCoverage(entries, dataBytes); !covered)
    return tl::unexpected(covered.error());
  return entries;
}

std::string listNames(const std::vector<Entry> &entries) {
  constexpr size_t most = 20;
  std::vector<std::string_view> names;
  for (size_t i = 0; i < std::min(entries.size(), most); ++i)
    names.push_back(entries[i].name);
  const size_t rest = entries.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "),
                     rest ? fmt::format(" and {} more", rest) : "");
}

Expected<HostTensor> readTensor(const FileReader &file,
                                const std::string &name) {
  const auto prefix = file.read(0, std::min<uint64_t>(file.size(), 8));
  if (!prefix)
    return tl::unexpected(prefix.error());
  if (prefix->size() < 8)
    return makeError("{}: truncated: {} bytes", file.path(), prefix->size());
  uint64_t headerBytes = 0;
  for (size_t i = 0; i < 8; ++i)
    headerBytes |= static_cast<uint64_t>((*prefix)[i]) << (8 * i);
  if (headerBytes > kMaxHeaderBytes)
    return makeError("{}: a header of {} bytes, more than {} (safetensors' "
                     "limit)",
                     file.path(), headerBytes, kMaxHeaderBytes);
  if (headerBytes > file.size() - 8)
    return makeError("{}: truncated: a header of {} bytes in a file of {}",
                     file.path(), headerBytes, file.size());

  const auto text = file.read(8, headerBytes);
  if (!text)
    return tl::unexpected(text.error());
  const auto header = parseJson(
      {reinterpret_cast<const char *>(text->data()), text->size()}, 4);
  if (!header)
    return addContext(file.path(), header.error());
  const uint64_t dataAt = 8 + headerBytes;
  const auto entries = readEntries(*header, file.size() - dataAt);
  if (!entries)
    return addContext(file.path(), entries.error());

  const auto found =
      std::find_if(entries->begin(), entries->end(),
                   [&](const Entry &entry) { return entry.name == name; });
  if (found == entries->end())
    return makeError("{}: has no tensor '{}'; it has {}", file.path(), name,
                     entries->empty() ? "none" : listNames(*entries));
  const auto dtype = parseName(found->dtype);
  if (!dtype)
    return makeError("{}: tensor '{}': dtype {} is not supported", file.path(),
                     name, found->dtype);
  auto bytes = file.read(dataAt + found->begin, found->end - found->begin);
  if (!bytes)
    return tl::unexpected(bytes.error());
  return HostTensor{*dtype, found->shape, std::move(*bytes)};
}

} // namespace

Expected<HostTensor> tirx::rt::readSafetensors(const std::string &path,
                                               const std::string &tensor) {
  const auto file = FileReader::open(path);
  if (!file)
    return tl::unexpected(file.error());
  return readTensor(*file, tensor);
}
