//===- GemmMutationTest.cpp - what is wrong with a GEMM must show ---------===//
//
// A generated kernel with everything in it is broken in one line of its text.
// Under one delivery or another that must be refused, reported or give wrong
// numbers. The good twin is the unbroken kernel.
//
//===----------------------------------------------------------------------===//

#include "GeneratedGemm.h"

#include <catch2/catch.hpp>

#include <map>

using namespace tirx;
using namespace tirx::test;
using kernels::GemmConfig;
using kernels::GemmOperation;
using kernels::GemmSchedule;

namespace {

/// Every occurrence of `from` becomes `to`. In a plain kernel the epilogue
/// waits for the accumulator only, so that lazy delivery holds its stores back.
struct Mutation {
  const char *what, *from, *to;
};

const Mutation mutations[] = {
    {"shared memory ends before its last store", "tirx.bulk.wait_group 0\n",
     "tirx.bulk.wait_group 1\n"},
    {"a staging tile is written while TMA may read it",
     "tirx.bulk.wait_group 1 read\n", "tirx.bulk.wait_group 2 read\n"},
    {"the store does not see what threads wrote", "tirx.fence proxy_async\n",
     "\n"},
    {"a group that is never committed", "tirx.bulk.commit_group", ""},
    {"the accumulator is not cleared", "accumulate(%not_first)",
     "accumulate(%true)"},
    {"one consumer multiplies the other's rows", "gemm_async %d, %a1_operand",
     "gemm_async %d, %a0_operand"},
    {"the second consumer loads the wrong rows",
     "%row1 = arith.addi %row0, %c256", "%row1 = arith.addi %row0, %c128"},
    {"a CTA of the pair takes the other's rows", "%cbx = tirx.id cbx",
     "%cbx = arith.constant 0 : index"},
    {"a chunk of columns is left out",
     "%last_column = arith.addi %column, %c96",
     "%last_column = arith.addi %column, %c64"},
    {"an accumulator is not given back", "tirx.release %out0 : !out", ""},
    {"an accumulator is given back before it is read",
     "%acc = tirx.copy %part : !part to !f32_rows\n          tirx.release "
     "%out0 : !out\n",
     "tirx.release %out0 : !out\n          %acc = tirx.copy %part : !part to "
     "!f32_rows\n"},
    {"C's stage is not given back", "tirx.release %chunks_C0 : !chunks_C", ""},
    {"the bias of another tile", "tirx.slice %bias[%column]",
     "tirx.slice %bias[%c32]"},
    {"beta is alpha", "tensor.splat %beta", "tensor.splat %alpha"},
    {"gelu of another slope", "%square, %cubic, %scale",
     "%square, %scale, %cubic"},
    {"columns of tiles that nobody computes",
     "%tiles_N = arith.ceildivui %N, %c128",
     "%tiles_N = arith.ceildivui %N, %c512"},
    {"loads in steps of K that the MMAs do not take",
     "scf.for %k = %c0 to %K step %c64 {\n            %a0, %a1, %b = "
     "tirx.acquire",
     "scf.for %k = %c0 to %K step %c32 {\n            %a0, %a1, %b = "
     "tirx.acquire"},
};

GemmOperation everything() {
  GemmOperation op;
  op.aMajor = kernels::Major::MN;
  op.alpha = op.residual = op.bias = true;
  op.activation = kernels::Activation::gelu;
  return op;
}

const GemmExtents extents{600, 200, 264};

std::string textOf(const GemmOperation &op) {
  GemmSchedule wanted;
  wanted.ctaGroup = wanted.consumers = wanted.storeStages = 2;
  wanted.tileN = 128;
  wanted.tileK = 64;
  wanted.stages = 2;
  wanted.epilogueColumns = 32;
  wanted.scheduler = kernels::Scheduler::persistent;
  auto text = kernels::generateGemm(chosenConfig(op, extents, wanted));
  if (!text)
    FAIL(text.error().message);
  // For mutations.
  size_t launch = text->find("  tirx.launch");
  REQUIRE(launch != std::string::npos);
  text->insert(launch, "  %true = arith.constant true\n");
  return *text;
}

/// The deliveries under which the kernel goes wrong; "refused" if it is not
/// compiled.
std::string failures(const std::string &source) {
  const GemmOperation op = everything();
  auto artifact = compileText(source);
  if (!artifact)
    return "refused: " + artifact.error().message;
  std::string failed;
  for (auto [name, delivery] :
       {std::pair("eager", rt::SimOptions::Delivery::eager),
        {"lazy", rt::SimOptions::Delivery::lazy},
        {"random", rt::SimOptions::Delivery::random}}) {
    rt::SimOptions options;
    options.delivery = delivery;
    options.schedule = rt::SimOptions::Schedule::random;
    options.seed = 5;
    options.sm_count = 2;
    std::string text;
    if (countWrong(runGenerated(artifact->kernels.front(), op, extents, options,
                                /*dataSeed=*/5),
                   op, text))
      failed += std::string(name) + ": " + text + "\n";
  }
  return failed;
}

} // namespace

TEST_CASE("the unbroken generated kernel is right") {
  std::string failed = failures(textOf(everything()));
  INFO(failed);
  CHECK(failed.empty());
}

TEST_CASE("one broken line of a generated kernel shows") {
  const std::string unbroken = textOf(everything());
  for (const Mutation &mutation : mutations) {
    INFO(mutation.what);
    std::string broken = unbroken;
    size_t at = broken.find(mutation.from);
    CHECK(at != std::string::npos);
    for (; at != std::string::npos;
         at = broken.find(mutation.from, at + std::string(mutation.to).size()))
      broken.replace(at, std::string(mutation.from).size(), mutation.to);
    CHECK_FALSE(failures(broken).empty());
  }
}
