//===- CubePlanner.h - from numbers to a plan -------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_CUBEPLANNER_H
#define PTOSCOPE_LIB_TILE_CUBEPLANNER_H

#include "Cube.h"

#include <initializer_list>

namespace ptoscope::tile {

inline constexpr int64_t kBlock = 32, kFractal = 512; ///< bytes
/// No memory is larger: what is beyond is refused before a product of numbers is formed.
inline constexpr int64_t kMaxStride = (int64_t(1) << 40) - 1;

/// Each function plans one kind of instruction; false: it was refused.
class Planner {
public:
  const PtoCubeCall &call;
  const Profile &profile;
  uint64_t control; ///< CTRL
  CubePlan &plan;
  Fact problem{}; ///< the first that was found

  bool frac();
  bool load();
  bool scales();
  bool bias();
  bool mad();
  bool store();
  bool raw();

  static Axis axis(std::initializer_list<Digit> digits) {
    Axis result;
    for (const Digit &digit : digits)
      result.add(digit.count, digit.stride);
    return result;
  }

private:
  int64_t number(int place) const { return call.number[place]; }
  static int64_t elementBytes(Elem elem) { return int64_t(bitsOf(elem)) / 8; }

  bool refuse(Fact fact) {
    problem = std::move(fact);
    return false;
  }
  bool warn(Fact fact) {
    if (!problem.code)
      problem = std::move(fact);
    return true;
  }
  bool within(const char *label, const char *what, int64_t value, int64_t low, int64_t high) {
    return (value >= low && value <= high) || refuse(say::kCubeRange(label, what, value, low, high));
  }
  bool multiple(const char *label, const char *what, int64_t value, int64_t unit) {
    return value % unit == 0 || refuse(say::kCubeMultiple(label, what, value, unit));
  }

  PlacedMatrix gm(uint8_t pointer, const Map &map) const {
    return {{nullptr, map, call.elem[pointer]},          call.pointer[pointer], Space::Gm, pointer, 0,
            std::max(1u, bitsOf(call.elem[pointer]) / 8)};
  }
  PlacedMatrix local(uint8_t pointer, Space space, const Map &map, int64_t alignment) const {
    return {{nullptr, map, call.elem[pointer < 2 ? pointer : 1]},
            call.pointer[pointer],
            space,
            pointer,
            0,
            uint32_t(alignment)};
  }
  /// All of it, from kFrom to kTo.
  void move(int64_t rows, int64_t cols, DirectRole reads) {
    plan.move[plan.moves++] = {CubePlan::kTo, {0, 0}, rows, cols};
    plan.touch(CubePlan::kFrom, reads, {0, 0, rows, cols});
    plan.touch(CubePlan::kTo, plan.isAtomic ? DirectRole::Atomic : DirectRole::Write, {0, 0, rows, cols});
  }
  void fill(uint8_t matrix, const Region &region) {
    if (region.empty())
      return;
    plan.filled[plan.fills++] = {matrix, region};
    plan.touch(matrix, DirectRole::Write, region);
  }
  static bool overlaps(const Map &map, int64_t rows, int64_t cols);
  bool stepsOfShape(int64_t (&steps)[6], int64_t block);
  bool stepsGiven(int64_t (&steps)[6], const char *label);
  bool placeOfSum(const PlacedMatrix &sum);
  bool quantise();
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_CUBEPLANNER_H
