//===- GemmProblemTest.cpp - majors, batches, dtypes, epilogues -----------===//
#include "TensorCoreModel.h"
#include "io/GemmEpilogue.h"
#include "tirx/Runtime/Compare.h"

#include <bit>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <limits>
#include <random>

using namespace tirx::rt;
using namespace tirx::rt::test;
using Activation = GemmEpilogue::Activation;

namespace {

struct Operands {
  DType a, b;
  int minimumA, minimumB, k;
};

constexpr Operands kOperands[] = {
    {DType::f16, DType::f16, -14, -14, 16},
    {DType::bf16, DType::bf16, -126, -126, 16},
    {DType::f32, DType::f32, -126, -126, 8},
    {DType::f8e4m3, DType::f8e4m3, -6, -6, 32},
    {DType::f8e5m2, DType::f8e5m2, -14, -14, 32},
    {DType::f8e4m3, DType::f8e5m2, -6, -14, 32},
    {DType::f8e5m2, DType::f8e4m3, -14, -6, 32},
};

/// A problem with all its tensors; what is not used is left empty.
struct Case {
  Operands operands = kOperands[0];
  int64_t batches = 0, m = 5, n = 11, k = 70; ///< batches 0: rank 2
  bool aMnMajor = false, bMnMajor = false, withC = false, withBias = false;
  DType output = DType::f32;
  GemmEpilogue epilogue;
  HostTensor a, b, c, bias;

  std::vector<int64_t> shape(int64_t rows, int64_t columns) const {
    std::vector<int64_t> result = {rows, columns};
    if (batches)
      result.insert(result.begin(), batches);
    return result;
  }

  GemmProblem problem(uint64_t seed) {
    a = randomNormal(operands.a, aMnMajor ? shape(k, m) : shape(m, k), seed);
    b = randomNormal(operands.b, bMnMajor ? shape(k, n) : shape(n, k),
                     seed + 1);
    GemmProblem result;
    result.a = &a;
    result.b = &b;
    result.a_is_mn_major = aMnMajor;
    result.b_is_mn_major = bMnMajor;
    result.output = output;
    result.epilogue = epilogue;
    if (withC) {
      c = randomNormal(output, shape(m, n), seed + 2);
      result.epilogue.c = &c;
    }
    if (withBias) {
      bias = randomNormal(output, {n}, seed + 3);
      result.epilogue.bias = &bias;
    }
    return result;
  }

  double left(int64_t l, int64_t row, int64_t depth) const {
    return read(a, aMnMajor ? (l * k + depth) * m + row
                            : (l * m + row) * k + depth);
  }
  double right(int64_t l, int64_t row, int64_t depth) const {
    return read(b, bMnMajor ? (l * k + depth) * n + row
                            : (l * n + row) * k + depth);
  }
  static double read(const HostTensor &tensor, int64_t i) {
    double value = at(tensor, i);
    if (tensor.dtype == DType::f32) {
      uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
      value = std::bit_cast<float>(bits >> 13 << 13);
    }
    return value;
  }
};

double exactActivation(Activation activation, double x) {
  switch (activation) {
  case Activation::none:
    return x;
  case Activation::relu:
    return std::fmax(x, 0);
  case Activation::gelu:
    return x / 2 *
           (1 + std::tanh(std::sqrt(M_2_PI) * (x + 0.044715 * x * x * x)));
  case Activation::silu:
    return x / (1 + std::exp(-x));
  }
  return 0;
}

HostTensor bruteForce(const Case &problem) {
  const GemmEpilogue &epilogue = problem.epilogue;
  HostTensor d = poisoned(DType::f64, problem.shape(problem.m, problem.n));
  int64_t i = 0;
  for (int64_t l = 0; l < std::max<int64_t>(problem.batches, 1); ++l)
    for (int64_t m = 0; m < problem.m; ++m)
      for (int64_t n = 0; n < problem.n; ++n, ++i) {
        double sum = 0;
        for (int64_t k = 0; k < problem.k; ++k)
          sum += problem.left(l, m, k) * problem.right(l, n, k);
        double x = float(epilogue.alpha) * sum;
        if (problem.withC)
          x += float(epilogue.beta) * at(problem.c, i);
        if (problem.withBias)
          x += at(problem.bias, n);
        put(d, i, exactActivation(epilogue.activation, x));
      }
  return d;
}

/// How a kernel may compute an epilogue: all of these are right.
struct Style {
  bool fused, tanhForm, fastTanh, biasFirst;
};

/// Hardware's approximations, off by as much as PTX allows.
class Approximations {
public:
  explicit Approximations(uint64_t seed) : random(seed) {}
  float ex2(float x) { return nudge(std::exp2(x), 2); }
  float reciprocal(float x) { return nudge(1 / x, 1); }
  float tanh(float x) {
    const double off = std::uniform_real_distribution(-1.0, 1.0)(random);
    return float(std::tanh(double(x)) * (1 + off * 0x1p-11));
  }

private:
  std::mt19937_64 random;
  float nudge(float x, int most) {
    int steps = int(random() % unsigned(2 * most + 1)) - most;
    for (; steps > 0; --steps)
      x = std::nextafter(x, std::numeric_limits<float>::infinity());
    for (; steps < 0; ++steps)
      x = std::nextafter(x, 0.0f);
    return x;
  }
};

float logistic(float t, const Style &style, Approximations &hardware) {
  if (style.tanhForm) {
    const float half = t * 0.5f;
    const float tanh =
        style.fastTanh
            ? hardware.tanh(half)
            : 1.0f - 2.0f * hardware.reciprocal(1.0f +
                                                hardware.ex2(t * 1.44269504f));
    return 0.5f + 0.5f * tanh;
  }
  return hardware.reciprocal(1.0f + hardware.ex2(t * -1.44269504f));
}

float kernelActivation(Activation activation, float x, const Style &style,
                       Approximations &hardware) {
  switch (activation) {
  case Activation::none:
    return x;
  case Activation::relu:
    return std::fmax(x, 0.0f);
  case Activation::gelu: {
    const float cube = x * x * x;
    const float t = 1.5957691216f * (x + 0.044715f * cube);
    return x * logistic(t, style, hardware);
  }
  case Activation::silu:
    return x * logistic(x, style, hardware);
  }
  return 0;
}

/// A kernel's own result, by the rule of the tensor core and f32 arithmetic.
HostTensor kernelResult(const Case &problem, const Style &style,
                        uint64_t seed) {
  const GemmEpilogue &epilogue = problem.epilogue;
  const TensorCore core{problem.operands.minimumA, problem.operands.minimumB,
                        problem.operands.k};
  Approximations hardware(seed);
  const auto alpha = static_cast<float>(epilogue.alpha),
             beta = static_cast<float>(epilogue.beta);
  HostTensor d = poisoned(problem.output, problem.shape(problem.m, problem.n));
  std::vector<double> left(problem.k), right(problem.k);
  int64_t i = 0;
  for (int64_t l = 0; l < std::max<int64_t>(problem.batches, 1); ++l)
    for (int64_t m = 0; m < problem.m; ++m)
      for (int64_t n = 0; n < problem.n; ++n, ++i) {
        for (int64_t k = 0; k < problem.k; ++k) {
          left[k] = problem.left(l, m, k);
          right[k] = problem.right(l, n, k);
        }
        float sum = 0;
        for (int64_t k = 0; k < problem.k; k += core.k)
          sum = core.step(sum, &left[k], &right[k],
                          int(std::min<int64_t>(core.k, problem.k - k)));
        const float bias = problem.withBias ? float(at(problem.bias, n)) : 0;
        const float c = problem.withC ? float(at(problem.c, i)) : 0;
        float x;
        if (style.fused)
          x = std::fma(alpha, sum,
                       problem.withC ? std::fma(beta, c, bias) : bias);
        else if (style.biasFirst)
          x = (alpha * sum + bias) + beta * c;
        else
          x = (alpha * sum + beta * c) + bias;
        put(d, i, kernelActivation(epilogue.activation, x, style, hardware));
      }
  return d;
}

int64_t mismatches(const HostTensor &d, const GemmExpectation &expected,
                   std::string *text = nullptr) {
  const auto result = compare(d, expected.reference, expected.bound);
  REQUIRE(result);
  if (text)
    *text = toString(*result);
  return result->mismatches;
}

} // namespace

TEST_CASE("the reference of any GEMM is what loops compute") {
  uint64_t seed = 0x5eed0100;
  for (const Operands &operands : kOperands)
    for (int variant = 0; variant < 16; ++variant) {
      Case problem;
      problem.operands = operands;
      problem.batches = variant & 1 ? 3 : 0;
      problem.aMnMajor = variant & 2;
      problem.bMnMajor = variant & 4;
      problem.withC = problem.withBias = variant & 8;
      problem.epilogue.alpha = 0.7;
      problem.epilogue.beta = problem.withC ? -1.3 : 0;
      problem.epilogue.activation = static_cast<Activation>(variant % 4);
      problem.output = variant % 3 ? DType::bf16 : DType::f32;
      seed += 10;
      INFO(nameOf(operands.a) << " x " << nameOf(operands.b) << " variant "
                              << variant << " seed " << seed);
      const GemmProblem described = problem.problem(seed);
      const auto expected = expectGemm(described);
      REQUIRE(expected);
      CHECK(expected->reference.shape == problem.shape(problem.m, problem.n));
      const auto same =
          compare(expected->reference, bruteForce(problem), 1e-12, 1e-12);
      REQUIRE(same);
      if (!same->ok())
        FAIL(toString(*same));
      CHECK(gemmReference(described)->bytes == expected->reference.bytes);
      CHECK(gemmErrorBound(described)->bytes == expected->bound.bytes);
    }
}

TEST_CASE("kernels with an epilogue stay within the bound; wrong ones do not") {
  const Style styles[] = {{false, false, false, false},
                          {true, false, false, false},
                          {false, true, false, true},
                          {true, true, true, false}};
  uint64_t seed = 0x5eed0200;
  for (const Operands &operands : kOperands)
    for (int variant = 0; variant < 16; ++variant)
      for (const Style &style : styles) {
        Case problem;
        problem.operands = operands;
        problem.k = variant % 2 ? 70 : 512;
        problem.withC = variant & 4;
        problem.withBias = variant & 8;
        problem.epilogue.alpha = 0.05;
        problem.epilogue.beta = problem.withC ? 1.1 : 0;
        problem.epilogue.activation = static_cast<Activation>(variant % 4);
        problem.epilogue.approximate_tanh = style.fastTanh;
        const DType outputs[] = {DType::f32, DType::f16, DType::bf16};
        problem.output = outputs[variant % 3];
        seed += 10;
        INFO(nameOf(operands.a) << " x " << nameOf(operands.b) << " variant "
                                << variant << " seed " << seed);
        const GemmProblem described = problem.problem(seed);
        const auto expected = expectGemm(described);
        REQUIRE(expected);
        const HostTensor d = kernelResult(problem, style, seed + 5);
        std::string text;
        if (mismatches(d, *expected, &text) != 0)
          FAIL(text);

        // What an epilogue can do wrong shows. Negative elements of a relu
        // are 0 anyway.
        const int64_t many = problem.m * problem.n / 8;
        Case wrong = problem;
        wrong.epilogue.alpha *= 1.05;
        CHECK(mismatches(kernelResult(wrong, style, 1), *expected) > many);
        wrong = problem;
        wrong.epilogue.activation = static_cast<Activation>((variant + 1) % 4);
        CHECK(mismatches(kernelResult(wrong, style, 1), *expected) > many);
        if (problem.withBias) {
          wrong = problem;
          wrong.withBias = false;
          CHECK(mismatches(kernelResult(wrong, style, 1), *expected) > many);
        }
        if (problem.withC) {
          wrong = problem;
          wrong.epilogue.beta = 1;
          CHECK(mismatches(kernelResult(wrong, style, 1), *expected) > many);
        }
      }
}

TEST_CASE("activations are within their error over the whole range of f32") {
  // K = 1, A = 1: the accumulator is B itself, and all error is the epilogue's.
  for (Activation activation : {Activation::gelu, Activation::silu})
    for (bool fast : {false, true}) {
      std::vector<double> inputs = {0.0, -0.0};
      for (double x = 0x1p-40; x < 0x1p40; x *= 1.37) {
        inputs.push_back(x);
        inputs.push_back(-x);
      }
      for (double x = -100; x < 100; x += 0.37)
        inputs.push_back(x);
      Case problem;
      problem.m = problem.k = 1;
      problem.n = static_cast<int64_t>(inputs.size());
      problem.operands = kOperands[1];
      problem.epilogue.activation = activation;
      problem.epilogue.approximate_tanh = fast;
      GemmProblem described = problem.problem(1);
      put(problem.a, 0, 1);
      for (int64_t i = 0; i < problem.n; ++i)
        put(problem.b, i, inputs[static_cast<size_t>(i)]);
      const auto expected = expectGemm(described);
      REQUIRE(expected);
      for (bool tanhForm : {false, true}) {
        if (fast && !tanhForm)
          continue;
        for (uint64_t seed = 1; seed < 20; ++seed) {
          INFO("activation " << int(activation) << " seed " << seed);
          std::string text;
          const HostTensor d =
              kernelResult(problem, {false, tanhForm, fast, false}, seed);
          if (mismatches(d, *expected, &text) != 0)
            FAIL(text);
        }
      }
      // tanh.approx.f32 is not good enough for the bound without it.
      if (fast) {
        described.epilogue.approximate_tanh = false;
        const auto strict = expectGemm(described);
        REQUIRE(strict);
        CHECK(mismatches(kernelResult(problem, {false, true, true, false}, 7),
                         *strict) > problem.n / 4);
      }
    }
}

TEST_CASE("the error of an activation and of a sum is no slack") {
  // Exact inputs: all of the error is that of these steps.
  const uint64_t seed = 0x5eed0300;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  double mostActivation = 0, mostSum = 0;
  for (int round = 0; round < 20000; ++round) {
    GemmEpilogue epilogue;
    epilogue.activation = round % 2 ? Activation::gelu : Activation::silu;
    Approximations hardware(random());
    const auto x = static_cast<float>(4 * normal(random));
    const Approximate activated = activate(epilogue, {x, 0});
    for (bool tanhForm : {false, true}) {
      const float y = kernelActivation(
          epilogue.activation, x, {false, tanhForm, false, false}, hardware);
      const double part = std::fabs(y - activated.value) / activated.error;
      CHECK(part <= 1);
      mostActivation = std::max(mostActivation, part);
    }
    epilogue.alpha = static_cast<float>(normal(random));
    epilogue.beta = static_cast<float>(normal(random));
    const auto c = static_cast<float>(normal(random)),
               bias = static_cast<float>(normal(random));
    const Approximate sum = combine(epilogue, {x, 0}, {c, bias, true, true});
    const float computed =
        float(epilogue.alpha) * x + float(epilogue.beta) * c + bias;
    const double part = std::fabs(computed - sum.value) / sum.error;
    CHECK(part <= 1);
    mostSum = std::max(mostSum, part);
  }
  CHECK(mostActivation > 0.2);
  CHECK(mostSum > 0.2);
}

TEST_CASE("f32 operands are truncated to tf32, not rounded") {
  Case problem;
  problem.operands = kOperands[2];
  problem.m = problem.n = problem.k = 1;
  const GemmProblem described = problem.problem(1);
  put(problem.a, 0, 1 + 0x1.8p-10 + 0x1p-23); // rounding would give 1 + 2^-9
  put(problem.b, 0, -1);
  const auto expected = expectGemm(described);
  REQUIRE(expected);
  CHECK(at(expected->reference, 0) == -(1 + 0x1p-10));
}

TEST_CASE("a result that may overflow has no bound") {
  Case problem;
  problem.operands = kOperands[1];
  problem.m = problem.n = problem.k = 1;
  problem.epilogue.alpha = 0x1p100;
  const auto boundOf = [&](double a, double b, DType output) {
    problem.output = output;
    const GemmProblem described = problem.problem(1);
    put(problem.a, 0, a);
    put(problem.b, 0, b);
    const auto expected = expectGemm(described);
    REQUIRE(expected);
    return at(expected->bound, 0);
  };
  CHECK(std::isinf(boundOf(0x1p20, 0x1p8, DType::f32)));
  CHECK(boundOf(0x1p20, 0x1p7, DType::f32) < 0x1p107);
  CHECK(std::isinf(boundOf(0x1p-80, 0x1p-4, DType::f16)));
  CHECK(boundOf(0x1p-80, 0x1p-5, DType::f16) < 0x1p5);
}

TEST_CASE("problems that are none") {
  const auto refused = [](const GemmProblem &problem, const char *reason) {
    INFO(reason);
    const auto result = expectGemm(problem);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Catch::Contains(reason));
  };
  Case good;
  good.withC = good.withBias = true;
  good.batches = 2;
  const GemmProblem problem = good.problem(1);
  CHECK(expectGemm(problem));

  GemmProblem bad = problem;
  bad.b = nullptr;
  refused(bad, "B: there is no tensor");
  bad = problem;
  bad.a_is_mn_major = true;
  refused(bad, "A has K = 5, B has K = 70");
  const HostTensor flat = randomNormal(DType::f16, {11, 70}, 1),
                   other = randomNormal(DType::f16, {3, 11, 70}, 1),
                   bf16 = randomNormal(DType::bf16, {2, 11, 70}, 1),
                   shortBias = randomNormal(DType::f32, {10}, 1),
                   halfBias = randomNormal(DType::f16, {11}, 1);
  bad.a_is_mn_major = false;
  bad.b = &flat;
  refused(bad, "A has rank 3, B has rank 2");
  bad.b = &other;
  refused(bad, "A has 2 batches, B has 3");
  bad.b = &bf16;
  refused(bad, "A is f16, B is bf16: tensor cores multiply equal dtypes");
  bad = problem;
  bad.output = DType::i32;
  refused(bad, "the output dtype i32 is no float");
  bad = problem;
  bad.epilogue.bias = &shortBias;
  refused(bad, "bias: shape [10] of f32, expected [11] of f32");
  bad.epilogue.bias = &halfBias;
  refused(bad, "bias: shape [11] of f16, expected [11] of f32");
  bad = problem;
  bad.epilogue.c = &flat;
  refused(bad, "C: shape [11, 70] of f16, expected [2, 5, 11] of f32");
  bad.epilogue.c = nullptr;
  bad.epilogue.beta = 0.5;
  refused(bad, "beta is 0.5, but there is no C");
}
