//===- GemmTypesTest.cpp - operand types and major-nesses of tcgen05.mma --===//
//
// One tile of each pairing of element types, with each operand K-major and
// MN-major, loaded by TMA: what the descriptors say must be what TMA wrote.
//
//===----------------------------------------------------------------------===//

#include "GemmHarness.h"

#include "tirx/Compiler/Compiler.h"
#include "tirx/Runtime/Compare.h"

#include <catch2/catch.hpp>

using namespace tirx;

namespace {
struct Operand {
  const char *name; ///< of the element type
  rt::DType dtype;
  int64_t bits;
  const char *swizzle;   ///< 128 bytes, 16-byte atoms
  const char *mnSwizzle; ///< what an MN-major operand has
};
constexpr Operand f16{"f16", rt::DType::f16, 16, "swizzle(3,3,3)",
                      "swizzle(3,3,3)"};
constexpr Operand bf16{"bf16", rt::DType::bf16, 16, "swizzle(3,3,3)",
                       "swizzle(3,3,3)"};
constexpr Operand tf32{"f32", rt::DType::f32, 32, "swizzle(2,3,3)",
                       "swizzle(3,2,2)"};
constexpr Operand e4m3{"f8E4M3FN", rt::DType::f8e4m3, 8, "swizzle(4,3,3)",
                       "swizzle(4,3,3)"};
constexpr Operand e5m2{"f8E5M2", rt::DType::f8e5m2, 8, "swizzle(4,3,3)",
                       "swizzle(4,3,3)"};

/// The types and shared layouts of an operand of 128 rows of M or N and `k`
/// columns, named after `x`: as it lies in memory (!xs) and as the product
/// takes it (!xt).
std::string declare(char x, const Operand &type, int64_t k, bool mnMajor) {
  std::string n(1, x), e = type.name, ks = std::to_string(k);
  if (!mnMajor)
    return "!" + n + "g = !tirx.buffer<128x" + ks + "x" + e + ", global>\n!" +
           n + "s = !tirx.buffer<128x" + ks + "x" + e +
           ", #tirx.layout<S[(128," + ks + "):(" + ks + ",1)] " + type.swizzle +
           ">, shared>\n!" + n + "t = !" + n + "s\n";
  // Columns of 128 bytes, one after the other.
  int64_t width = 1024 / type.bits;
  std::string w = std::to_string(width), c = std::to_string(128 / width),
              apart = std::to_string(width * k);
  return "!" + n + "g = !tirx.buffer<" + ks + "x128x" + e + ", global>\n!" + n +
         "s = !tirx.buffer<" + ks + "x128x" + e + ", #tirx.layout<S[(" + ks +
         "," + c + "," + w + "):(" + w + "," + apart + ",1)] " +
         type.mnSwizzle + ">, shared>\n!" + n + "t = !tirx.buffer<128x" + ks +
         "x" + e + ", #tirx.layout<S[(" + c + "," + w + "," + ks + "):(" +
         apart + ",1," + w + ")] " + type.mnSwizzle + ">, shared>\n";
}

std::string getKernel(const Operand &a, const Operand &b, int64_t k,
                      bool aIsMnMajor, bool bIsMnMajor) {
  std::string text =
      declare('a', a, k, aIsMnMajor) + declare('b', b, k, bIsMnMajor) +
      "!ma = !tirx.buffer<?x?x" + a.name +
      ", global>\n!mb = !tirx.buffer<?x?x" + b.name + ", global>\n" + R"(
!md = !tirx.buffer<?x?xf32, global>
!d = !tirx.buffer<128x128xf32, global>
!acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>
tirx.kernel @gemm(%A: !ma, %B: !mb, %D: !md) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(128) {
    %c0 = arith.constant 0 : index
    %false = arith.constant false
    %as = tirx.shared.alloc : !as
    %bs = tirx.shared.alloc : !bs
    %full = tirx.mbarrier.alloc : !tirx.barrier<1>
    %done = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !acc
    %A0 = tirx.slice %A[%c0, %c0] : !ma to !ag
    %B0 = tirx.slice %B[%c0, %c0] : !mb to !bg
    %D0 = tirx.slice %D[%c0, %c0] : !md to !d
)";
  if (aIsMnMajor)
    text += "    %at = tirx.transpose %as : !as to !at\n";
  if (bIsMnMajor)
    text += "    %bt = tirx.transpose %bs : !bs to !bt\n";
  text += R"(
    tirx.elect {
      tirx.mbarrier.init %full count(1) : !tirx.barrier<1>
      tirx.mbarrier.init %done count(1) : !tirx.barrier<1>
      tirx.fence mbarrier_init
    }
    tirx.cta_sync
    tirx.elect {
      tirx.mbarrier.arrive %full expect(%as, %bs : !as, !bs) : !tirx.barrier<1>
      tirx.copy_async %A0 to %as signal(%full : !tirx.barrier<1>) : !ag to !as
      tirx.copy_async %B0 to %bs signal(%full : !tirx.barrier<1>) : !bg to !bs
      tirx.mbarrier.wait %full parity(%false) : !tirx.barrier<1>
      tirx.gemm_async %acc, )" +
          std::string(aIsMnMajor ? "%at" : "%as") + ", " +
          (bIsMnMajor ? "%bt" : "%bs") + R"( accumulate(%false) : !acc, !at, !bt
      tirx.tcgen05.commit %done : !tirx.barrier<1>
    }
    tirx.mbarrier.wait %done parity(%false) : !tirx.barrier<1>
    tirx.fence tcgen05_after_thread_sync
    %f32 = tirx.copy %acc : !acc to tensor<128x128xf32, #rows>
    tirx.copy %f32 to %D0 : tensor<128x128xf32, #rows> to !d
    tirx.tmem.dealloc %acc : !acc
  }
}
)";
  return text;
}
} // namespace

TEST_CASE("tcgen05.mma multiplies what TMA loaded, in every type and major") {
  auto [a, b] = GENERATE(table<Operand, Operand>({{f16, f16},
                                                  {bf16, bf16},
                                                  {tf32, tf32},
                                                  {e4m3, e4m3},
                                                  {e5m2, e5m2},
                                                  {e4m3, e5m2},
                                                  {e5m2, e4m3}}));
  bool aIsMnMajor = GENERATE(false, true), bIsMnMajor = GENERATE(false, true);
  int64_t k = 1024 / a.bits; // the 128 bytes of a K-major row
  uint64_t seed = Catch::rngSeed() + 1;
  INFO(a.name << (aIsMnMajor ? " MN-major by " : " K-major by ") << b.name
              << (bIsMnMajor ? " MN-major" : " K-major") << ", seed " << seed);

  CompileOptions compileOptions;
  compileOptions.assemble = false;
  auto compiled = compile(getKernel(a, b, k, aIsMnMajor, bIsMnMajor),
                          "gemm.mlir", compileOptions);
  if (!compiled)
    FAIL(compiled.error().message);

  auto shapeOf = [&](bool mnMajor) {
    return mnMajor ? std::vector<int64_t>{k, 128}
                   : std::vector<int64_t>{128, k};
  };
  rt::HostTensor tensors[] = {
      rt::randomNormal(a.dtype, shapeOf(aIsMnMajor), seed),
      rt::randomNormal(b.dtype, shapeOf(bIsMnMajor), seed + 1),
      rt::poisoned(rt::DType::f32, {128, 128})};
  auto device = rt::openDevice("sim:sm_100a", {});
  REQUIRE(device);
  rt::ArgMap arguments;
  void *memory[3];
  for (int i = 0; i < 3; ++i) {
    rt::HostTensor &tensor = tensors[i];
    auto allocated = (*device)->allocate(tensor.bytes.size());
    REQUIRE(allocated);
    memory[i] = *allocated;
    REQUIRE((*device)->copyToDevice(memory[i], tensor.bytes.data(),
                                    tensor.bytes.size()));
    arguments[std::string(1, "ABD"[i])] =
        rt::TensorArg{memory[i], tensor.dtype, tensor.shape, {}};
  }
  auto stats = (*device)->launch(compiled->artifact.kernels.front(), arguments);
  if (!stats)
    FAIL(stats.error().message);
  rt::HostTensor &d = tensors[2];
  REQUIRE((*device)->copyToHost(d.bytes.data(), memory[2], d.bytes.size()));

  rt::GemmProblem problem;
  problem.a = &tensors[0];
  problem.b = &tensors[1];
  problem.a_is_mn_major = aIsMnMajor;
  problem.b_is_mn_major = bIsMnMajor;
  auto expected = rt::expectGemm(problem);
  REQUIRE(expected);
  auto comparison = rt::compare(d, expected->reference, expected->bound);
  REQUIRE(comparison);
  INFO(rt::toString(*comparison));
  CHECK(comparison->mismatches == 0);
}
