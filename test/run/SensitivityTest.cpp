//===- SensitivityTest.cpp - what is wrong must show ----------------------===//
//
// Step 4 is lowered to hardware operations and broken in one place. Wrong
// descriptors must give wrong numbers, a broken protocol a report. The good
// twin is the unbroken kernel.
//
//===----------------------------------------------------------------------===//

#include "GemmHarness.h"

#include "tirx/Compiler/Compiler.h"
#include "tirx/Compiler/Register.h"
#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace tirx;
using namespace tirx::test;

namespace {
using Mutation = std::function<void(mlir::ModuleOp)>;

rt::Expected<rt::Kernel> tryCompileMutant(const Mutation &mutate) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  std::string path = std::string(TIRX_EXAMPLES) + "/gemm/step04.mlir";
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  REQUIRE(module);
  mlir::PassManager passes(&context);
  passes.addPass(passes::createTIRxDispatch());
  passes.addPass(passes::createTIRxLowerTiles());
  REQUIRE(mlir::succeeded(passes.run(*module)));
  mutate(*module);
  CompileOptions options;
  options.assemble = false;
  auto result = compile(*module, options);
  if (!result)
    return tl::unexpected(result.error());
  return result->artifact.kernels.front();
}

rt::Kernel compileMutant(const Mutation &mutate) {
  auto kernel = tryCompileMutant(mutate);
  if (!kernel)
    FAIL(kernel.error().message);
  return *kernel;
}

GemmRun
runMutant(const Mutation &mutate,
          rt::SimOptions::Delivery delivery = rt::SimOptions::Delivery::eager) {
  rt::SimOptions options;
  options.delivery = delivery;
  return runGemm(compileMutant(mutate), rt::DType::f16, {128, 128, 128},
                 options, /*dataSeed=*/3);
}

/// Replaces the descriptor of A in every MMA.
Mutation
changeDescriptor(std::function<ir::SmemDescAttr(ir::SmemDescAttr)> change) {
  return [=](mlir::ModuleOp module) {
    int changed = 0;
    module.walk([&](ir::Tcgen05MmaOp mma) {
      mma.setADescAttr(change(mma.getADesc()));
      ++changed;
    });
    REQUIRE(changed == 4);
  };
}
} // namespace

TEST_CASE("the unbroken kernel is right") {
  std::string text;
  int64_t wrong = countWrong(runMutant([](mlir::ModuleOp) {}), text);
  INFO(text);
  CHECK(wrong == 0);
}

TEST_CASE("a descriptor swizzle other than TMA's gives wrong numbers") {
  auto mode = GENERATE(ir::SwizzleMode::none, ir::SwizzleMode::swizzle32B,
                       ir::SwizzleMode::swizzle64B);
  std::string text;
  int64_t wrong = countWrong(
      runMutant(changeDescriptor([=](ir::SmemDescAttr desc) {
        return ir::SmemDescAttr::get(desc.getContext(), desc.getLbo(),
                                     desc.getSbo(), mode, desc.getMajor());
      })),
      text);
  INFO(text);
  CHECK(wrong > 128 * 128 / 2);
}

TEST_CASE("an SBO that is off by one atom gives wrong numbers") {
  std::string text;
  int64_t wrong =
      countWrong(runMutant(changeDescriptor([](ir::SmemDescAttr desc) {
                   return ir::SmemDescAttr::get(
                       desc.getContext(), desc.getLbo(), desc.getSbo() + 1024,
                       desc.getSwizzle(), desc.getMajor());
                 })),
                 text);
  INFO(text);
  CHECK(wrong > 128 * 128 / 2);
}

TEST_CASE("an expect_tx that is 16 bytes short is reported") {
  auto delivery =
      GENERATE(rt::SimOptions::Delivery::eager, rt::SimOptions::Delivery::lazy,
               rt::SimOptions::Delivery::random);
  GemmRun run = runMutant(
      [](mlir::ModuleOp module) {
        module.walk([&](ir::MbarrierArriveOp arrive) {
          arrive.getExpectedMutable().clear();
          arrive.setExpectTx(2 * 128 * 64 * 2 - 16);
        });
      },
      delivery);
  REQUIRE_FALSE(run.stats);
  const std::string &message = run.stats.error().message;
  INFO(message);
  CHECK_THAT(message, Catch::Contains("mbarrier"));
  CHECK_THAT(message, Catch::Contains("phase"));
  CHECK_THAT(message, Catch::Contains("pending"));
  CHECK_THAT(message, Catch::Contains("16"));
  CHECK_THAT(message, Catch::Contains("step04.mlir:"));
}

TEST_CASE("a commit that is not there is refused") {
  auto kernel = tryCompileMutant([](mlir::ModuleOp module) {
    module.walk([](ir::Tcgen05CommitOp commit) { commit.erase(); });
  });
  REQUIRE_FALSE(kernel);
  CHECK_THAT(kernel.error().message,
             Catch::Contains("waits for a barrier at which nothing arrives") &&
                 Catch::Contains("step04.mlir:"));
}

TEST_CASE("a commit that is skipped once is a deadlock report") {
  auto delivery =
      GENERATE(rt::SimOptions::Delivery::eager, rt::SimOptions::Delivery::lazy,
               rt::SimOptions::Delivery::random);
  // In the first round nothing is added to the accumulator.
  GemmRun run = runMutant(
      [](mlir::ModuleOp module) {
        mlir::Value accumulate;
        module.walk([&](ir::Tcgen05MmaOp mma) {
          if (!accumulate)
            accumulate = mma.getAccumulate();
        });
        module.walk([&](ir::Tcgen05CommitOp commit) {
          mlir::OpBuilder builder(commit);
          auto branch =
              mlir::scf::IfOp::create(builder, commit.getLoc(), accumulate);
          commit->moveBefore(branch.thenBlock()->getTerminator());
        });
      },
      delivery);
  REQUIRE_FALSE(run.stats);
  const std::string &message = run.stats.error().message;
  INFO(message);
  CHECK_THAT(message, Catch::Contains("deadlock", Catch::CaseSensitive::No));
  CHECK_THAT(message, Catch::Contains("mbarrier"));
  CHECK_THAT(message, Catch::Contains("phase 0"));
  CHECK_THAT(message, Catch::Contains("pending"));
  CHECK_THAT(message, Catch::Contains("step04.mlir:"));
}
