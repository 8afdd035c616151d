//===- ProgramNames.cpp - statements and values of a program's text -------===//

#include "ptoscope/Compiler/ProgramNames.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ptoscope {

TextRange ProgramNames::statementAt(size_t at) const {
  TextRange found{0, 0};
  for (const TextRange &statement : statements)
    if (statement.begin <= at && at < statement.end && statement.begin >= found.begin)
      found = statement;
  return found;
}

size_t ProgramNames::regionAt(size_t at) const {
  size_t found = 0;
  for (size_t i = 1; i < regions.size() && regions[i].range.begin <= at; ++i)
    if (at <= regions[i].range.end)
      found = i;
  return found;
}

bool ProgramNames::leavesScope(const EarlyUse &use, const std::string &code) const {
  constexpr std::string_view kScope = "pto.vecscope";
  return std::ranges::any_of(statements, [&](const TextRange &statement) {
    return statement.begin <= use.defined && use.defined < statement.end && statement.end <= use.at &&
           code.compare(statement.begin, kScope.size(), kScope) == 0;
  });
}

namespace {

/// Operations that may be written without their dialect.
constexpr std::string_view kBareOps[] = {"return", "call", "call_indirect", "constant", "module"};
/// Operations whose regions see no value from outside, and whose values have names of their own.
constexpr std::string_view kIsolated[] = {"func.func", "module", "builtin.module", "llvm.func"};

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool isWord(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$'; }
bool isName(char c) { return isWord(c) || c == '-'; }

class Scanner {
public:
  Scanner(const std::string &code, LostValues &lost) : code(code), lost(lost) {
    frames.push_back({});
    frames.back().isolated = true;
    names.regions.push_back({{0, code.size()}, npos, npos, false, true});
  }

  ProgramNames run() {
    for (size_t i = 0; i < code.size();)
      i = step(i);
    while (!frames.empty())
      closeFrame(code.size());
    std::ranges::sort(names.early, {}, &EarlyUse::at);
    for (EarlyUse &use : names.early) {
      use.statement = names.statements[use.statement.begin]; // which by now has its end
      auto first = firstDefined.find({use.function, use.name});
      use.defined = first == firstDefined.end() ? std::string::npos : first->second;
    }
    return std::move(names);
  }

private:
  static constexpr size_t npos = std::string::npos;
  struct Name {
    std::string_view text; ///< in `code`
    size_t at;
  };
  struct Statement {
    size_t begin;
    size_t number; ///< in names.statements
    std::string_view op;
    std::vector<Name> results;
    bool orphan = false;
  };
  /// A use that a later block of a region around it may define.
  struct Pending {
    size_t at, statement;
    unsigned block;
    size_t value; ///< in names.values
  };
  /// A region, or the braces of a dictionary.
  struct Frame {
    bool dictionary = false, isolated = false;
    size_t region = 0;       ///< in names.regions
    size_t function = 0;     ///< where the isolated operation around it begins
    unsigned brackets = 0;   ///< round and square ones that are open
    unsigned parameters = 0; ///< value of `brackets` inside a list of parameters; 0 = not in one
    bool ofBlock = false;    ///< it is the list of a block
    unsigned block = 0;
    std::optional<Statement> statement;
    std::unordered_map<std::string_view, size_t> defined; ///< in names.values
    std::vector<Name> arguments;                          ///< of the region that opens next
    std::unordered_map<std::string_view, std::vector<Pending>> pending;
  };

  char at(size_t i) const { return i < code.size() ? code[i] : ' '; }
  std::string_view view(size_t begin, size_t end) const { return {code.data() + begin, end - begin}; }
  size_t skipSpace(size_t i) const {
    while (i < code.size() && isSpace(code[i]))
      ++i;
    return i;
  }
  template <typename Is> size_t skip(size_t i, Is is) const {
    while (i < code.size() && is(code[i]))
      ++i;
    return i;
  }

  //===--- tokens -----------------------------------------------------------===//

  /// Takes the token at `i` and says where the next one may begin.
  size_t step(size_t i) {
    char c = code[i];
    position = i;
    if (c == '\n')
      lineStart = true;
    if (isSpace(c))
      return i + 1;
    size_t next = i + 1;
    bool first = std::exchange(lineStart, false);
    Frame &frame = frames.back();
    if (c == '%' && isName(at(i + 1)))
      next = value(i, first);
    else if (c == '^')
      next = label(i, first);
    else if (c == '@') {
      next = skip(i + 1, isName);
      if (at(next) == '"')
        next = skip(next, [](char d) { return d == '"'; });
      if (at(next) == '(' && frame.brackets == 0)
        frame.parameters = 1, frame.ofBlock = false;
    } else if (c == '!' || c == '#')
      next = skip(i + 1, isName);
    else if (c == '"') {
      next = skip(i, [](char d) { return d == '"'; });
      if (at(next) == '(' && opensStatement(first))
        operation(i, "");
    } else if (isalpha(static_cast<unsigned char>(c)) || c == '_')
      next = word(i, first);
    else if (isdigit(static_cast<unsigned char>(c)))
      next = skip(i, isWord);
    else if (c == '(' || c == '[')
      ++frame.brackets;
    else if (c == ')' || c == ']') {
      if (frame.brackets && frame.brackets-- == frame.parameters)
        frame.parameters = 0;
    } else if (c == '{')
      openFrame(i);
    else if (c == '}' && frames.size() > 1)
      closeFrame(i);
    previous = code[next - 1];
    return next;
  }

  /// May a statement begin here? At the start of a line brackets that someone
  /// forgot to close do not count.
  bool opensStatement(bool first) {
    Frame &frame = frames.back();
    if (frame.dictionary || (frame.brackets && !first))
      return false;
    frame.brackets = frame.parameters = 0;
    return true;
  }

  size_t word(size_t i, bool first) {
    size_t end = skip(i, isWord);
    std::string_view text(code.data() + i, end - i);
    char after = at(skipSpace(end));
    bool name = text.find('.') != text.npos ? after != '=' && after != ','
                                            : std::ranges::find(kBareOps, text) != std::end(kBareOps);
    if (name && opensStatement(first))
      operation(i, text);
    lastWord = text;
    return end;
  }

  /// The end of `%a, %b:2 =` if an operation follows; 0 if this is no list of results.
  size_t endOfResults(size_t i) const {
    while (at(i) == '%') {
      i = skip(i + 1, isName);
      if (at(i) == ':' && isdigit(static_cast<unsigned char>(at(i + 1))))
        i = skip(i + 1, isWord);
      i = skipSpace(i);
      if (at(i) == '=') {
        size_t op = skipSpace(i + 1);
        return at(op) == '"' || isalpha(static_cast<unsigned char>(at(op))) ? i + 1 : 0;
      }
      if (at(i) != ',')
        return 0;
      i = skipSpace(i + 1);
    }
    return 0;
  }

  size_t value(size_t i, bool first) {
    if (size_t results = endOfResults(i); results && opensStatement(first)) {
      begin(i);
      for (size_t k = i; k < results;) {
        size_t end = skip(k + 1, isName);
        frames.back().statement->results.push_back({view(k, end), k});
        k = std::min(code.find('%', end), results);
      }
      return results;
    }
    size_t end = skip(i + 1, isName);
    const std::string_view name = view(i, end);
    Frame &frame = frames.back();
    size_t after = skipSpace(end);
    if (at(after) == '=' && at(after + 1) != '=')
      frame.arguments.push_back({name, i});
    else if (at(after) == ':' && frame.parameters && frame.brackets == frame.parameters && frame.ofBlock)
      define(name, i, npos);
    else if (at(after) == ':' && frame.parameters && frame.brackets == frame.parameters)
      frame.arguments.push_back({name, i});
    else
      use(i, name);
    return end;
  }

  size_t label(size_t i, bool first) {
    size_t end = skip(i + 1, isName);
    size_t around = frames.size() - 1;
    while (around && frames[around].dictionary)
      --around;
    names.labels.push_back({{i, end}, frames[around].region, false});
    if ((first || previous == '{') && previous != ',' && opensStatement(first)) {
      names.labels.back().definition = true;
      finishStatement(i);
      Frame &frame = frames.back();
      ++frame.block;
      if (at(end) == '(')
        frame.parameters = 1, frame.ofBlock = true;
    }
    return end;
  }

  //===--- statements -------------------------------------------------------===//

  void begin(size_t i) {
    finishStatement(i);
    frames.back().statement = Statement{i, names.statements.size(), {}, {}};
    names.statements.push_back({i, code.size()});
  }

  void operation(size_t i, std::string_view op) {
    // Behind `%r =` the statement has begun already.
    if (!frames.back().statement || previous != '=')
      begin(i);
    frames.back().statement->op = op;
  }

  void finishStatement(size_t end) {
    Frame &frame = frames.back();
    if (!frame.statement)
      return;
    Statement statement = std::move(*frame.statement);
    frame.statement.reset();
    frame.arguments.clear();
    names.statements[statement.number].end = end;
    for (Name &result : statement.results)
      if (statement.orphan)
        lost.emplace(frame.function, result.text);
      else
        define(result.text, result.at, statement.number);
    if (statement.orphan)
      names.orphans.push_back(names.statements[statement.number]);
  }

  //===--- values -----------------------------------------------------------===//

  /// `statement`: whose result it is; npos for an argument of a block.
  void define(std::string_view name, size_t at, size_t statement) {
    Frame &frame = frames.back();
    const size_t value = frame.defined.try_emplace(name, names.values.size()).first->second;
    names.values.push_back({{at, at + name.size()}, frame.region, statement, value, statement == npos});
    firstDefined.try_emplace({frame.function, name}, position);
    auto waiting = frame.pending.find(name);
    if (waiting == frame.pending.end())
      return;
    for (const Pending &use : waiting->second)
      if (use.block == frame.block)
        refuse(name, use, frame.function);
      else
        names.values[use.value].definition = value;
    frame.pending.erase(waiting);
  }

  void refuse(std::string_view name, const Pending &use, size_t function) {
    names.early.push_back({use.at, std::string(name), {use.statement, 0}, function, std::string::npos});
  }

  void use(size_t i, std::string_view name) {
    // The braces of a dictionary are part of a statement of the frame around them.
    Frame *frame = &frames.back();
    while (frame->dictionary && frame != &frames.front())
      --frame;
    names.values.push_back(
        {{i, i + name.size()}, frame->region, frame->statement ? frame->statement->number : npos, npos, false});
    for (size_t k = frames.size(); k-- > 0;) {
      if (auto known = frames[k].defined.find(name); known != frames[k].defined.end()) {
        names.values.back().definition = known->second;
        return;
      }
      if (frames[k].isolated)
        break;
    }
    if (!frame->statement)
      return; // no program: the parser says so
    if (lost.contains({frame->function, std::string(name)}))
      frame->statement->orphan = true;
    else
      frame->pending[name].push_back({i, frame->statement->number, frame->block, names.values.size() - 1});
  }

  //===--- regions ----------------------------------------------------------===//

  bool opensDictionary(size_t i) const {
    const Frame &frame = frames.back();
    if (frame.dictionary || lastWord == "attributes" || previous == '<')
      return true;
    if (frame.brackets)
      return previous != '(' && previous != ',';
    size_t word = skipSpace(i + 1), end = skip(word, at(word) == '"' ? +[](char c) { return c == '"'; } : isWord);
    char after = at(skipSpace(end));
    return end > word && (after == '=' || after == ',');
  }

  void openFrame(size_t i) {
    Frame inner;
    inner.dictionary = opensDictionary(i);
    Frame &outer = frames.back();
    inner.function = outer.function;
    inner.region = names.regions.size();
    const size_t statement = outer.statement ? outer.statement->number : npos;
    lastWord = {};
    if (!inner.dictionary && outer.statement) {
      inner.isolated = std::ranges::find(kIsolated, outer.statement->op) != std::end(kIsolated);
      if (inner.isolated)
        inner.function = outer.statement->begin;
      for (const Name &argument : outer.arguments) {
        const size_t value = inner.defined.try_emplace(argument.text, names.values.size()).first->second;
        names.values.push_back(
            {{argument.at, argument.at + argument.text.size()}, inner.region, statement, value, true});
      }
      outer.arguments.clear();
    }
    names.regions.push_back(
        {{i + 1, code.size()}, outer.region, statement, inner.dictionary, inner.isolated, inner.function});
    frames.push_back(std::move(inner));
  }

  void closeFrame(size_t i) {
    finishStatement(i);
    Frame inner = std::move(frames.back());
    frames.pop_back();
    names.regions[inner.region].range.end = i;
    for (auto &[name, uses] : inner.pending)
      for (Pending &use : uses) {
        if (inner.isolated || frames.empty()) {
          refuse(name, use, inner.function);
          continue;
        }
        use.block = frames.back().block;
        frames.back().pending[name].push_back(use);
      }
  }

  const std::string &code;
  LostValues &lost;
  ProgramNames names;
  std::vector<Frame> frames;
  std::map<std::pair<size_t, std::string_view>, size_t> firstDefined;
  size_t position = 0; ///< of the token in work
  bool lineStart = true;
  char previous = '{'; ///< last character of the token before
  std::string_view lastWord;
};

} // namespace

ProgramNames namesOf(const std::string &code, LostValues &lost) { return Scanner(code, lost).run(); }

} // namespace ptoscope
