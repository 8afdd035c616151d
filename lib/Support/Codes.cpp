//===- Codes.cpp - looking up the table of codes --------------------------===//
//
// Joins the families of CodeTables.h into one sorted table.
//
//===----------------------------------------------------------------------===//

#include "CodeTables.h"

#include <algorithm>
#include <tuple>

namespace ptoscope {

const std::vector<CodeInfo> &codes() {
  static const std::vector<CodeInfo> table = [] {
    using namespace codetables;
    std::vector<CodeInfo> rows;
    for (std::span<const CodeInfo> family : {frontCodes(), vectorCodes(), raceCodes(), memoryCodes(), transferCodes(),
                                             initCodes(), syncCodes(), staticCodes(), runCodes(), tileCodes()})
      rows.insert(rows.end(), family.begin(), family.end());
    std::sort(rows.begin(), rows.end(), [](const CodeInfo &a, const CodeInfo &b) { return a.code < b.code; });
    return rows;
  }();
  return table;
}

const CodeInfo *findCode(std::string_view code) {
  const std::vector<CodeInfo> &table = codes();
  auto it = std::lower_bound(table.begin(), table.end(), code,
                             [](const CodeInfo &row, std::string_view wanted) { return row.code < wanted; });
  return it != table.end() && it->code == code ? &*it : nullptr;
}

/// Levenshtein distance: insertions, deletions and substitutions.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::string_view nearestCode(std::string_view code) {
  // No code is longer than this; the rest of a longer word says nothing.
  std::string_view wanted = code.substr(0, 64);
  auto rank = [wanted](const CodeInfo &row) {
    bool contains = !wanted.empty() && row.code.find(wanted) != std::string_view::npos;
    return std::make_tuple(!contains, editDistance(wanted, row.code), row.code);
  };
  const std::vector<CodeInfo> &table = codes();
  return std::min_element(table.begin(), table.end(),
                          [&rank](const CodeInfo &a, const CodeInfo &b) { return rank(a) < rank(b); })
      ->code;
}

} // namespace ptoscope
