//===- Epilogue.cpp - the role that finishes and stores D -----------------===//

#include "Kernel.h"

namespace tirx::kernels::detail {

namespace {

/// Where a chunk of columns lies: in the accumulator, in D, in the staging
/// ring.
struct Chunk {
  std::string offset, column, stage;
  bool isLast;
};

class Epilogue {
public:
  Epilogue(Kernel &kernel, int64_t consumer)
      : kernel(kernel), text(kernel.text), op(kernel.operation()),
        s(kernel.schedule()), consumer(consumer),
        role(kernel.role(kernel.numbered("epilogue", consumer))),
        out(kernel.numbered("out", consumer)),
        staging(kernel.numbered("staging", consumer)) {}

  void write() {
    if (consumer == 0) {
      text.comment(
          "Thread t has row t, a chunk of columns at a time, which goes "
          "to D through");
      text.comment("shared memory.");
    }
    kernel.openRole(role);
    if (s.pdl)
      text.line("tirx.griddepcontrol wait");
    writeScalars();
    kernel.openTiles();
    kernel.writePosition("row", "m", kernel.clusterRows(), kernel.rowOffset,
                         consumer * kGemmRows * s.ctaGroup);
    kernel.writePosition("column", "n", kernel.clusterColumns(),
                         kernel.columnOffset);
    text.line("%d = tirx.wait %{} : !out", out);
    if (op.bias)
      text.line("%bias_tile = tirx.wait %tiles_bias : !tiles_bias");
    writeFirstChunks();
    writeLastChunk();
    text.close();
    text.comment("Shared memory must live until it has been read.");
    text.open("tirx.elect");
    text.line("tirx.bulk.wait_group 0");
    text.close();
    text.close();
  }

private:
  /// alpha and beta in every element of a register tile.
  void writeScalars() {
    for (auto [used, name] :
         {std::pair(op.alpha, "alpha"), {op.residual, "beta"}})
      if (used)
        text.line("%{}_rows = tensor.splat %{} : !f32_rows", name, name);
  }

  void writeFirstChunks() {
    const int64_t chunks = kernel.plan.chunks - 1;
    if (!chunks)
      return;
    text.open("scf.for %chunk = {} to {} step {}", text.constant(0),
              text.constant(chunks), text.constant(1));
    text.line("%offset = arith.muli %chunk, {} : index",
              text.constant(s.epilogueColumns));
    text.line("%chunk_column = arith.addi %column, %offset : index");
    std::string stage = text.constant(0);
    if (s.storeStages > 1) {
      text.line("%stage = arith.remui %chunk, {} : index",
                text.constant(s.storeStages));
      stage = "%stage";
    }
    writeChunk({"%offset", "%chunk_column", stage, /*isLast=*/false});
    text.close();
  }

  /// Frees the accumulator as soon as it is read.
  void writeLastChunk() {
    const int64_t chunk = kernel.plan.chunks - 1;
    const int64_t offset = chunk * s.epilogueColumns;
    Chunk last{text.constant(offset), "%column",
               text.constant(chunk % s.storeStages), /*isLast=*/true};
    if (offset) {
      text.line("%last_column = arith.addi %column, {} : index", last.offset);
      last.column = "%last_column";
    }
    writeChunk(last);
  }

  void writeChunk(const Chunk &chunk) {
    text.line("%part = tirx.slice %d[{}, {}] : !accumulator to !part",
              text.constant(0), chunk.offset);
    text.line("%acc = tirx.copy %part : !part to !f32_rows");
    if (chunk.isLast)
      text.line("tirx.release %{} : !out", out);
    writeStore(chunk, narrow(writeFinish(chunk)));
  }

  /// activation(alpha * accumulator + beta * C + bias), in f32.
  std::string writeFinish(const Chunk &chunk) {
    std::string value = "%acc";
    if (op.alpha)
      value = writeBinary("mulf", "%scaled", value, "%alpha_rows");
    if (op.residual) {
      std::string c =
          writeBinary("mulf", "%beta_C", loadResidual(), "%beta_rows");
      value = writeBinary("addf", "%with_C", value, c);
    }
    if (op.bias)
      value = writeBinary("addf", "%with_bias", value, loadBias(chunk));
    return writeActivation(text, op.activation, value, "!f32_rows");
  }

  std::string writeBinary(std::string_view operation, const std::string &name,
                          const std::string &a, const std::string &b) {
    text.line("{} = arith.{} {}, {} fastmath<contract> : !f32_rows", name,
              operation, a, b);
    return name;
  }

  bool isF32() const { return op.d == rt::DType::f32; }
  std::string rowsType() const { return isF32() ? "!f32_rows" : "!rows"; }

  std::string widen(const std::string &value) {
    if (isF32())
      return value;
    text.line("{}_f32 = arith.extf {} : !rows to !f32_rows", value, value);
    return value + "_f32";
  }

  std::string narrow(const std::string &value) {
    if (isF32())
      return value;
    text.line("%result = arith.truncf {} : !f32_rows to !rows", value);
    return "%result";
  }

  std::string loadResidual() {
    std::string pipeline = kernel.numbered("chunks_C", consumer);
    text.line("%tile_C = tirx.wait %{} : !chunks_C", pipeline);
    text.line("%C_rows = tirx.copy %tile_C : !chunk to {}", rowsType());
    text.line("tirx.release %{} : !chunks_C", pipeline);
    return widen("%C_rows");
  }

  std::string loadBias(const Chunk &chunk) {
    const std::string_view row = isF32() ? "!f32_row" : "!row";
    text.line("%bias_part = tirx.slice %bias_tile[{}] : !tile_bias to "
              "!part_bias",
              chunk.offset);
    text.line("%bias_row = tirx.copy %bias_part : !part_bias to {}", row);
    if (chunk.isLast)
      text.line("tirx.release %tiles_bias : !tiles_bias");
    std::string value = "%bias_row";
    if (!isF32()) {
      text.line("%bias_row_f32 = arith.extf %bias_row : !row to !f32_row");
      value = "%bias_row_f32";
    }
    text.line("%bias_rows = tirx.broadcast {} : !f32_row to !f32_rows", value);
    return "%bias_rows";
  }

  void writeStore(const Chunk &chunk, const std::string &value) {
    text.line("%staged = tirx.slice %{}[{}, {}, {}] : !staging to !chunk",
              staging, chunk.stage, text.constant(0), text.constant(0));
    text.comment("The last store from here must have read it.");
    text.open("tirx.elect");
    text.line("tirx.bulk.wait_group {} read", s.storeStages - 1);
    text.close();
    text.line("tirx.role_sync");
    text.line("tirx.copy {} to %staged : {} to !chunk", value, rowsType());
    text.line("tirx.fence proxy_async");
    text.line("tirx.role_sync");
    text.open("tirx.elect");
    text.line("%slice = tirx.slice %D[{}%row, {}] : !D to !slice_D",
              kernel.batchIndex(), chunk.column);
    text.line("tirx.copy_async %staged to %slice : !chunk to !slice_D");
    text.line("tirx.bulk.commit_group");
    text.close();
  }

  Kernel &kernel;
  Text &text;
  const GemmOperation &op;
  const GemmSchedule &s;
  int64_t consumer;
  const GemmRole &role;
  std::string out, staging;
};

} // namespace

void writeEpilogueRole(Kernel &kernel, int64_t consumer) {
  Epilogue(kernel, consumer).write();
}

} // namespace tirx::kernels::detail
