// What `ptoscope c++` compiles once for many files. Programs include <pto/pto-inst.hpp>.
#include <pto/pto-inst.hpp>
