// Values of forms that every profile has, and of those that the host profile changes
// (-D__CPU_SIM): 33c-host-meanings.md. Prints what differs from the models; then "ok".

#include "meanings.h"

#include <pto/common/cpu_stub.hpp>

#include <algorithm>
#include <iostream>
#include <sstream>

#ifdef __CPU_SIM
constexpr bool kOnHost = true;
#else
constexpr bool kOnHost = false;
#endif

// --- multiply-adds of halves: HMEAN-19 ----------------------------------------------------------

static void multiplyAdds() {
  Vec<half, 2, 64> a(2, 64), b(2, 64), d(2, 64);
  putAll(a, b, d);
  for (int kind = 0; kind < 4; ++kind) {
    std::vector<half> wanted(128);
    const half s = half(1.37f);
    for (int i = 0; i < 128; ++i) {
      const half x = half(drawFloat(-3, 3)), y = half(drawFloat(-3, 3)), z = half(drawFloat(-3, 3));
      a.data()[i] = x, b.data()[i] = y, d.data()[i] = z;
      const auto rounded = [](double v) { return half(float(v)); };
      // Products of halves are exact in double, and so are these sums.
      const double p = kind == 0 ? double(x) * double(y) : kind == 3 ? double(s) * double(x) : double(x) * double(z);
      const double c = kind == 0 || kind == 3 ? double(z) : double(y);
      const half twice = rounded(double(rounded(p)) + c);
      wanted[size_t(i)] = kind == 0   ? twice
                          : kind == 1 ? (double(twice) > 0 ? twice : half(0.f))
                          : kind == 2 ? half(p + c)
                                      : twice;
    }
    if (kind == 0)
      TMULADDDST(d, a, b);
    else if (kind == 1)
      TFUSEDMULADDRELU(d, a, b);
    else if (kind == 2)
      TFUSEDMULADD(d, a, b);
    else
      TAXPY(d, a, s);
    equalAll("multiply-add", d.data(), wanted);
  }
}

// --- rows by pattern: HMEAN-25, HMEAN-26 --------------------------------------------------------

template <MaskPattern P> static void rowsByPattern(int period, int first) {
  Vec<int16_t, 16, 32> src(13, 21), back(13, 21);
  Vec<uint16_t, 16, 48> dst;
  int taken = 0;
  for (int r = first; r < 13; r += period)
    ++taken;
  dst.SetValidShape(taken, 21);
  putAll(src, dst, back);
  for (int i = 0; i < 16 * 32; ++i)
    src.data()[i] = int16_t(i + 1), back.data()[i] = -1;
  TGATHER<decltype(dst), decltype(src), P, GatherAxis::GATHER_COL>(dst, src);
  for (int k = 0; k < 16; ++k)
    for (int c = 0; c < 48; ++c)
      equal("TGATHER of rows", k * 48 + c, dst.data()[k * 48 + c],
            k < taken && c < 21 ? (first + k * period) * 32 + c + 1 : 0);
  Vec<int16_t, 16, 48> packed(taken, 21);
  TASSIGN(packed, 16 * 32 * 2); // the bits of dst
  TSCATTER<P, ScatterAxis::SCATTER_COL>(back, packed);
  for (int r = 0; r < 16; ++r)
    for (int c = 0; c < 32; ++c)
      equal("TSCATTER of rows", r * 32 + c, back.data()[r * 32 + c],
            r >= 13 || c >= 21           ? -1
            : r % period == first % period ? r * 32 + c + 1
                                           : 0);
}

/// HMEAN-27: bits between types of one size, row by row.
static void bitsByPattern() {
  Vec<float, 4, 16> src(3, 16);
  Vec<int32_t, 4, 16> dst(3, 8);
  putAll(src, dst);
  for (int i = 0; i < 64; ++i)
    src.data()[i] = float(i) * 1.5f;
  TGATHER<decltype(dst), decltype(src), MaskPattern::P1010>(dst, src);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 8; ++c)
      equal("TGATHER of bits", r * 8 + c, double(asFloat(uint32_t(dst.data()[r * 16 + c]))), (r * 16 + 2 * c + 1) * 1.5);
}

// --- MGATHER into L1: HMEAN-29, HMEAN-30 --------------------------------------------------------

template <Coalesce By, GatherOOB Oob> static void gatherToMat() {
  constexpr int rows = 32, cols = 32, tableRows = 20;
  using Table = GlobalTensor<half, pto::Shape<1, 1, 1, tableRows, cols>, pto::Stride<640, 640, 640, cols, 1>>;
  using RowIndices = GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, rows>, pto::Stride<rows, rows, rows, rows, 1>>;
  using Indices = GlobalTensor<int32_t, pto::Shape<1, 1, 1, rows, cols>, pto::Stride<1024, 1024, 1024, cols, 1>>;
  auto *table = static_cast<half *>(nullptr);
  auto *indices = static_cast<int32_t *>(nullptr);
  aclrtMalloc(reinterpret_cast<void **>(&table), 640 * 2, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(reinterpret_cast<void **>(&indices), 1024 * 4, ACL_MEM_MALLOC_HUGE_FIRST);
  Tile<TileType::Mat, half, rows, cols, BLayout::ColMajor, rows, cols, SLayout::RowMajor> mat;
  TASSIGN(mat, 0x1000);
  constexpr bool byRow = By == Coalesce::Row;
  constexpr uint32_t n = byRow ? tableRows : tableRows * cols;
  for (int i = 0; i < 640; ++i)
    table[i] = half(float(i));
  const bool inside = Oob == GatherOOB::Undefined;
  for (int i = 0; i < 1024; ++i)
    indices[i] = int32_t(draw() % (inside ? n : n + n / 2));
  if (!inside)
    indices[3] = -2;
  if constexpr (byRow)
    MGATHER<By, Oob>(mat, Table(table), RowIndices(indices), Table(table));
  else
    MGATHER<By, Oob>(mat, Table(table), Indices(indices));
  pipe_barrier(PIPE_ALL);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      uint32_t index = uint32_t(indices[byRow ? r : r * cols + c]);
      bool zero = false;
      if (index >= n) {
        zero = Oob == GatherOOB::Zero;
        index = Oob == GatherOOB::Clamp ? n - 1 : index % n;
      }
      const double wanted = zero ? 0 : double(byRow ? index * cols + uint32_t(c) : index);
      // NZ: columns of 16 in blocks of 16 rows.
      equal("MGATHER to L1", r * cols + c, double(mat.data()[c / 16 * rows * 16 + r * 16 + c % 16]), wanted);
    }
  aclrtFree(table);
  aclrtFree(indices);
}

// --- TCONCAT by index: HMEAN-31, HMEAN-32 -------------------------------------------------------

template <typename I> static void joins() {
  constexpr int rows = 6, size = int(sizeof(I));
  Vec<float, 8, 16> a(rows, 16), b(rows, 16);
  Vec<float, 8, 32> d(rows, 32);
  Vec<I, 8, 32> ia(rows, 1), ib(rows, 1), id(rows, 1);
  putAll(a, b, d, ia, ib, id);
  for (int i = 0; i < 128; ++i)
    a.data()[i] = float(i + 1), b.data()[i] = float(-i - 1);
  for (int r = 0; r < rows; ++r) {
    ia.data()[r * 32] = I(r * 2 * size + (size > 1));
    ib.data()[r * 32] = I((15 - r) * size);
  }
  TCONCAT(d, a, b, id, ia, ib);
  for (int r = 0; r < rows; ++r) {
    const int na = r * 2, nb = 15 - r;
    for (int c = 0; c < 32; ++c)
      equal("TCONCAT", r * 32 + c, d.data()[r * 32 + c],
            c < na        ? r * 16 + c + 1
            : c < na + nb ? -(r * 16 + c - na + 1)
                          : 0);
    equal("TCONCAT's index", r, double(id.data()[r * 32]),
          kOnHost ? double(I(ia.data()[r * 32] + ib.data()[r * 32])) : double(I((na + nb) * size)));
  }
  std::memset(d.data(), 0, 8 * 32 * 4);
  TCONCAT_IMPL(d, a, b, ia, ib);
  equal("TCONCAT_IMPL", 0, d.data()[32 + 2], -17);
}

// --- merges: HMEAN-33 to HMEAN-35 ---------------------------------------------------------------

struct Scored {
  float score;
  uint32_t index;
};
/// The first of equals stays first: indices ascend.
static bool before(const Scored &a, const Scored &b) {
  return a.score != b.score ? a.score > b.score : a.index < b.index;
}
template <bool Exhausted> static void merges(int shortRecords, const int (&lengths)[4]) {
  Vec<float, 1, 64> s0(1, 2 * lengths[0]), s1(1, 2 * lengths[1]), s2(1, 2 * lengths[2]), s3(1, 2 * lengths[3]);
  Vec<float, 1, 128> d(1, 2 * shortRecords);
  Vec<float, 1, 256> tmp(1, 256);
  putAll(s0, s1, s2, s3, d, tmp);
  float *list[] = {s0.data(), s1.data(), s2.data(), s3.data()};
  std::vector<Scored> records[4];
  for (int l = 0; l < 4; ++l) {
    for (int i = 0; i < lengths[l]; ++i)
      records[l].push_back({float(draw() % 16), uint32_t(l * 100 + i)});
    std::sort(records[l].begin(), records[l].end(), before);
    if (lengths[l])
      std::memcpy(list[l], records[l].data(), size_t(lengths[l]) * 8);
  }
  // The model: the largest head, the lowest list among equals.
  std::vector<Scored> wanted;
  size_t at[4] = {};
  while (int(wanted.size()) < shortRecords) {
    int best = -1;
    for (int l = 0; l < 4; ++l)
      if (at[l] < records[l].size() && (best < 0 || records[l][at[l]].score > records[best][at[best]].score))
        best = l;
    if (best < 0)
      break;
    wanted.push_back(records[best][at[best]++]);
    if (Exhausted && at[best] == records[best].size())
      break;
  }
  MrgSortExecutedNumList counts;
  TMRGSORT<decltype(d), decltype(tmp), decltype(s0), decltype(s1), decltype(s2), decltype(s3), Exhausted>(
      d, counts, tmp, s0, s1, s2, s3);
  const uint16_t taken[] = {counts.mrgSortList0, counts.mrgSortList1, counts.mrgSortList2, counts.mrgSortList3};
  for (int l = 0; l < 4; ++l)
    equal("records of a list", l, taken[l], double(at[l]));
  for (size_t i = 0; i < 64; ++i) {
    Scored got;
    std::memcpy(&got, d.data() + 2 * i, 8);
    equal("TMRGSORT", long(i), got.score, i < wanted.size() ? wanted[i].score : 0);
    equal("TMRGSORT's index", long(i), got.index, i < wanted.size() ? wanted[i].index : 0);
  }
}
static void mergesRuns() {
  // Three runs of 8 records for a group of four, so nothing; then a group and a half.
  for (int records : {24, 48}) {
    Vec<float, 1, 128> s(1, 2 * records), d(1, 2 * records);
    putAll(s, d);
    for (int i = 0; i < records; ++i) {
      const Scored record = {float(8 - i % 8 + i / 8), uint32_t(i)};
      std::memcpy(s.data() + 2 * i, &record, 8);
    }
    TMRGSORT(d, s, 16);
    std::vector<Scored> wanted(64);
    if (records == 48) {
      for (int i = 0; i < 32; ++i)
        std::memcpy(&wanted[size_t(i)], s.data() + 2 * i, 8);
      std::sort(wanted.begin(), wanted.begin() + 32, before);
    }
    for (size_t i = 0; i < 64; ++i)
      equal("TMRGSORT of runs", long(i), d.data()[2 * i], wanted[i].score);
  }
  static_assert(GETMRGSORTTMPSIZE<Vec<float, 1, 64>, Vec<float, 1, 32>, Vec<float, 1, 8>>() == 104);
}

// --- TSORT32 with dynamic extents, padding of L1: HMEAN-36, HMEAN-41 ----------------------------

static void sortsAndPads() {
  Vec<float, 1, 2048> s(1, 32), d(1, 64);
  Vec<uint32_t, 1, 2048> i(1, 32);
  putAll(s, d, i);
  for (int k = 0; k < 32; ++k)
    s.data()[k] = float(k), i.data()[k] = uint32_t(k);
  TSORT32(d, s, i);
  equal("TSORT32", 0, d.data()[0], 31);
  equal("TSORT32", 1, d.data()[62], 0);
  Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 5, SLayout::RowMajor> part;
  Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor> whole;
  TASSIGN(part, 0);
  TASSIGN(whole, 0x1000);
  for (int k = 0; k < 256; ++k)
    part.data()[k] = half(1.f), whole.data()[k] = half(2.f);
  TFILLPAD(whole, part);
  for (int k = 0; k < 256; ++k)
    equal("TFILLPAD", k, double(whole.data()[k]), k % 16 < 5);
}

// --- TRANDOM: HMEAN-39 --------------------------------------------------------------------------

static void randomWords() {
  Vec<uint32_t, 2, 512> d(2, 300);
  putAll(d);
  const TRandomKey key = {0x12345678, 0x9abcdef0};
  const TRandomCounter counter = {0xfffffff0, 0xffffffff, 7, 0};
  TRANDOM<7>(d, key, counter);
  unsigned __int128 at = (unsigned __int128)(uint64_t(counter[3]) << 32 | counter[2]) << 64 |
                         (uint64_t(counter[1]) << 32 | counter[0]);
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 300; c += 256, at += 512 / 4)
      for (int k = c; k < std::min(c + 256, 300); ++k) {
        const unsigned __int128 own = at + unsigned((k - c) % 64);
        uint32_t x[4], a = key[0], b = key[1];
        for (int w = 0; w < 4; ++w)
          x[w] = uint32_t(own >> (32 * w));
        for (int round = 0; round < 7; ++round, a += 0x9E3779B9u, b += 0xBB67AE85u) {
          const uint64_t p = uint64_t(x[0]) * 0xD2511F53u, q = uint64_t(x[2]) * 0xCD9E8D57u;
          const uint32_t next[] = {uint32_t(q >> 32) ^ x[1] ^ a, uint32_t(q), uint32_t(p >> 32) ^ x[3] ^ b,
                                   uint32_t(p)};
          std::memcpy(x, next, sizeof(x));
        }
        equal("TRANDOM", r * 512 + k, d.data()[r * 512 + k], x[(k - c) / 64]);
      }
}

// --- the host profile ---------------------------------------------------------------------------

#ifdef __CPU_SIM
template <typename T> static void integers() { // HMEAN-17
  Vec<T, 2, 32> a(2, 32), b(2, 32), d(2, 32);
  putAll(a, b, d);
  const bool wide = sizeof(T) == 4;
  const T logs[] = {1, 2, 3, 7, 8, 20, 21, 54, 55, 1096, 1097, 22026, 22027, std::numeric_limits<T>::max()};
  for (int i = 0; i < 64; ++i)
    a.data()[i] = i < 14 ? logs[i] : T(i % 9 + 1);
  if (wide)
    a.data()[20] = T(59875), a.data()[21] = T(1318815734), a.data()[22] = T(1318815735);
  TLOG(d, a);
  for (int i = 0; i < 64; ++i)
    equal("TLOG of integers", i, d.data()[i], std::trunc(std::log(double(a.data()[i]))));
  a.data()[1] = -1, a.data()[2] = -7;
  TRECIP(d, a);
  for (int i = 0; i < 64; ++i)
    equal("TRECIP of integers", i, d.data()[i], a.data()[i] == 1 ? 1 : a.data()[i] == -1 ? -1 : 0);
  for (int i = 0; i < 64; ++i)
    a.data()[i] = T(draw()), b.data()[i] = T(draw());
  TPRELU(d, a, b, d);
  const auto wrapped = [](T x, T y) { return T(uint32_t(int32_t(x)) * uint32_t(int32_t(y))); };
  for (int i = 0; i < 64; ++i)
    equal("TPRELU of integers", i, d.data()[i], a.data()[i] > 0 ? a.data()[i] : wrapped(a.data()[i], b.data()[i]));
  TLRELU(d, a, T(-3));
  for (int i = 0; i < 64; ++i)
    equal("TLRELU of integers", i, d.data()[i], a.data()[i] > 0 ? a.data()[i] : wrapped(a.data()[i], T(-3)));
}

static void bfloats() { // HMEAN-18
  Vec<bfloat16_t, 2, 48> a(2, 40), b(2, 40), d(2, 40), t(2, 40);
  putAll(a, b, d, t);
  for (int i = 0; i < 96; ++i)
    a.data()[i] = bfloat16_t(drawFloat(-4, 4)), b.data()[i] = bfloat16_t(drawFloat(0.01f, 9));
  a.data()[0] = bfloat16_t(asFloat(0x7fc00000)), a.data()[1] = bfloat16_t(-0.0f), a.data()[2] = bfloat16_t(200.f);
  b.data()[1] = bfloat16_t(0.0f), b.data()[2] = bfloat16_t(asFloat(0x7f800000));
  const auto all = [&](const char *what, auto fn) {
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 40; ++c) {
        const int i = r * 48 + c;
        equal(what, i, float(d.data()[i]), float(bfloat16_t(float(fn(float(a.data()[i]), float(b.data()[i]))))));
      }
  };
  TEXP(d, a);
  all("TEXP of bf16", [](float x, float) { return float(std::exp(double(x))); });
  TLOG(d, b);
  all("TLOG of bf16", [](float, float y) { return float(std::log(double(y))); });
  TSQRT(d, b);
  all("TSQRT of bf16", [](float, float y) { return std::sqrt(y); });
  TRECIP(d, b);
  all("TRECIP of bf16", [](float, float y) { return 1 / y; });
  TRSQRT(d, b);
  all("TRSQRT of bf16", [](float, float y) { return float(1 / std::sqrt(double(y))); });
  TPRELU(d, a, b, t);
  all("TPRELU of bf16", [](float x, float y) { return x >= 0 ? x : x * y; });
  TLRELU(d, a, bfloat16_t(0.3f));
  all("TLRELU of bf16", [](float x, float) { return x >= 0 ? x : x * float(bfloat16_t(0.3f)); });
  TADDRELU(d, a, b);
  all("TADDRELU of bf16", [](float x, float y) { return x + y != x + y ? x + y : std::max(x + y, 0.0f); });
}

template <typename T> static void streamedBits() { // HMEAN-20 to HMEAN-22
  Vec<T, 8, 64> a(5, 40), b(5, 40), d(5, 40), t(5, 40);
  Vec<uint8_t, 8, 32> m(8, 24);
  putAll(a, b, d, t, m);
  for (int i = 0; i < 512; ++i)
    a.data()[i] = T(int(draw() % 5) - 2), b.data()[i] = T(100 + i);
  std::memset(m.data(), 0xff, 256);
  TCMPS(m, a, T(0), CmpMode::GT);
  std::vector<uint8_t> bytes(256), stream(8 * 24);
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 40; ++c)
      stream[size_t(r * 8 + c / 8)] |= uint8_t((a.data()[r * 64 + c] > T(0)) << c % 8);
  for (size_t i = 0; i < stream.size(); ++i)
    bytes[i / 24 * 32 + i % 24] = stream[i];
  equalAll("TCMPS as a stream", m.data(), bytes);
  TSEL(d, m, a, b, t);
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 40; ++c) {
      const int n = r * 40 + c;
      equal("TSEL by a stream", n, double(d.data()[r * 64 + c]),
            double(stream[size_t(n / 8)] >> n % 8 & 1 ? a.data()[r * 64 + c] : b.data()[r * 64 + c]));
    }
  TSELS(d, m, a, t, T(7)); // by rows
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 40; ++c)
      equal("TSELS", r * 40 + c, double(d.data()[r * 64 + c]),
            double(bytes[size_t(r * 32 + c / 8)] >> c % 8 & 1 ? a.data()[r * 64 + c] : T(7)));
  std::memset(m.data(), 0xff, 256);
  TCMP(m, a, b, CmpMode::LT);
  for (int i = 0; i < 256; ++i)
    equal("TCMP", i, m.data()[i], i / 32 < 5 && i % 32 < 5 ? 255 : 0);
  // A row of bits that fills the row of the mask: by rows, whatever the capacity.
  Vec<uint8_t, 8, 32> full(8, 5);
  TASSIGN(full, place - 256);
  TCMPS(full, a, T(1), CmpMode::LE);
  for (int r = 0; r < 8; ++r)
    for (int k = 0; k < 32; ++k) {
      unsigned wanted = 0;
      for (int bit = 0; bit < 8 && r < 5 && k < 5; ++bit)
        wanted |= unsigned(a.data()[r * 64 + k * 8 + bit] <= T(1)) << bit;
      equal("TCMPS by rows", r * 32 + k, full.data()[r * 32 + k], wanted);
    }
}

static void prints() { // HMEAN-37
  Vec<float, 2, 8> f(2, 3);
  Vec<int8_t, 1, 32> b(1, 2);
  Vec<int32_t, 1, 8> i(1, 2);
  Vec<half, 1, 16> h(1, 1);
  putAll(f, b, i, h);
  for (int k = 0; k < 16; ++k)
    f.data()[k] = float(k) * -1.25f;
  b.data()[0] = -5, b.data()[1] = 65, i.data()[0] = 123456789, h.data()[0] = half(0.5f);
  std::ostringstream text;
  std::streambuf *const before = std::cout.rdbuf(text.rdbuf());
  TPRINT(f);
  TPRINT<PrintFormat::Width8_Precision2>(f, b);
  TPRINT_IMPL<PrintFormat::Width10_Precision6>(h);
  TPRINT(b);
  TPRINT(i);
  std::cout.rdbuf(before);
  const std::string wanted = "TPRINT 2x3\n -0.0000  -1.2500  -2.5000\n-10.0000 -11.2500 -12.5000\n"
                             "TPRINT 2x3\n   -0.00    -1.25    -2.50\n  -10.00   -11.25   -12.50\n"
                             "TPRINT 1x1\n  0.500000\n"
                             "TPRINT 1x2\n      -5       65\n"
                             "TPRINT 1x2\n123456789        0\n";
  if (text.str() != wanted) {
    ++failures;
    std::printf("TPRINT gives\n%s", text.str().c_str());
  }
}
#else
static void rowsOfBits() { // TCMP-1, HMEAN-24
  Vec<float, 4, 16> a(3, 16), one(1, 8);
  Vec<uint8_t, 4, 32> m(4, 24);
  putAll(a, one, m);
  for (int i = 0; i < 64; ++i)
    a.data()[i] = float(i % 7);
  one.data()[0] = 3, one.data()[1] = 5;
  std::memset(m.data(), 0xff, 128);
  TCMPS(m, a, one, CmpMode::GE);
  for (int r = 0; r < 4; ++r)
    for (int k = 0; k < 32; ++k) {
      unsigned wanted = r < 3 && k < 2 ? 0 : 255;
      for (int bit = 0; bit < 8 && r < 3 && k < 2; ++bit)
        wanted |= unsigned(a.data()[r * 16 + k * 8 + bit] >= 3) << bit;
      equal("TCMPS with element 0", r * 32 + k, m.data()[r * 32 + k], wanted);
    }
}
#endif

int main() {
  multiplyAdds();
  rowsByPattern<MaskPattern::P0101>(2, 0);
  rowsByPattern<MaskPattern::P1010>(2, 1);
  rowsByPattern<MaskPattern::P0001>(4, 0);
  rowsByPattern<MaskPattern::P0010>(4, 1);
  rowsByPattern<MaskPattern::P0100>(4, 2);
  rowsByPattern<MaskPattern::P1000>(4, 3);
  rowsByPattern<MaskPattern::P1111>(1, 0);
  bitsByPattern();
  gatherToMat<Coalesce::Row, GatherOOB::Undefined>();
  gatherToMat<Coalesce::Row, GatherOOB::Clamp>();
  gatherToMat<Coalesce::Elem, GatherOOB::Wrap>();
  gatherToMat<Coalesce::Elem, GatherOOB::Zero>();
  gatherToMat<Coalesce::Elem, GatherOOB::Undefined>();
  joins<int32_t>();
  joins<uint16_t>();
  joins<int8_t>();
  merges<false>(64, {32, 20, 7, 1});
  merges<false>(10, {32, 20, 7, 5});
  merges<true>(64, {9, 20, 7, 5});
  merges<true>(3, {9, 20, 7, 5});
  merges<false>(40, {16, 0, 8, 0});
  mergesRuns();
  sortsAndPads();
  randomWords();
#ifdef __CPU_SIM
  integers<int16_t>();
  integers<int32_t>();
  bfloats();
  streamedBits<float>();
  streamedBits<half>();
  streamedBits<int16_t>();
  prints();
#else
  rowsOfBits();
#endif
  std::printf(failures ? "%d numbers are wrong\n" : "ok\n", failures);
  return failures != 0;
}
