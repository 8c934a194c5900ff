//===- Tmem.cpp - plans of tcgen05.ld and tcgen05.st ----------------------===//

#include "CopyTiles.h"
#include "Plans.h"

#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/Factories.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

namespace {
/// One pairing of an accumulator's placement with an access shape that reads it
/// with one instruction for each run of columns.
struct AccessForm {
  layout::TmemDatapath datapath;
  int64_t rows;
  layout::TmemAccess access;
  Tcgen05LdStShape shape;

  const layout::TmemAccessInfo &info() const {
    return layout::tmemAccessInfo(access);
  }
};
} // namespace

static constexpr AccessForm accessForms[] = {
    {layout::TmemDatapath::D, 128, layout::TmemAccess::L32x32b,
     Tcgen05LdStShape::shape_32x32b},
    {layout::TmemDatapath::F, 64, layout::TmemAccess::L16x64b,
     Tcgen05LdStShape::shape_16x64b},
    {layout::TmemDatapath::F, 64, layout::TmemAccess::L16x128b,
     Tcgen05LdStShape::shape_16x128b},
    {layout::TmemDatapath::F, 64, layout::TmemAccess::L16x256b,
     Tcgen05LdStShape::shape_16x256b},
};

/// Cuts the columns into instructions, the longest first.
static SmallVector<TmemCopyPlan::Issue> cutColumns(const AccessForm &form,
                                                   int64_t columns) {
  SmallVector<TmemCopyPlan::Issue> issues;
  for (int64_t column = 0; column < columns;) {
    int64_t repeats = (columns - column) / form.info().columns;
    int64_t num = std::min(form.info().maxRepeat,
                           (int64_t)llvm::bit_floor((uint64_t)repeats));
    issues.push_back({column, num, num * form.info().registers});
    column += num * form.info().columns;
  }
  return issues;
}

/// The register tile that a form gives: the atom of one repeat, repeated along
/// the columns with the registers one after the other.
static std::optional<layout::TileLayout>
getRegisterImage(const AccessForm &form, int64_t columns) {
  if (columns % form.info().columns)
    return std::nullopt;
  auto atom =
      layout::tcgen05AtomLayout(form.access, form.rows, form.info().columns);
  if (!atom)
    return std::nullopt;
  layout::Shape outer = {1, columns / form.info().columns};
  layout::Shape inner = {form.rows, form.info().columns};
  auto tiled =
      layout::tile(layout::rowMajor(outer), outer, atom->layout, inner);
  if (!tiled)
    return std::nullopt;
  return tiled->tile;
}

static bool sameThreads(const layout::TileLayout &a,
                        const layout::TileLayout &b) {
  if (layout::equivalent(a, b))
    return true;
  auto fusedA = layout::fuseThreadAxes(a, layout::Scope::Thread,
                                       layout::Scope::Warpgroup);
  auto fusedB = layout::fuseThreadAxes(b, layout::Scope::Thread,
                                       layout::Scope::Warpgroup);
  return fusedA && fusedB && layout::equivalent(*fusedA, *fusedB);
}

Planned<TmemCopyPlan> tirx::passes::planTmemCopy(Operation *op) {
  CopyTiles tiles(op);
  RankedTensorType tile = tiles.getRegisterTile();
  BufferType tmem = tiles.getMemoryType();
  if (!tile || !tmem || !tmem.isTmem())
    return refuse("it copies between tensor memory and registers");
  if (tile.getRank() != 2)
    return refuse("the tile must be a matrix");
  if (tiles.getElementBits() != 32)
    return refuse("elements must have 32 bits, not " +
                  llvm::Twine(tiles.getElementBits()));
  int64_t rows = tile.getShape()[0], columns = tile.getShape()[1];
  const layout::TileLayout &memory = tmem.getLayout().getValue().tile;
  const layout::TileLayout &registers =
      cast<LayoutAttr>(tile.getEncoding()).getValue().tile;
  if (auto threads = checkThreads(op, registers); !threads)
    return refuse(threads.error());
  std::string expected;
  for (const AccessForm &form : accessForms) {
    if (form.rows != rows)
      continue;
    auto placed = layout::tmemDatapathLayout(form.datapath, rows, columns);
    if (!placed || !layout::equivalent(memory, *placed))
      continue;
    auto image = getRegisterImage(form, columns);
    if (!image)
      continue;
    if (sameThreads(registers, *image))
      return TmemCopyPlan{form.shape, cutColumns(form, columns)};
    expected += (expected.empty() ? "" : " or ") + layout::toString(*image);
  }
  if (expected.empty())
    return refuse("the layout " + layout::toString(memory) + " of " +
                  llvm::Twine(rows) + " rows is no accumulator of tcgen05.mma");
  return refuse(
      "the register tile's layout " + layout::toString(registers) +
      " is none that tcgen05.ld gives for this accumulator: " + expected);
}

Planned<void> tirx::passes::checkTmemAccess(Tcgen05LdStShape shape, int64_t num,
                                            RankedTensorType tile) {
  const AccessForm *form = llvm::find_if(
      accessForms, [&](const AccessForm &f) { return f.shape == shape; });
  int64_t columns = num * form->info().columns;
  if (tile.getShape() != ArrayRef<int64_t>{form->rows, columns} ||
      tile.getElementTypeBitWidth() != 32)
    return refuse("it moves " + llvm::Twine(form->rows) + "x" +
                  llvm::Twine(columns) + " elements of 32 bits, not " +
                  describeTile(tile));
  const layout::TileLayout &registers =
      cast<LayoutAttr>(tile.getEncoding()).getValue().tile;
  auto image = getRegisterImage(*form, columns);
  if (!image)
    return refuse("there is no register tile of this size");
  if (!sameThreads(registers, *image))
    return refuse("the register tile's layout is " +
                  layout::toString(registers) + ", it gives " +
                  layout::toString(*image));
  return {};
}
