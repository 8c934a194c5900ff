//===- Render.h - pictures of layouts ---------------------------*- C++ -*-===//
#ifndef TIRX_LAYOUT_RENDER_H
#define TIRX_LAYOUT_RENDER_H

#include "tirx/Layout/Layout.h"

namespace tirx::layout {

struct RenderOptions {
  /// Colours cells by the value on this axis; nullopt: by shared-memory bank of
  /// axis m (`elementBits` wide elements, 32 banks of 4 bytes).
  std::optional<Axis> colorBy;
  int64_t elementBits = 16;
  /// Neighbours in a row that share one cell. Error when they do not divide the
  /// row or are not neighbours on a memory axis in one thread.
  int64_t elementsPerCell = 1;
  std::string title;
};

/// Largest number of cells that the renderers accept.
inline constexpr int64_t kMaxRenderedCells = 1 << 16;

/// A table of the places over `shape` = (rows, cols), one cell an element, e.g.
/// `5/1` under the heading `laneid/m`. Replicas are listed below the table.
/// Errors: rank other than 1 or 2, size mismatch, too many cells.
Expected<std::string> renderText(const Layout &layout, ShapeRef shape);

/// A self-contained SVG of the same table with one colour per value and a
/// legend; a cell shows the row-major index of its first element above its
/// place. Title and labels are escaped.
Expected<std::string> renderSvg(const Layout &layout, ShapeRef shape,
                                const RenderOptions &options = {});

/// A named buffer in tensor memory. Its axes are TLane and TCol, TCol in
/// elements of `elementBits` bits, of which a 32-bit cell holds 32/elementBits.
struct TmemRegion {
  std::string name;
  Layout layout;
  int64_t elementBits = 32;
};

/// A self-contained SVG of tensor memory, 128 lanes by 512 columns of 32 bits
/// (PTX ISA 9.7.16.1), with every region drawn where its elements lie. A region
/// that lies in an earlier one is drawn inside it. Errors: no region, an axis
/// other than TLane and TCol, a swizzle, an element width other than 8, 16 or
/// 32, a place outside tensor memory, too many elements (kMaxRenderedCells).
Expected<std::string> renderTmemMap(std::span<const TmemRegion> regions,
                                    std::string_view title = {});

} // namespace tirx::layout

#endif // TIRX_LAYOUT_RENDER_H
