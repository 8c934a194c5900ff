//===- RenderDetail.h - what the renderers share ----------------*- C++ -*-===//
#ifndef TIRX_LAYOUT_RENDERDETAIL_H
#define TIRX_LAYOUT_RENDERDETAIL_H

#include "tirx/Layout/Render.h"

namespace tirx::layout::detail {

/// The places of a layout over one or two dims.
struct Table {
  int64_t rows, cols;
  std::vector<Axis> axes;
  std::vector<AxisValues> places; ///< row-major
  /// The values of element `i` on all axes, `5/1`.
  std::string label(size_t i) const;
  /// The names of the axes, `laneid/m`.
  std::string heading() const;
};

/// Errors: rank other than 1 or 2, size mismatch, too many cells.
Expected<Table> makeTable(const Layout &layout, ShapeRef shape);

/// `replicas: 2x at +4@laneid`; empty without replicas.
std::string replicaNote(const Layout &layout);

} // namespace tirx::layout::detail

#endif // TIRX_LAYOUT_RENDERDETAIL_H
