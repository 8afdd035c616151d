//===- Names.h - what tiles of an instruction are called --------*- C++ -*-===//
//
// Manual pages and findings name operands alike. The names follow from the record.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TILE_NAMES_H
#define PTOSCOPE_TILE_NAMES_H

#include "pto/detail/record.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace ptoscope::tile {

/// What a tile is called without its number: by its role, or by its memory.
inline std::string_view tileStem(const Record &record, size_t index) {
  const OperandSpec &spec = record.tile[index];
  if (spec.role == Role::Scratch)
    return "tmp";
  if (spec.role == Role::Index)
    return "idx";
  if ((spec.role == Role::Write || spec.role == Role::Update) && record.gm != Gm::Store)
    return "dst";
  if (spec.area == Area::Bits)
    return "mask";
  for (auto [set, name] :
       {std::pair(kLeft, "left"), {kRight, "right"}, {kBias, "bias"}, {kAcc, "acc"}, {kScaling, "fp"}})
    if (spec.locations == set)
      return name;
  return "src";
}

/// `dst`, `src0`, `src1`, `tmp` …: a number where there are several. Of halves the upper
/// one comes first (TMOV-15).
inline std::string tileName(const Record &record, size_t index) {
  const std::string_view stem = tileStem(record, index);
  size_t before = 0, all = 0;
  for (size_t i = 0; i < kMaxTiles && record.tile[i].role != Role::None; ++i)
    if (tileStem(record, i) == stem) {
      before += i < index;
      ++all;
    }
  const bool halves = std::string_view(record.name).ends_with("INTERLEAVE");
  return std::string(stem) + (all > 1 ? std::to_string(halves ? all - 1 - before : before) : "");
}

/// The same in a sentence: `%src0` of text, `src0` of C++.
inline std::string quotedTile(const Record &record, size_t index, bool isText) {
  return (isText ? "`%" : "`") + tileName(record, index) + "`";
}

} // namespace ptoscope::tile

#endif // PTOSCOPE_TILE_NAMES_H
