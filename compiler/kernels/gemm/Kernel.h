//===- Kernel.h - the parts of a GEMM kernel's text -------------*- C++ -*-===//
#pragma once

#include "Detail.h"
#include "Text.h"

#include <string>

namespace tirx::kernels::detail {

/// What the writers of the parts share.
struct Kernel {
  const GemmConfig &config;
  const GemmPlan &plan;
  Text text{/*indent=*/1};
  /// Values that writeCtaOffsets defined, without `%`; empty: 0.
  std::string rowOffset = {}, columnOffset = {}, columnOffsetB = {};

  const GemmOperation &operation() const { return config.operation; }
  const GemmSchedule &schedule() const { return config.schedule; }
  const GemmRole &role(std::string_view name) const;
  /// "mma", or "mma1" where there are two consumers.
  std::string numbered(std::string_view name, int64_t consumer) const;
  /// `tirx.role "load" warps(5) registers(56) {`
  void openRole(const GemmRole &role, std::string_view attribute = "");
  /// `tirx.for_tiles (%m, %n) in %tiles : !tiles {`
  void openTiles();
  /// " cta_group(2)" or nothing.
  std::string ctaGroup() const;
  /// Rows of D of all CTAs of a cluster, and columns.
  int64_t clusterRows() const;
  int64_t clusterColumns() const;
  /// Defines %`name` = %`tile` * `extent` + %`offset` + `more`, in elements.
  void writePosition(std::string_view name, std::string_view tile,
                     int64_t extent, const std::string &offset,
                     int64_t more = 0);
  /// "%l, " with a batch.
  std::string batchIndex() const;
};

/// `!A = ...`: aliases of layouts and types.
std::string writeTypes(const GemmConfig &config, const GemmPlan &plan);

/// Extents, checks and the schedule; %M, %N, %K, %tiles, %ctas.
void writeHostPart(Kernel &kernel);
/// Where this CTA's part of a cluster's tile begins.
void writeCtaOffsets(Kernel &kernel);
void writePipelines(Kernel &kernel);
void writeLoadRole(Kernel &kernel);
void writeEpilogueLoadRole(Kernel &kernel);
void writeMmaRole(Kernel &kernel, int64_t consumer);
void writeEpilogueRole(Kernel &kernel, int64_t consumer);

/// Writes activation(x) of register tiles of type `type`; returns its name.
std::string writeActivation(Text &text, Activation activation,
                            const std::string &x, const std::string &type);

} // namespace tirx::kernels::detail
