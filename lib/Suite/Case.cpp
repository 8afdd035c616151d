//===- Case.cpp - read the cases of a suite -------------------------------===//

#include "ptoscope/Suite/Case.h"
#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Support/Text.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

namespace fs = std::filesystem;

namespace ptoscope::suite {
namespace {

constexpr llvm::StringLiteral kMark = "ptoscope-test:";

/// What is read, before words mean something.
struct Draft {
  Case made;
  std::vector<std::string> schedules = {"eager", "lazy", "random"};
  std::vector<int64_t> seeds = {1, 2, 3};
};

using Refusal = std::optional<std::string>;

/// As few digits as tell it from every other number.
std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

Refusal takeStrings(const toml::node &node, std::vector<std::string> &target) {
  target.clear();
  if (auto one = node.value_exact<std::string>())
    return target.push_back(*one), std::nullopt;
  const toml::array *list = node.as_array();
  if (!list)
    return "is neither a text nor a list of texts";
  for (const toml::node &item : *list) {
    if (auto text = item.value_exact<std::string>())
      target.push_back(*text);
    else if (auto number = item.value_exact<int64_t>())
      target.push_back(std::to_string(*number));
    else if (auto real = item.value_exact<double>())
      target.push_back(shortest(*real));
    else
      return "has an item that is neither a text nor a number";
  }
  return std::nullopt;
}

Refusal takeIntegers(const toml::node &node, std::vector<int64_t> &target, int64_t lowest) {
  target.clear();
  auto take = [&](const toml::node &item) {
    std::optional<int64_t> number = item.value_exact<int64_t>();
    if (number)
      target.push_back(*number);
    return number && *number >= lowest && *number <= INT32_MAX;
  };
  bool good = true;
  if (const toml::array *list = node.as_array())
    for (const toml::node &item : *list)
      good &= take(item);
  else
    good = take(node);
  if (!good || target.empty())
    return "is not a whole number of at least " + std::to_string(lowest) + ", nor a list of them";
  return std::nullopt;
}

Refusal takeText(const toml::node &node, std::string &target) {
  std::optional<std::string> text = node.value_exact<std::string>();
  if (!text || text->empty())
    return "is not a text";
  target = *text;
  return std::nullopt;
}

Refusal takeReal(const toml::node &node, double &target) {
  std::optional<double> real = node.is_number() ? node.value<double>() : std::nullopt;
  if (!real || !(*real >= 0))
    return "is not a number of at least 0";
  target = *real;
  return std::nullopt;
}

Refusal takeBool(const toml::node &node, bool &target) {
  std::optional<bool> value = node.value_exact<bool>();
  if (!value)
    return "is neither true nor false";
  target = *value;
  return std::nullopt;
}

Tolerance &toleranceOf(Draft &draft) {
  if (!draft.made.request.tolerance)
    draft.made.request.tolerance.emplace();
  return *draft.made.request.tolerance;
}

struct Key {
  llvm::StringLiteral name;
  Refusal (*take)(const toml::node &node, Draft &draft);
};

constexpr Key kKeys[] = {
    {"name", [](const toml::node &node, Draft &d) { return takeText(node, d.made.name); }},
    {"file", [](const toml::node &node, Draft &d) { return takeText(node, d.made.file); }},
    {"kernel", [](const toml::node &node, Draft &d) { return takeText(node, d.made.request.compile.kernel); }},
    {"args", [](const toml::node &node, Draft &d) { return takeStrings(node, d.made.request.arguments); }},
    {"expect",
     [](const toml::node &node, Draft &d) -> Refusal {
       if (Refusal refusal = takeStrings(node, d.made.request.expectations))
         return refusal;
       for (const std::string &word : d.made.request.expectations)
         if (const size_t equals = word.find('=');
             equals == 0 || equals == std::string::npos || equals + 1 == word.size())
           return "has `" + word + "`, which is not of the form I=FILE or I=GENERATOR";
       return std::nullopt;
     }},
    {"atol", [](const toml::node &node, Draft &d) { return takeReal(node, toleranceOf(d).atol); }},
    {"rtol", [](const toml::node &node, Draft &d) { return takeReal(node, toleranceOf(d).rtol); }},
    {"blocks", [](const toml::node &node, Draft &d) { return takeIntegers(node, d.made.blocks, 1); }},
    {"schedules",
     [](const toml::node &node, Draft &d) -> Refusal {
       if (Refusal refusal = takeStrings(node, d.schedules))
         return refusal;
       std::vector<Schedule> unused; // the seeds may be further down
       for (const std::string &word : d.schedules)
         if (Refusal refusal = addSchedules(word, {}, unused))
           return "is refused: " + *refusal;
       return std::nullopt;
     }},
    {"seeds", [](const toml::node &node, Draft &d) { return takeIntegers(node, d.seeds, 0); }},
    {"checks",
     [](const toml::node &node, Draft &d) -> Refusal {
       std::vector<std::string> names;
       if (Refusal refusal = takeStrings(node, names))
         return refusal;
       std::string word;
       for (const std::string &name : names)
         word += (word.empty() ? "" : ",") + name;
       if (Refusal refusal = parseChecks(word, d.made.request.launch.checks))
         return "is refused: " + *refusal;
       return std::nullopt;
     }},
    {"finds",
     [](const toml::node &node, Draft &d) -> Refusal {
       if (Refusal refusal = takeStrings(node, d.made.finds))
         return refusal;
       for (const std::string &code : d.made.finds)
         if (!findCode(code)) {
           const std::string nearest(nearestCode(code));
           return "has `" + code + "`, which is not a code; " +
                  (nearest.empty() ? "`ptoscope explain` lists them" : "the nearest is `" + nearest + "`");
         }
       return std::nullopt;
     }},
    {"device",
     [](const toml::node &node, Draft &d) -> Refusal {
       if (Refusal refusal = takeText(node, d.made.request.frontend.arch))
         return refusal;
       return findProfile(d.made.request.frontend.arch) ? std::nullopt : Refusal("is not a target; use a5, a3 or a2");
     }},
    {"timeout", [](const toml::node &node, Draft &d) { return takeReal(node, d.made.timeout); }},
    {"as_written", [](const toml::node &node, Draft &d) { return takeBool(node, d.made.request.compile.asWritten); }},
    {"strict", [](const toml::node &node, Draft &d) { return takeBool(node, d.made.request.frontend.strict); }},
};

/// Files are relative to the folder of the text that names them.
std::string resolved(const fs::path &folder, const std::string &word) {
  if (word.empty() || word == "auto" || isGeneratorWord(word) || parseInteger(word))
    return word;
  double number;
  if (!llvm::StringRef(word).getAsDouble(number, /*AllowInexact=*/true))
    return word;
  return fs::path(word).is_absolute() ? word : (folder / word).lexically_normal().string();
}

class Reader {
public:
  /// `program`: what cases are of that name no file.
  Reader(std::string path, std::string program) : path(std::move(path)), program(std::move(program)) {}

  Result<std::vector<Case>> read(const std::string &text) {
    toml::parse_result parsed = toml::parse(std::string_view(text), path);
    if (!parsed)
      return refuse(parsed.error().source().begin, "invalid TOML: " + std::string(parsed.error().description()));
    const toml::table table = std::move(parsed).table();
    Draft defaults;
    if (std::optional<Finding> refusal = takeAll(table, defaults, /*isOuter=*/true))
      return std::move(*refusal);
    const toml::node *list = table.get("case");
    if (!list) {
      if (std::optional<Finding> refusal = finish(std::move(defaults), table.source().begin.line))
        return std::move(*refusal);
      return std::move(cases);
    }
    if (!list->is_array_of_tables())
      return refuse(list->source().begin, "`case` is not a list of tables; write `[[case]]`");
    for (const toml::node &item : *list->as_array()) {
      Draft draft = defaults;
      if (std::optional<Finding> refusal = takeAll(*item.as_table(), draft, /*isOuter=*/false))
        return std::move(*refusal);
      if (std::optional<Finding> refusal = finish(std::move(draft), item.source().begin.line))
        return std::move(*refusal);
    }
    return std::move(cases);
  }

private:
  Finding refuse(toml::source_position at, std::string message, std::string help = "") const {
    Finding finding = makeFinding("file-error", {path, at.line, at.column}, std::move(message));
    finding.help = std::move(help);
    return finding;
  }

  std::optional<Finding> takeAll(const toml::table &table, Draft &draft, bool isOuter) const {
    for (const auto &[name, node] : table) {
      if (isOuter && name == "case")
        continue;
      auto key = std::ranges::find_if(kKeys, [&](const Key &k) { return k.name == llvm::StringRef(name.str()); });
      if (key == std::end(kKeys)) {
        std::vector<std::string_view> keys;
        std::string all;
        for (const Key &k : kKeys) {
          keys.push_back(k.name);
          all += (all.empty() ? "" : ", ") + k.name.str();
        }
        const std::string nearest(nearestOf(name.str(), keys));
        return refuse(name.source().begin, "`" + std::string(name.str()) + "` is not a key of a case",
                      nearest.empty() ? "the keys are " + all : "the nearest is `" + nearest + "`");
      }
      if (Refusal refusal = key->take(node, draft))
        return refuse(node.source().begin, "`" + key->name.str() + "` " + *refusal);
    }
    return std::nullopt;
  }

  std::optional<Finding> finish(Draft draft, uint32_t line) {
    Case &made = draft.made;
    made.place = {path, line, 1};
    const fs::path folder = fs::path(path).parent_path();
    auto at = toml::source_position{line, 1};
    if (made.file.empty())
      made.file = program;
    else
      made.file = (folder / made.file).lexically_normal().string();
    if (made.file.empty())
      return refuse(at, "this case has no `file`", "name its program: file = \"kernel.pto\"");
    if (std::error_code ignored; !fs::is_regular_file(made.file, ignored))
      return refuse(at, "there is no program `" + made.file + "`");
    for (std::string &word : made.request.arguments)
      word = resolved(folder, word);
    for (std::string &word : made.request.expectations)
      if (size_t equals = word.find('='); equals != std::string::npos)
        word = word.substr(0, equals + 1) + resolved(folder, word.substr(equals + 1));
    for (const std::string &word : draft.schedules)
      (void)addSchedules(word, draft.seeds, made.schedules); // which its key refuses otherwise
    if (made.schedules.empty())
      return refuse(at, "this case has no schedule");
    if (made.name.empty())
      made.name =
          made.request.compile.kernel.empty() ? fs::path(made.file).stem().string() : made.request.compile.kernel;
    // Names tell cases of one program apart.
    const std::string wanted = made.name;
    for (int number = 2; std::ranges::any_of(
             cases, [&](const Case &other) { return other.file == made.file && other.name == made.name; });
         ++number)
      made.name = wanted + "-" + std::to_string(number);
    made.request.launch.print = [](std::string_view) {};
    cases.push_back(std::move(made));
    return std::nullopt;
  }

  std::string path, program;
  std::vector<Case> cases;
};

Result<std::string> textOf(const std::string &path) {
  Result<Array> file = readRaw(path);
  if (!file)
    return file.takeFinding();
  return std::string(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size());
}

/// The TOML of comment lines, each in its place.
std::string commentsOf(const std::string &text) {
  std::string toml;
  bool any = false;
  for (llvm::StringRef rest = text; !rest.empty();) {
    auto [line, more] = rest.split('\n');
    const llvm::StringRef comment = line.ltrim();
    if (comment.starts_with("//") && comment.drop_front(2).ltrim().starts_with(kMark)) {
      const size_t begin = line.find(kMark) + kMark.size();
      toml += std::string(begin, ' ') + line.substr(begin).rtrim('\r').str();
      any = true;
    }
    toml += '\n';
    rest = more;
  }
  return any ? toml : "";
}

/// Files of others end like this, too. One with cases whose program has gone is not theirs.
bool isSuiteFile(const fs::path &path) {
  std::error_code ignored;
  if (path.filename() == "suite.toml" || path.extension() != ".toml")
    return path.filename() == "suite.toml";
  if (fs::is_regular_file(fs::path(path).replace_extension(".pto"), ignored))
    return true;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const llvm::StringRef key = llvm::StringRef(line).split('=').first.trim();
    if (key == "args" || key == "expect" || key == "[[case]]")
      return true;
  }
  return false;
}

Result<std::vector<Case>> readOne(const std::string &path) {
  Result<std::string> text = textOf(path);
  if (!text)
    return text.takeFinding();
  if (path.ends_with(".toml"))
    return Reader(path,
                  fs::path(path).filename() == "suite.toml" ? "" : fs::path(path).replace_extension(".pto").string())
        .read(*text);
  const std::string comments = commentsOf(*text);
  if (comments.empty())
    return std::vector<Case>();
  return Reader(path, path).read(comments);
}

} // namespace

std::vector<Variant> variantsOf(const Case &one) {
  std::vector<Variant> variants;
  for (int64_t blocks : one.blocks)
    for (const Schedule &schedule : one.schedules)
      variants.push_back({&one, blocks, schedule});
  return variants;
}

Result<std::vector<Case>> readCases(std::span<const std::string> paths) {
  std::vector<Case> all;
  std::set<std::string> seen;
  for (const std::string &path : paths) {
    std::set<std::string> files;
    std::error_code error;
    const bool isFolder = fs::is_directory(path, error);
    if (isFolder) {
      for (auto it = fs::recursive_directory_iterator(path, error); !error && it != fs::recursive_directory_iterator();
           it.increment(error))
        if (it->is_regular_file(error) && (it->path().extension() == ".pto" || isSuiteFile(it->path())))
          files.insert(it->path().lexically_normal().string());
      if (error)
        return makeFinding("file-error", {path, 0, 0}, "this folder cannot be read: " + error.message());
    } else {
      files.insert(path);
      // Cases of a program may stand beside it.
      if (path.ends_with(".pto") && fs::is_regular_file(fs::path(path).replace_extension(".toml"), error))
        files.insert(fs::path(path).replace_extension(".toml").string());
    }
    const size_t before = all.size();
    bool repeats = false;
    for (const std::string &file : files) {
      if (!seen.insert(fs::weakly_canonical(file, error).string()).second) {
        repeats = true;
        continue;
      }
      Result<std::vector<Case>> cases = readOne(file);
      if (!cases)
        return cases.takeFinding();
      for (Case &one : *cases)
        all.push_back(std::move(one));
    }
    if (all.size() == before && !repeats) {
      Finding finding = makeFinding("file-error", {path, 0, 0}, "there is no case here");
      finding.help = "write one into a program: // ptoscope-test: args = [\"random:f32:1024:1\", \"zeros:f32:1024\"]";
      return finding;
    }
  }
  return all;
}

} // namespace ptoscope::suite
