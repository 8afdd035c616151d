//===- Programs.cpp - rows of kernels as programs -------------------------===//

#include "ptoscope/Validate/Programs.h"

#include <algorithm>
#include <cmath>

namespace ptoscope::validate {

using Reason = OrReason<Recipe>;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
#include "KernelTexts.inc"
};

std::string_view kernelText(std::string_view file) {
  for (auto [name, text] : kTexts)
    if (name == file)
      return text;
  return {};
}

/// Replaces the digits at `at`.
static void putNumber(std::string &text, size_t at, int64_t value) {
  size_t end = text.find_first_not_of("0123456789", at);
  text.replace(at, end - at, std::to_string(value));
}

std::string Program::text() const {
  std::string text(kernelText(file));
  for (const auto &[name, extents] : tiles) {
    // !name = !pto.tile_buf<vec, 64x128xf16, …
    size_t at = text.find("\n!" + name + " = ");
    at = text.find(", ", at) + 2;
    putNumber(text, at, extents[0]);
    putNumber(text, text.find('x', at) + 1, extents[1]);
  }
  for (const auto &[name, value] : constants) {
    const std::string definition = "%" + name + " = arith.constant ";
    for (size_t at = text.find(definition); at != std::string::npos; at = text.find(definition, at + 1))
      putNumber(text, at + definition.size(), value);
  }
  return text;
}

std::string Program::name() const {
  std::string name = file + "@" + kernel + " " + std::string(profileOf(profile).name) + " " + std::to_string(blocks);
  for (const auto &[tile, extents] : tiles)
    name += " " + tile + "=" + std::to_string(extents[0]) + "x" + std::to_string(extents[1]);
  for (const auto &[constant, value] : constants)
    name += " " + constant + "=" + std::to_string(value);
  for (const Argument &argument : arguments)
    name += " " + std::to_string(argument.value);
  if (slowness != 1)
    name += " slower " + std::to_string(slowness);
  return name;
}

//===----------------------------------------------------------------------===//
// What rows have in common
//===----------------------------------------------------------------------===//

static int64_t up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
static Program::Argument buffer(int64_t bytes) { return {true, uint64_t(bytes)}; }
static Program::Argument scalar(int64_t value) { return {false, uint64_t(value)}; }

/// `cores=24`, `24 cores`, `cores=S0/128`; otherwise all of a kind.
static int64_t coresOf(const Anchor &anchor, bool isCube) {
  const Fields &extra = anchor.extra;
  if (std::optional<int64_t> cores = extra.number("cores"))
    return *cores;
  std::string_view quotient = extra["cores"];
  if (size_t slash = quotient.find('/'); slash != std::string_view::npos)
    if (std::optional<int64_t> value = anchor.shape.number(quotient.substr(0, slash))) {
      int64_t divisor =
          std::max<int64_t>(1, Fields("d=" + std::string(quotient.substr(slash + 1))).number("d").value_or(1));
      return std::max<int64_t>(1, *value / divisor);
    }
  for (std::string_view word : {"cores", "core", "vector cores"})
    if (std::optional<int64_t> cores = extra.before(word))
      return *cores;
  const Profile &profile = profileOf(anchor.profile);
  return isCube ? profile.aicCores : profile.aivCores;
}

/// How often the kernel issues an instruction before it is worth to run less of it.
static constexpr int64_t kEnough = 300000;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static Reason copyOf(const Anchor &anchor, bool toL1) {
  if (anchor.extents.size() != 2)
    return Reason::none("the shape of a copy is ROWSxCOLUMNS");
  if (anchor.dtype != "f16")
    return Reason::none("copies are of f16");
  const Fields &extra = anchor.extra;
  std::vector<int64_t> tile = extra.extents("tile");
  if (tile.size() != 2)
    return Reason::none("the row does not say `tile=ROWSxCOLUMNS`");
  const int64_t rows = anchor.extents[0], cols = anchor.extents[1], cores = coresOf(anchor, toL1);
  const bool isShared = extra.says("every core reads all");
  const int64_t times = extra.before("times").value_or(1);
  const int64_t parts = extra.says("quarter") ? 4 : extra.says("half") ? 2 : 1;
  // A tile in L1 has whole fractals, one in UB whole blocks of 32 bytes.
  const std::array<int64_t, 2> type = {toL1 ? up(tile[0], 16) : tile[0], up(tile[1], 16)};
  const int64_t bytes = type[0] * type[1] * 2;
  const int64_t room = profileOf(anchor.profile).bytes[size_t(toL1 ? Space::L1 : Space::Ub)];
  if (bytes > room)
    return Reason::none("the tile does not fit");
  auto program = [=](int64_t extent) {
    Program p{toL1 ? "copy_l1.pto" : "copy_ub.pto", "", anchor.profile, cores};
    p.tiles["tile"] = type;
    p.constants = {{"tile_rows", tile[0]}, {"tile_cols", tile[1]}, {"tile_bytes", bytes}, {"buffers", room / bytes}};
    p.arguments = {buffer(extent * cols * 2)};
    if (!toL1)
      p.arguments.push_back(buffer(extent * cols * 2));
    for (int64_t value : {extent, cols, cols, times, parts, int64_t(isShared)})
      p.arguments.push_back(scalar(value));
    p.movedBytes = uint64_t(extent * cols * 2 * times * (isShared ? cores : 1));
    return p;
  };
  const int64_t transfers = (rows / tile[0] + 1) * (cols / tile[1] + 1) * times * (isShared ? cores : 1);
  const int64_t unit = up(rows / 16, tile[0] * parts);
  if (transfers < kEnough || 2 * unit >= rows)
    return Recipe{program, rows, {}};
  return Recipe{program, rows, {unit, 2 * unit}, true};
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

static Reason addOf(const Anchor &anchor) {
  int64_t elements = 1;
  for (int64_t extent : anchor.extents)
    elements *= extent;
  if (anchor.extents.empty() || anchor.dtype != "f16")
    return Reason::none("sums are of f16, with a shape ROWSxCOLUMNS");
  const int64_t buffers = anchor.extra.says("double buffer") ? 2 : 1;
  const int64_t room = profileOf(anchor.profile).bytes[size_t(Space::Ub)];
  const int64_t most = room / (6 * buffers) / 32 * 16;
  const int64_t piece = anchor.extra.number("elements per transfer").value_or(most);
  const int64_t type = up(piece, 16);
  if (type * 6 * buffers > room)
    return Reason::none("the buffers do not fit into UB");
  const int64_t cores = coresOf(anchor, false);
  return Recipe{[=](int64_t extent) {
                  Program p{"add.pto", "", anchor.profile, cores};
                  p.tiles["tile"] = {1, type};
                  p.constants = {{"tile_cols", piece}, {"tile_bytes", type * 2}};
                  p.arguments = {buffer(extent * 2), buffer(extent * 2), buffer(extent * 2), scalar(extent),
                                 scalar(buffers)};
                  p.movedBytes = uint64_t(extent) * 6;
                  return p;
                },
                elements,
                {}};
}

static Reason geluOf(const Anchor &anchor) {
  if (anchor.profile != ProfileId::A5 || anchor.dtype != "f32" || anchor.extents.empty())
    return Reason::none("gelu is written for f32 on A5");
  int64_t elements = 1;
  for (int64_t extent : anchor.extents)
    elements *= extent;
  const int64_t piece = anchor.extra.number("tile").value_or(8192), cores = coresOf(anchor, false);
  if (elements % 64 || piece % 64 || piece > 8192 || piece == 0)
    return Reason::none("gelu takes pieces of 64 to 8192 elements");
  // Scopes compute even without data: a part of the elements is enough.
  const int64_t round = piece * cores;
  const bool isLong = elements > 16 * round;
  return Recipe{[=](int64_t extent) {
                  Program p{"gelu.pto", "", anchor.profile, cores};
                  p.arguments = {buffer(extent * 4), buffer(extent * 4), scalar(extent), scalar(piece)};
                  p.movedBytes = uint64_t(extent) * 8;
                  return p;
                },
                elements, isLong ? std::vector<int64_t>{4 * round, 8 * round} : std::vector<int64_t>()};
}

static Reason softmaxOf(const Anchor &anchor) {
  if (anchor.profile != ProfileId::A5 || anchor.dtype != "f32" || anchor.extents.size() != 2 ||
      anchor.extents[1] != 128 || anchor.extents[0] > 128 || anchor.extents[0] % 2)
    return Reason::none("softmax is written for an even number of up to 128 rows of 128 columns, f32 on A5");
  const std::string kernel = anchor.extra.says("one loop per step") ? "steps"
                             : anchor.extra.says("mask updated")    ? "masked"
                                                                    : "fused";
  return Recipe{[=](int64_t rows) {
                  Program p{"softmax.pto", kernel, anchor.profile, 1};
                  p.arguments = {buffer(rows * 512), buffer(rows * 512), scalar(rows)};
                  return p;
                },
                anchor.extents[0],
                {}};
}

static Reason nd2nzOf(const Anchor &anchor) {
  std::vector<int64_t> tile = anchor.extra.extents("tile");
  if (anchor.extents.size() != 2 || tile != std::vector<int64_t>{144, 128} || anchor.dtype != "f16")
    return Reason::none("the change to NZ order is written for f16 in tiles of 144x128");
  const int64_t rows = up(anchor.extents[0], 144), cols = up(anchor.extents[1], 128), cores = coresOf(anchor, false);
  return Recipe{[=](int64_t extent) {
                  Program p{"nd2nz.pto", "", anchor.profile, cores};
                  p.arguments = {buffer(extent * cols * 2), buffer(extent * cols * 2), scalar(extent), scalar(cols)};
                  p.movedBytes = uint64_t(extent * cols * 4);
                  return p;
                },
                rows,
                {}};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
struct Product {
  int64_t m, k, n, bm, bk, bn, step, cores, gridRows, l1Buffers, l0cBuffers, rounds;
  bool unitFlags;
};
} // namespace

/// Rows of the grid of cores: as the row says, or as square as can be.
static int64_t gridRowsOf(const Anchor &anchor, int64_t cores) {
  std::vector<int64_t> split = anchor.extra.extents("split");
  if (split.empty())
    if (size_t at = anchor.extra.text().find("split "); at != std::string::npos)
      split = Fields("split=" + anchor.extra.text().substr(at + 6)).extents("split");
  if (split.size() == 2 && split[0] * split[1] == cores)
    return split[0];
  int64_t rows = int64_t(std::sqrt(double(cores)));
  while (cores % rows)
    --rows;
  return rows;
}

static OrReason<Product> productOf(const Anchor &anchor, int64_t bits) {
  using None = OrReason<Product>;
  if (anchor.extents.size() != 3)
    return None::none("the shape of a product is MxKxN");
  const bool isA5 = anchor.profile == ProfileId::A5;
  const Profile &profile = profileOf(anchor.profile);
  Product p{};
  p.m = anchor.extents[0];
  p.k = anchor.extents[1];
  p.n = anchor.extents[2];
  p.cores = coresOf(anchor, true);
  p.gridRows = gridRowsOf(anchor, p.cores);
  std::vector<int64_t> base = anchor.extra.extents("base");
  if (base.size() != 3)
    base = {isA5 ? 256 : 128, 1024 / bits, 256};
  p.bm = base[0];
  p.bk = base[1];
  p.bn = base[2];
  const int64_t l0 = 32768; // two buffers in each of L0A and L0B
  if (p.bm % 16 || p.bn % 16 || p.bk * bits % 256 || p.bm * p.bk * bits / 8 > l0 || p.bn * p.bk * bits / 8 > l0)
    return None::none("the base block does not fit into half of L0");
  const int64_t l0c = profile.bytes[size_t(Space::L0C)];
  if (p.bm * p.bn * 4 > l0c)
    return None::none("the base block does not fit into L0C");
  p.l0cBuffers = std::min<int64_t>(2, l0c / (p.bm * p.bn * 4));
  // What a transfer brings: as the row says; one base block in the first three cases of the
  // series that has them; otherwise what fits, up to eight. Two buffers must fit into L1; those
  // cases have one: their times are those of MTE2 and of MTE1, one after the other.
  const int64_t most =
      profile.bytes[size_t(Space::L1)] / (2 * (p.bm + p.bn) * (p.bk * bits / 8 + (bits < 16 ? p.bk / 32 : 0)));
  const bool isFirstTry = anchor.extra.number("case").value_or(9) <= 3 && !anchor.extra.has("api");
  const int64_t wanted =
      anchor.extra.number("stepK").value_or(anchor.extra.number("stepKa").value_or(isFirstTry ? 1 : 8));
  p.l1Buffers = isFirstTry ? 1 : 2;
  // TIME-44: kernels written by hand have unit flags, and so has the template of those cases; the one of the others,
  // which keeps several base blocks in L1, has none.
  p.unitFlags = isFirstTry || anchor.name.find("hand written") != std::string::npos ||
                anchor.name.find("gelu") != std::string::npos;
  p.step = std::max<int64_t>(1, std::min(wanted, most));
  // Rounds that leave of B what two thirds of an L2 cache of 128 MiB hold, as programs for large products do.
  constexpr int64_t kRoom = 80 << 20;
  p.rounds = std::max(anchor.extra.number("L2 rounds").value_or(1), up(p.n * p.k * bits / 8, kRoom) / kRoom);
  return p;
}

/// Long products run with one and with two tiles of the rows of C on each core.
static Recipe byRows(const Product &p, std::function<Program(int64_t)> program) {
  const int64_t slices = up(p.m, p.bm) / p.bm * (up(p.n, p.bn) / p.bn) * (up(p.k, p.bk) / p.bk);
  const int64_t unit = p.bm * p.gridRows, rows = up(p.m, unit);
  if (slices * 10 < kEnough || 2 * unit >= rows)
    return {std::move(program), p.m, {}};
  return {std::move(program), rows, {unit, 2 * unit}};
}

static Reason gemmOf(const Anchor &anchor) {
  if (anchor.dtype == "fp4" || anchor.dtype == "e5m2" || anchor.dtype == "fp8") {
    const bool isFp4 = anchor.dtype == "fp4";
    OrReason<Product> product = productOf(anchor, isFp4 ? 4 : 8);
    if (!product.value)
      return Reason::none(product.reason);
    Product p = *product.value;
    if (anchor.profile != ProfileId::A5)
      return Reason::none("MX products exist on A5 only");
    // The published figures of this kernel are those of half of the clock: products and stores of a
    // tile both take twice as long as in every other kernel, and loads of GM do not.
    const double slowness = isFp4 && anchor.name.find("tile library") != std::string::npos ? 2 : 1;
    p.m = up(p.m, p.bm);
    p.n = up(p.n, p.bn);
    p.k = up(p.k, p.bk);
    return byRows(p, [=, profile = anchor.profile](int64_t m) {
      const int64_t packed = isFp4 ? 2 : 1;
      Program program{"gemm_mx.pto", isFp4 ? "fp4" : "fp8", profile, p.cores};
      program.arguments = {buffer(m * p.k / packed), buffer(p.n * p.k / packed), buffer(m * p.k / 32),
                           buffer(p.n * p.k / 32), buffer(m * p.n * 2)};
      for (int64_t value : {m, p.n, p.k, p.bm, p.bk, p.bn, p.step, p.gridRows, p.l0cBuffers})
        program.arguments.push_back(scalar(value));
      program.slowness = slowness;
      return program;
    });
  }
  if (anchor.dtype != "f16")
    return Reason::none("products are of f16, fp8 or fp4");
  OrReason<Product> product = productOf(anchor, 16);
  if (!product.value)
    return Reason::none(product.reason);
  const Product p = *product.value;
  const bool toF32 = anchor.name.find("->f32") != std::string::npos;
  Recipe recipe = byRows(p, [=, profile = anchor.profile](int64_t m) {
    Program program{"gemm.pto", toF32 ? "f32" : "f16", profile, p.cores};
    const int64_t depth = p.bk * p.step;
    program.tiles = {{"a_l1", {p.bm, depth}},
                     {"b_l1", {depth, p.bn}},
                     {"left", {p.bm, p.bk}},
                     {"right", {p.bk, p.bn}},
                     {"acc", {p.bm, p.bn}}};
    program.constants = {{"bk", p.bk}, {"step_k", depth}, {"a_bytes", p.bm * depth * 2}, {"b_bytes", p.bn * depth * 2},
                         {"bm", p.bm}, {"bn", p.bn},      {"l0c_half", p.bm * p.bn * 4}};
    program.arguments = {buffer(m * p.k * 2), buffer(p.n * p.k * 2), buffer(m * p.n * (toF32 ? 4 : 2)),
                         scalar(m),           scalar(p.n),           scalar(p.k),
                         scalar(p.gridRows),  scalar(p.l1Buffers),   scalar(p.l0cBuffers),
                         scalar(p.rounds),    scalar(p.unitFlags)};
    return program;
  });
  recipe.hasUnitFlags = p.unitFlags;
  return recipe;
}

static Reason attentionOf(const Anchor &anchor) {
  if (anchor.profile == ProfileId::A5)
    return Reason::none("attention is written for A2 and A3");
  const int64_t sq = anchor.shape.number("S0").value_or(0), sk = anchor.shape.number("S1").value_or(0);
  if (anchor.shape.number("D").value_or(128) != 128 || sq <= 0 || sk <= 0 || sq % 128 || sk % 256)
    return Reason::none("attention takes S0 in multiples of 128, S1 of 256, and D=128");
  const int64_t cores = std::min(coresOf(anchor, true), sq / 128), items = sq / 128, tiles = sk / 256;
  Recipe recipe{[=, profile = anchor.profile](int64_t extent) {
                  Program p{"attention.pto", "", profile, cores};
                  const int64_t passed = cores * 3 * 128 * 128;
                  p.arguments = {buffer(sq * 256),   buffer(extent * 256), buffer(extent * 256),
                                 buffer(sq * 512),   buffer(passed * 8),   buffer(passed * 4),
                                 buffer(passed * 4), scalar(sq),           scalar(extent)};
                  return p;
                },
                sk,
                {}};
  if (items * tiles * 180 > kEnough && tiles > 16)
    recipe.small = {4 * 256, 8 * 256};
  return recipe;
}

//===----------------------------------------------------------------------===//

namespace {
struct Kernel {
  std::string_view begins; ///< of the name
  Reason (*recipe)(const Anchor &anchor);
};
} // namespace

static constexpr Kernel kKernels[] = {
    {"GM->L1 copy", [](const Anchor &anchor) { return copyOf(anchor, true); }},
    {"GM->UB copy", [](const Anchor &anchor) { return copyOf(anchor, false); }},
    {"z=x+y", addOf},
    {"gelu f32", geluOf},
    {"softmax", softmaxOf},
    {"ND to NZ in UB", nd2nzOf},
    {"gemm", gemmOf},
    {"matmul", gemmOf},
    {"flash attention", attentionOf},
};

OrReason<Recipe> recipeOf(const Anchor &anchor) {
  for (const Kernel &kernel : kKernels)
    if (anchor.name.starts_with(kernel.begins))
      return kernel.recipe(anchor);
  return Reason::none("there is no program for `" + anchor.name + "`");
}

} // namespace ptoscope::validate
