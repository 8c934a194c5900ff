//===- Epilogue.cpp - the role that finishes and stores D -----------------===//

#include "Kernel.h"

namespace tirx::kernels::detail {

namespace {

class Epilogue {
public:
  Epilogue(Kernel &kernel, int64_t consumer)
      : kernel(kernel), text(kernel.text), consumer(consumer),
        role(kernel.role(kernel.numbered("epilogue", consumer))),
        out(kernel.numbered("out", consumer)),
        staging(kernel.numbered("staging", consumer)) {}

  void write() {
    const GemmSchedule &s = kernel.schedule();
    if (consumer == 0)
      text.comment(
          "Thread t has row t, a chunk of columns at a time; chunks go "
          "to D through shared memory.");
    kernel.openRole(role);
    if (s.pdl)
      text.line("tirx.griddepcontrol wait");
    kernel.openTiles();
    kernel.writePosition("row", "m", kernel.clusterRows(), kernel.rowOffset,
                         consumer * kGemmRows * s.ctaGroup);
    kernel.writePosition("column", "n", kernel.clusterColumns(),
                         kernel.columnOffset);
    text.line("%d = tirx.wait %{} : !out", out);
    for (int64_t chunk = 0; chunk < kernel.plan.chunks; ++chunk)
      writeChunk(chunk);
    text.close();
    text.comment("Shared memory must live until it has been read.");
    text.open("tirx.elect warp({})", role.firstWarp);
    text.line("tirx.bulk.wait_group 0");
    text.close();
    text.close();
  }

private:
  void writeChunk(int64_t chunk) {
    const GemmSchedule &s = kernel.schedule();
    text.blank();
    std::string column =
        kernel.writeOffset("column", chunk, chunk * s.epilogueColumns);
    std::string part = fmt::format("part{}", chunk);
    text.line("%{} = tirx.slice %d[{}, {}] : !accumulator to !part", part,
              text.constant(0), text.constant(chunk * s.epilogueColumns));
    std::string value = fmt::format("%acc{}", chunk);
    text.line("{} = tirx.copy %{} : !part to !f32_rows", value, part);
    if (chunk + 1 == kernel.plan.chunks)
      text.line("tirx.release %{} : !out", out);
    store(chunk, column, convert(chunk, finish(chunk, column, value)));
  }

  /// alpha * value + beta * C + bias, activated, in f32.
  std::string finish(int64_t chunk, const std::string &column,
                     std::string value) {
    const GemmOperation &op = kernel.operation();
    if (op.alpha)
      value =
          binary("mulf", fmt::format("scaled{}", chunk), value, "%alpha_rows");
    if (op.residual) {
      std::string c = loadResidual(chunk);
      c = binary("mulf", fmt::format("beta_C{}", chunk), c, "%beta_rows");
      value = binary("addf", fmt::format("residual{}", chunk), value, c);
    }
    if (op.bias)
      value = binary("addf", fmt::format("biased{}", chunk), value,
                     loadBias(chunk, column));
    return writeActivation(text, op.activation, value, "!f32_rows",
                           fmt::format("x{}", chunk));
  }

  std::string binary(std::string_view op, const std::string &name,
                     const std::string &a, const std::string &b) {
    text.line("%{} = arith.{} {}, {} fastmath<contract> : !f32_rows", name, op,
              a, b);
    return "%" + name;
  }

  bool isHalf() const { return kernel.operation().d != rt::DType::f32; }
  std::string rowsType() const { return isHalf() ? "!rows" : "!f32_rows"; }

  std::string widen(const std::string &value) {
    if (!isHalf())
      return value;
    text.line("{}_f32 = arith.extf {} : !rows to !f32_rows", value, value);
    return value + "_f32";
  }

  std::string convert(int64_t chunk, const std::string &value) {
    if (!isHalf())
      return value;
    text.line("%d{} = arith.truncf {} : !f32_rows to !rows", chunk, value);
    return fmt::format("%d{}", chunk);
  }

  std::string loadResidual(int64_t chunk) {
    std::string pipeline = kernel.numbered("chunks_C", consumer);
    text.line("%C{} = tirx.wait %{} : !chunks_C", chunk, pipeline);
    text.line("%C_rows{} = tirx.copy %C{} : !chunk to {}", chunk, chunk,
              rowsType());
    text.line("tirx.release %{} : !chunks_C", pipeline);
    return widen(fmt::format("%C_rows{}", chunk));
  }

  std::string loadBias(int64_t chunk, const std::string &column);

  void store(int64_t chunk, const std::string &column,
             const std::string &value) {
    const GemmSchedule &s = kernel.schedule();
    const int64_t stage = chunk % s.storeStages;
    text.line("%stage{} = tirx.slice %{}[{}, {}, {}] : !staging to !chunk",
              chunk, staging, text.constant(stage), text.constant(0),
              text.constant(0));
    text.comment("The store that last read this stage must have done so.");
    text.open("tirx.elect warp({})", role.firstWarp);
    text.line("tirx.bulk.wait_group {} read", s.storeStages - 1);
    text.close();
    text.line("tirx.role_sync");
    text.line("tirx.copy {} to %stage{} : {} to !chunk", value, chunk,
              rowsType());
    text.line("tirx.fence proxy_async");
    text.line("tirx.role_sync");
    text.open("tirx.elect warp({})", role.firstWarp);
    text.line("%slice = tirx.slice %D[{}%row, {}] : !D to !slice_D",
              kernel.batchIndex(), column);
    text.line("tirx.copy_async %stage{} to %slice : !chunk to !slice_D", chunk);
    text.line("tirx.bulk.commit_group");
    text.close();
  }

  Kernel &kernel;
  Text &text;
  int64_t consumer;
  const GemmRole &role;
  std::string out, staging;
};

std::string Epilogue::loadBias(int64_t chunk, const std::string &column) {
  text.line("%bias_slice{} = tirx.slice %bias[{}] : !bias to !slice_bias",
            chunk, column);
  text.line("%bias{} = tirx.broadcast %bias_slice{} : !slice_bias to {}", chunk,
            chunk, rowsType());
  return widen(fmt::format("%bias{}", chunk));
}

} // namespace

void writeEpilogueRole(Kernel &kernel, int64_t consumer) {
  Epilogue(kernel, consumer).write();
}

} // namespace tirx::kernels::detail
