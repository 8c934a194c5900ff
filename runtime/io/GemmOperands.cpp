//===- GemmOperands.cpp - checked operands as doubles ---------------------===//
#include "GemmOperands.h"
#include "FloatLimits.h"

#include <bit>
#include <cstring>

using namespace tirx::rt;

namespace {

Expected<void> checkTensor(const HostTensor *tensor, std::string_view name) {
  if (!tensor)
    return makeError("{}: there is no tensor", name);
  const auto count = elementCount(tensor->shape);
  if (!count || !isFloat(tensor->dtype))
    return makeError("{}: expected floats, got shape {} of {}", name,
                     shapeToString(tensor->shape), nameOf(tensor->dtype));
  if (static_cast<uint64_t>(*count) * sizeOf(tensor->dtype) !=
      tensor->bytes.size())
    return makeError("{}: shape {} of {}, but {} bytes", name,
                     shapeToString(tensor->shape), nameOf(tensor->dtype),
                     tensor->bytes.size());
  return {};
}

Expected<void> checkMatrix(const HostTensor *tensor, std::string_view name) {
  const auto valid = checkTensor(tensor, name);
  if (!valid)
    return valid;
  if (tensor->shape.size() != 2 && tensor->shape.size() != 3)
    return makeError("{}: expected a matrix of floats or a batch of them, got "
                     "shape {} of {}",
                     name, shapeToString(tensor->shape), nameOf(tensor->dtype));
  return {};
}

bool isF8(DType dtype) {
  return dtype == DType::f8e4m3 || dtype == DType::f8e5m2;
}

/// C and the bias: D's dtype and the shape that they must have.
Expected<void> checkTerm(const HostTensor *tensor, std::string_view name,
                         DType dtype, const std::vector<int64_t> &shape) {
  if (!tensor)
    return {};
  if (const auto valid = checkTensor(tensor, name); !valid)
    return valid;
  if (tensor->shape != shape || tensor->dtype != dtype)
    return makeError("{}: shape {} of {}, expected {} of {}", name,
                     shapeToString(tensor->shape), nameOf(tensor->dtype),
                     shapeToString(shape), nameOf(dtype));
  return {};
}

/// The element that a tensor core reads.
double readOperand(const HostTensor &tensor, int64_t index) {
  const std::byte *bytes =
      tensor.bytes.data() + index * static_cast<int64_t>(sizeOf(tensor.dtype));
  if (tensor.dtype != DType::f32)
    return toDouble(tensor.dtype, bytes);
  uint32_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return std::bit_cast<float>(bits & ~uint32_t(0x1FFF)); // tf32
}

/// Calls put(row, k, value) for all elements of a batch.
template <typename Put>
void forEachElement(const HostTensor &tensor, bool mnMajor, int64_t rows,
                    int64_t depth, int64_t batch, Put put) {
  const int64_t base = batch * rows * depth;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < depth; ++k)
      put(row, k,
          readOperand(tensor,
                      base + (mnMajor ? k * rows + row : row * depth + k)));
}

OperandMatrix matrixOf(size_t size, DType dtype) {
  const double zeroScale = exponentScale(0, limitsOf(dtype).minimumExponent);
  return {std::vector<double>(size), std::vector<double>(size, zeroScale)};
}

} // namespace

Expected<GemmShape> tirx::rt::checkGemm(const GemmProblem &problem) {
  if (const auto valid = checkMatrix(problem.a, "A"); !valid)
    return tl::unexpected(valid.error());
  if (const auto valid = checkMatrix(problem.b, "B"); !valid)
    return tl::unexpected(valid.error());
  const HostTensor &a = *problem.a, &b = *problem.b;
  const size_t rank = a.shape.size();
  if (b.shape.size() != rank)
    return makeError("A has rank {}, B has rank {}", rank, b.shape.size());

  GemmShape shape;
  shape.batched = rank == 3;
  if (shape.batched) {
    shape.batches = a.shape[0];
    if (b.shape[0] != shape.batches)
      return makeError("A has {} batches, B has {}", shape.batches, b.shape[0]);
  }
  shape.m = a.shape[rank - (problem.a_is_mn_major ? 1 : 2)];
  shape.k = a.shape[rank - (problem.a_is_mn_major ? 2 : 1)];
  shape.n = b.shape[rank - (problem.b_is_mn_major ? 1 : 2)];
  const int64_t depthOfB = b.shape[rank - (problem.b_is_mn_major ? 2 : 1)];
  if (depthOfB != shape.k)
    return makeError("A has K = {}, B has K = {}", shape.k, depthOfB);

  if (const auto rule = tensorCoreRule(a.dtype); !rule)
    return tl::unexpected(rule.error());
  if (a.dtype != b.dtype && !(isF8(a.dtype) && isF8(b.dtype)))
    return makeError("A is {}, B is {}: tensor cores multiply equal dtypes, or "
                     "f8e4m3 with f8e5m2",
                     nameOf(a.dtype), nameOf(b.dtype));
  if (!isFloat(problem.output))
    return makeError("the output dtype {} is no float", nameOf(problem.output));
  std::vector<int64_t> outputShape = {shape.m, shape.n};
  if (shape.batched)
    outputShape.insert(outputShape.begin(), shape.batches);
  const GemmEpilogue &epilogue = problem.epilogue;
  if (!epilogue.c && epilogue.beta != 0)
    return makeError("beta is {}, but there is no C", epilogue.beta);
  if (const auto valid =
          checkTerm(epilogue.c, "C", problem.output, outputShape);
      !valid)
    return tl::unexpected(valid.error());
  if (const auto valid =
          checkTerm(epilogue.bias, "bias", problem.output, {shape.n});
      !valid)
    return tl::unexpected(valid.error());
  return shape;
}

OperandMatrix tirx::rt::widenA(const GemmProblem &problem,
                               const GemmShape &shape, int64_t batch) {
  const HostTensor &a = *problem.a;
  const int minimum = limitsOf(a.dtype).minimumExponent;
  OperandMatrix matrix =
      matrixOf(static_cast<size_t>(shape.m * shape.k), a.dtype);
  forEachElement(a, problem.a_is_mn_major, shape.m, shape.k, batch,
                 [&](int64_t m, int64_t k, double value) {
                   const auto at = static_cast<size_t>(m * shape.k + k);
                   matrix.values[at] = value;
                   matrix.scales[at] = exponentScale(value, minimum);
                 });
  return matrix;
}

OperandMatrix tirx::rt::widenB(const GemmProblem &problem,
                               const GemmShape &shape, int64_t batch) {
  const HostTensor &b = *problem.b;
  const int minimum = limitsOf(b.dtype).minimumExponent;
  const int64_t panels = (shape.n + kPanelColumns - 1) / kPanelColumns;
  OperandMatrix matrix =
      matrixOf(static_cast<size_t>(panels * shape.k * kPanelColumns), b.dtype);
  forEachElement(b, problem.b_is_mn_major, shape.n, shape.k, batch,
                 [&](int64_t n, int64_t k, double value) {
                   const auto at = static_cast<size_t>(
                       (n / kPanelColumns * shape.k + k) * kPanelColumns +
                       n % kPanelColumns);
                   matrix.values[at] = value;
                   matrix.scales[at] = exponentScale(value, minimum);
                 });
  return matrix;
}
