// What host programs use beside instructions, with values: number types, the host
// runtime, threads as cores, memories, scalar work. Expected values are computed here,
// from the rules. Compiled with __CPU_SIM and linked with a part that is not.
#include <pto/pto-inst.hpp>

#include <pto/cpu/TPartArgKernelCommon.hpp>

using namespace pto;

static int failures = 0;
#define CHECK(...)                                                                                                     \
  do {                                                                                                                 \
    if (!(__VA_ARGS__)) {                                                                                              \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);                                                    \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (false)

int devicePart();

// --- number types (SURF-11 to SURF-20) ----------------------------------------------------------

struct Format {
  int exponent, fraction, bias, bits;
  bool hasSign;
};
static double decoded(const Format &f, int code) {
  const int e = code >> f.fraction & ((1 << f.exponent) - 1), m = code & ((1 << f.fraction) - 1);
  const double one = std::ldexp(1.0, -f.fraction);
  double value = e == 0 && f.hasSign ? std::ldexp(m * one, 1 - f.bias) : std::ldexp(1 + m * one, e - f.bias);
  return f.hasSign && code >> (f.bits - 1) ? -value : value;
}
/// SURF-14, with the fraction as a number instead of bits.
static int encoded(const Format &f, double x) {
  if (std::fabs(x) < std::numeric_limits<double>::min())
    return 0;
  int e = 1025; // of infinities
  const double m = std::isinf(x) ? 1.0 : 2 * std::frexp(std::fabs(x), &e); // 1 <= m < 2
  e = e - 1 + f.bias;
  int fraction = int(std::floor((m - 1) * (1 << f.fraction)));
  if (e < 0) {
    fraction = int(std::floor(std::ldexp(fraction + (1 << f.fraction), -(1 - e))));
    e = 0;
  }
  const int sign = f.hasSign && std::signbit(x) ? 1 << (f.bits - 1) : 0;
  return sign | (e & ((1 << f.exponent) - 1)) << f.fraction | fraction;
}
template <typename T> void smallFloat(const Format &f, int specials) {
  static_assert(sizeof(T) == 1 && std::is_trivially_copyable_v<T> && std::is_convertible_v<T, double>);
  CHECK(T().RawData() == 0);
  const int codes = 1 << f.bits;
  for (int code = 0; code < codes; ++code) {
    const T value = T::FromRaw(uint8_t(code));
    CHECK(value.RawData() == code);
    if ((code & (codes / (f.hasSign ? 2 : 1) - 1)) < specials) {
      CHECK(double(value) == decoded(f, code));
      CHECK(float(value) == float(decoded(f, code)) && -value == -decoded(f, code));
      CHECK(value + 1 == decoded(f, code) + 1 && value * value == decoded(f, code) * decoded(f, code));
    }
  }
  std::vector<double> numbers = {0.0, -0.0, 1e-320, 1, -1, 4, 448, 449, 57344, 65536, 1e300, -1e-30, 0.3, 0.75};
  for (int i = -400; i < 400; ++i)
    numbers.push_back(i * 0.0373);
  for (double x : numbers) {
    CHECK(T(x).RawData() == encoded(f, x));
    CHECK(static_cast<T>(float(x)).RawData() == encoded(f, float(x)));
    CHECK(T(int(std::clamp(x, -100.0, 100.0))).RawData() == encoded(f, int(std::clamp(x, -100.0, 100.0))));
  }
  T many[3] = {};
  std::ostringstream text;
  text << T(1.0) << ' ' << many[2];
  CHECK(text.str() == "1 0" || !f.hasSign);
}

static void numbers() {
  smallFloat<float4_e2m1x2_t>({2, 1, 1, 4, true}, 8);
  smallFloat<float4_e1m2x2_t>({1, 2, 1, 4, true}, 8);
  smallFloat<float8_e4m3_t>({4, 3, 7, 8, true}, 0x7f);
  smallFloat<float8_e5m2_t>({5, 2, 15, 8, true}, 0x7c);
  smallFloat<float8_e8m0_t>({8, 0, 127, 8, false}, 255);
  CHECK(float4_e1m2x2_t(4.0).RawData() == 4); // wraps to 1.0
  CHECK(std::isnan(double(float8_e4m3_t::FromRaw(0x7f))) && std::isinf(double(float8_e5m2_t::FromRaw(0xfc))));

  CHECK(hifloat8_t(1.0).RawData() == 0x08 && hifloat8_t(std::nan("")).RawData() == 0x80);
  CHECK(double(hifloat8_t(1e9)) == 32768.0 && double(hifloat8_t(-1e9)) == -32768.0);
  for (int code = 0; code < 256; ++code) {
    const double value = hifloat8_t::FromRaw(uint8_t(code));
    if (std::isfinite(value))
      CHECK(double(hifloat8_t(value)) == value);
  }

  CHECK(IsTwinType<float4_e2m1x2_t>() && IsTwinType<float4_e1m2x2_t>() && !IsTwinType<int4b_t>() &&
        !IsTwinType<float8_e4m3_t>() && !IsTwinType<float>());
  float4_e2m1x2_t pairs[2] = {};
  for (uint8_t i = 0; i < 4; ++i)
    SetProperDataPart(pairs, i, float4_e2m1x2_t::FromRaw(uint8_t(9 + i)));
  CHECK(pairs[0].RawData() == 0xa9 && pairs[1].RawData() == 0xcb && GetProperDataPart(pairs, 2).RawData() == 11);
  int plain[2] = {1, 2};
  SetProperDataPart(plain, 1, 5);
  CHECK(GetProperDataPart(plain, 1) == 5 && HALF_BYTE_MASK == 15 && HALF_BYTE_SHIFT == 4);
  using Limits = std::numeric_limits<float4_e1m2x2_t>;
  CHECK(Limits::is_specialized && Limits::is_signed && !Limits::is_integer && Limits::radix == 2 &&
        !Limits::has_infinity && !Limits::has_quiet_NaN && Limits::min().RawData() == 1 &&
        Limits::max().RawData() == 7 && Limits::lowest().RawData() == 15 && Limits::infinity().RawData() == 0 &&
        Limits::quiet_NaN().RawData() == 0);

  static_assert(sizeof(int4b_t) == 1 && !std::is_convertible_v<int32_t, int4b_t>);
  for (int i = -20; i < 20; ++i)
    CHECK(int8_t(int4b_t(i)) == (i & 7) - (i & 8));
  CHECK(Tile<TileType::Vec, int4b_t, 4, 32>::GetSizeInBytes() == 128);
  CHECK(Tile<TileType::Vec, float4_e2m1x2_t, 4, 64>::GetSizeInBytes() == 128);
  CHECK(F16_MAX == 65504.0f && aclFloat16ToFloat(aclFloat16(1.5f)) == 1.5f);
}

// --- offsets and elements (SURF-58 to SURF-60) --------------------------------------------------------

template <typename T, BLayout B, SLayout S, int F = 512> void offsets(size_t (*expected)(size_t, size_t)) {
  using Of = Tile<TileType::Mat, T, 64, 64, B, 64, 64, S, F>;
  for (size_t r = 0; r < 70; ++r)
    for (size_t c = 0; c < 64; ++c) {
      if (r >= 64 && (B != BLayout::RowMajor || S != SLayout::NoneBox))
        continue; // outside: where rows follow each other
      CHECK(GetTileElementOffset<Of>(r, c) == expected(r, c) && GetTileOffset<Of>(int(r), int(c)) == expected(r, c));
    }
}
static void elements() {
  constexpr auto kNone = SLayout::NoneBox, kRows = SLayout::RowMajor, kCols = SLayout::ColMajor;
  offsets<float, BLayout::RowMajor, kNone>([](size_t r, size_t c) { return r * 64 + c; });
  offsets<float, BLayout::ColMajor, kNone>([](size_t r, size_t c) { return c * 64 + r; });
  // half: boxes of 16 x 16
  offsets<half, BLayout::ColMajor, kRows>(
      [](size_t r, size_t c) { return c / 16 * 64 * 16 + r / 16 * 256 + r % 16 * 16 + c % 16; });
  offsets<half, BLayout::RowMajor, kCols>(
      [](size_t r, size_t c) { return r / 16 * 64 * 16 + c / 16 * 256 + c % 16 * 16 + r % 16; });
  offsets<half, BLayout::RowMajor, kRows>(
      [](size_t r, size_t c) { return r / 16 * 64 * 16 + c / 16 * 256 + r % 16 * 16 + c % 16; });
  offsets<half, BLayout::ColMajor, kCols>(
      [](size_t r, size_t c) { return c / 16 * 64 * 16 + r / 16 * 256 + c % 16 * 16 + r % 16; });

  Tile<TileType::Vec, float4_e2m1x2_t, 4, 64> twins;
  TASSIGN(twins, 0x1000);
  std::fill(twins.data(), twins.data() + 128, float4_e2m1x2_t::FromRaw(0));
  twins.SetElement(1, 3, float4_e2m1x2_t::FromRaw(13));
  CHECK(twins.GetElement(1, 3).RawData() == 13 && twins.GetElement(1, 2).RawData() == 0);
  CHECK(twins.data()[(64 + 3) / 2].RawData() == 13 << 4);
  Tile<TileType::Acc, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor, 1024> acc;
  TASSIGN(acc, 0);
  acc.SetElement(17, 18, 2.5f);
  acc.AddToElement(17, 18, 1.0f);
  const auto &fixed = acc;
  CHECK(fixed.data()[512 + 256 + 16 + 2] == 3.5f && fixed.GetElement(17, 18) == 3.5f);

  float memory[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const GlobalTensor<float, Shape<1, 1, 1, 2, 4>, Stride<1, 1, 1, 4, 1>> fixedView(memory);
  auto view = fixedView;
  view.SetElement(5, 60.0f);
  view.AddToElement(5, 1.0f);
  CHECK(memory[5] == 61 && fixedView.GetElement(0, 0, 0, 1, 1) == 61 && fixedView.GetShape(3) == 2);
}

// --- the host runtime (SURF-34 to SURF-41) -------------------------------------------------------------

static void runtime() {
  char *device = nullptr, *host = nullptr;
  aclrtStream stream = nullptr;
  CHECK(aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
  CHECK(aclrtMalloc((void **)&device, 16, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtMallocHost((void **)&host, 16) == 0);
  CHECK(std::all_of(device, device + 16, [](char c) { return c == 0; }) && host[15] == 0);
  CHECK(aclrtMemset(device, 16, 7, 0) == 0 && device[0] == 0);
  CHECK(aclrtMemset(device, 16, 7, 17) == 145000 && aclrtMemset(nullptr, 16, 7, 1) == 145000 && device[0] == 0);
  CHECK(aclrtMemset(nullptr, 16, 7, 0) == 0);
  CHECK(aclrtMemset(device, 16, 7, 10) == 0 && device[9] == 7 && device[10] == 0);
  CHECK(aclrtMemcpy(host, 4, device, 16, ACL_MEMCPY_DEVICE_TO_HOST) == 0 && host[3] == 7 && host[4] == 0);
  CHECK(aclrtMemcpy(host, 16, device, 6, ACL_MEMCPY_DEVICE_TO_HOST) == 0 && host[5] == 7 && host[6] == 0);
  // ACL-5
  CHECK(aclrtMalloc(nullptr, 10, 0) == 145000 && aclrtMallocHost(nullptr, 10) == 145000);
  CHECK(aclrtMemcpy(device + 8, 16, host, 9, ACL_MEMCPY_HOST_TO_DEVICE) == 145000 && device[8] == 7);
  CHECK(aclrtMemcpy(host, 17, device, 17, ACL_MEMCPY_DEVICE_TO_HOST) == 145000 && aclrtMemset(device, 17, 1, 17) == 145000);
  CHECK(aclrtMemcpy(nullptr, 4, device, 4, 0) == 145000 && aclrtMemcpy(host, 4, nullptr, 4, 0) == 145000);
  CHECK(aclrtMemcpy(nullptr, 0, nullptr, 0, 0) == 0 && aclrtMemcpy(device + 8, 8, host, 8, 0) == 0);
  int local = 0;
  char *twice = nullptr;
  CHECK(aclrtMalloc(&twice, 8) == 0 && aclrtFree(twice) == 0 && aclrtFree(twice) == 145000);
  CHECK(aclrtFree(&local) == 145000 && aclrtFreeHost(&local) == 145000 && aclrtFree(host) == 145000);
  CHECK(aclrtFree(nullptr) == 0 && aclrtFreeHost(nullptr) == 0);
  aclrtEvent begin = nullptr, end = nullptr;
  float time = -1;
  CHECK(aclrtCreateEvent(&begin) == 0 && aclrtCreateEvent(&end) == 0 && aclrtRecordEvent(begin, stream) == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(aclrtRecordEvent(end, stream) == 0 && aclrtEventElapsedTime(&time, begin, end) == 0 && time >= 2 && time < 5000);
  CHECK(aclrtDestroyEvent(begin) == 0 && aclrtDestroyEvent(end) == 0);
  uint64_t address = 9;
  uint32_t bytes = 9, devices = 0;
  CHECK(rtGetC2cCtrlAddr(&address, &bytes) == 0 && address == 0 && bytes == 0);
  CHECK(aclrtGetDeviceCount(&devices) == 0 && devices >= 1);
  int64_t cubes = 0, vectors = 0;
  CHECK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &cubes) == 0 && cubes > 0);
  CHECK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &vectors) == 0 && vectors == 2 * cubes);
  CHECK(aclrtFree(device) == 0 && aclrtFreeHost(host) == 0 && aclrtDestroyStream(stream) == 0 && aclFinalize() == 0);
}

// --- threads as cores (SURF-44 to SURF-51) ----------------------------------------------------------------

static bool isCore(int64_t block, int64_t subblock, int64_t subblocks, uint64_t cookie) {
  return get_block_idx() == block && get_subblockid() == subblock && get_subblockdim() == subblocks &&
         get_task_cookie() == cookie && cpu_sim::get_task_cookie() == cookie && block_idx == block;
}
static void identities() {
  CHECK(isCore(0, 0, 1, 0));
  cpu_sim::set_task_cookie(uint64_t(1) << 48);
  cpu_sim::set_execution_context(2, 1, 2);
  CHECK(isCore(2, 1, 2, uint64_t(1) << 48));
  {
    cpu_sim::ScopedExecutionContext inner(5, 0);
    CHECK(isCore(5, 0, 1, uint64_t(1) << 48));
    aclrtSynchronizeStream(nullptr); // a new block of the thread is the same core
    CHECK(isCore(5, 0, 1, uint64_t(1) << 48));
    std::thread([] { CHECK(isCore(0, 0, 1, 0)); }).join();
  }
  CHECK(isCore(2, 1, 2, uint64_t(1) << 48));
  cpu_sim::set_execution_context(1, 0, 0); // counts as 1
  CHECK(get_subblockdim() == 1);
  cpu_sim::reset_execution_context();
  CHECK(isCore(0, 0, 1, 0));
}

static std::vector<std::array<int64_t, 4>> coresOf(const cpu_sim::KernelLaunchOptions &options) {
  std::vector<std::array<int64_t, 4>> cores;
  std::mutex mutex;
  cpu_sim::LaunchKernelMultiCore(options, nullptr, [&] {
    std::lock_guard lock(mutex);
    cores.push_back({get_block_idx(), get_subblockid(), get_subblockdim(), get_block_num()});
  });
  std::sort(cores.begin(), cores.end());
  return cores;
}
static size_t blocksOf(uint32_t requested, uint32_t items, uint32_t quantum, uint32_t given = 0) {
  const auto cores = coresOf({.kernel_name = "count",
                              .requested_cores = requested,
                              .total_work_items = items,
                              .work_quantum = quantum,
                              .explicit_block_count = given});
  for (const auto &core : cores)
    CHECK(core[3] == int64_t(cores.size()));
  return cores.size();
}
static void launches() {
  CHECK(blocksOf(0, 0, 1) == 4 && blocksOf(3, 0, 1) == 3 && blocksOf(8, 5, 1) == 5 && blocksOf(8, 0, 1, 2) == 2);
  CHECK(blocksOf(4, 16, 8) == 2);  // 16/4 = 4 and 16/3 = 6 are no multiples of 8, 16/2 is
  CHECK(blocksOf(4, 16, 16) == 1); // only one block takes 16
  CHECK(blocksOf(4, 10, 7) == 1);  // no number of blocks fits
  CHECK(blocksOf(0, 10, 1, 20) == 10 && blocksOf(3, 16, 8, 4) == 2); // what is given is cut, too
  setenv("PTO_CPU_SIM_NUM_CORES", "6", 1);
  CHECK(blocksOf(0, 0, 1) == 6);
  setenv("PTO_CPU_SIM_NUM_CORES", "none", 1);
  CHECK(blocksOf(0, 0, 1) == 4);
  unsetenv("PTO_CPU_SIM_NUM_CORES");
  const auto pairs = coresOf({.kernel_name = "pairs", .requested_cores = 2, .subblocks_per_block = 2});
  CHECK(pairs == std::vector<std::array<int64_t, 4>>{{0, 0, 2, 2}, {0, 1, 2, 2}, {1, 0, 2, 2}, {1, 1, 2, 2}});
  int caught = 0;
  try {
    cpu_sim::LaunchKernelMultiCore({.kernel_name = "throws", .requested_cores = 2}, nullptr,
                                   [] { throw std::runtime_error("first"); });
  } catch (const std::runtime_error &error) {
    caught = std::string(error.what()) == "first";
  }
  CHECK(caught);
  // As much stack as a thread has (SURF-46).
  static int64_t sums[2];
  cpu_sim::LaunchKernelMultiCore({.kernel_name = "large", .requested_cores = 2}, nullptr, [] {
    volatile int32_t numbers[512 * 1024];
    for (int i = 0; i < 512 * 1024; ++i)
      numbers[i] = i;
    for (int i = 0; i < 512 * 1024; ++i)
      sums[get_block_idx()] += numbers[i];
  });
  CHECK(sums[0] == 137438691328 && sums[1] == sums[0]);
  // One waits for what the other stores (SURF-28).
  static int32_t flag = 0, seen = 0;
  cpu_sim::LaunchKernelMultiCore({.kernel_name = "waits", .requested_cores = 2}, nullptr, [] {
    if (get_block_idx() == 1)
      return st_dev(5, &flag, 0);
    while ((seen = ld_dev(&flag, 0)) == 0)
      get_sys_cnt();
  });
  CHECK(seen == 5);
  CHECK(!cpu_sim::kInstructionTraceEnabled && cpu_sim::CopyInstructionTraceRecords().empty());
}

static void memories() {
  NPUMemoryModel &model = NPUMemoryModel::Instance();
  Tile<TileType::Vec, float, 16, 64> tile, alias;
  Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor> mat;
  TileLeft<half, 16, 16> left;
  TileRight<half, 16, 16> right;
  TileAcc<int32_t, 128, 256> sums;
  TASSIGN(tile, 0), TASSIGN(mat, 0), TASSIGN(left, 0), TASSIGN(right, 0), TASSIGN(sums, 0);
  char *ub = model.GetUBBase();
  CHECK((char *)tile.data() == ub && (char *)mat.data() == model.GetL1Base());
  CHECK((char *)left.data() == model.GetL0ABase() && (char *)right.data() == model.GetL0BBase());
  CHECK((char *)sums.data() == model.GetL0CBase() && model.GetREGBase());
  CHECK(model.GetArch() == NPUArch::A2A3 && !model.IsInitialized()); // SURF-49
  tile.data()[3] = 42;
  aclrtSynchronizeStream(nullptr);
  model.Initialize(NPUArch::A2A3); // contents stay, and where they are
  CHECK(model.GetArch() == NPUArch::A2A3 && model.IsInitialized() && model.GetUBBase() == ub);
  TASSIGN(tile, 0);
  CHECK(tile.data()[3] == 42 && model.ContainsAddress(uintptr_t(ub) + 5) && !model.ContainsAddress(uintptr_t(&model)));
  TASSIGN(alias, reinterpret_cast<uintptr_t>(ub) + 0x100);
  alias.data()[0] = 7;
  CHECK(tile.data()[64] == 7);
  // Another thread has memories of its own, zero at first.
  std::thread([ub] {
    Tile<TileType::Vec, float, 16, 64> other;
    TASSIGN(other, 0);
    CHECK((char *)other.data() != ub && other.data()[3] == 0);
    CHECK(NPUMemoryModel::Instance().GetArch() == NPUArch::A2A3);
  }).join();
  NPU_MEMORY_CLEAR();
  CHECK(tile.data()[3] == 0 && tile.data()[64] == 0);
  NPU_MEMORY_INIT(NPUArch::A5);
  std::thread([] { CHECK(NPUMemoryModel::Instance().GetArch() == NPUArch::A5); }).join();
  NPU_MEMORY_INIT();
  CHECK(model.GetArch() == NPUArch::A2A3);
  model.Reset();
  NPUMemoryModel::Instance().EnsureInitialized();
  CHECK(model.IsInitialized());
}

// --- scalar work (SURF-25 to SURF-33) -----------------------------------------------------------------------

static void scalars() {
  const uint64_t begin = get_sys_cnt();
  CHECK(get_sys_cnt() > begin);
  set_ctrl(0);
  set_ctrl(sbitset1(get_ctrl(), 60));
  CHECK(get_ctrl() == uint64_t(1) << 60 && sbitset0(get_ctrl(), 60) == 0);
  set_ctrl(0);
  int32_t words[2] = {3, 4};
  CHECK(ld_dev(words, 4) == 4);
  st_dev(-6, words, 4);
  CHECK(words[1] == -6 && atomicAdd(&words[1], 10) == -6 && words[1] == 4);
  set_st_atomic_cfg(ATOMIC_S32, ATOMIC_SUM);
  st_atomic<int32_t>(5, words);
  CHECK(words[0] == 8);
  set_st_atomic_cfg(ATOMIC_NONE, ATOMIC_SUM);
  st_atomic<int32_t>(5, words);
  CHECK(words[0] == 5);
  float sum = 0.5f;
  CHECK(atomicAdd(&sum, 1) == 0.5f && sum == 1.5f);

  // Stores that add until set_atomic_none.
  float *memory;
  aclrtMalloc((void **)&memory, 64 * 4, ACL_MEM_MALLOC_HUGE_FIRST);
  Tile<TileType::Vec, float, 1, 64> ones;
  TASSIGN(ones, 0);
  std::fill(ones.data(), ones.data() + 64, 1.0f);
  GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>> view(memory);
  for (int i = 0; i < 3; ++i) {
    if (i == 1)
      set_atomic_add<float>();
    TSTORE(view, ones);
    pipe_barrier(PIPE_MTE3);
  }
  set_atomic_none();
  pipe_barrier(PIPE_ALL);
  CHECK(view.GetElement(0) == 3 && memory[63] == 3);
  TSTORE_IMPL(view, ones);
  aclrtSynchronizeStream(nullptr);
  CHECK(memory[7] == 1);
  aclrtFree(memory);
}

// --- a kernel that the headers frame (SURF-56) -----------------------------------------------------------------

struct Maximum {
  template <typename D, typename A, typename B, typename I, typename J, typename K>
  static void Run(D &dst, A &a, B &b, I &dstIdx, J &aIdx, K &bIdx) {
    TPARTARGMAX(dst, a, b, dstIdx, aIdx, bIdx);
  }
};
static void frame() {
  constexpr int R = 16, C = 32, R1 = 8, C1 = 16;
  float *values;
  uint32_t *indices;
  aclrtMalloc((void **)&values, 3 * R * C * 4);
  aclrtMalloc((void **)&indices, 3 * R * C * 4);
  float *out = values, *a = values + R * C, *b = a + R * C;
  uint32_t *outIdx = indices, *aIdx = indices + R * C, *bIdx = aIdx + R * C;
  for (int i = 0; i < R * C; ++i) {
    a[i] = float(i * 7 % 11);
    b[i] = float(i * 5 % 11);
    aIdx[i] = uint32_t(i);
    bIdx[i] = uint32_t(1000 + i);
  }
  RunPartArgKernel<R, C, R1, C1, Maximum>(out, a, b, outIdx, aIdx, bIdx);
  aclrtSynchronizeStream(nullptr);
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < C; ++c) {
      const int i = r * C + c;
      const bool second = r < R1 && c < C1 && b[i] > a[i]; // ties go to the first
      CHECK(out[i] == (second ? b[i] : a[i]) && outIdx[i] == (second ? bIdx[i] : aIdx[i]));
    }
  aclrtFree(values);
  aclrtFree(indices);
}

// --- a launch as demos have it ------------------------------------------------------------------------------------

using Strip = Tile<TileType::Vec, float, 1, 256, BLayout::RowMajor, 1, DYNAMIC>;
/// Sources are const, what helps is not.
static void addReluMul(Strip &out, const Strip &x, const Strip &bias, const Strip &scale) {
  TADD(out, x, bias);
  pipe_barrier(PIPE_V);
  TMAXS(out, out, 0.0f);
  pipe_barrier(PIPE_V);
  TMUL(out, out, scale);
}
static void fused() {
  constexpr uint32_t kStrips = 10, kLength = 256;
  std::vector<float> x(kStrips * kLength), bias(kLength), scale(kLength), out(x.size(), -1);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(int(i * 37 % 101) - 50);
  for (size_t i = 0; i < kLength; ++i) {
    bias[i] = float(i % 7);
    scale[i] = 0.5f + float(i % 3);
  }
  cpu_sim::LaunchKernelMultiCore(
      {.kernel_name = "fused", .total_work_items = kStrips, .work_quantum = 1}, nullptr, [&] {
        using View = GlobalTensor<float, Shape<1, 1, 1, 1, kLength>, Stride<1, 1, 1, kLength, 1>>;
        Strip in(kLength), add(kLength), mul(kLength), result(kLength);
        TASSIGN(in, 0), TASSIGN(add, 1024), TASSIGN(mul, 2048), TASSIGN(result, 3072);
        for (int64_t strip = get_block_idx(); strip < kStrips; strip += get_block_num()) {
          TLOAD(in, View(x.data() + strip * kLength));
          TLOAD(add, View(bias.data()));
          TLOAD(mul, View(scale.data()));
          PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
          addReluMul(result, in, add, mul);
          PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
          View to(out.data() + strip * kLength);
          TSTORE(to, result);
          PtoSetWaitFlag<PIPE_MTE3, PIPE_MTE2>();
        }
      });
  for (size_t i = 0; i < x.size(); ++i)
    CHECK(out[i] == std::max(x[i] + bias[i % kLength], 0.0f) * scale[i % kLength]);
}

int main() {
  numbers();
  elements();
  runtime();
  identities();
  launches();
  memories();
  scalars();
  frame();
  fused();
  failures += devicePart();
  std::printf("failures: %d\n", failures);
  return failures != 0;
}
