//===- Types.cpp - aliases of layouts and types ---------------------------===//

#include "Kernel.h"

#include <vector>

namespace tirx::kernels::detail {

namespace {

std::string matrix(bool batch, rt::DType dtype) {
  return fmt::format("!tirx.buffer<{}?x?x{}, global>", batch ? "?x" : "",
                     mlirType(dtype));
}

/// The two extents as they lie in memory: "128x64".
std::string extents(Major major, int64_t rows, int64_t columns) {
  if (major == Major::MN)
    std::swap(rows, columns);
  return fmt::format("{}x{}", rows, columns);
}

std::string repeat(std::string_view type, int64_t times) {
  std::string text(type);
  for (int64_t i = 1; i < times; ++i)
    text += fmt::format(", {}", type);
  return text;
}

struct Writer {
  std::string text;

  void layout(std::string_view name, const std::string &value) {
    text += fmt::format("#{} = #tirx.layout<{}>\n", name, value);
  }
  void layout(std::string_view name, const layout::Layout &value) {
    layout(name, layout::toString(value));
  }
  void type(std::string_view name, const std::string &value) {
    text += fmt::format("!{} = {}\n", name, value);
  }
  void heading(std::string_view value) {
    text += fmt::format("\n// {}\n", value);
  }
};

} // namespace

std::string writeTypes(const GemmConfig &config, const GemmPlan &plan) {
  const GemmOperation &op = config.operation;
  const GemmSchedule &s = config.schedule;
  const std::string_view d = mlirType(op.d);
  Writer w;
  struct Operand {
    std::string_view name;
    rt::DType dtype;
    Major major;
    int64_t rows;
    const layout::Layout &multiplied, &filled;
  };
  const Operand operands[] = {
      {"A", op.a, op.aMajor, kGemmRows, plan.a, plan.aFilled},
      {"B", op.b, op.bMajor, plan.rowsB, plan.b, plan.bFilled}};
  for (const Operand &operand : operands) {
    w.layout(fmt::format("tile_{}", operand.name), operand.filled);
    if (operand.major == Major::MN)
      w.layout(fmt::format("operand_{}", operand.name), operand.multiplied);
  }
  w.layout("accumulator",
           fmt::format("S[({},{}):(1@TLane,1@TCol)]", kGemmRows, s.tileN));
  w.layout("part", fmt::format("S[({},{}):(1@TLane,1@TCol)]", kGemmRows,
                               s.epilogueColumns));
  w.layout("rows", fmt::format("S[({},{}):(1@tid_in_wg,1)]", kGemmRows,
                               s.epilogueColumns));
  if (op.bias) {
    w.layout("tile_bias", fmt::format("S[{}:1]", plan.biasColumns));
    w.layout("part_bias", fmt::format("S[{}:1]", s.epilogueColumns));
    // Every thread has all of it.
    w.layout("row", fmt::format("S[{}:1] + R[{}:1@tid_in_wg]",
                                s.epilogueColumns, kGemmRows));
  }
  w.layout("chunk", plan.chunk);
  w.layout("staging", plan.staging);

  w.heading("Arguments, and the tiles of them that TMA moves.");
  w.type("A", matrix(op.batch, op.a));
  w.type("B", matrix(op.batch, op.b));
  w.type("D", matrix(op.batch, op.d));
  if (op.bias)
    w.type("bias", fmt::format("!tirx.buffer<?x{}, global>", d));
  if (op.bias)
    w.type("slice_bias",
           fmt::format("!tirx.buffer<{}x{}, global>", plan.biasColumns, d));
  const std::string_view unit = op.batch ? "1x" : "";
  for (const Operand &operand : operands)
    w.type(fmt::format("slice_{}", operand.name),
           fmt::format("!tirx.buffer<{}{}x{}, global>", unit,
                       extents(operand.major, operand.rows, s.tileK),
                       mlirType(operand.dtype)));
  w.type("slice_D", fmt::format("!tirx.buffer<{}{}x{}x{}, global>", unit,
                                kGemmRows, s.epilogueColumns, d));

  w.heading("Shared memory, tensor memory, registers.");
  for (const Operand &operand : operands) {
    w.type(fmt::format("tile_{}", operand.name),
           fmt::format("!tirx.buffer<{}x{}, #tile_{}, shared>",
                       extents(operand.major, operand.rows, s.tileK),
                       mlirType(operand.dtype), operand.name));
    if (operand.major == Major::MN)
      w.type(fmt::format("operand_{}", operand.name),
             fmt::format("!tirx.buffer<{}x{}, #operand_{}, shared>",
                         extents(Major::K, operand.rows, s.tileK),
                         mlirType(operand.dtype), operand.name));
  }
  w.type("chunk", fmt::format("!tirx.buffer<{}x{}x{}, #chunk, shared>",
                              kGemmRows, s.epilogueColumns, d));
  w.type("staging",
         fmt::format("!tirx.buffer<{}x{}x{}x{}, #staging, shared>",
                     s.storeStages, kGemmRows, s.epilogueColumns, d));
  if (op.bias) {
    w.type("tile_bias", fmt::format("!tirx.buffer<{}x{}, #tile_bias, shared>",
                                    plan.biasColumns, d));
    w.type("part_bias", fmt::format("!tirx.buffer<{}x{}, #part_bias, shared>",
                                    s.epilogueColumns, d));
  }
  w.type("accumulator",
         fmt::format("!tirx.buffer<{}x{}xf32, #accumulator, tmem>", kGemmRows,
                     s.tileN));
  w.type("part", fmt::format("!tirx.buffer<{}x{}xf32, #part, tmem>", kGemmRows,
                             s.epilogueColumns));
  w.type("f32_rows",
         fmt::format("tensor<{}x{}xf32, #rows>", kGemmRows, s.epilogueColumns));
  if (op.d != rt::DType::f32)
    w.type("rows", fmt::format("tensor<{}x{}x{}, #rows>", kGemmRows,
                               s.epilogueColumns, d));

  if (op.bias) {
    w.type("f32_row", fmt::format("tensor<{}xf32, #row>", s.epilogueColumns));
    if (op.d != rt::DType::f32)
      w.type("row", fmt::format("tensor<{}x{}, #row>", s.epilogueColumns, d));
  }

  w.heading("Who hands what to whom.");
  w.type("tiles", fmt::format("!tirx.schedule<{}>", op.batch ? 3 : 2));
  w.type("ring", fmt::format("!tirx.pipeline<{} x {}, !tile_B>", s.stages,
                             repeat("!tile_A", s.consumers)));
  w.type("out",
         fmt::format("!tirx.pipeline<{} x !accumulator>", s.accumulatorStages));
  if (op.residual)
    w.type("chunks_C",
           fmt::format("!tirx.pipeline<{} x !chunk>", s.residualStages));
  if (op.bias)
    w.type("tiles_bias",
           fmt::format("!tirx.pipeline<{} x !tile_bias>", kBiasStages));
  return w.text;
}

} // namespace tirx::kernels::detail
