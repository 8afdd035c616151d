//===- main.cpp - `ptoscope c++` as one word ------------------------------===//

#include "ptoscope/Driver/CxxDriver.h"

#include <vector>

int main(int argc, char **argv) { return ptoscope::cxx::compilerMain(std::vector<std::string>(argv + 1, argv + argc)); }
