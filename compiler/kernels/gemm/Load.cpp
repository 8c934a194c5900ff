//===- Load.cpp - the roles that load ---------------------------------===//

#include "Kernel.h"

namespace tirx::kernels::detail {

namespace {

/// One copy of a tile of A or B into the stage of the ring.
struct Load {
  std::string argument; ///< "A"
  std::string stage;    ///< "%a0"
  std::string row;      ///< of the operand, where the tile begins
  bool mnMajor;
  std::string multicast;
};

void writeLoad(Kernel &kernel, const Load &load) {
  std::string slice = load.stage + "_slice";
  kernel.text.line(
      "{} = tirx.slice %{}[{}{}, {}] : !{} to !slice_{}", slice, load.argument,
      kernel.batchIndex(), load.mnMajor ? "%k" : load.row,
      load.mnMajor ? load.row : "%k", load.argument, load.argument);
  kernel.text.line("tirx.copy_async {} to {}{}{} : !slice_{} to !tile_{}",
                   slice, load.stage, load.multicast, kernel.ctaGroup(),
                   load.argument, load.argument);
}

std::string multicast(int64_t ctas, std::string_view axis) {
  return ctas > 1 ? fmt::format(" multicast({})", axis) : "";
}

/// %row0 (and %row1), where the tiles of the consumers begin.
void writeRows(Kernel &kernel) {
  const GemmSchedule &s = kernel.schedule();
  kernel.writePosition("row0", "m", kernel.clusterRows(), kernel.rowOffset);
  if (s.consumers == 2)
    kernel.text.line("%row1 = arith.addi %row0, {} : index",
                     kernel.text.constant(kGemmRows * s.ctaGroup));
}

} // namespace

void writeLoadRole(Kernel &kernel) {
  Text &text = kernel.text;
  const GemmOperation &op = kernel.operation();
  const GemmSchedule &s = kernel.schedule();
  text.comment("A stage takes the tiles of one step of K.");
  kernel.openRole(kernel.role("load"));
  if (s.pdl)
    text.line("tirx.griddepcontrol wait");
  kernel.openTiles();
  writeRows(kernel);
  kernel.writePosition("column", "n", kernel.clusterColumns(),
                       kernel.columnOffsetB);
  text.open("scf.for %k = {} to %K step {}", text.constant(0),
            text.constant(s.tileK));
  std::string stages;
  for (int64_t c = 0; c < s.consumers; ++c)
    stages += fmt::format("%a{}, ", c);
  text.line("{}%b = tirx.acquire %ring : !ring", stages);
  for (int64_t c = 0; c < s.consumers; ++c)
    writeLoad(kernel, {"A", fmt::format("%a{}", c), fmt::format("%row{}", c),
                       op.aMajor == Major::MN, multicast(s.clusterN, "cby")});
  writeLoad(kernel, {"B", "%b", "%column", op.bMajor == Major::MN,
                     multicast(s.clusterM, "cbz")});
  text.line("tirx.publish %ring : !ring");
  text.close();
  text.close();
  if (s.pdl)
    text.line("tirx.griddepcontrol launch_dependents");
  text.close();
}

namespace {

/// A tile's bias, for all of its consumers.
void writeBiasLoad(Kernel &kernel) {
  Text &text = kernel.text;
  text.line("%bias_tile = tirx.acquire %tiles_bias : !tiles_bias");
  text.line("%bias_slice = tirx.slice %bias[%column] : !bias to !slice_bias");
  text.line("tirx.copy_async %bias_slice to %bias_tile : !slice_bias to "
            "!tile_bias");
  text.line("tirx.publish %tiles_bias : !tiles_bias");
}

/// C in chunks, as the epilogues add them.
void writeResidualLoads(Kernel &kernel) {
  Text &text = kernel.text;
  const GemmSchedule &s = kernel.schedule();
  text.open("scf.for %chunk = {} to {} step {}", text.constant(0),
            text.constant(s.tileN), text.constant(s.epilogueColumns));
  text.line("%chunk_column = arith.addi %column, %chunk : index");
  for (int64_t c = 0; c < s.consumers; ++c) {
    std::string pipeline = kernel.numbered("chunks_C", c);
    text.line("%tile{} = tirx.acquire %{} : !chunks_C", c, pipeline);
    text.line("%slice{} = tirx.slice %C[{}%row{}, %chunk_column] : !D to "
              "!slice_D",
              c, kernel.batchIndex(), c);
    text.line("tirx.copy_async %slice{} to %tile{} : !slice_D to !chunk", c, c);
    text.line("tirx.publish %{} : !chunks_C", pipeline);
  }
  text.close();
}

} // namespace

void writeEpilogueLoadRole(Kernel &kernel) {
  Text &text = kernel.text;
  const GemmOperation &op = kernel.operation();
  text.comment("What the epilogues add.");
  kernel.openRole(kernel.role("load_epilogue"));
  if (kernel.schedule().pdl)
    text.line("tirx.griddepcontrol wait");
  kernel.openTiles();
  kernel.writePosition("column", "n", kernel.clusterColumns(),
                       kernel.columnOffset);
  if (op.bias)
    writeBiasLoad(kernel);
  if (op.residual) {
    writeRows(kernel);
    writeResidualLoads(kernel);
  }
  text.close();
  text.close();
}

} // namespace tirx::kernels::detail
