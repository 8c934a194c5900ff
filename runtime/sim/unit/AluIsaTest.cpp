//===- AluIsaTest.cpp - all instruction sets compute the same ---*- C++ -*-===//

#include "AluKernels.h"
#include "NumType.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace tirx::rt::sim;

namespace {

const char *const kNames[] = {
#define ALU(name, ...) #name,
#include "AluOps.def"
#undef ALU
};

struct Registers {
  alignas(256) unsigned char file[16 * 256];
  uint32_t preds[8];
};

bool startsWith(const std::string &text, const char *prefix) {
  return text.rfind(prefix, 0) == 0;
}

} // namespace

TEST_CASE("every kernel gives the same bits under every instruction set") {
  constexpr uint64_t seed = 4711;
  CAPTURE(seed, aluIsa());
  std::mt19937_64 random(seed);
  static const uint32_t corners[] = {
      0,          1,          0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000,
      0x3F800000, 0xFFFFFFFF, 0x00000001, 0x7C007C00, 0x00010001, 0x7FFFFFFF};
  unsigned compared = 0;
  for (unsigned op = 0; op < static_cast<unsigned>(AluOp::count); ++op) {
    std::string name = kNames[op];
    for (unsigned round = 0; round < 40; ++round) {
      static Registers start, results[3];
      for (size_t i = 0; i < sizeof start.file; i += 4) {
        uint32_t word = random() % 4 ? static_cast<uint32_t>(random())
                                     : corners[random() % std::size(corners)];
        std::memcpy(start.file + i, &word, 4);
      }
      for (uint32_t &pred : start.preds)
        pred = static_cast<uint32_t>(random());
      Instr instr;
      // Slots of 256 bytes serve every width. Predicates share the numbering.
      bool pred_dst = startsWith(name, "setp") || startsWith(name, "testp") ||
                      name.find("_pred") != std::string::npos;
      bool pred_src = name.find("_pred") != std::string::npos;
      instr.dst = pred_dst ? 3 : 0;
      instr.dst2 = pred_dst ? 4 : 256;
      for (unsigned k = 0; k < 4; ++k)
        instr.src[k] = pred_src ? k + 1 : 512 + 256 * k;
      if (startsWith(name, "selp") || startsWith(name, "set"))
        instr.src[2] = 5;
      if (name.find("_cc_") != std::string::npos || startsWith(name, "addc") ||
          startsWith(name, "subc"))
        instr.src[3] = 6;
      instr.imm = static_cast<int64_t>(random() % 256);
      instr.mods = static_cast<uint32_t>(random()) &
                   (kFtz | kSat | kNaN | kAbs | kXorSign | kRelu);
      instr.mods |= static_cast<uint32_t>(random() % 4) << kRoundShift;
      instr.mods |= static_cast<uint32_t>(random() % 14) << kCompareShift;
      instr.mods |= static_cast<uint32_t>(random() % 4) << kBoolShift;
      for (uint8_t &sub : instr.sub)
        sub = static_cast<uint8_t>(random() % 2);
      auto number = [&](unsigned first, unsigned count) {
        return static_cast<uint8_t>(first + random() % count);
      };
      if (startsWith(name, "cvt")) {
        instr.sub[0] = name == "cvt_int_int" || name == "cvt_int_float"
                           ? number(0, 8)
                           : number(8, 4);
        instr.sub[1] = name == "cvt_int_int" || name == "cvt_float_int"
                           ? number(0, 8)
                           : number(8, 4);
      } else if (name.find("mixed") != std::string::npos) {
        instr.sub[0] = number(8, 2);
      } else if (startsWith(name, "testp") || startsWith(name, "prmt")) {
        instr.sub[0] = number(0, 6);
      }
      uint32_t mask = round % 3 ? static_cast<uint32_t>(random()) : ~0u;
      for (unsigned isa = 0; isa < 3; ++isa) {
        const AluFn *table = aluTable(isa);
        if (!table)
          continue;
        results[isa] = start;
        LaneState state{{results[isa].file, nullptr}, results[isa].preds};
        table[op](state, instr, mask);
        if (isa == 0)
          continue;
        ++compared;
        bool same = std::memcmp(results[0].file, results[isa].file,
                                sizeof start.file) == 0 &&
                    std::memcmp(results[0].preds, results[isa].preds,
                                sizeof start.preds) == 0;
        if (!same) {
          CAPTURE(name, isa, round);
          CHECK(same);
          round = 40;
          break;
        }
      }
    }
  }
  if (compared == 0)
    WARN("this machine has one instruction set only: nothing to compare");
}
