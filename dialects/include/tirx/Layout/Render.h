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
  std::string title;
};

/// Largest number of cells that the renderers accept.
inline constexpr int64_t kMaxRenderedCells = 1 << 16;

/// A table of the places over `shape` = (rows, cols), one cell an element, e.g.
/// `5/1` under the heading `laneid/m`. Replicas are listed below the table.
/// Errors: rank other than 1 or 2, size mismatch, too many cells.
Expected<std::string> renderText(const Layout &layout, ShapeRef shape);

/// A self-contained SVG of the same table with one colour per value and a
/// legend. Title and labels are escaped.
Expected<std::string> renderSvg(const Layout &layout, ShapeRef shape,
                                const RenderOptions &options = {});

} // namespace tirx::layout

#endif // TIRX_LAYOUT_RENDER_H
