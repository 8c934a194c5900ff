//===- Version.cpp - the compiler's version -------------------------------===//
#include "tirx/Compiler/Compiler.h"

namespace tirx {

std::string compilerVersion() { return "tirx " TIRX_VERSION; }

} // namespace tirx
