//===- main.cpp - tirxc ---------------------------------------------------===//
#include "tirx/Compiler/Driver.h"

int main(int argc, char **argv) {
  return tirx::driver::runTirxc(
      std::vector<std::string>(argv + (argc > 0), argv + argc));
}
