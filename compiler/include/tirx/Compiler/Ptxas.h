//===- Ptxas.h - assemble PTX with NVIDIA's ptxas ---------------*- C++ -*-===//
//
// ptxas is a program of the CUDA toolkit. It runs as a subprocess: it starts in
// milliseconds, and the libraries that assemble in process emit other code.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "tirx/Compiler/Target.h"
#include "tirx/Runtime/Artifact.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace tirx {

struct PtxasError {
  enum class Kind {
    not_found, ///< no ptxas on this machine
    failed,    ///< it ran, and refused the PTX; or it could not be run
  };
  Kind kind = Kind::failed;
  std::string message;
};

template <typename T> using PtxasExpected = tl::expected<T, PtxasError>;

/// A ptxas executable.
struct Ptxas {
  std::string path;
  std::string version; ///< "13.0.88"
};

/// Looks for ptxas. If TIRX_PTXAS is set, only there; else in a Python
/// environment named by TIRX_PTXAS_VENV
/// (lib/python*/site-packages/nvidia/*/bin, where wheels of the CUDA toolkit
/// put it), PATH, $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin and the
/// environment in VIRTUAL_ENV. Error: not_found, with the places.
PtxasExpected<Ptxas> findPtxas();

/// What `ptxas -v` printed, parsed.
struct PtxasReport {
  std::map<std::string, rt::ResourceReport> kernels; ///< by entry name
  /// ptxas' own warnings, notes about ignored directives (C75xx), and one for
  /// each kernel that spills registers; each names its kernel where known.
  std::vector<std::string> warnings;
};

/// Parses the output of `ptxas -v`; lines that it does not know are skipped.
PtxasReport parsePtxasOutput(std::string_view output);

struct PtxasResult {
  std::vector<std::byte> cubin;
  PtxasReport report;
  std::string log; ///< the output that `report` was parsed from
};

/// Options that decide what ptxas makes of a PTX text; part of the cache's key.
std::vector<std::string> ptxasOptions(const TargetInfo &target, bool lineInfo);

/// Runs ptxas on `ptx`. Its temporary files are removed in all cases. Error:
/// failed, with ptxas' own messages.
PtxasExpected<PtxasResult> runPtxas(const Ptxas &ptxas, std::string_view ptx,
                                    const std::vector<std::string> &options);

} // namespace tirx
