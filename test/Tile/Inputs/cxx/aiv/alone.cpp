// A vector half that says nothing about cores.
struct Counts {
  int cube, vector, second;
};
extern "C" void halves(Counts *counts) { counts->vector += 1; }
