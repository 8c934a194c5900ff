//===- Npy.cpp - NumPy's .npy files -----------------------------*- C++ -*-===//
#include "io/NpyHeader.h"
#include "tirx/Runtime/Tensor.h"

#include <array>
#include <cstring>
#include <span>

using namespace tirx::rt;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Descr {
  std::string_view text;
  unsigned bytes;
  std::optional<DType> dtype; ///< nullopt: the caller must say which
};

// NumPy writes the types that ml_dtypes adds as opaque bytes ("V").
constexpr Descr kDescrs[] = {
    {"|b1", 1, DType::boolean},
    {"|u1", 1, DType::u8},
    {"<u1", 1, DType::u8},
    {"|i1", 1, DType::i8},
    {"<i1", 1, DType::i8},
    {"<u2", 2, DType::u16},
    {"<i2", 2, DType::i16},
    {"<u4", 4, DType::u32},
    {"<i4", 4, DType::i32},
    {"<u8", 8, DType::u64},
    {"<i8", 8, DType::i64},
    {"<f2", 2, DType::f16},
    {"<f4", 4, DType::f32},
    {"<f8", 8, DType::f64},
    {"<V2", 2, DType::bf16},
    {"|V2", 2, DType::bf16},
    {"bfloat16", 2, DType::bf16},
    {"|V1", 1, std::nullopt},
    {"<V1", 1, std::nullopt},
    {"float8_e4m3fn", 1, DType::f8e4m3},
    {"float8_e5m2", 1, DType::f8e5m2},
};

std::string_view descrFor(DType dtype) {
  if (dtype == DType::f8e4m3 || dtype == DType::f8e5m2)
    return "|V1";
  for (const Descr &descr : kDescrs)
    if (descr.dtype == dtype)
      return descr.text;
  return {};
}

Expected<DType> chooseDType(const std::string &text,
                            std::optional<DType> reinterpret) {
  const Descr *found = nullptr;
  for (const Descr &descr : kDescrs)
    if (descr.text == text)
      found = &descr;
  if (!found && text.starts_with('>'))
    return makeError("dtype '{}' is big-endian, only little-endian is read",
                     text);
  if (!found)
    return makeError("dtype '{}' is not supported", text);
  if (!reinterpret && !found->dtype)
    return makeError("dtype '{}' does not say which type its bytes are; read "
                     "it as f8e4m3 or f8e5m2",
                     text);
  if (reinterpret && sizeOf(*reinterpret) != found->bytes)
    return makeError("cannot read dtype '{}' ({} bytes) as {} ({} bytes)", text,
                     found->bytes, nameOf(*reinterpret), sizeOf(*reinterpret));
  return reinterpret ? *reinterpret : *found->dtype;
}

/// Column-major to row-major.
std::vector<std::byte> transposed(std::span<const std::byte> source,
                                  std::span<const int64_t> shape,
                                  unsigned elementBytes) {
  std::vector<std::byte> result(source.size());
  std::vector<int64_t> index(shape.size(), 0);
  std::vector<size_t> strides(shape.size());
  size_t stride = elementBytes;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= static_cast<size_t>(shape[axis]);
  }
  size_t from = 0;
  for (size_t to = 0; to < result.size(); to += elementBytes) {
    std::memcpy(result.data() + to, source.data() + from, elementBytes);
    for (size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= strides[axis] * static_cast<size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
  return result;
}

struct HeaderText {
  std::string_view text;
  size_t dataOffset;
};

Expected<HeaderText> findHeader(std::span<const std::byte> file) {
  const std::string_view bytes(reinterpret_cast<const char *>(file.data()),
                               file.size());
  if (!bytes.starts_with(kMagic))
    return makeError("not a .npy file: it does not start with \\x93NUMPY");
  if (file.size() < 8)
    return makeError("truncated: {} bytes", file.size());
  const auto byteAt = [&](size_t at) {
    return static_cast<uint8_t>(bytes[at]);
  };
  const unsigned major = byteAt(6), minor = byteAt(7);
  if (major < 1 || major > 3 || minor != 0)
    return makeError("format version {}.{}: 1.0, 2.0 and 3.0 are read", major,
                     minor);
  const size_t lengthBytes = major == 1 ? 2 : 4;
  const size_t textAt = 8 + lengthBytes;
  if (file.size() < textAt)
    return makeError("truncated: {} bytes", file.size());
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(byteAt(8 + i)) << (8 * i);
  if (length > file.size() - textAt)
    return makeError("truncated: a header of {} bytes in a file of {}", length,
                     file.size());
  return HeaderText{bytes.substr(textAt, length), textAt + length};
}

Expected<HostTensor> parseNpy(std::span<const std::byte> file,
                              std::optional<DType> reinterpret) {
  const auto text = findHeader(file);
  if (!text)
    return tl::unexpected(text.error());
  const auto header = parseNpyHeader(text->text);
  if (!header)
    return tl::unexpected(header.error());
  const auto dtype = chooseDType(header->descr, reinterpret);
  if (!dtype)
    return tl::unexpected(dtype.error());

  const auto count = elementCount(header->shape);
  int64_t expected = 0;
  if (!count || __builtin_mul_overflow(*count, sizeOf(*dtype), &expected))
    return makeError("shape {} of {} has more than 2^63-1 bytes",
                     shapeToString(header->shape), nameOf(*dtype));
  const auto data = file.subspan(text->dataOffset);
  if (data.size() != static_cast<uint64_t>(expected))
    return makeError("shape {} of {} has {} bytes, but {} bytes follow the "
                     "header",
                     shapeToString(header->shape), nameOf(*dtype), expected,
                     data.size());
  HostTensor tensor;
  tensor.dtype = *dtype;
  tensor.shape = header->shape;
  if (header->fortran_order)
    tensor.bytes = transposed(data, tensor.shape, sizeOf(*dtype));
  else
    tensor.bytes.assign(data.begin(), data.end());
  return tensor;
}

/// "(3, 4)", "(3,)", "()".
std::string pythonTuple(std::span<const int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "),
                     shape.size() == 1 ? "," : "");
}

} // namespace

Expected<HostTensor> tirx::rt::readNpy(const std::string &path,
                                       std::optional<DType> reinterpret) {
  const auto file = readFile(path);
  if (!file)
    return tl::unexpected(file.error());
  auto tensor = parseNpy(*file, reinterpret);
  if (!tensor)
    return addContext(path, tensor.error());
  return tensor;
}

Expected<void> tirx::rt::writeNpy(const std::string &path,
                                  const HostTensor &tensor) {
  const auto count = elementCount(tensor.shape);
  if (!count || static_cast<uint64_t>(*count) * sizeOf(tensor.dtype) !=
                    tensor.bytes.size())
    return makeError("cannot write '{}': a tensor of shape {} and dtype {} "
                     "with {} bytes",
                     path, shapeToString(tensor.shape), nameOf(tensor.dtype),
                     tensor.bytes.size());
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                  descrFor(tensor.dtype), pythonTuple(tensor.shape));
  // The data starts at a multiple of 64 bytes; a newline ends the header.
  constexpr size_t prefixBytes = 10;
  const size_t unpadded = prefixBytes + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  if (header.size() > 0xFFFF)
    return makeError("cannot write '{}': rank {} gives a header of more than "
                     "65535 bytes (.npy format 1.0)",
                     path, tensor.shape.size());

  std::string file(kMagic);
  file += '\x01';
  file += '\0';
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char *>(tensor.bytes.data()),
              tensor.bytes.size());
  return writeFileAtomically(path, file.data(), file.size());
}
