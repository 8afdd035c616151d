// Four files of tests as one: the headers are read once.
#include "HalfTest.cpp"
#include "ConvertProgramTest.cpp"
#include "MatrixProgramTest.cpp"
#include "SortProgramTest.cpp"
