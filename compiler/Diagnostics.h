//===- Diagnostics.h - what MLIR reports, as text -------------*- C++ -*-===//
#pragma once

#include "tirx/Runtime/Error.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <string>
#include <vector>

namespace tirx {

/// Renders MLIR's diagnostics with their source lines: errors into one text,
/// warnings into a list of their own.
class Diagnostics {
public:
  Diagnostics(llvm::SourceMgr &sources, mlir::MLIRContext *context,
              std::vector<std::string> &warnings)
      : stream(rendered), handler(sources, context, stream),
        filter(context, [this, &warnings](mlir::Diagnostic &diagnostic) {
          rendered.clear();
          handler.emitDiagnostic(diagnostic);
          llvm::StringRef text = llvm::StringRef(rendered).rtrim();
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            errors += "\n" + text.str();
          else if (diagnostic.getSeverity() ==
                   mlir::DiagnosticSeverity::Warning)
            warnings.push_back(text.str());
          return mlir::success();
        }) {}

  /// An error of the module called `name`, followed by all errors so far.
  tl::unexpected<rt::Error> error(llvm::StringRef name,
                                  llvm::StringRef what) const {
    return rt::makeError("{}: {}{}", name.str(), what.str(), errors);
  }

private:
  struct Handler : mlir::SourceMgrDiagnosticHandler {
    using SourceMgrDiagnosticHandler::emitDiagnostic;
    using SourceMgrDiagnosticHandler::SourceMgrDiagnosticHandler;
  };
  std::string rendered, errors;
  llvm::raw_string_ostream stream;
  Handler handler;
  mlir::ScopedDiagnosticHandler filter;
};

} // namespace tirx
