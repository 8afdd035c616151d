//===- abi.hpp - what a tile instruction hands to the library ---*- C++ -*-===//
//
// The templates of the tile API know everything at compile time; the library
// knows element types, layouts and places as values. Every instruction becomes
// one Call of plain data between the two, so that meanings are compiled once, in
// the library, with its floating-point rules, whatever compiles the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_ABI_HPP
#define PTO_DETAIL_ABI_HPP

#include <cstddef>
#include <cstdint>

namespace ptoscope::tile {

/// Element types. The x2 types hold two elements in a byte, element 2n in the
/// low nibble.
enum class Elem : uint8_t {
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  bf16,
  f32,
  e4m3,
  e5m2,
  e8m0,
  hif8,
  i4x2,
  e2m1x2,
  e1m2x2,
  i4, ///< of the host profile: a byte each, the number in its low nibble
};

/// Bits of one element.
constexpr unsigned bitsOf(Elem elem) {
  switch (elem) {
  case Elem::i4x2:
  case Elem::e2m1x2:
  case Elem::e1m2x2:
    return 4;
  case Elem::i8:
  case Elem::u8:
  case Elem::e4m3:
  case Elem::e5m2:
  case Elem::e8m0:
  case Elem::hif8:
  case Elem::i4:
    return 8;
  case Elem::i16:
  case Elem::u16:
  case Elem::f16:
  case Elem::bf16:
    return 16;
  case Elem::i32:
  case Elem::u32:
  case Elem::f32:
    return 32;
  case Elem::i64:
  case Elem::u64:
    return 64;
  }
  return 0;
}

/// A tile as an instruction sees it. Numbers of enumerations are those of `pto`.
struct TileRef {
  uint32_t address; ///< of its first byte, in its memory
  uint8_t location; ///< pto::TileType
  Elem elem;
  uint8_t blockLayout;   ///< pto::BLayout
  uint8_t innerLayout;   ///< pto::SLayout
  uint16_t fractalBytes; ///< 512, 1024 or 32; 256 of two elements in a byte (TILE-6)
  uint8_t compact;       ///< pto::CompactMode
  uint8_t reserved;
  int32_t rows, cols;           ///< extents that give elements their places
  int32_t validRows, validCols; ///< the prefix that holds data
  /// What a window leaves to the tile around it: `rows` and `cols` are those of that
  /// tile, and the window ends so many before them. 0 of other tiles.
  int32_t beyondRows, beyondCols;
  /// The number of the storage that it is a reading of; 0: unknown. Of a tile of C++ on its
  /// way to the library, the number of the pop that gave it its place.
  uint32_t storage;
  uint64_t pad; ///< pto::PadValue
};

/// A view of global memory: extents and strides in elements.
struct GlobalRef {
  void *pointer;
  Elem elem;
  uint8_t layout; ///< pto::Layout
  int64_t shape[5];
  int64_t stride[5];
};

/// Where the program says it.
struct Source {
  const char *file;
  uint32_t line;
  uint32_t column;
};

inline constexpr size_t kMaxTiles = 8;
inline constexpr size_t kMaxScalars = 4;

struct TileView {
  uint8_t *data; ///< host address of the tile's first byte
  TileRef ref;
};

struct GlobalView {
  uint8_t *data; ///< host address of the element that `ref.pointer` names
  GlobalRef ref;
};

/// Where texts of the architecture say other things of the C++ API and of tile-level
/// text, the same meaning does both.
enum class Rules : uint8_t {
  Cpp,
  Host,    ///< C++ compiled with `__CPU_SIM`: as host simulators have it
  Text,    ///< of an A5 target
  TextOfA3 ///< of an A2 or A3 target
};

/// Tiles in the order of the call: destinations first, as the instruction is written.
struct Operands {
  TileView tile[kMaxTiles];
  uint32_t tiles = 0;
  bool hasGlobal = false;
  Rules rules = Rules::Cpp;
  bool byRows = false; ///< sources that do not lie in rows are to be brought there first
  GlobalView global;
  uint64_t scalar[kMaxScalars] = {}; ///< raw bits, low bytes first
  uint32_t mode = 0;                 ///< of the instruction: rounding, comparison, pattern …

  bool isText() const { return rules >= Rules::Text; }
  bool isHost() const { return rules == Rules::Host; }
  template <typename T> T scalarAs(size_t i) const {
    T value;
    __builtin_memcpy(&value, &scalar[i], sizeof(T));
    return value;
  }
};

struct Record;  // record.hpp
struct Meaning; // of the library

#define PTO_API [[gnu::visibility("default")]]

/// An instruction as a program executes it.
struct Call {
  Call() = default;
  /// Without operands. In the library: compilers of programs would read and optimise it for each instruction.
  PTO_API Call(const Record &record, const Source &source, Rules rules, bool automatic);

  const Record *record;
  const Meaning *meaning; ///< filled in by the library
  Source source;
  bool automatic; ///< the library orders and places (`__PTO_AUTO__`)
  Operands operands;
};

/// Issues an instruction. Tiles come with `data`; the library fills in addresses.
PTO_API void issue(Call &call);
/// A file of the program is for A2 or A3.
PTO_API bool noteTarget();

// --- tiles ----------------------------------------------------------------------------
/// The host address of a place that TASSIGN names: a byte offset of the memory, or
/// a host address that lies in it already.
PTO_API void *assign(uint8_t location, uint64_t address, const Source &source);
/// Storage of a tile that no one placed, and its end (auto mode).
PTO_API void *allocate(uint8_t location, uint64_t bytes, const Source &source);
PTO_API void release(uint8_t location, void *data, uint64_t bytes);
/// The host is about to look at a tile: lets the pipes go on.
PTO_API void openToHost(uint8_t location, void *data, uint64_t bytes);
/// It has no place: ends the block.
PTO_API void notPlaced(const Source &source);
PTO_API uint64_t loadScalar(uint8_t location, const void *data, uint32_t bytes, const Source &source);
PTO_API void storeScalar(uint8_t location, void *data, uint32_t bytes, uint64_t value, const Source &source);
/// Where a view of a placed tile begins that has (row, col) as its first element and
/// reaches over rows x cols; null when the tile has no such window.
PTO_API void *viewOf(const TileView &tile, int64_t row, int64_t col, int64_t rows, int64_t cols, const Source &source);
/// A valid extent is set that the tile does not have.
PTO_API void badExtent(const char *which, int64_t value, int64_t capacity, const Source &source);

// --- synchronisation ---------------------------------------------------------------------
PTO_API void setFlag(uint32_t src, uint32_t dst, int64_t id, const Source &source);
PTO_API void waitFlag(uint32_t src, uint32_t dst, int64_t id, const Source &source);
PTO_API void barrier(uint32_t pipe, const Source &source);
/// `cores` is a pto::SyncCoreType; 0 used cores: all.
PTO_API void syncAll(uint32_t cores, int64_t usedCores, const Source &source);
/// The program has an all-core barrier somewhere.
PTO_API bool noteSyncAll();
/// An event to wait for before an instruction, or none.
struct Waiting {
  void *event = nullptr;
  void (*wait)(void *event, const void *at) = nullptr; ///< `at` is the std::source_location of the instruction
};
PTO_API void waitForEach(const Waiting &e0, const Waiting &e1, const Waiting &e2, const Waiting &e3, const Waiting &e4,
                         const Waiting &e5, const Waiting &e6, const Waiting &e7, const void *at);
/// Event ids of a pair of pipes in turn.
PTO_API int64_t nextToken(uint32_t src, uint32_t dst);

// --- the launch around the program ----------------------------------------------------------
PTO_API int64_t blockIndex();
PTO_API int64_t blockCount();
PTO_API int64_t subblockIndex();
PTO_API int64_t subblockCount();
PTO_API uint64_t taskCookie();

} // namespace ptoscope::tile

#endif // PTO_DETAIL_ABI_HPP
