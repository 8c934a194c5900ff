//===- PtxasReportTest.cpp ------------------------------------------------===//
#include "tirx/Compiler/Ptxas.h"

#include <catch2/catch.hpp>

using namespace tirx;

// Printed by ptxas 13.0.88 for kernels written for this purpose.
static const char *const output =
    R"(ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'calls' for 'sm_100a'
ptxas info    : Function properties for calls
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 6 registers, used 4 barriers, 512 bytes smem
ptxas info    : Compile time = 4.547 ms
ptxas info    : Function properties for dev
    1 bytes stack frame, 2 bytes spill stores, 3 bytes spill loads
ptxas info    : Compiling entry function 'spills' for 'sm_100a'
ptxas info    : Function properties for spills
    176 bytes stack frame, 164 bytes spill stores, 168 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 168 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compile time = 5.827 ms
ptxas k.ptx, line 17; warning : Instruction 'x' is deprecated
ptxas warning : Something else
)";

TEST_CASE("ptxas -v is parsed by entry", "[ptxas]") {
  PtxasReport report = parsePtxasOutput(output);
  REQUIRE(report.kernels.size() == 2);
  const rt::ResourceReport &calls = report.kernels.at("calls");
  CHECK(calls.registers == 6);
  CHECK(calls.named_barriers == 4);
  CHECK(calls.static_shared_bytes == 512);
  // Not those of the device function that is printed after it.
  CHECK(calls.stack_bytes == 0);
  CHECK(calls.spill_store_bytes == 0);
  const rt::ResourceReport &spills = report.kernels.at("spills");
  CHECK(spills.registers == 32);
  CHECK(spills.named_barriers == 1);
  CHECK(spills.stack_bytes == 176);
  CHECK(spills.spill_store_bytes == 164);
  CHECK(spills.spill_load_bytes == 168);
  CHECK(spills.static_shared_bytes == 1024);
}

TEST_CASE("ignored directives, warnings and spills are warnings", "[ptxas]") {
  PtxasReport report = parsePtxasOutput(output);
  CHECK(report.warnings ==
        std::vector<std::string>{
            "ptxas: (C7508) Potential Performance Loss: 'setmaxnreg' ignored; "
            "unable to determine register count at entry.",
            "ptxas: PTX line 17: Instruction 'x' is deprecated",
            "ptxas: Something else",
            "kernel 'spills' spills registers: 164 bytes stored, 168 bytes "
            "loaded a thread, with 32 registers in use (ptxas -v)"});
}

TEST_CASE("other text gives an empty report", "[ptxas]") {
  for (const char *text :
       {"", "\n\n", "ptxas", "ptxas info", "ptxas info    : Used x registers",
        "    7 bytes stack frame", "ptxas info    : Function properties for",
        "ptxas info    : Compiling entry function"}) {
    PtxasReport report = parsePtxasOutput(text);
    CHECK(report.warnings.empty());
    for (auto &[name, resources] : report.kernels)
      CHECK(resources.registers == 0);
  }
}
