//===- BindArguments.cpp - check what the caller passes ---------*- C++ -*-===//
#include "device/BindArguments.h"

#include "tirx/Runtime/Tensor.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace tirx::rt;

namespace {

std::string listNames(const Kernel &kernel) {
  std::vector<std::string_view> names;
  for (const Argument &argument : kernel.arguments)
    names.push_back(argument.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

Expected<void> checkNames(const Kernel &kernel, const ArgMap &args) {
  for (const Argument &argument : kernel.arguments)
    if (!args.contains(argument.name))
      return makeError("argument '{}': missing", argument.name);
  for (const auto &[name, unused] : args) {
    bool known = false;
    for (const Argument &argument : kernel.arguments)
      known |= argument.name == name;
    if (!known)
      return makeError("argument '{}': unknown, the kernel takes {}", name,
                       listNames(kernel));
  }
  return {};
}

Expected<void> checkShape(const Argument &argument, const TensorArg &tensor) {
  const size_t rank = argument.shape.size();
  if (tensor.shape.size() != rank)
    return makeError("rank {}, expected {}", tensor.shape.size(), rank);
  for (size_t axis = 0; axis < rank; ++axis) {
    if (tensor.shape[axis] < 0)
      return makeError("extent of axis {} is {}, must not be negative", axis,
                       tensor.shape[axis]);
    if (argument.shape[axis] && tensor.shape[axis] != *argument.shape[axis])
      return makeError("extent of axis {} is {}, expected {}", axis,
                       tensor.shape[axis], *argument.shape[axis]);
  }
  if (!elementCount(tensor.shape))
    return makeError("shape {} has more than 2^63-1 elements",
                     shapeToString(tensor.shape));
  return {};
}

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  uint64_t stride = 1; // of an empty tensor it may wrap; nothing uses it then
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(std::max<int64_t>(shape[axis], 1));
  }
  return strides;
}

/// The strides to launch with; those of axes that nothing steps along (extent
/// 0 or 1) become the ones that a packed tensor would have.
Expected<std::vector<int64_t>> checkStrides(const Argument &argument,
                                            const TensorArg &tensor) {
  const size_t rank = tensor.shape.size();
  const std::vector<int64_t> packed = rowMajorStrides(tensor.shape);
  if (tensor.strides.empty())
    return packed;
  if (tensor.strides.size() != rank)
    return makeError("{} strides, expected {} (or none for row-major)",
                     tensor.strides.size(), rank);
  std::vector<int64_t> strides = tensor.strides;
  for (size_t axis = rank; axis-- > 0;) {
    const int64_t stride = strides[axis];
    if (tensor.shape[axis] <= 1) {
      strides[axis] = axis + 1 == rank
                          ? 1
                          : strides[axis + 1] *
                                std::max<int64_t>(tensor.shape[axis + 1], 1);
      continue;
    }
    if (axis + 1 == rank && stride != 1)
      return makeError("stride of axis {}, the innermost, is {} elements, "
                       "expected 1",
                       axis, stride);
    if (stride < 1)
      return makeError("stride of axis {} is {} elements, must be positive",
                       axis, stride);
    if (argument.contiguous && stride != packed[axis])
      return makeError("stride of axis {} is {} elements, expected {} (the "
                       "kernel takes a contiguous tensor)",
                       axis, stride, packed[axis]);
    int64_t product = 0;
    if (__builtin_mul_overflow(stride, tensor.shape[axis], &product) ||
        product > std::numeric_limits<int64_t>::max() / 16)
      return makeError("stride of axis {} is {} elements: {} of them pass the "
                       "address space",
                       axis, stride, tensor.shape[axis]);
  }
  return argument.contiguous ? packed : strides;
}

/// Bytes from the first to the last element; 0 for an empty tensor.
Expected<uint64_t> spanBytes(const BoundArgument &bound,
                             unsigned elementBytes) {
  int64_t last = 0;
  for (size_t axis = 0; axis < bound.shape.size(); ++axis) {
    if (bound.shape[axis] == 0)
      return 0;
    int64_t offset = 0;
    if (__builtin_mul_overflow(bound.shape[axis] - 1, bound.strides[axis],
                               &offset) ||
        __builtin_add_overflow(last, offset, &last))
      return makeError("shape {} with strides {} passes the address space",
                       shapeToString(bound.shape),
                       shapeToString(bound.strides));
  }
  int64_t elements = 0, bytes = 0;
  if (__builtin_add_overflow(last, 1, &elements) ||
      __builtin_mul_overflow(elements, elementBytes, &bytes))
    return makeError("shape {} with strides {} passes the address space",
                     shapeToString(bound.shape), shapeToString(bound.strides));
  return bytes;
}

Expected<BoundArgument> bindTensor(const Argument &argument,
                                   const TensorArg &tensor) {
  if (tensor.dtype != argument.dtype)
    return makeError("dtype {}, expected {}", nameOf(tensor.dtype),
                     nameOf(argument.dtype));
  if (const auto valid = checkShape(argument, tensor); !valid)
    return tl::unexpected(valid.error());
  auto strides = checkStrides(argument, tensor);
  if (!strides)
    return tl::unexpected(strides.error());
  BoundArgument bound;
  bound.data = tensor.data;
  bound.shape = tensor.shape;
  bound.strides = std::move(*strides);
  const auto bytes = spanBytes(bound, sizeOf(argument.dtype));
  if (!bytes)
    return tl::unexpected(bytes.error());
  bound.bytes = *bytes;
  const auto address = reinterpret_cast<uintptr_t>(tensor.data);
  if (bound.bytes > 0 && address == 0)
    return makeError("null pointer for a tensor of shape {}",
                     shapeToString(tensor.shape));
  if (address + bound.bytes < address)
    return makeError("{} bytes at {:#x} pass the address space", bound.bytes,
                     address);
  if (address % argument.alignment != 0)
    return makeError("address {:#x} is not a multiple of {} bytes", address,
                     argument.alignment);
  return bound;
}

template <typename T>
Expected<BoundArgument> bindInteger(const ScalarArg &value, DType dtype) {
  int64_t integer = 0;
  uint64_t bits = 0;
  if (const auto *given = std::get_if<int64_t>(&value)) {
    if (!std::in_range<T>(*given))
      return makeError("{} does not fit {}", *given, nameOf(dtype));
    integer = *given;
    bits = static_cast<uint64_t>(integer);
  } else {
    const double real = std::get<double>(value);
    // Limits as powers of two, which are exact.
    const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double lowest = std::numeric_limits<T>::is_signed ? -limit : 0;
    if (!(real >= lowest && real < limit) || real != std::trunc(real))
      return makeError("{} does not fit {}", real, nameOf(dtype));
    const T exact = static_cast<T>(real);
    bits = static_cast<uint64_t>(exact);
    if (std::in_range<int64_t>(exact))
      integer = static_cast<int64_t>(exact);
    else
      return makeError("{} does not fit {}: values above 2^63-1 are not "
                       "supported as scalars",
                       real, nameOf(dtype));
  }
  BoundArgument bound;
  bound.integer = integer;
  const T stored = static_cast<T>(bits);
  std::memcpy(bound.scalar_bytes.data(), &stored, sizeof stored);
  return bound;
}

/// Rounds. What does not fit: a finite value that becomes infinite; beyond the
/// largest value of an f8 type, infinity included.
Expected<BoundArgument> bindFloat(const ScalarArg &value, DType dtype) {
  const double real =
      std::visit([](auto given) { return static_cast<double>(given); }, value);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  BoundArgument bound;
  fromDouble(dtype, infinity, bound.scalar_bytes.data());
  const double limit = toDouble(dtype, bound.scalar_bytes.data());
  fromDouble(dtype, real, bound.scalar_bytes.data());
  const double stored = toDouble(dtype, bound.scalar_bytes.data());
  const bool becameInfinite = std::isinf(stored) && !std::isinf(real);
  if (becameInfinite || std::fabs(real) > limit)
    return makeError("{} does not fit {}", real, nameOf(dtype));
  return bound;
}

Expected<BoundArgument> bindScalar(const Argument &argument,
                                   const ScalarArg &value) {
  switch (argument.dtype) {
  case DType::boolean: {
    auto bound = bindInteger<uint8_t>(value, argument.dtype);
    if (bound && bound->integer > 1)
      return makeError("{} does not fit bool", bound->integer);
    return bound;
  }
  case DType::u8:
    return bindInteger<uint8_t>(value, argument.dtype);
  case DType::i8:
    return bindInteger<int8_t>(value, argument.dtype);
  case DType::u16:
    return bindInteger<uint16_t>(value, argument.dtype);
  case DType::i16:
    return bindInteger<int16_t>(value, argument.dtype);
  case DType::u32:
    return bindInteger<uint32_t>(value, argument.dtype);
  case DType::i32:
    return bindInteger<int32_t>(value, argument.dtype);
  case DType::u64:
    return bindInteger<uint64_t>(value, argument.dtype);
  case DType::i64:
    return bindInteger<int64_t>(value, argument.dtype);
  default:
    return bindFloat(value, argument.dtype);
  }
}

Expected<BoundArgument> bind(const Argument &argument, const ArgValue &value) {
  const bool isTensor = std::holds_alternative<TensorArg>(value);
  if (argument.kind == Argument::Kind::tensor)
    return isTensor ? bindTensor(argument, std::get<TensorArg>(value))
                    : makeError("a scalar, expected a tensor");
  return isTensor ? makeError("a tensor, expected a scalar")
                  : bindScalar(argument, std::get<ScalarArg>(value));
}

} // namespace

Expected<std::vector<BoundArgument>>
tirx::rt::bindArguments(const Kernel &kernel, const ArgMap &args) {
  if (const auto valid = checkNames(kernel, args); !valid)
    return tl::unexpected(valid.error());
  std::vector<BoundArgument> bound;
  for (const Argument &argument : kernel.arguments) {
    auto value = bind(argument, args.at(argument.name));
    if (!value)
      return addContext(fmt::format("argument '{}'", argument.name),
                        value.error());
    bound.push_back(std::move(*value));
  }
  return bound;
}
