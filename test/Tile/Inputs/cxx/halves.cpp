#include <cstdio>
struct Counts {
  int cube, vector, second;
};
extern "C" void halves(Counts *counts);
int main() {
  Counts counts{};
  halves<<<4, nullptr, nullptr>>>(&counts);
  std::printf("%d cube, %d vector\n", counts.cube, counts.vector);
}
