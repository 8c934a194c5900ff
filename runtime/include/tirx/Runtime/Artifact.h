//===- Artifact.h - the .txk file: manifest and code ------------*- C++ -*-===//
//
// One file holds what a program needs to launch kernels: a JSON manifest and,
// for each target, PTX and (if ptxas was at hand) a cubin. docs/artifact.md
// describes the bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Runtime/DType.h"
#include "tirx/Runtime/Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tirx::rt {

/// Levels that a HostExpr may have.
inline constexpr unsigned kMaxExprDepth = 64;

/// An integer expression over a launch's arguments and device, evaluated by the
/// runtime for every launch: grid sizes, kernel parameters, launch checks.
///
/// `kind` says which other fields are in use:
///   constant  value
///   dim       argument (index into Kernel::arguments), axis: its extent
///   stride    argument, axis: its stride in elements
///   scalar    argument: an integer scalar argument's value
///   sm_count  none: the device's number of streaming multiprocessors
///   the rest  operands; select has three (condition, then, else), others two.
/// Comparisons give 0 or 1. Divisions are of non-negative values; a zero
/// divisor or a 64-bit overflow is an error. logical_and, logical_or and select
/// evaluate only the operands they need, so a guard can protect a division.
/// A tree is at most kMaxExprDepth levels deep (a leaf is one level).
struct HostExpr {
  enum class Kind : uint8_t {
    constant,
    dim,
    stride,
    scalar,
    sm_count,
    add,
    sub,
    mul,
    floordiv,
    ceildiv,
    mod,
    min,
    max,
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    logical_and,
    logical_or,
    select,
  };
  Kind kind = Kind::constant;
  int64_t value = 0;
  unsigned argument = 0;
  unsigned axis = 0;
  std::vector<HostExpr> operands;

  static HostExpr constant(int64_t value) {
    HostExpr expr;
    expr.value = value;
    return expr;
  }
  bool operator==(const HostExpr &) const = default;
};

/// What the caller passes: tensors (pointer, shape, strides) and scalars.
struct Argument {
  enum class Kind : uint8_t { tensor, scalar };
  enum class Access : uint8_t { read, write, read_write };
  std::string name;
  Kind kind = Kind::tensor;
  DType dtype = DType::f16;
  /// Tensors: one entry an axis; a static extent or nullopt.
  std::vector<std::optional<int64_t>> shape;
  /// Tensors: the caller's innermost stride must be 1 element, the others are
  /// read at launch; with `contiguous` they must be the row-major ones.
  bool contiguous = false;
  /// Tensors: required alignment of the base address in bytes.
  unsigned alignment = 16;
  Access access = Access::read;

  bool operator==(const Argument &) const = default;
};

/// How the runtime encodes a 128-byte tensor map (cuTensorMapEncodeTiled's
/// arguments, fastest axis first). Bytes strides are those of axes 1..rank-1.
struct TensorMapRecipe {
  /// b128_atom_32b: 128 bytes with atoms of 32 bytes instead of 16, as
  /// MN-major tf32 operands need (CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B).
  enum class Swizzle : uint8_t { none, b32, b64, b128, b128_atom_32b };
  enum class L2Promotion : uint8_t { none, b64, b128, b256 };
  enum class OobFill : uint8_t { zero, nan };
  unsigned argument = 0;
  DType dtype = DType::f16;
  std::vector<HostExpr> global_dim;
  std::vector<HostExpr> global_stride; // bytes; rank - 1 entries
  std::vector<uint32_t> box_dim;
  std::vector<uint32_t> element_stride;
  Swizzle swizzle = Swizzle::none;
  L2Promotion l2_promotion = L2Promotion::none;
  OobFill oob_fill = OobFill::zero;

  bool operator==(const TensorMapRecipe &) const = default;
};

/// One PTX parameter of the entry, in order.
struct Parameter {
  enum class Kind : uint8_t {
    pointer,    ///< b64 address of tensor `argument`
    value,      ///< `expr`, as an integer of `bytes` bytes
    scalar,     ///< scalar argument `argument`, its own dtype
    tensor_map, ///< 128 bytes from `tensor_map`
  };
  Kind kind = Kind::pointer;
  unsigned argument = 0;
  unsigned bytes = 8;
  HostExpr expr;
  TensorMapRecipe tensor_map;

  bool operator==(const Parameter &) const = default;
};

/// `condition` must be non-zero, or the launch is refused with `message`.
struct LaunchCheck {
  HostExpr condition;
  std::string message;

  bool operator==(const LaunchCheck &) const = default;
};

/// What ptxas said about one kernel (ptxas -v).
struct ResourceReport {
  unsigned registers = 0;
  unsigned stack_bytes = 0;
  unsigned spill_store_bytes = 0;
  unsigned spill_load_bytes = 0;
  unsigned static_shared_bytes = 0;
  unsigned named_barriers = 0;

  bool operator==(const ResourceReport &) const = default;
};

/// The code of a kernel for one target.
struct TargetCode {
  std::string target; ///< "sm_100a"
  std::string ptx;
  std::vector<std::byte> cubin; ///< empty where ptxas was not at hand
  std::optional<ResourceReport> resources;

  bool operator==(const TargetCode &) const = default;
};

struct Kernel {
  std::string name; ///< the PTX entry
  std::vector<Argument> arguments;
  std::vector<Parameter> parameters;
  std::vector<LaunchCheck> checks;
  std::array<HostExpr, 3> grid = {HostExpr::constant(1), HostExpr::constant(1),
                                  HostExpr::constant(1)};
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  /// The kernel may start while its predecessor in the stream still runs; it
  /// waits with griddepcontrol.wait before it touches what that one wrote
  /// (CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION). The simulator,
  /// where launches run one after the other, ignores it.
  bool programmatic_dependent_launch = false;
  std::vector<TargetCode> codes;

  bool operator==(const Kernel &) const = default;
};

struct Artifact {
  std::string compiler; ///< "tirx 0.1.0"
  std::string source;   ///< file name the kernels came from, for messages
  std::vector<Kernel> kernels;

  bool operator==(const Artifact &) const = default;
};

/// `expr` as a person writes it: "ceildiv(A.shape[0], 128)". An index that
/// names no argument prints as #index.
std::string toString(const HostExpr &expr, const Kernel &kernel);

/// What every reader may rely on: names unique and non-empty; indices name
/// arguments of the right kind; expressions with the operands their kind has;
/// tensor-map recipes within cuTensorMapEncodeTiled's static limits; block,
/// cluster and shared memory within the hardware's. Errors name the field.
Expected<void> validateKernel(const Kernel &kernel);

/// validateKernel of each kernel, and: unique kernel names, each kernel with
/// code, one code a target, valid UTF-8. What passes here can be written and
/// read back; readArtifact applies the same rules.
Expected<void> validateArtifact(const Artifact &artifact);

/// The bytes of a .txk file. Deterministic: equal artifacts give equal bytes.
/// An artifact that validateArtifact refuses gives bytes that readArtifact
/// refuses.
std::vector<std::byte> writeArtifact(const Artifact &artifact);

/// Parses and validates the bytes of a .txk file. Errors: not a .txk, newer
/// version, truncated, checksum mismatch, manifest that is no JSON, lacks a
/// field, has one of a wrong type or value, or names a section that is none.
Expected<Artifact> readArtifact(std::span<const std::byte> bytes);

/// readArtifact of a file; errors name the path.
Expected<Artifact> readArtifactFile(const std::string &path);

/// Human-readable JSON of the manifest (`tirxc info FILE.txk`).
std::string manifestJson(const Artifact &artifact);

} // namespace tirx::rt
