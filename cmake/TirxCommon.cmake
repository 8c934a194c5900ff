# Settings shared by the whole build and by the parts that also build alone.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(TIRX_BUILD_TESTS "Build the Catch2 unit tests" ON)
option(TIRX_WERROR "Treat warnings as errors" ON)
set(TIRX_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache hashes a precompiled header only when it may ignore its timestamp.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

add_library(tirx-warnings INTERFACE)
target_compile_options(tirx-warnings INTERFACE -Wall -Wextra -Wno-unused-parameter
  $<$<BOOL:${TIRX_WERROR}>:-Werror>)

if(TIRX_SANITIZE)
  add_compile_options(-fsanitize=${TIRX_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TIRX_SANITIZE})
endif()

# tirx_add_unit_test(NAME SOURCES... LIBS...): a Catch2 program registered with
# ctest, one ctest entry a program.
function(tirx_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT TIRX_BUILD_TESTS)
    return()
  endif()
  find_package(Catch2 2 REQUIRED)
  if(NOT TARGET tirx-catch-main)
    add_library(tirx-catch-main STATIC ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/CatchMain.cpp)
    target_link_libraries(tirx-catch-main PUBLIC Catch2::Catch2)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tirx-catch-main tirx-warnings ${ARG_LIBS})
  add_test(NAME ${name} COMMAND ${name})
endfunction()
