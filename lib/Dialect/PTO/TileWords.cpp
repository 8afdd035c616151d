//===- TileWords.cpp - words of tile-level text ---------------------------===//

#include "Parsing.h"
#include "ptoscope/Dialect/PTO/Tokens.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

/// Words with numbers from 0 on, or the one behind `=`; other spellings behind `|`. Without any, every word will do.
struct Mode {
  StringLiteral kind, words;
};
constexpr StringLiteral kPrecisions = "default high_precision";
constexpr Mode kModes[] = {
    {"layout", "nd dn nz"},
    {"cmp", "eq|equal ne|not_equal lt|less_than le|less_equal gt|greater_than ge|greater_equal"},
    {"round_mode",
     "NONE|CAST_NONE RINT ROUND|CAST_ROUND FLOOR|CAST_FLOOR CEIL|CAST_CEIL TRUNC|CAST_TRUNC ODD|CAST_ODD CAST_RINT"},
    {"saturation_mode", "ON OFF"},
    {"mask_pattern", "P0101=1 P1010 P0001 P0010 P0100 P1000 P1111"},
    {"atomic_type", "atomic_none atomic_add"},
    {"relu_pre_mode", "no_relu normal_relu scalar_relu vector_relu pwl"},
    {"st_phase", "unspecified partial=2 final"},
    {"acc_phase", "unspecified partial=2 final"},
    {"acc_to_vec_mode", "single_mode_vec0 single_mode_vec1 dual_mode_split_m dual_mode_split_n"},
    {"quant_type", "MXFP8 MXFP4_E2M1 INT8_SYM INT8_ASYM"},
    {"quant_scale_alg", "ocp nv"},
    {"mx_group_axis", "axis0 axis1"},
    {"vec_store_mode", "nd nz"},
    {"gather_oob", "undefined clamp wrap zero"},
    {"scatter_oob", "undefined skip clamp wrap"},
    {"scatter_atomic_op", "none add max min"},
    {"scatter_conflict", "last default"},
    {"coalesce", "row elem"},
    {"tinsert_mode", "split2 split4"},
    {"compact_mode", "null normal row_plus_one"},
    {"pad_value", "null zero max min"},
    {"padmode", "PadNull PadFirstElem PadValue"},
    {"quant_pre_mode",
     "no_convert f32_f16 f32_bf16 req8_vec req8_scalar deqf16_vec deqf16_scalar deqs16_vec deqs16_scalar "
     "qs322bf16_pre_vec qs322bf16_pre_scalar qf322b8_pre_vec qf322b8_pre_scalar qf322f16_pre_vec qf322f16_pre_scalar "
     "qf322bf16_pre_vec qf322bf16_pre_scalar qf322f32_pre_vec qf322f32_pre_scalar qf322fp8_pre_vec "
     "qf322fp8_pre_scalar qf322hif8_pre_vec qf322hif8_pre_scalar"},
    {"ld_l2cache", "nmfv nmlv nmprs nmpref nakeep naclean nadrop idsfv=8 idslv idsprs idspref exfv exlv exprs expref"},
    {"st_l2cache", "nmfv nmlv nmprs nmred naci napw napi nared wbhfv wbhlv wbhprs wbhred wtsfv wtslv wtsprs wtsred"},
    {"l1cache", "uncache cache"},
    {"module_core_type", ""},
    {"vector_function", ""},
    {"print_format", "width8_precision4 width8_precision2 width10_precision6"},
    {"precision_mode", "DEFAULT HIGH_PRECISION"},
    {"div_precision", kPrecisions},
    {"exp_precision", kPrecisions},
    {"log_precision", kPrecisions},
    {"pow_precision", kPrecisions},
    {"recip_precision", kPrecisions},
    {"rem_precision", kPrecisions},
    {"rsqrt_precision", kPrecisions},
    {"sqrt_precision", kPrecisions},
    {"fmod_precision", kPrecisions},
    {"dcci_cache_line", "SINGLE_CACHE_LINE ENTIRE_DATA_CACHE"},
    {"dcci_dst", "CACHELINE_ALL|ALL CACHELINE_UB|UB CACHELINE_OUT|OUT CACHELINE_ATOMIC|ATOMIC"},
    {"dsb_mem", "ALL DDR UB SEQ"},
    {"fence_scope", "local_memory gm all"},
};

/// Those of instructions and forms that are not modelled (IRNOT-4).
constexpr StringLiteral kNotModelled[] = {"acc_store_atomic_op",
                                          "acc_store_atomic_type",
                                          "acc_store_mode",
                                          "acc_store_sat_mode",
                                          "acc_store_ub_dst_mode",
                                          "cube_load_frac_mode",
                                          "mad_sat_mode",
                                          "mad_unit_flag_mode",
                                          "notify_op",
                                          "reduce_op",
                                          "rounding",
                                          "saturation",
                                          "unit_flag_ctrl",
                                          "wait_cmp"};

} // namespace

SmallVector<std::pair<StringRef, StringRef>> ptoscope::pto::attributeKinds() {
  SmallVector<std::pair<StringRef, StringRef>> kinds;
  for (const Mode &mode : kModes)
    kinds.push_back({mode.kind, mode.words});
  return kinds;
}

namespace {

const Mode *findMode(StringRef kind) {
  const Mode *found = llvm::find_if(kModes, [kind](const Mode &mode) { return mode.kind == kind; });
  return found == std::end(kModes) ? nullptr : found;
}

/// Calls fn(spellings, number) for each word of a mode until it says true.
template <typename Fn> bool anyWord(const Mode &mode, Fn fn) {
  SmallVector<StringRef> words;
  mode.words.split(words, ' ');
  unsigned number = 0;
  for (StringRef word : words) {
    auto [spellings, given] = word.split('=');
    if (!given.empty())
      (void)given.getAsInteger(10, number);
    SmallVector<StringRef> each;
    spellings.split(each, '|');
    if (fn(ArrayRef<StringRef>(each), number++))
      return true;
  }
  return false;
}

} // namespace

/// `<blayout=row_major, pad=0>` (TATTR-7): operations that are not modelled have it.
static Attribute parseConfig(AsmParser &parser, StringRef kind) {
  std::string text;
  auto field = [&]() -> ParseResult {
    StringRef key, word;
    int64_t number;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value() ? failed(*isNumber) : failed(parser.parseKeyword(&word)))
      return failure();
    text += (text.empty() ? "" : ", ") + key.str() + "=" + (isNumber.has_value() ? std::to_string(number) : word.str());
    return success();
  };
  if (parser.parseLess() || parser.parseCommaSeparatedList(field) || parser.parseGreater())
    return {};
  return ModeAttr::get(parser.getContext(), kind, text);
}

std::optional<Attribute> ModeAttr::parseMode(AsmParser &parser, StringRef kind) {
  if (kind == "tile_buf_config")
    return parseConfig(parser, kind);
  llvm::SMLoc loc = parser.getCurrentLocation();
  const auto notModelled = [&](const Twine &spelled) {
    emitCoded(parser.emitError(loc), "not-modelled") << "attribute `#pto." << spelled << "` is not modelled";
    return Attribute();
  };
  if (llvm::is_contained(kNotModelled, kind))
    return notModelled(kind);
  const Mode *mode = findMode(kind);
  if (!mode)
    return std::nullopt;
  std::string word, canonical, known;
  if (parseWord(parser, kind, {StringRef()}, word))
    return Attribute();
  if (mode->words.empty())
    return get(parser.getContext(), kind, word);
  anyWord(*mode, [&](ArrayRef<StringRef> spellings, unsigned) {
    known += (known.empty() ? "" : ", ") + spellings.front().str();
    if (llvm::any_of(spellings, [&](StringRef each) { return each.equals_insensitive(word); }))
      canonical = spellings.front().str();
    return word == spellings.front();
  });
  if (canonical.empty() && kind == "quant_pre_mode") // conversions that no accumulator makes
    return notModelled(kind + "<" + word + ">");
  if (canonical.empty()) {
    parser.emitError(loc) << "`#pto." << kind << "<" << word << ">`: the word must be one of " << known;
    return Attribute();
  }
  if (word != canonical)
    remarkLoose(parser, loc, "`" + Twine(word) + "` is taken as `" + canonical + "`");
  return get(parser.getContext(), kind, canonical);
}

unsigned ModeAttr::getNumber() const {
  unsigned result = 0;
  const Mode *mode = findMode(getKind());
  if (!mode)
    return result;
  anyWord(*mode, [&](ArrayRef<StringRef> spellings, unsigned number) {
    result = number;
    return spellings.front() == getValue();
  });
  return result;
}

//===----------------------------------------------------------------------===//
// What a push applies
//===----------------------------------------------------------------------===//

namespace {
/// A word of `#pto.acc_push_epilogue`, the first one being what counts without it.
struct EpilogueWord {
  StringLiteral key;
  SmallVector<StringRef, 15> words;
};
ArrayRef<EpilogueWord> epilogueWords() {
  static const EpilogueWord kWords[] = {
      {"layout", {"nz2nd", "nz2dn", "nz2nz"}},
      {"quant",
       {"no_convert", "f32_f16", "f32_bf16", "req8_scalar", "req8_vec", "deqf16_scalar", "deqf16_vec",
        "qf322b8_pre_scalar", "qf322b8_pre_vec", "qf322f16_pre_scalar", "qf322bf16_pre_scalar", "qs322bf16_pre_scalar",
        "qs322bf16_pre_vec", "qf322hif8_pre_scalar", "qf322fp8_pre_scalar"}},
      {"relu", {"no_relu", "normal_relu"}}};
  return kWords;
}
} // namespace

/// `<layout = WORD, quant = WORD, relu = WORD>`, each at most once.
Attribute AccPushEpilogueAttr::parse(AsmParser &parser, Type) {
  ArrayRef<EpilogueWord> known = epilogueWords();
  SmallVector<std::string> chosen(known.size());
  const bool bracket = succeeded(parser.parseOptionalLess()); // not in `#pto<acc_push_epilogue layout = nz2nd>`
  auto pair = [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    std::string key, word;
    if (parser.parseKeywordOrString(&key) || parser.parseEqual() || parser.parseKeywordOrString(&word))
      return failure();
    const auto *own = llvm::find_if(known, [&](const EpilogueWord &each) { return each.key == key; });
    if (own == known.end() || !chosen[size_t(own - known.begin())].empty())
      return parser.emitError(loc) << "`#pto.acc_push_epilogue` has `layout`, `quant` and `relu`, each once";
    if (!llvm::is_contained(own->words, word))
      return parser.emitError(loc) << "`" << key << "` of `#pto.acc_push_epilogue` is one of "
                                   << llvm::join(own->words, ", ") << ", not `" << word << "`";
    chosen[size_t(own - known.begin())] = word;
    return success();
  };
  if (parser.parseCommaSeparatedList(pair) || (bracket && parser.parseGreater()))
    return {};
  for (auto [word, own] : llvm::zip(chosen, known))
    if (word.empty())
      word = own.words.front().str();
  return get(parser.getContext(), chosen[0], chosen[1], chosen[2]);
}

void AccPushEpilogueAttr::print(AsmPrinter &printer) const {
  printer << "<layout = " << getLayout() << ", quant = " << getQuant() << ", relu = " << getRelu() << ">";
}
