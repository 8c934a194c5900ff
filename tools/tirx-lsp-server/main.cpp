//===- main.cpp - tirx-lsp-server: language server for editors ------------===//
#include "tirx/Compiler/Register.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tirx::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
