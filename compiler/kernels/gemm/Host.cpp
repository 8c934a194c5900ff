//===- Host.cpp - extents, checks, the schedule ---------------------------===//

#include "Kernel.h"

namespace tirx::kernels::detail {

namespace {

/// An argument's axis, and the extent that it must have.
struct Extent {
  std::string_view argument, type;
  int64_t axis;
  std::string_view value; ///< "M"
  std::string_view message;
};

void writeExtent(Text &text, const Extent &extent) {
  std::string name = fmt::format("{}_of_{}", extent.value, extent.argument);
  text.line("%{} = tirx.dim %{}, {} : !{}", name, extent.argument, extent.axis,
            extent.type);
  text.line("%same_{} = arith.cmpi eq, %{}, %{} : index", name, name,
            extent.value);
  text.line("tirx.require %same_{}, \"{}\"", name, extent.message);
}

} // namespace

void writeHostPart(Kernel &kernel) {
  Text &text = kernel.text;
  const GemmOperation &op = kernel.operation();
  const GemmSchedule &s = kernel.schedule();
  const int64_t first = op.batch ? 1 : 0; // axis of the matrix's rows
  const bool transA = op.aMajor == Major::MN, transB = op.bMajor == Major::MN;
  text.line("%M = tirx.dim %A, {} : !A", first + transA);
  text.line("%K = tirx.dim %A, {} : !A", first + !transA);
  text.line("%N = tirx.dim %B, {} : !B", first + transB);
  if (op.batch)
    text.line("%L = tirx.dim %A, 0 : !A");
  writeExtent(text,
              {"B", "B", first + !transB, "K", "A and B must agree in K"});
  writeExtent(text, {"D", "D", first, "M", "D must have M rows, as A"});
  writeExtent(text, {"D", "D", first + 1, "N", "D must have N columns, as B"});
  if (op.residual) {
    writeExtent(text, {"C", "D", first, "M", "C must have D's shape (M)"});
    writeExtent(text, {"C", "D", first + 1, "N", "C must have D's shape (N)"});
  }
  if (op.bias)
    writeExtent(text, {"bias", "bias", 0, "N", "bias must have N elements"});
  if (op.batch) {
    writeExtent(text, {"B", "B", 0, "L", "A and B must have the same batch"});
    writeExtent(text, {"D", "D", 0, "L", "A and D must have the same batch"});
    if (op.residual)
      writeExtent(text, {"C", "D", 0, "L", "A and C must have the same batch"});
  }
  text.line("%some_K = arith.cmpi ne, %K, {} : index", text.constant(0));
  text.line("tirx.require %some_K, \"K must not be 0\"");

  text.line("%tiles_M = arith.ceildivui %M, {} : index",
            text.constant(kernel.clusterRows()));
  text.line("%tiles_N = arith.ceildivui %N, {} : index",
            text.constant(kernel.clusterColumns()));
  text.line("%tiles = tirx.schedule {} group({}) over(%tiles_M, %tiles_N{}) : "
            "!tiles",
            toString(s.scheduler), s.group, op.batch ? ", %L" : "");
  text.line("%ctas = tirx.grid_size %tiles : !tiles");
}

void writeCtaOffsets(Kernel &kernel) {
  Text &text = kernel.text;
  const GemmSchedule &s = kernel.schedule();
  struct Term {
    std::string_view id;
    int64_t stride, ctas;
  };
  auto write = [&](std::string_view name, std::initializer_list<Term> terms) {
    std::string sum;
    for (const Term &term : terms) {
      if (term.ctas == 1)
        continue;
      std::string part = fmt::format("{}_{}", name, term.id);
      text.line("%{} = arith.muli %{}, {} : index", part, term.id,
                text.constant(term.stride));
      if (!sum.empty()) {
        text.line("%{}_sum = arith.addi %{}, %{} : index", part, sum, part);
        part += "_sum";
      }
      sum = part;
    }
    return sum;
  };
  if (kernel.plan.ctas == 1)
    return;
  text.comment("Where this CTA's part of the cluster's tile begins.");
  for (auto [id, ctas] :
       {std::pair("cbx", s.ctaGroup), {"cby", s.clusterN}, {"cbz", s.clusterM}})
    if (ctas > 1)
      text.line("%{} = tirx.id {}", id, id);
  const Term pairRows{"cbx", kGemmRows, s.ctaGroup};
  const Term clusterRows{"cbz", s.tileM, s.clusterM};
  const Term pairColumns{"cbx", kernel.plan.rowsB, s.ctaGroup};
  const Term clusterColumns{"cby", s.tileN, s.clusterN};
  kernel.rowOffset = write("row", {pairRows, clusterRows});
  kernel.columnOffset = write("column", {clusterColumns});
  kernel.columnOffsetB = write("column_B", {pairColumns, clusterColumns});
  text.blank();
}

} // namespace tirx::kernels::detail
