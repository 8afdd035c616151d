//===- Changes.cpp - what a new version did to a kernel -------------------===//
//
// Both versions are brought to the lines of the new text. An edge keeps its meaning if
// instructions at its ends come or go: its beginning moves to the instruction before on the same
// pipe that both versions have, its end to the one after.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Audit/Changes.h"
#include "ptoscope/Audit/Alignment.h"
#include "ptoscope/Checkers/OrderEdges.h"
#include "ptoscope/Support/Compare.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

namespace ptoscope::audit {

namespace {

/// (core, pipe), as messages write it.
using PipeName = std::string;

/// An edge on the lines of the new text.
struct Key {
  PipeName from, to;
  uint32_t fromLine, toLine;
  std::vector<int64_t> turns;
  auto operator<=>(const Key &) const = default;
};

/// The edges of a recording, by their lines.
class Order {
public:
  Order(const Json &recording, std::function<uint32_t(uint32_t line)> toNew) : recording(recording) {
    bool cube = false, vector = false;
    for (const Json &end : recording["work"]) {
      cube |= end["core"] == "AIC";
      vector |= end["core"] == "AIV";
    }
    namesCores = cube && vector;
    for (const Json &end : recording["work"])
      if (const uint32_t line = lineOf(end["site"]), mapped = toNew(line); line)
        work[nameOf(end)].emplace(line, mapped);
    for (const Json &edge : recording["edges"]) {
      const PipeName from = nameOf(edge["from"]), to = nameOf(edge["to"]);
      const uint32_t begin = before(from, lineOf(edge["from"]["site"]));
      const uint32_t end = after(to, lineOf(edge["to"]["site"]));
      if (begin && end)
        keys.try_emplace({from, to, begin, end, edge["turns"].get<std::vector<int64_t>>()}, &edge);
    }
  }

  std::map<Key, const Json *> keys;

  uint32_t lineOf(const Json &site) const {
    return site.is_number() ? recording["sites"][site.get<size_t>()]["line"].get<uint32_t>() : 0;
  }
  std::string opOf(const Json &site) const { return recording["sites"][site.get<size_t>()]["op"]; }
  /// "flag 0, waited for in line 39", "barrier in line 40".
  std::string meansOf(const Json &edge) const {
    std::string text = edge["means"];
    if (edge["id"].is_number())
      text += " " + edge["id"].dump();
    if (const uint32_t line = lineOf(edge["waited"]))
      text +=
          (edge["means"] == "barrier" || edge["means"] == "all-core barrier" ? " in line " : ", waited for in line ") +
          std::to_string(line);
    return text;
  }

private:
  PipeName nameOf(const Json &end) const {
    const std::string pipe = end["pipe"];
    return namesCores ? end["core"].get<std::string>() + "." + pipe : pipe;
  }
  const std::map<uint32_t, uint32_t> &linesOf(const PipeName &pipe) const {
    static const std::map<uint32_t, uint32_t> kNone;
    const auto found = work.find(pipe);
    return found == work.end() ? kNone : found->second;
  }
  /// The new line of the last instruction of the pipe, not after `line`, that both versions have.
  uint32_t before(const PipeName &pipe, uint32_t line) const {
    const std::map<uint32_t, uint32_t> &lines = linesOf(pipe);
    for (auto it = lines.upper_bound(line); it != lines.begin();)
      if ((--it)->second)
        return it->second;
    return 0;
  }
  uint32_t after(const PipeName &pipe, uint32_t line) const {
    const std::map<uint32_t, uint32_t> &lines = linesOf(pipe);
    for (auto it = lines.lower_bound(line); it != lines.end(); ++it)
      if (it->second)
        return it->second;
    return 0;
  }

  const Json &recording;
  bool namesCores = false;
  std::map<PipeName, std::map<uint32_t, uint32_t>> work; ///< lines with work, to lines of the new text
};

std::string lineText(uint32_t after, uint32_t before) {
  if (!after)
    return "line " + std::to_string(before) + " of the old version";
  return "line " + std::to_string(after) + (before && before != after ? " (was " + std::to_string(before) + ")" : "");
}

class Comparer {
public:
  Comparer(const Version &before, const Version &after)
      : before(before), after(after), lines(before.text, after.text) {}

  Json run() {
    compareOutcomes();
    compareEdges();
    compareFindings();
    compareResults();
    return std::move(changes);
  }

private:
  void add(const char *kind, std::string message, uint32_t newLine, uint32_t oldLine, Json more = Json::object()) {
    Json change = {{"kind", kind},
                   {"message", std::move(message)},
                   {"line", newLine ? Json(newLine) : Json(nullptr)},
                   {"oldLine", oldLine ? Json(oldLine) : Json(nullptr)}};
    change.update(more);
    changes.push_back(std::move(change));
  }

  void compareOutcomes() {
    if (before.row["outcome"] != after.row["outcome"])
      add("outcome",
          "the outcome is " + after.row["outcome"].get<std::string>() + ", was " +
              before.row["outcome"].get<std::string>(),
          0, 0);
  }

  static bool hasOrder(const Json &row) {
    return row["edges"].is_object() && row["edges"]["completed"] == true && row["edges"]["edgesComplete"] == true;
  }

  void compareEdges() {
    if (!hasOrder(before.row) || !hasOrder(after.row))
      return;
    const Order was(before.row["edges"], [&](uint32_t line) { return lines.inAfter(line); });
    const Order is(after.row["edges"], [&](uint32_t line) { return lines.inBefore(line) ? line : 0; });
    std::vector<std::pair<Key, const Json *>> lost, gained;
    for (const auto &[key, edge] : was.keys)
      if (!is.keys.contains(key))
        lost.emplace_back(key, edge);
    for (const auto &[key, edge] : is.keys)
      if (!was.keys.contains(key))
        gained.emplace_back(key, edge);
    for (const auto &[key, edge] : lost) {
      // The same instruction may still wait for that pipe, earlier or later.
      auto instead = std::ranges::find_if(gained, [&](const auto &other) {
        return other.second && other.first.from == key.from && other.first.to == key.to &&
               other.first.toLine == key.toLine;
      });
      if (instead == gained.end()) {
        tellEdge("lost-edge", "lost order ", key, was, *edge, " no longer waits for ", "; it did by ");
        continue;
      }
      const bool weaker =
          key.turns == instead->first.turns ? instead->first.fromLine < key.fromLine : instead->first.turns > key.turns;
      const uint32_t oldTo = was.lineOf((*edge)["to"]["site"]);
      add(weaker ? "weaker-edge" : "stronger-edge",
          std::string(weaker ? "weaker" : "stronger") + " order " + key.from + "→" + key.to + ": `" +
              is.opOf((*instead->second)["to"]["site"]) + "` in " + lineText(key.toLine, oldTo) + " waits for " +
              lineText(instead->first.fromLine, lines.inBefore(instead->first.fromLine)) +
              turnText(instead->first.turns) + " by " + is.meansOf(*instead->second) + "; it waited for " +
              lineText(key.fromLine, lines.inBefore(key.fromLine)) + turnText(key.turns) + " by " + was.meansOf(*edge) +
              " of the old version",
          key.toLine, oldTo, {{"from", key.from}, {"to", key.to}});
      instead->second = nullptr;
    }
    for (const auto &[key, edge] : gained)
      if (edge)
        tellEdge("new-edge", "new order ", key, is, *edge, " waits for ", " by ");
  }

  static std::string turnText(const std::vector<int64_t> &turns) {
    for (int64_t turn : turns)
      if (turn)
        return turn == 1                      ? " of the iteration before"
               : turn >= OrderEdge::kMaxTurns ? " of an earlier iteration"
                                              : " of " + std::to_string(turn) + " iterations before";
    return "";
  }

  void tellEdge(const char *kind, const char *what, const Key &key, const Order &order, const Json &edge,
                const char *verb, const char *by) {
    const bool isOld = kind == std::string_view("lost-edge");
    const uint32_t newTo = key.toLine, oldTo = isOld ? order.lineOf(edge["to"]["site"]) : lines.inBefore(key.toLine);
    const uint32_t newFrom = key.fromLine,
                   oldFrom = isOld ? order.lineOf(edge["from"]["site"]) : lines.inBefore(key.fromLine);
    add(kind,
        what + key.from + "→" + key.to + ": `" + order.opOf(edge["to"]["site"]) + "` in " + lineText(newTo, oldTo) +
            verb + "`" + order.opOf(edge["from"]["site"]) + "` in " + lineText(newFrom, oldFrom) + turnText(key.turns) +
            by + order.meansOf(edge) + (isOld ? " of the old version" : ""),
        newTo, oldTo, {{"from", key.from}, {"to", key.to}});
  }

  void compareFindings() {
    using Where = std::pair<std::string, uint32_t>;
    const auto lineOf = [](const Json &finding) {
      return finding["place"].is_object() ? finding["place"]["line"].get<uint32_t>() : 0;
    };
    std::multimap<Where, const Json *> was;
    for (const Json &finding : before.row["findings"]) {
      const uint32_t line = lineOf(finding);
      was.emplace(Where{finding["code"], lines.inAfter(line)}, &finding);
    }
    for (const Json &finding : after.row["findings"]) {
      const uint32_t line = lineOf(finding);
      if (auto known = was.find({finding["code"], lines.inBefore(line) ? line : 0}); known != was.end()) {
        was.erase(known);
        continue;
      }
      add("new-finding",
          "new " + finding["severity"].get<std::string>() + "[" + finding["code"].get<std::string>() + "]" +
              (line ? " in " + lineText(line, lines.inBefore(line)) : "") + ": " +
              finding["message"].get<std::string>(),
          line, lines.inBefore(line), {{"code", finding["code"]}});
    }
    for (const auto &[where, finding] : was) {
      const uint32_t line = lineOf(*finding);
      add("gone-finding",
          "gone " + (*finding)["severity"].get<std::string>() + "[" + where.first + "]" +
              (line ? " in " + lineText(where.second, line) : ""),
          where.second, line, {{"code", where.first}});
    }
  }

  static std::vector<uint8_t> bytesOf(const Json &result) {
    std::ifstream in(result["file"].get<std::string>(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void compareResults() {
    if (before.row["arguments"] != after.row["arguments"]) {
      if (!before.row["results"].empty() && !after.row["results"].empty())
        add("arguments", "the parameters changed; results are not compared", 0, 0);
      return;
    }
    const Json &was = before.row["results"], &is = after.row["results"];
    for (size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
      const std::vector<uint8_t> old = bytesOf(was[i]), now = bytesOf(is[i]);
      const ElementType type = parseElementType(is[i]["element"].get<std::string>()).value_or(ElementType::U8);
      const Comparison comparison = compareBytes(type, infoOf(type).bytes, {}, now, old);
      if (comparison.equal())
        continue;
      std::string message = "results changed: " + is[i]["name"].get<std::string>();
      if (comparison.gotBytes != comparison.expectedBytes)
        message +=
            " has " + std::to_string(comparison.gotBytes) + " bytes, had " + std::to_string(comparison.expectedBytes);
      else if (comparison.first)
        message += " differs in " + std::to_string(comparison.differing) + " of " +
                   std::to_string(comparison.elements) + " elements, first element " +
                   std::to_string(comparison.first->flatIndex) + ": " + comparison.first->got + " (" +
                   comparison.first->gotBits + "), was " + comparison.first->expected + " (" +
                   comparison.first->expectedBits + ")";
      add("results", message, 0, 0, {{"parameter", is[i]["parameter"]}});
    }
  }

  const Version &before, &after;
  const Alignment lines;
  Json changes = Json::array();
};

} // namespace

Json changesOf(const Version &before, const Version &after) { return Comparer(before, after).run(); }

} // namespace ptoscope::audit
