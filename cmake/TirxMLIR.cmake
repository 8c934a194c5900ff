# LLVM and MLIR 22, and helpers to build against them.
#
#   tirx_tablegen(TARGET TD file.td OUTPUTS name "flags" [name "flags"]...)
#   tirx_mlir_library(NAME SOURCES... [DEPENDS...] [LIBS...] [INCLUDES...])
#   tirx_mlir_tool(NAME SOURCES... [LIBS...])
include_guard(GLOBAL)

option(TIRX_STATIC_MLIR
  "Link LLVM and MLIR statically, with NVPTX as the only code generator" OFF)

set(TIRX_MLIR_PACKAGES "llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools")
# LLVM's version files accept only the same major.minor; every release of LLVM 22
# is a 22.1.
find_package(MLIR 22.1 CONFIG QUIET
  HINTS /usr/lib/llvm-22/lib/cmake/mlir /usr/local/lib/cmake/mlir)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "tirx needs LLVM and MLIR 22, and no MLIRConfig.cmake of version 22 was found "
    "(MLIR_DIR='${MLIR_DIR}').\n"
    "  Debian and Ubuntu (apt.llvm.org): apt-get install ${TIRX_MLIR_PACKAGES}\n"
    "  elsewhere: cmake -DMLIR_DIR=<prefix>/lib/cmake/mlir\n"
    "The runtime and the layout library build without them: -DTIRX_BUILD_COMPILER=OFF.")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION}: ${MLIR_DIR}")

# Debian's package names the tool without its folder.
find_program(TIRX_MLIR_TBLGEN NAMES mlir-tblgen mlir-tblgen-22 HINTS ${LLVM_TOOLS_BINARY_DIR})
if(NOT TIRX_MLIR_TBLGEN)
  message(FATAL_ERROR "mlir-tblgen is not in ${LLVM_TOOLS_BINARY_DIR} nor in PATH; "
    "on Debian it is in the package mlir-22-tools")
endif()
set(MLIR_TABLEGEN_EXE ${TIRX_MLIR_TBLGEN})

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# What every target that includes an LLVM header is compiled with. LLVM itself
# is built with RTTI and without exceptions, and so are our parts above it.
add_library(tirx-mlir-flags INTERFACE)
target_compile_options(tirx-mlir-flags INTERFACE -fno-exceptions
  "SHELL:-Xclang -fno-pch-timestamp")
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(tirx-mlir-flags INTERFACE ${llvm_definitions})
target_link_libraries(tirx-mlir-flags INTERFACE tirx-warnings)

# tirx-mlir: the LLVM and MLIR libraries, shared or static.
add_library(tirx-mlir INTERFACE)
if(TIRX_STATIC_MLIR)
  # The exported static libraries name the shared LLVM among their dependencies,
  # which would put a second LLVM into the process.
  get_property(mlir_libs GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(lib IN LISTS mlir_libs)
    if(TARGET ${lib})
      get_target_property(deps ${lib} INTERFACE_LINK_LIBRARIES)
      if(deps)
        list(REMOVE_ITEM deps LLVM)
        set_target_properties(${lib} PROPERTIES INTERFACE_LINK_LIBRARIES "${deps}")
      endif()
    endif()
  endforeach()
  llvm_map_components_to_libnames(llvm_libs
    NVPTXCodeGen NVPTXDesc NVPTXInfo Passes CodeGen Target MC IRReader BitReader
    BitWriter Linker Core TargetParser Support SupportLSP)
  target_link_libraries(tirx-mlir INTERFACE
    MLIROptLib MLIRParser MLIRPass MLIRTransforms MLIRBytecodeWriter
    MLIRArithDialect MLIRControlFlowDialect MLIRFuncDialect MLIRLLVMDialect
    MLIRMathDialect MLIRNVVMDialect MLIRSCFDialect MLIRTensorDialect MLIRVectorDialect
    MLIRFuncInlinerExtension MLIRLLVMIRTransforms
    MLIRArithToLLVM MLIRControlFlowToLLVM MLIRFuncToLLVM MLIRIndexToLLVM
    MLIRMathToLLVM MLIRNVVMToLLVM MLIRSCFToControlFlow MLIRVectorToLLVM
    MLIRReconcileUnrealizedCasts
    MLIRTargetLLVMIRExport MLIRBuiltinToLLVMIRTranslation
    MLIRLLVMToLLVMIRTranslation MLIRNVVMToLLVMIRTranslation
    ${llvm_libs})
  target_link_options(tirx-mlir INTERFACE LINKER:--gc-sections)
  target_compile_options(tirx-mlir-flags INTERFACE -ffunction-sections -fdata-sections)
else()
  target_link_libraries(tirx-mlir INTERFACE MLIR LLVM)
endif()

if(TIRX_SANITIZE MATCHES "address")
  target_sources(tirx-mlir INTERFACE ${CMAKE_CURRENT_LIST_DIR}/AsanOptions.cpp)
endif()

# One precompiled header for all MLIR code: parsing these headers takes 10 s or
# more, in every source file. The NVVM dialect's header alone would double that,
# and few files need it, so it is not among them.
set(CMAKE_PCH_INSTANTIATE_TEMPLATES ON)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/tirx-pch.cpp
  CONTENT "// Holds the precompiled header.\n")
add_library(tirx-pch OBJECT ${CMAKE_BINARY_DIR}/tirx-pch.cpp)
target_link_libraries(tirx-pch PRIVATE tirx-mlir-flags)
target_precompile_headers(tirx-pch PRIVATE
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/IR/Builders.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/BuiltinTypes.h>
  <mlir/IR/Diagnostics.h>
  <mlir/IR/DialectImplementation.h>
  <mlir/IR/IRMapping.h>
  <mlir/IR/Matchers.h>
  <mlir/IR/MLIRContext.h>
  <mlir/IR/OpImplementation.h>
  <mlir/IR/PatternMatch.h>
  <mlir/IR/Verifier.h>
  <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Pass/Pass.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/DialectConversion.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <llvm/ADT/SmallVector.h>
  <llvm/ADT/StringExtras.h>
  <llvm/ADT/TypeSwitch.h>
  <llvm/Support/raw_ostream.h>
  <array>
  <cstdint>
  <functional>
  <map>
  <memory>
  <optional>
  <string>
  <vector>)

# tirx_tablegen(TARGET TD file.td OUTPUTS name "flags" [name "flags"]...):
# generates the files into the current binary folder; other targets name TARGET
# in their DEPENDS. `dialects/include` and `passes/include` are searched.
function(tirx_tablegen target)
  cmake_parse_arguments(ARG "" "TD" "OUTPUTS" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${ARG_TD})
  set(TABLEGEN_OUTPUT)
  while(ARG_OUTPUTS)
    list(POP_FRONT ARG_OUTPUTS output flags)
    separate_arguments(flags)
    mlir_tablegen(${output} ${flags} EXTRA_INCLUDES
      ${PROJECT_SOURCE_DIR}/dialects/include ${PROJECT_SOURCE_DIR}/passes/include)
  endwhile()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
endfunction()

# tirx_mlir_library(NAME SOURCES... [DEPENDS...] [LIBS...] [INCLUDES...]):
# a static library that uses MLIR and the shared precompiled header. DEPENDS are
# tablegen targets. INCLUDES are folders relative to the project's root; each is
# public, and so is its counterpart in the build tree (generated headers).
function(tirx_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBS;INCLUDES" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tirx_mlir_library(${name}): unknown: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  foreach(include IN LISTS ARG_INCLUDES)
    target_include_directories(${name} PUBLIC
      ${PROJECT_SOURCE_DIR}/${include} ${PROJECT_BINARY_DIR}/${include})
  endforeach()
  target_link_libraries(${name} PRIVATE tirx-mlir-flags PUBLIC ${ARG_LIBS} tirx-mlir)
  target_precompile_headers(${name} REUSE_FROM tirx-pch)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tirx_mlir_tool(NAME SOURCES... [LIBS...]): a program, likewise.
function(tirx_mlir_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  # A precompiled header built for -fPIC cannot serve -fPIE.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_link_libraries(${name} PRIVATE tirx-mlir-flags ${ARG_LIBS} tirx-mlir)
  target_precompile_headers(${name} REUSE_FROM tirx-pch)
endfunction()
