//===- main.cpp - tirx-opt: run passes on textual IR ----------------------===//
#include "tirx/Compiler/Register.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tirx::registerDialects(registry);
  tirx::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tirx optimizer\n", registry));
}
