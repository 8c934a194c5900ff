//===- Driver.h - the command line of tirxc ---------------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

namespace tirx::driver {

/// Runs tirxc with the arguments after the program's name. Results go to stdout
/// and files, diagnostics to stderr. Returns the exit status: 0, or 1 after one
/// message that starts with "tirxc: error:".
int runTirxc(const std::vector<std::string> &arguments);

} // namespace tirx::driver
