//===- CopyElisionTest.cpp - transfers that leave bytes where they are ----===//
//
// Random kernels of transfers, scopes and scalar accesses that overlap in every way,
// without flags: under the eager schedule instructions take effect as they are issued.
// A model of this file does the same byte by byte. Both global memory and what UB holds
// at the end have to agree, whether copies are elided or not, and whether stores go past
// the caches of the host.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Driver/Session.h"
#include "ptoscope/Support/Array.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace ptoscope;

namespace {

constexpr uint64_t kUb = 8192, kGm = 16384, kArrays = 3, kWindow = 256, kLanes = 64;

class RandomKernel {
public:
  explicit RandomKernel(uint64_t seed) : dump(kUb), random(seed), ub(kUb) {
    for (uint64_t k = 0; k < kArrays; ++k)
      for (std::vector<uint8_t> &array = gm.emplace_back(kGm); uint8_t &byte : array)
        byte = uint8_t(random());
    initial = gm;
    for (int step = 0; step < 40; ++step)
      addStep();
    // What UB holds now.
    body += "pto.mte_ub_gm " + ubPointer(0) + ", %dump, " + number(kUb, "i64") + " nburst(" + number(1, "i64") + ", " +
            number(0, "i64") + ", " + number(0, "i64") +
            ") : !pto.ptr<i32, ub>, !pto.ptr<i32, gm>, i64, i64, i64, i64\n";
    std::memcpy(dump.data(), ub.data(), kUb);
  }

  std::string text() const {
    return "module attributes {pto.target_arch = \"a5\", pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
           "func.func @k(%g0: !pto.ptr<i32, gm>, %g1: !pto.ptr<i32, gm>, %g2: !pto.ptr<i32, gm>, "
           "%dump: !pto.ptr<i32, gm>) attributes {pto.kernel} {\n" +
           body + "return\n}\n}\n";
  }

  std::vector<std::vector<uint8_t>> initial, gm; ///< before and after
  std::vector<uint8_t> dump;

private:
  std::mt19937_64 random;
  std::vector<uint8_t> ub;
  std::string body;
  int values = 0;
  uint64_t lastBegin = 0, lastBytes = kWindow; ///< what a scope wrote last
  bool inPlace = false; ///< a load, a scope over its bytes and a store to nearly where they came from follow each other
  uint64_t lastLoaded = 0, loadedBytes = kWindow; ///< what a transfer brought last
  uint64_t lastArray = 0, lastGm = 0;             ///< of the last transfer

  uint64_t below(uint64_t n) { return random() % n; }
  std::string name() { return "%v" + std::to_string(values++); }
  std::string number(uint64_t value, const std::string &type) {
    std::string result = name();
    body += result + " = arith.constant " + std::to_string(value) + " : " + type + "\n";
    return result;
  }
  std::string ubPointer(uint64_t address) {
    std::string at = number(address, "i64"), result = name();
    body += result + " = pto.castptr " + at + " : i64 -> !pto.ptr<i32, ub>\n";
    return result;
  }
  std::string gmPointer(uint64_t array, uint64_t offset) {
    std::string at = number(offset / 4, "index"), result = name();
    body +=
        result + " = pto.addptr %g" + std::to_string(array) + ", " + at + " : !pto.ptr<i32, gm> -> !pto.ptr<i32, gm>\n";
    return result;
  }

  void addTransfer(bool loads) {
    uint64_t array = below(kArrays), bytes = kWindow * (1 + below(6)), rows = inPlace || below(4) ? 1 : 2;
    uint64_t ubAt = kWindow * below(16), gmAt = 32 * below(200), gap = rows > 1 ? 32 * below(2) : 0;
    if (below(8) == 0)
      ubAt += 32 * below(8);
    if ((inPlace && !loads) || below(2)) // from and to nearly the same
      array = lastArray, gmAt = std::max<uint64_t>(lastGm + 32 * below(17), 256) - 256;
    lastArray = array, lastGm = gmAt;
    if (loads)
      lastLoaded = ubAt, loadedBytes = rows * bytes;
    if (!loads && (inPlace || below(3))) // what the scope made, just so
      ubAt = lastBegin, bytes = lastBytes, rows = 1, gap = 0;
    std::string local = ubPointer(ubAt), global = gmPointer(array, gmAt), zero = number(0, "i64");
    std::string len = number(bytes, "i64"), count = number(rows, "i64"), wide = number(bytes + gap, "i64");
    std::string close = number(bytes, "i64");
    if (loads)
      body += "pto.mte_gm_ub " + global + ", " + local + ", " + zero + ", " + len + " nburst(" + count + ", " + wide +
              ", " + close + ") : !pto.ptr<i32, gm>, !pto.ptr<i32, ub>, i64, i64, i64, i64, i64\n";
    else
      body += "pto.mte_ub_gm " + local + ", " + global + ", " + len + " nburst(" + count + ", " + close + ", " + wide +
              ") : !pto.ptr<i32, ub>, !pto.ptr<i32, gm>, i64, i64, i64, i64\n";
    for (uint64_t row = 0; row < rows; ++row) {
      uint8_t *local = ub.data() + ubAt + row * bytes, *global = gm[array].data() + gmAt + row * (bytes + gap);
      std::memcpy(loads ? local : global, loads ? global : local, bytes);
    }
  }

  struct Loop {
    uint64_t x, y, z, turns, stride, lanes;
    uint64_t parts;     ///< registers of a vector
    uint64_t width;     ///< its lanes; the last register may not be full
    uint32_t extra = 0; ///< to lane 0
  };
  void runLoop(const Loop &loop) {
    for (uint64_t turn = 0; turn < loop.turns; ++turn) {
      const uint64_t all = loop.width, done = turn * all;
      const uint64_t lanes = loop.lanes > done ? std::min(all, loop.lanes - done) : 0;
      uint32_t x[3 * kLanes], y[3 * kLanes];
      std::memcpy(x, ub.data() + loop.x + turn * loop.stride, 4 * loop.width);
      std::memcpy(y, ub.data() + loop.y + turn * loop.stride, 4 * loop.width);
      y[0] += loop.extra;
      for (uint64_t k = 0; k < lanes; ++k)
        x[k] += y[k];
      std::memcpy(ub.data() + loop.z + turn * loop.stride, x, 4 * lanes);
    }
  }

  void addScope() {
    const uint64_t loops = inPlace || below(3) ? 1 : 2 + below(2);
    std::string scope =
        "pto.vecscope {\n%all" + std::to_string(values) + " = pto.pset_b32 \"PAT_ALL\" : !pto.mask<b32>\n";
    const std::string all = "%all" + std::to_string(values);
    for (uint64_t k = 0; k < loops; ++k) {
      Loop loop{};
      loop.parts = inPlace || below(3) ? 1 : 2 + below(2);
      loop.turns = 1 + below(loop.parts == 1 ? 6 : 2);
      loop.width = loop.parts * kLanes - (loop.parts > 1 && below(2) ? 8 * below(8) : 0);
      loop.stride = 4 * loop.width;
      if (below(6) == 0) // with gaps, or a vector over the one before
        loop.stride = loop.parts == 1 || below(2) ? 2 * loop.stride : kWindow;
      auto place = [&] { return kWindow * below(18) + (below(8) ? 0 : 32 * below(8)); };
      loop.x = place(), loop.y = place(), loop.z = below(4) ? place() : loop.x;
      if (inPlace)
        loop.x = loop.z = lastLoaded, loop.turns = loadedBytes / kWindow, loop.stride = kWindow;
      if (k && below(2)) // on what the loop before it made
        loop.x = loop.z = lastBegin;
      const bool tail = loop.parts == 1 && !inPlace && below(3) == 0;
      loop.lanes = loop.turns * loop.width - (tail ? below(kLanes) : 0);
      const std::string type = "!pto.ptr<i32, ub>", reg = loop.parts == 1
                                                              ? "!pto.vreg<64xi32>"
                                                              : "!pto.vmi.vreg<" + std::to_string(loop.width) + "xi32>";
      const std::string vlds = loop.parts == 1 ? "pto.vlds " : "pto.vmi.vload ";
      std::string x = ubPointer(loop.x), y = ubPointer(loop.y), z = ubPointer(loop.z);
      std::string from = number(0, "index"), to = number(loop.turns * loop.stride / 4, "index"),
                  by = number(loop.stride / 4, "index"), lanes = number(loop.lanes, "i32");
      std::string i = name(), a = name(), b = name(), c = name(), mask = tail ? name() : all, left = name(),
                  next = name(), last = name();
      std::string extra;
      if (k) {
        // Between loops, what does not access memory: a fence, and a sum of all lanes of a number.
        const uint64_t one = below(1000);
        const std::string word = number(one, "i32"), spread = name();
        extra = name();
        loop.extra = loop.parts == 1 ? uint32_t(kLanes * one) : 0;
        scope += "pto.mem_bar \"VST_VLD\"\n" + spread + " = pto.vbr " + word + " : i32 -> !pto.vreg<64xi32>\n" + extra +
                 " = pto.vcadd " + spread + ", " + all + " : !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<64xi32>\n";
      }
      if (tail)
        scope += last + " = scf.for " + i + " = " + from + " to " + to + " step " + by + " iter_args(" + left + " = " +
                 lanes + ") -> (i32) {\n" + mask + ", " + next + " = pto.plt_b32 " + left +
                 " : i32 -> !pto.mask<b32>, i32\n";
      else
        scope += "scf.for " + i + " = " + from + " to " + to + " step " + by + " {\n";
      scope += a + " = " + vlds + x + "[" + i + "] : " + type + " -> " + reg + "\n";
      scope += b + " = " + vlds + y + "[" + i + "] : " + type + " -> " + reg + "\n";
      if (loop.extra) {
        const std::string sum = name();
        scope += sum + " = pto.vadd " + b + ", " + extra + ", " + all + " : " + reg + ", " + reg +
                 ", !pto.mask<b32> -> " + reg + "\n";
        b = sum;
      }
      if (loop.parts == 1)
        scope += c + " = pto.vadd " + a + ", " + b + ", " + mask + " : " + reg + ", " + reg + ", !pto.mask<b32> -> " +
                 reg + "\n";
      if (loop.parts == 1)
        scope += "pto.vsts " + c + ", " + z + "[" + i + "], " + mask + " : " + reg + ", " + type + ", !pto.mask<b32>\n";
      else
        scope += c + " = pto.vmi.vadd " + a + ", " + b + " : " + reg + ", " + reg + " -> " + reg + "\n" +
                 "pto.vmi.vstore " + c + ", " + z + "[" + i + "] : " + reg + ", " + type + "\n";
      scope += (tail ? "scf.yield " + next + " : i32\n" : std::string()) + "}\n";
      runLoop(loop);
      lastBegin = loop.z, lastBytes = loop.turns * 4 * loop.width;
    }
    if (below(6) == 0) { // an access outside loops
      const uint64_t from = kWindow * below(18), to = kWindow * below(18);
      const std::string x = ubPointer(from), z = ubPointer(to), at = number(0, "index"), v = name();
      scope += v + " = pto.vlds " + x + "[" + at + "] : !pto.ptr<i32, ub> -> !pto.vreg<64xi32>\n" + "pto.vsts " + v +
               ", " + z + "[" + at + "], " + all + " : !pto.vreg<64xi32>, !pto.ptr<i32, ub>, !pto.mask<b32>\n";
      std::memmove(ub.data() + to, ub.data() + from, kWindow);
    }
    body += scope + "}\n";
  }

  void addScalar() {
    const bool global = below(2), writes = below(2);
    const uint64_t array = below(kArrays), at = 4 * below((global ? kGm : kUb) / 4), value = below(1 << 30);
    std::string pointer = global ? gmPointer(array, at) : ubPointer(at), zero = number(0, "index");
    std::string type = std::string("!pto.ptr<i32, ") + (global ? "gm>" : "ub>"), word = number(value, "i32");
    uint8_t *host = global ? gm[array].data() + at : ub.data() + at;
    if (!writes) { // and keep it where the end shows it
      std::string read = name();
      body += read + " = pto.load_scalar " + pointer + "[" + zero + "] : " + type + " -> i32\n";
      word = read;
      pointer = gmPointer(0, 4 * 7);
      type = "!pto.ptr<i32, gm>";
      uint32_t old;
      std::memcpy(&old, host, 4);
      std::memcpy(gm[0].data() + 4 * 7, &old, 4);
    } else {
      auto stored = uint32_t(value);
      std::memcpy(host, &stored, 4);
    }
    body += "pto.store_scalar " + word + ", " + pointer + "[" + zero + "] : " + type + ", i32\n";
  }

  void addStep() {
    switch (below(12)) {
    case 0:
      return addScalar();
    case 1:
    case 2:
    case 3:
    case 4:
      return addTransfer(true);
    case 5:
      inPlace = true;
      addTransfer(true);
      addScope();
      addTransfer(false);
      inPlace = false;
      return;
    case 6:
    case 7:
      return addTransfer(false);
    default:
      return addScope();
    }
  }
};

TEST(CopyElision, RandomKernels) {
  Session session;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RandomKernel kernel(seed);
    FindingList findings;
    std::unique_ptr<ParsedProgram> parsed = session.parse("k.pto", kernel.text(), {}, findings);
    CompileOptions compile;
    compile.checks = Checks::none();
    std::unique_ptr<CompiledKernel> compiled = parsed->module ? session.compile(*parsed, compile, findings) : nullptr;
    ASSERT_TRUE(compiled) << findings.all().front().message << "\n" << kernel.text();
    struct Variant {
      const char *name;
      bool elides;
      uint64_t cacheBytes;
    };
    for (const Variant &variant :
         {Variant{"copies", false, 0}, {"no copies", true, 0}, {"past the caches", true, 64}}) {
      std::vector<ByteBuffer> gm;
      std::vector<Argument> arguments;
      for (const std::vector<uint8_t> &initial : kernel.initial) {
        std::optional<ByteBuffer> array = ByteBuffer::allocate(kGm);
        ASSERT_TRUE(array);
        std::ranges::copy(initial, array->data());
        gm.push_back(std::move(*array));
      }
      for (ByteBuffer &array : gm)
        arguments.push_back(array.span());
      std::vector<uint8_t> dump(kUb);
      arguments.push_back(std::span<uint8_t>(dump));
      LaunchOptions options;
      options.profile = parsed->profile;
      options.checks = Checks::none();
      options.elideCopies = variant.elides;
      options.cacheBytes = variant.cacheBytes;
      RunResult result = Session::launch(*compiled, arguments, options);
      ASSERT_TRUE(result.launch.completed);
      for (uint64_t k = 0; k < kArrays; ++k)
        ASSERT_TRUE(std::ranges::equal(gm[k].span(), kernel.gm[k]))
            << "array " << k << ", seed " << seed << ", " << variant.name << "\n"
            << kernel.text();
      ASSERT_EQ(dump, kernel.dump) << "UB, seed " << seed << ", " << variant.name << "\n" << kernel.text();
    }
  }
}

} // namespace
