//===- PipelineFaultsTest.cpp - what is wrong must show -------------------===//
//
// Steps 7 to 9 are lowered to barriers and broken in one place, as hand-written
// kernels are: a count, a mask, a parity, a fence. Each fault must be refused
// by the compiler, reported by the simulator, or give a wrong result. The good
// twin is the unbroken kernel, which must pass without a warning.
//
//===----------------------------------------------------------------------===//

#include "GemmHarness.h"

#include "tirx/Compiler/Compiler.h"
#include "tirx/Compiler/Register.h"
#include "tirx/Dialect/TIRx.h"
#include "tirx/Passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace tirx;
using namespace tirx::test;

namespace {
using Mutation = std::function<bool(mlir::ModuleOp)>;

/// The first operation of the type for which `change` returns true is enough.
template <typename OpT> Mutation changeFirst(std::function<bool(OpT)> change) {
  return [=](mlir::ModuleOp module) {
    return module
        .walk([&](OpT op) {
          return change(op) ? mlir::WalkResult::interrupt()
                            : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  };
}

template <typename OpT>
Mutation eraseFirst(std::function<bool(OpT)> matches = [](OpT) {
  return true;
}) {
  return changeFirst<OpT>([=](OpT op) {
    if (!matches(op))
      return false;
    op.erase();
    return true;
  });
}

Mutation setCount(int64_t from, int64_t to) {
  return changeFirst<ir::MbarrierInitOp>([=](ir::MbarrierInitOp init) {
    if (int64_t(init.getCount()) != from)
      return false;
    init.setCount(to);
    return true;
  });
}

Mutation expectMore(int64_t bytes) {
  return changeFirst<ir::MbarrierArriveOp>([=](ir::MbarrierArriveOp arrive) {
    if (!arrive.getExpectTx())
      return false;
    arrive.setExpectTx(*arrive.getExpectTx() + bytes);
    return true;
  });
}

bool isInRole(mlir::Operation *op, llvm::StringRef prefix) {
  auto role = op->getParentOfType<ir::RoleOp>();
  return role && role.getRoleName().starts_with(prefix);
}

Mutation eraseFence(ir::FenceKind kind, llvm::StringRef role) {
  return eraseFirst<ir::FenceOp>([=](ir::FenceOp fence) {
    return fence.getKind() == kind && isInRole(fence, role);
  });
}

/// The role's wait at a barrier array of `slots` slots.
Mutation eraseWait(llvm::StringRef role, int64_t slots) {
  return eraseFirst<ir::MbarrierWaitOp>([=](ir::MbarrierWaitOp wait) {
    auto barrier = mlir::cast<ir::BarrierType>(wait.getBarrier().getType());
    return isInRole(wait, role) && barrier.getSlots() == slots;
  });
}

/// A role that waits for the other parity.
Mutation invertParity(llvm::StringRef role) {
  return changeFirst<ir::MbarrierWaitOp>([=](ir::MbarrierWaitOp wait) {
    if (!isInRole(wait, role))
      return false;
    mlir::OpBuilder builder(wait);
    mlir::Value yes =
        mlir::arith::ConstantIntOp::create(builder, wait.getLoc(), 1, 1);
    wait.getParityMutable().assign(mlir::arith::XOrIOp::create(
        builder, wait.getLoc(), wait.getParity(), yes));
    return true;
  });
}

Mutation setMask(int64_t mask) {
  return changeFirst<ir::Tcgen05CommitOp>([=](ir::Tcgen05CommitOp commit) {
    if (!commit.getMulticast())
      return false;
    mlir::OpBuilder builder(commit->getParentOp());
    commit.getMulticastMutable().assign(
        mlir::arith::ConstantIntOp::create(builder, commit.getLoc(), mask, 16));
    return true;
  });
}

/// Waits for the reads of TMA stores that leave one group more.
Mutation loosenReadWaits() {
  return [](mlir::ModuleOp module) {
    int changed = 0;
    module.walk([&](ir::BulkWaitGroupOp wait) {
      if (!wait.getRead())
        return;
      wait.setPending(wait.getPending() + 1);
      ++changed;
    });
    return changed != 0;
  };
}

/// The kernel after its pipelines became barriers, changed by `mutate`.
rt::Expected<rt::Kernel> compileMutant(int step, const Mutation &mutate) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  std::string path = std::string(TIRX_EXAMPLES) + "/gemm/step0" +
                     std::to_string(step) + ".mlir";
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  REQUIRE(module);
  mlir::PassManager manager(&context);
  manager.addPass(passes::createTIRxLowerSchedules());
  manager.addPass(passes::createTIRxPlanPipelines());
  manager.addPass(passes::createTIRxThreadPipelineState());
  manager.addPass(passes::createTIRxLowerPipelines());
  manager.addPass(passes::createTIRxElectThreads());
  REQUIRE(mlir::succeeded(manager.run(*module)));
  REQUIRE(mutate(*module));
  CompileOptions options;
  options.assemble = false;
  auto result = compile(*module, options);
  if (!result)
    return tl::unexpected(result.error());
  return result->artifact.kernels.front();
}

/// How a fault shows under one of a few schedules; empty if it does not.
std::string findFault(int step, const Mutation &mutate) {
  auto kernel = compileMutant(step, mutate);
  if (!kernel)
    return "refused: " + kernel.error().message;
  using Delivery = rt::SimOptions::Delivery;
  // Long loops over K, and short ones, in which the tensor core runs ahead.
  for (GemmSize size : {GemmSize{1024, 256, 384}, GemmSize{1024, 512, 64}})
    for (Delivery delivery :
         {Delivery::eager, Delivery::lazy, Delivery::random})
      for (uint64_t seed = 0; seed < 3; ++seed) {
        rt::SimOptions options;
        options.delivery = delivery;
        options.schedule = delivery == Delivery::eager
                               ? rt::SimOptions::Schedule::round_robin
                               : rt::SimOptions::Schedule::random;
        options.seed = seed;
        options.sm_count = 2; // several tiles a CTA
        GemmRun run = runGemm(*kernel, rt::DType::f16, size, options,
                              /*dataSeed=*/5);
        if (!run.stats)
          return "reported: " + run.stats.error().message;
        if (!run.stats->warnings.empty())
          return "warned: " + run.stats->warnings.front();
        std::string text;
        if (countWrong(run, text) != 0)
          return "wrong: " + text;
      }
  return "";
}

struct Fault {
  const char *what;
  int step;
  Mutation mutate;
};

const Fault faults[] = {
    {"16 bytes too few are expected", 7, expectMore(-16)},
    {"16 bytes too many are expected", 7, expectMore(16)},
    {"the accumulator is released by 127 of 128", 7, setCount(128, 127)},
    {"the accumulator is released by 129 of 128", 7, setCount(128, 129)},
    {"the accumulator is released by one thread", 7, setCount(128, 1)},
    {"the epilogue does not wait for the accumulator", 7,
     eraseWait("epilogue", 2)},
    {"the tensor core does not wait for a stage", 7, eraseWait("mma", 4)},
    {"the tensor core does not wait for the accumulator", 7,
     eraseWait("mma", 2)},
    {"TMA does not wait for an empty stage", 7, eraseWait("load", 4)},
    {"the producer begins with the consumer's parity", 7, invertParity("load")},
    {"the consumer begins with the producer's parity", 7, invertParity("mma")},
    {"no commit releases a stage", 7, eraseFirst<ir::Tcgen05CommitOp>()},
    {"nobody releases the accumulator", 7,
     eraseFirst<ir::MbarrierArriveOp>([](ir::MbarrierArriveOp arrive) {
       return isInRole(arrive, "epilogue");
     })},
    {"no proxy fence before the TMA store", 7,
     eraseFence(ir::FenceKind::proxy_async, "epilogue")},
    {"no fence after the wait for the accumulator", 7,
     eraseFence(ir::FenceKind::tcgen05_after_thread_sync, "epilogue")},
    {"the staging tile is written while TMA reads it", 7,
     eraseFirst<ir::BulkWaitGroupOp>()},
    {"one store too many may be under way", 7, loosenReadWaits()},
    {"a store too many of two stages may be under way", 8, loosenReadWaits()},
    {"the kernel ends before its last store", 7,
     eraseFirst<ir::BulkWaitGroupOp>(
         [](ir::BulkWaitGroupOp wait) { return !wait.getRead(); })},
    {"the epilogue does not meet before it stores", 7,
     eraseFirst<ir::RoleSyncOp>()},
    {"the first product adds to what was there", 7,
     changeFirst<ir::GemmAsyncOp>([](ir::GemmAsyncOp gemm) {
       mlir::OpBuilder builder(gemm->getParentOp());
       gemm.getAccumulateMutable().assign(
           mlir::arith::ConstantIntOp::create(builder, gemm.getLoc(), 1, 1));
       return true;
     })},
    {"the bytes of one CTA of the pair are expected", 8, expectMore(-32768)},
    {"the threads of one CTA release the accumulator", 8, setCount(256, 128)},
    {"a commit reaches the even CTA only", 8, setMask(1)},
    {"a commit reaches the odd CTA only", 8, setMask(2)},
    {"barriers are not made known to the cluster", 8,
     eraseFirst<ir::ClusterSyncOp>()},
    {"one of two consumers releases a stage", 9, setCount(2, 1)},
    {"the second consumer uses the first one's accumulator", 9,
     [](mlir::ModuleOp module) {
       llvm::SmallVector<ir::GemmAsyncOp> gemms;
       module.walk([&](ir::GemmAsyncOp gemm) { gemms.push_back(gemm); });
       auto first = gemms.front().getD().getDefiningOp<ir::SliceOp>();
       auto second = gemms.back().getD().getDefiningOp<ir::SliceOp>();
       second.getSourceMutable().assign(first.getSource());
       return true;
     }},
};
} // namespace

TEST_CASE("the unbroken kernels are right, without a warning") {
  int step = GENERATE(7, 8, 9);
  INFO("step " << step);
  CHECK(findFault(step, [](mlir::ModuleOp) { return true; }) == "");
}

TEST_CASE("each fault shows") {
  for (const Fault &fault : faults) {
    INFO("step " << fault.step << ": " << fault.what);
    std::string found = findFault(fault.step, fault.mutate);
    CHECK(found != "");
    if (std::getenv("TIRX_SHOW_FAULTS"))
      WARN("step " << fault.step << ": " << fault.what << ": "
                   << found.substr(0, 160));
  }
}
