//===- CompilerTest.cpp - the compiler as a library -----------------------===//
#include "tirx/Compiler/Compiler.h"
#include "tirx/Compiler/Register.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <thread>

using namespace tirx;

static const char *const store = R"(
llvm.func @store(%x: !llvm.ptr<1>, %a: i32) attributes {nvvm.kernel} {
  llvm.store %a, %x : i32, !llvm.ptr<1>
  llvm.return
})";

// LLVM aborts on it: NVPTX has no log2 and no library to call.
static const char *const fatal = R"(
llvm.func @log2(%x: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.load %x : !llvm.ptr<1> -> f32
  %b = llvm.intr.log2(%a) : (f32) -> f32
  llvm.store %b, %x : f32, !llvm.ptr<1>
  llvm.return
})";

static CompileOptions toPTX() {
  CompileOptions options;
  options.emit = CompileOptions::Emit::ptx;
  return options;
}

TEST_CASE("source compiles to PTX, with times", "[compiler]") {
  auto result = compile(store, "store.mlir", toPTX());
  REQUIRE(result);
  CHECK_THAT(result->ptx, Catch::Contains(".entry store") &&
                              Catch::Contains(".target sm_100a") &&
                              Catch::Contains("\"store.mlir\""));
  CHECK(result->cubin.empty());
  std::vector<std::string> stages;
  double sum = 0;
  for (const StageTime &time : result->times) {
    stages.push_back(time.stage);
    sum += time.seconds;
  }
  CHECK(stages ==
        std::vector<std::string>{"parse", "passes", "llvm", "codegen"});
  CHECK(sum > 0);
  CHECK(sum <= result->totalSeconds);
  CHECK_THAT(formatTimes(*result), Catch::Contains("codegen"));
}

TEST_CASE("a module in memory compiles like its text and is kept",
          "[compiler]") {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(store, &context, "store.mlir");
  REQUIRE(module);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  auto result = compile(*module, toPTX());
  REQUIRE(result);
  llvm::raw_string_ostream(after) << *module;
  CHECK(before == after);
  CHECK(result->ptx == compile(store, "store.mlir", toPTX())->ptx);
}

TEST_CASE("invalid IR is an error with its position", "[compiler]") {
  auto result = compile("llvm.func @k( {", "bad.mlir", toPTX());
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message,
             Catch::StartsWith("bad.mlir: is not valid IR") &&
                 Catch::Contains("bad.mlir:1:14: error:"));
}

TEST_CASE("LLVM's fatal errors are errors, and the next compilation works",
          "[compiler]") {
  for (int i = 0; i < 3; ++i) {
    auto result = compile(fatal, "log2.mlir", toPTX());
    REQUIRE_FALSE(result);
    CHECK_THAT(
        result.error().message,
        Catch::Contains("NVPTX code generator failed for target sm_100a") &&
            Catch::Contains("flog2"));
    CHECK(compile(store, "store.mlir", toPTX()));
  }
}

TEST_CASE("several threads may compile, and some may fail", "[compiler]") {
  std::string expected = compile(store, "store.mlir", toPTX())->ptx;
  std::vector<std::thread> threads;
  std::vector<std::string> results(8);
  for (size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([i, &results] {
      auto result = compile(i % 4 == 3 ? fatal : store, "store.mlir", toPTX());
      results[i] = result ? result->ptx : "error";
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < results.size(); ++i)
    CHECK(results[i] == (i % 4 == 3 ? "error" : expected));
}

TEST_CASE("an unknown target or pass is an error", "[compiler]") {
  CompileOptions options = toPTX();
  options.target = "sm_80";
  auto result = compile(store, "store.mlir", options);
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message, Catch::Contains("sm_100a, sm_90a"));
  options = toPTX();
  options.dumpAfter = {"no-such-pass"};
  result = compile(store, "store.mlir", options);
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message, Catch::Contains("no-such-pass"));
}
