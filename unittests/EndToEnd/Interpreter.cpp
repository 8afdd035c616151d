//===- Interpreter.cpp - what a random program means ----------------------===//
//
// Runs the list from front to back, phase by phase over all blocks. It knows no
// pipes and no schedules: that is what a program without a race means.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <type_traits>

namespace ptoscope::randomprogram {

const std::vector<LaneOp> kLaneOps = {
    {"vadd", 2, [](uint32_t a, uint32_t b) { return a + b; }},
    {"vsub", 2, [](uint32_t a, uint32_t b) { return a - b; }},
    {"vmul", 2, [](uint32_t a, uint32_t b) { return a * b; }},
    {"vmax", 2, [](uint32_t a, uint32_t b) { return int32_t(a) > int32_t(b) ? a : b; }},
    {"vmin", 2, [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b) ? a : b; }},
    {"vneg", 1, [](uint32_t a, uint32_t) { return 0u - a; }},
    {"vabs", 1, [](uint32_t a, uint32_t) { return int32_t(a) < 0 ? 0u - a : a; }},
    {"vrelu", 1, [](uint32_t a, uint32_t) { return int32_t(a) < 0 ? 0u : a; }},
};

const std::vector<MaskPattern> kPatterns = {
    {"PAT_ALL", [](unsigned) { return true; }},
    {"PAT_VL1", [](unsigned lane) { return lane < 1; }},
    {"PAT_VL8", [](unsigned lane) { return lane < 8; }},
    {"PAT_VL32", [](unsigned lane) { return lane < 32; }},
    {"PAT_M3", [](unsigned lane) { return lane % 3 == 0; }},
    {"PAT_M4", [](unsigned lane) { return lane % 4 == 0; }},
    {"PAT_H", [](unsigned lane) { return lane < 32; }},
    {"PAT_Q", [](unsigned lane) { return lane < 16; }},
};

const std::vector<FenceKind> kFences = {
    {"VV_ALL", kVectorLoad | kVectorStore, kVectorLoad | kVectorStore},
    {"VST_VLD", kVectorStore, kVectorLoad},
    {"VLD_VST", kVectorLoad, kVectorStore},
    {"VST_VST", kVectorStore, kVectorStore},
    {"VS_ALL", kVectorLoad | kVectorStore, kScalarLoad | kScalarStore},
    {"VST_LD", kVectorStore, kScalarLoad},
    {"VLD_ST", kVectorLoad, kScalarStore},
    {"VST_ST", kVectorStore, kScalarStore},
    {"SV_ALL", kScalarLoad | kScalarStore, kVectorLoad | kVectorStore},
    {"ST_VLD", kScalarStore, kVectorLoad},
    {"LD_VST", kScalarLoad, kVectorStore},
    {"ST_VST", kScalarStore, kVectorStore},
};

bool Mask::active(unsigned lane) const {
  return kind == None || kind == Negative || (kind == First ? lane < number : kPatterns[number].active(lane));
}

using Place = std::optional<uint64_t>;
const std::vector<Distribution> kLoads = {
    {"NORM", 32, 256, [](uint64_t k) { return Place(k); }},
    {"BRC_B32", 4, 4, [](uint64_t k) { return Place(k % 4); }},
    {"BRC_BLK", 32, 32, [](uint64_t k) { return Place(k % 32); }},
    {"US_B16", 32, 128, [](uint64_t k) { return Place(k / 4 * 2 + k % 2); }},
    {"DS_B16", 32, 512, [](uint64_t k) { return Place(k / 2 * 4 + k % 2); }},
    {"UNPK_B16", 32, 128, [](uint64_t k) { return k % 4 < 2 ? Place(k / 4 * 2 + k % 2) : std::nullopt; }},
    {"vldus", 4, 256, [](uint64_t k) { return Place(k); }, true},
    {"vsldb", 32, 768, nullptr, true},
};
const std::vector<Distribution> kStores = {
    {"NORM_B32", 32, 256, [](uint64_t k) { return Place(k); }},
    {"1PT_B32", 4, 4, [](uint64_t k) { return k < 4 ? Place(k) : std::nullopt; }},
    {"PK_B32", 32, 128, [](uint64_t k) { return k % 4 < 2 ? Place(k / 4 * 2 + k % 2) : std::nullopt; }},
    {"vsstb", 32, 768, nullptr, true},
};
Place Step::place(uint64_t k) const {
  const Distribution &form = (kind == Load ? kLoads : kStores)[op];
  return form.place ? form.place(k) : 32 * (repeat + k / 32 * blocks) + k % 32;
}

template <typename T, typename F> static uint32_t onLowBytes(uint32_t a, uint32_t b, F f) {
  return uint32_t(std::make_unsigned_t<T>(f(T(a), T(b))));
}
const std::vector<AtomicKind> kAtomics = {
    {4, 0, 4, [](uint32_t a, uint32_t b) { return a + b; }},
    {4, 1, 4, [](uint32_t a, uint32_t b) { return uint32_t(std::max(int32_t(a), int32_t(b))); }},
    {3, 0, 2, [](uint32_t a, uint32_t b) { return (a + b) & 0xffff; }},
    {5, 2, 1,
     [](uint32_t a, uint32_t b) {
       return onLowBytes<int8_t>(a, b, [](int8_t x, int8_t y) { return std::min(x, y); });
     }},
};

static std::vector<uint8_t> randomBytes(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(random() >> 24);
  return bytes;
}
std::vector<uint8_t> Program::input() const { return randomBytes(2 * seed, kInputBytes); }
std::vector<uint8_t> Program::gm() const { return randomBytes(2 * seed + 1, blocks * kBlockBytes + kAreaBytes); }

static uint64_t roundUp(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

uint64_t rowBytes(const Transfer &t) {
  return t.pad ? std::max(roundUp(t.pad->left + t.len + t.pad->right, 32), t.dstStep) : t.len;
}

static Memory ubOf(uint8_t core) { return core == kAiv1 ? Memory::Ub1 : Memory::Ub0; }

std::vector<Range> touches(const Instruction &i, uint64_t turns) {
  std::vector<Range> ranges;
  for (uint64_t turn = 0; turn < turns; ++turn) {
    auto at = [&](const Where &where) { return where.offset + turn * where.perTurn + turn % 2 * where.perParity; };
    auto add = [&](const Where &where, uint64_t begin, uint64_t bytes, bool writes) {
      if (bytes && where.memory != Memory::Input && where.neighbour == 0)
        ranges.push_back({where.memory, begin, begin + bytes, writes});
    };
    if (i.kind == Kind::Transfer)
      forEachRow(i.transfer, [&](uint64_t src, uint64_t dst) {
        add(i.transfer.src, at(i.transfer.src) + src, i.transfer.len, false);
        bool blocks = i.transfer.path == Path::GmUb && !i.transfer.pad; // what is left of the last one, too
        add(i.transfer.dst, at(i.transfer.dst) + dst, blocks ? roundUp(i.transfer.len, 32) : rowBytes(i.transfer),
            true);
        if (i.transfer.atomic)
          ranges.back().atomic = i.transfer.atomic;
      });
    if (i.kind == Kind::Scalar) {
      add(i.scalar.from, at(i.scalar.from), 4, false);
      add(i.scalar.to, at(i.scalar.to), 4, true);
    }
    Where ub{ubOf(i.core)};
    uint64_t base = turn % 2 * i.scope.perParity;
    for (const Step &step : i.scope.steps)
      forEachAccess(step, [&](uint8_t kind, uint64_t begin, uint64_t bytes) {
        add(ub, base + begin, bytes, kind & (kVectorStore | kScalarStore));
      });
  }
  return ranges;
}

namespace {

struct Block {
  std::vector<uint8_t> l1 = std::vector<uint8_t>(kLocalBytes);
  std::vector<uint8_t> ub[2] = {std::vector<uint8_t>(kLocalBytes), std::vector<uint8_t>(kLocalBytes)};
};

struct Interpreter {
  const Program &program;
  std::vector<uint8_t> input = program.input(), gm = program.gm();
  std::vector<Block> blocks = std::vector<Block>(program.blocks);
  uint64_t block = 0, turn = 0;
  /// Bytes are not values but marks: 0 for defined, kUndefined for what no one wrote.
  UndefinedReads *undefined = nullptr;
  static constexpr uint8_t kUndefined = 0xff;

  /// Positions of instructions that read marked bytes.
  void look(const Instruction &i) {
    auto marked = [](const uint8_t *bytes, uint64_t count) {
      return std::any_of(bytes, bytes + count, [](uint8_t byte) { return byte == kUndefined; });
    };
    size_t position = size_t(&i - program.list.data());
    if (i.kind == Kind::Scalar && marked(at(i.scalar.from), 4))
      undefined->scalars.insert(position);
    if (i.kind == Kind::Transfer && i.transfer.dst.memory == Memory::Gm)
      forEachRow(i.transfer, [&](uint64_t from, uint64_t) {
        if (marked(at(i.transfer.src) + from, i.transfer.len))
          undefined->stores.insert(position);
      });
  }
  /// GM is always defined, padding too; the rest of a row's last block is not.
  void settle(const Transfer &t) {
    uint8_t *dst = at(t.dst);
    forEachRow(t, [&](uint64_t, uint64_t to) {
      if (t.dst.memory == Memory::Gm)
        std::memset(dst + to, 0, t.len);
      for (uint64_t k = 0; t.pad && k < rowBytes(t); ++k)
        if (k < t.pad->left || k >= t.pad->left + t.len)
          dst[to + k] = 0;
      if (t.path == Path::GmUb && !t.pad && t.len % 32)
        std::memset(dst + to + t.len, kUndefined, 32 - t.len % 32);
    });
  }

  uint8_t *at(const Where &w) {
    uint64_t offset = w.offset + turn * w.perTurn + turn % 2 * w.perParity;
    switch (w.memory) {
    case Memory::Input:
      return &input[offset];
    case Memory::Gm:
      return &gm[(block + w.neighbour) % program.blocks * kBlockBytes + offset];
    case Memory::Shared:
      return &gm[program.blocks * kBlockBytes + offset];
    case Memory::L1:
      return &blocks[block].l1[offset];
    default:
      return &blocks[block].ub[w.memory == Memory::Ub1][offset];
    }
  }
  static uint32_t word(const uint8_t *bytes) {
    uint32_t value;
    std::memcpy(&value, bytes, 4);
    return value;
  }
  static void put(uint8_t *bytes, uint32_t value) { std::memcpy(bytes, &value, 4); }

  void transfer(const Transfer &t) {
    uint8_t *src = at(t.src), *dst = at(t.dst);
    forEachRow(t, [&](uint64_t from, uint64_t to) {
      if (t.atomic)
        return update(kAtomics[*t.atomic], dst + to, src + from, t.len);
      uint64_t left = t.pad ? t.pad->left : 0;
      for (uint64_t k = 0; k < rowBytes(t); ++k)
        dst[to + k] =
            k >= left && k < left + t.len ? src[from + k - left] : uint8_t(t.pad->value >> 8 * (k % t.pad->width));
    });
  }

  static void update(const AtomicKind &kind, uint8_t *dst, const uint8_t *src, uint64_t bytes) {
    for (uint64_t k = 0; k < bytes; k += kind.bytes) {
      uint32_t old = 0, added = 0;
      std::memcpy(&old, dst + k, kind.bytes);
      std::memcpy(&added, src + k, kind.bytes);
      old = kind.meaning(old, added);
      std::memcpy(dst + k, &old, kind.bytes);
    }
  }

  void scope(const Scope &scope, uint8_t core) {
    uint8_t *ub = blocks[block].ub[core == kAiv1].data() + turn % 2 * scope.perParity;
    std::map<unsigned, std::array<uint32_t, kLanes>> registers;
    for (const Step &step : scope.steps) {
      auto active = [&](unsigned lane) {
        return step.mask.kind == Mask::Negative ? int32_t(registers[step.mask.number][lane]) < 0
                                                : step.mask.active(lane);
      };
      switch (step.kind) {
      case Step::Load: {
        uint8_t bytes[kRegisterBytes] = {};
        for (uint64_t k = 0; k < kRegisterBytes; ++k)
          if (auto from = step.place(k))
            bytes[k] = ub[step.from + *from];
        std::memcpy(registers[step.result].data(), bytes, kRegisterBytes);
        break;
      }
      case Step::Lane:
        for (unsigned lane = 0; lane < kLanes; ++lane)
          registers[step.result][lane] =
              active(lane) ? kLaneOps[step.op].meaning(registers[step.a][lane], registers[step.b][lane]) : 0;
        break;
      case Step::Store: {
        uint8_t bytes[kRegisterBytes];
        std::memcpy(bytes, registers[step.a].data(), kRegisterBytes);
        for (uint64_t k = 0; k < kRegisterBytes; ++k)
          if (auto to = step.place(k); to && active(unsigned(k / 4)))
            ub[step.to + *to] = bytes[k];
        break;
      }
      case Step::Gather:
        for (unsigned lane = 0; lane < kLanes; ++lane)
          registers[step.result][lane] = active(lane) ? word(ub + step.from + 4 * step.indexOf(lane)) : 0;
        break;
      case Step::Scatter:
        for (unsigned lane = 0; lane < kLanes; ++lane)
          if (active(lane))
            put(ub + step.to + 4 * step.indexOf(lane), registers[step.a][lane]);
        break;
      case Step::Stream:
        for (uint64_t k = 0; k < step.count + step.more; ++k)
          put(ub + step.to + 4 * k, k < step.count ? registers[step.a][k] : registers[step.b][k - step.count]);
        break;
      case Step::MaskCopy:
        std::memcpy(ub + step.to, ub + step.from, 32);
        break;
      case Step::Scalar:
        put(ub + step.to, word(ub + step.from) + step.addend);
        break;
      case Step::Rows:
        for (uint64_t k = 0; k < step.rows * kRegisterBytes; k += 4) {
          uint32_t x = word(ub + step.from + k);
          put(ub + step.to + k, kLaneOps[step.op].meaning(x, x));
        }
        break;
      case Step::Fence:
        break;
      }
    }
  }

  /// [begin, end) of the list, in the current block.
  void run(size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      const Instruction &i = program.list[k];
      if (undefined)
        look(i);
      if (i.kind == Kind::Transfer) {
        transfer(i.transfer);
        if (undefined)
          settle(i.transfer);
      } else if (undefined && i.kind == Kind::Scalar)
        put(at(i.scalar.to), 0);
      else if (i.kind == Kind::Scope)
        scope(i.scope, i.core);
      else if (i.kind == Kind::Scalar)
        put(at(i.scalar.to), word(at(i.scalar.from)) + i.scalar.addend);
      else if (i.kind == Kind::Loop || i.kind == Kind::If) {
        size_t last = k;
        while (program.list[last].kind != Kind::End)
          ++last;
        for (turn = 0; i.kind == Kind::Loop && turn < uint64_t(i.id); ++turn)
          run(k + 1, last);
        turn = 0;
        if (i.kind == Kind::If && block % 2 == 0)
          run(k + 1, last);
        k = last;
      }
    }
  }
};

} // namespace

static void runPhases(Interpreter &interpreter) {
  const Program &program = interpreter.program;
  for (size_t begin = 0; begin < program.list.size();) {
    size_t end = begin;
    while (end < program.list.size() && program.list[end].kind != Kind::SyncAll)
      ++end;
    for (interpreter.block = 0; interpreter.block < program.blocks; ++interpreter.block)
      interpreter.run(begin, end);
    begin = end + 1;
  }
}

std::vector<uint8_t> interpret(const Program &program) {
  Interpreter interpreter{program};
  runPhases(interpreter);
  return interpreter.gm;
}

UndefinedReads findUndefined(const Program &program) {
  UndefinedReads reads;
  Interpreter interpreter{program};
  interpreter.undefined = &reads;
  std::fill(interpreter.input.begin(), interpreter.input.end(), 0);
  std::fill(interpreter.gm.begin(), interpreter.gm.end(), 0);
  for (Block &block : interpreter.blocks)
    for (auto *memory : {&block.l1, &block.ub[0], &block.ub[1]})
      std::fill(memory->begin(), memory->end(), Interpreter::kUndefined);
  runPhases(interpreter);
  return reads;
}

} // namespace ptoscope::randomprogram
