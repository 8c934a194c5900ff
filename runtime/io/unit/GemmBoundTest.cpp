//===- GemmBoundTest.cpp - the bound against the rule itself ----*- C++ -*-===//
#include "TensorCoreModel.h"
#include "tirx/Runtime/Compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tirx::rt;
using namespace tirx::rt::test;

namespace {

HostTensor simulate(const HostTensor &a, const HostTensor &b, DType output,
                    const TensorCore &core, int64_t dropInstruction = -1) {
  const int64_t m = a.shape[0], n = b.shape[0], k = a.shape[1];
  HostTensor d = poisoned(output, {m, n});
  std::vector<double> left(k), right(k);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l) {
        left[l] = at(a, i * k + l);
        right[l] = at(b, j * k + l);
      }
      float c = 0;
      for (int64_t l = 0; l < k; l += core.k)
        if (l / core.k != dropInstruction)
          c = core.step(c, &left[l], &right[l],
                        int(std::min<int64_t>(core.k, k - l)));
      put(d, i * n + j, c);
    }
  return d;
}

enum class Data { normal, positive, tiny, cancelling };

HostTensor operand(DType dtype, int64_t rows, int64_t k, uint64_t seed,
                   Data data) {
  HostTensor tensor = randomNormal(dtype, {rows, k}, seed);
  for (int64_t i = 0; i < rows * k; ++i) {
    const double value = at(tensor, i);
    if (data == Data::positive)
      put(tensor, i, std::fabs(value));
    else if (data == Data::tiny) // mostly subnormal, except bf16
      put(tensor, i,
          value * (dtype == DType::bf16     ? 0x1p-60
                   : dtype == DType::f8e4m3 ? 0x1p-7
                                            : 0x1p-15));
    else if (data == Data::cancelling && i % 2)
      put(tensor, i, (i / 2) % 2 ? at(tensor, i - 1) : -at(tensor, i - 1));
  }
  return tensor;
}

} // namespace

TEST_CASE("the reference is A times B transposed") {
  HostTensor a{DType::f16, {2, 3}, std::vector<std::byte>(12)};
  HostTensor b{DType::f16, {1, 3}, std::vector<std::byte>(6)};
  const double av[] = {1, 2, 3, -4, 0.5, 6}, bv[] = {10, 100, -1000};
  for (int i = 0; i < 6; ++i)
    put(a, i, av[i]);
  for (int i = 0; i < 3; ++i)
    put(b, i, bv[i]);
  const auto d = gemmReference(a, b);
  REQUIRE(d);
  CHECK(d->dtype == DType::f64);
  CHECK(d->shape == std::vector<int64_t>{2, 1});
  CHECK(at(*d, 0) == 10 + 200 - 3000);
  CHECK(at(*d, 1) == -40 + 50 - 6000);

  // K that is no multiple of the unrolling, against a plain loop.
  const HostTensor x = randomNormal(DType::bf16, {5, 37}, 21),
                   y = randomNormal(DType::bf16, {4, 37}, 22);
  const auto z = gemmReference(x, y);
  REQUIRE(z);
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 4; ++j) {
      long double sum = 0;
      for (int64_t k = 0; k < 37; ++k)
        sum += static_cast<long double>(at(x, i * 37 + k)) * at(y, j * 37 + k);
      CHECK(at(*z, i * 4 + j) ==
            Approx(double(sum)).epsilon(1e-13).margin(1e-13));
    }
}

TEST_CASE("tensor cores stay within the bound, which is not slack") {
  struct Row {
    DType dtype;
    int minimumExponent;
    int k;
  };
  const Row rows[] = {{DType::f16, -14, 16},
                      {DType::bf16, -126, 16},
                      {DType::f8e4m3, -6, 32},
                      {DType::f8e5m2, -14, 32}};
  uint64_t seed = 0x5eed0020;
  for (const Row &row : rows)
    for (Data data :
         {Data::normal, Data::positive, Data::tiny, Data::cancelling})
      for (int64_t k : {16, 40, 512, 4096}) {
        seed += 2;
        INFO(nameOf(row.dtype)
             << " data " << int(data) << " K " << k << " seed " << seed);
        const HostTensor a = operand(row.dtype, 6, k, seed, data),
                         b = operand(row.dtype, 5, k, seed + 1, data);
        const TensorCore core{row.minimumExponent, row.minimumExponent, row.k};
        const auto reference = gemmReference(a, b);
        REQUIRE(reference);
        for (DType output : {DType::f32, DType::bf16}) {
          const HostTensor d = simulate(a, b, output, core);
          const auto bound = gemmErrorBound(a, b, output);
          REQUIRE(bound);
          const auto result = compare(d, *reference, *bound);
          REQUIRE(result);
          if (!result->ok())
            FAIL(toString(*result));
          // Same-sign data loses a good part of the bound for real; less of
          // it for f8, whose products have so few bits that few are cut.
          if (data == Data::positive && k >= 512 && output == DType::f32) {
            double most = 0;
            for (int64_t i = 0; i < 30; ++i)
              most = std::max(most, std::fabs(at(d, i) - at(*reference, i)) /
                                        at(*bound, i));
            CHECK(most > (sizeOf(row.dtype) == 1 ? 0.005 : 0.05));
          }
        }
        // One instruction missing is noticed: with 512 or fewer products in
        // each of few elements, f32 output leaves no room for it.
        if (k == 512 && data != Data::cancelling) {
          const auto bound = gemmErrorBound(a, b, DType::f32);
          const auto result =
              compare(simulate(a, b, DType::f32, core, 3), *reference, *bound);
          REQUIRE(result);
          CHECK(result->mismatches >= 29);
        }
      }
}

TEST_CASE("a coarser accumulator breaks the bound") {
  // Hopper's wgmma f8 keeps 13 bits; the bound is for 25.
  const HostTensor a = operand(DType::f8e4m3, 6, 1024, 31, Data::positive),
                   b = operand(DType::f8e4m3, 5, 1024, 32, Data::positive);
  const auto reference = gemmReference(a, b);
  const auto bound = gemmErrorBound(a, b, DType::f32);
  REQUIRE(bound);
  const auto coarse =
      compare(simulate(a, b, DType::f32, {-6, -6, 32, 13}), *reference, *bound);
  REQUIRE(coarse);
  CHECK(coarse->mismatches == 30);
  const auto fine =
      compare(simulate(a, b, DType::f32, {-6, -6, 32, 25}), *reference, *bound);
  CHECK(fine->ok());
}

TEST_CASE("a subnormal operand's exponent hides small products") {
  // 2^-24 counts with exponent -14, so that 2^-24 * 2^15 cuts all terms at
  // 2^(1 - 25): the other fifteen products, below 2^-24 each, are lost.
  HostTensor a{DType::f16, {1, 16}, std::vector<std::byte>(32)}, b = a;
  for (int64_t i = 0; i < 16; ++i) {
    put(a, i, i == 0 ? 0x1p-24 : 0x1p-12);
    put(b, i, i == 0 ? 0x1p15 : 0x1.8p-13);
  }
  const HostTensor d = simulate(a, b, DType::f32, {-14, -14, 16});
  CHECK(at(d, 0) == 0x1p-9);
  const auto reference = gemmReference(a, b);
  const auto bound = gemmErrorBound(a, b, DType::f32);
  REQUIRE(bound);
  CHECK(at(*reference, 0) - at(d, 0) == 15 * 0x1.8p-25);
  CHECK(at(*bound, 0) >= 15 * 0x1.8p-25);
  CHECK(at(*bound, 0) < 18 * 0x1p-24);
}

TEST_CASE("output rounding") {
  // K = 1, a = 1: the accumulator holds b exactly, all error is the output's.
  HostTensor a{DType::f16, {1, 1}, std::vector<std::byte>(2)}, b = a;
  put(a, 0, 1);
  put(b, 0, 1 + 0x1p-8); // halfway between two bf16
  const auto bound = gemmErrorBound(a, b, DType::bf16);
  REQUIRE(bound);
  CHECK(at(*bound, 0) >= 0x1p-8);
  CHECK(at(*bound, 0) < 0x1.01p-8);
  put(b, 0, 448);
  const auto saturating = gemmErrorBound(a, b, DType::f8e4m3);
  REQUIRE(saturating);
  CHECK(std::isinf(at(*saturating, 0)));
  put(b, 0, 440);
  const auto fits = gemmErrorBound(a, b, DType::f8e4m3);
  REQUIRE(fits);
  CHECK(at(*fits, 0) < 17);
  CHECK(at(*fits, 0) >= 16);
}

TEST_CASE("operands without a reference or a bound") {
  const HostTensor a = randomNormal(DType::f16, {2, 32}, 1);
  const auto refused = [](const auto &result, const char *reason) {
    INFO(reason);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Catch::Contains(reason));
  };
  refused(gemmReference(a, randomNormal(DType::f16, {2, 31}, 1)),
          "A has K = 32, B has K = 31");
  refused(
      gemmReference(randomNormal(DType::f16, {32}, 1), a),
      "A: expected a matrix of floats or a batch of them, got shape [32] of "
      "f16");
  refused(gemmReference(a, randomNormal(DType::i32, {2, 32}, 1)),
          "B: expected floats, got shape [2, 32] of i32");
  HostTensor lying = a;
  lying.bytes.pop_back();
  refused(gemmReference(lying, a), "but 127 bytes");
  refused(gemmErrorBound(a, randomNormal(DType::bf16, {2, 32}, 1), DType::f32),
          "A is f16, B is bf16");
  const HostTensor f64 = randomNormal(DType::f64, {2, 32}, 1);
  refused(gemmErrorBound(f64, f64, DType::f32), "with f64 operands");
  refused(gemmErrorBound(a, a, DType::i32), "output dtype i32");
  CHECK(gemmReference(a, a));
  CHECK(gemmErrorBound(a, a, DType::f16));
}
