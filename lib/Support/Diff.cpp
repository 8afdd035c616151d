//===- Diff.cpp - two texts, as `diff -u` shows them ----------------------===//
//
// E. Myers, "An O(ND) difference algorithm and its variations" (1986), on lines. What both
// texts have at their ends is set aside first. Texts that differ in more than kMaxSteps
// lines are shown as one block that is replaced: still right, only longer.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Edits.h"

#include <algorithm>

namespace ptoscope {
namespace {

constexpr size_t kContext = 3;
constexpr ptrdiff_t kMaxSteps = 1000;

using Lines = std::vector<std::string_view>; ///< each with its end

Lines linesOf(const std::string &text) {
  Lines lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

/// Lines [aBegin, aEnd) of the old text became [bBegin, bEnd) of the new one.
struct Change {
  size_t aBegin, aEnd, bBegin, bEnd;
};

/// The lines of `a` and `b` that are taken one after the other: ' ' both, '-' of a, '+' of b.
std::string script(std::span<const std::string_view> a, std::span<const std::string_view> b) {
  const auto n = ptrdiff_t(a.size()), m = ptrdiff_t(b.size());
  const ptrdiff_t most = std::min(n + m, kMaxSteps);
  std::vector<std::vector<ptrdiff_t>> reached; // after d steps, by diagonal
  std::vector<ptrdiff_t> far(size_t(2 * most + 3), 0);
  auto at = [&](std::vector<ptrdiff_t> &of, ptrdiff_t k) -> ptrdiff_t & { return of[size_t(k + most + 1)]; };
  for (ptrdiff_t d = 0; d <= most; ++d) {
    reached.push_back(far);
    for (ptrdiff_t k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(far, k - 1) < at(far, k + 1));
      ptrdiff_t x = down ? at(far, k + 1) : at(far, k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 && a[size_t(x)] == b[size_t(x - k)])
        ++x;
      at(far, k) = x;
      if (x < n || x - k < m)
        continue;
      std::string back; // from the end
      ptrdiff_t px = n, py = m;
      for (ptrdiff_t step = d; step > 0; --step) {
        std::vector<ptrdiff_t> &old = reached[size_t(step)];
        const ptrdiff_t diagonal = px - py;
        const bool wasDown = diagonal == -step || (diagonal != step && at(old, diagonal - 1) < at(old, diagonal + 1));
        const ptrdiff_t fromX = wasDown ? at(old, diagonal + 1) : at(old, diagonal - 1);
        const ptrdiff_t fromY = fromX - (wasDown ? diagonal + 1 : diagonal - 1);
        const ptrdiff_t afterX = wasDown ? fromX : fromX + 1;
        back.append(size_t(px - afterX), ' ');
        back += wasDown ? '+' : '-';
        px = fromX;
        py = fromY;
      }
      back.append(size_t(px), ' ');
      return {back.rbegin(), back.rend()};
    }
  }
  return std::string(a.size(), '-') + std::string(b.size(), '+');
}

std::vector<Change> changesOf(const Lines &a, const Lines &b) {
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head])
    ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  std::vector<Change> changes;
  size_t i = head, k = head;
  bool open = false;
  for (char step :
       script(std::span(a).subspan(head, a.size() - head - tail), std::span(b).subspan(head, b.size() - head - tail))) {
    if (step != ' ' && !open)
      changes.push_back({i, i, k, k});
    open = step != ' ';
    i += step != '+';
    k += step != '-';
    if (open) {
      changes.back().aEnd = i;
      changes.back().bEnd = k;
    }
  }
  return changes;
}

std::string range(size_t begin, size_t end) {
  // An empty range names the line before it.
  const size_t length = end - begin;
  return std::to_string(length ? begin + 1 : begin) + (length == 1 ? "" : "," + std::to_string(length));
}

class Writer {
public:
  explicit Writer(bool colour) : colour(colour) {}
  std::string text;

  void line(const char *paint, char sign, std::string_view content) {
    const bool hasEnd = content.ends_with('\n');
    if (hasEnd)
      content.remove_suffix(1);
    put(paint, sign + std::string(content));
    if (!hasEnd)
      text += "\\ No newline at end of file\n";
  }
  void put(const char *paint, const std::string &content) {
    text += colour && *paint ? paint + content + "\033[0m\n" : content + "\n";
  }

private:
  bool colour;
};

} // namespace

/// As `diff` writes names, so that `patch` finds the files: a tab ends a name that has blanks, and one
/// that has characters that end a line or a name is quoted.
static std::string headerName(const std::string &path) {
  std::string quoted;
  bool needsQuotes = false;
  for (const char c : path) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
      needsQuotes = true;
    } else if (code < 0x20 || code == 0x7F) {
      quoted += {'\\', char('0' + code / 64), char('0' + code / 8 % 8), char('0' + code % 8)};
      needsQuotes = true;
    } else {
      quoted += c;
    }
  }
  if (needsQuotes)
    return '"' + quoted + '"';
  return path.find(' ') == std::string::npos ? path : path + '\t';
}

std::string unifiedDiff(const std::string &path, const std::string &before, const std::string &after, bool colour) {
  if (before == after)
    return "";
  const Lines a = linesOf(before), b = linesOf(after);
  const std::vector<Change> changes = changesOf(a, b);
  Writer out(colour);
  out.put("\033[1m", "--- " + headerName(path));
  out.put("\033[1m", "+++ " + headerName(path));
  for (size_t first = 0; first < changes.size();) {
    size_t last = first;
    while (last + 1 < changes.size() && changes[last + 1].aBegin - changes[last].aEnd <= 2 * kContext)
      ++last;
    const size_t above = std::min(kContext, changes[first].aBegin);
    const size_t below = std::min(kContext, a.size() - changes[last].aEnd);
    const size_t aBegin = changes[first].aBegin - above, aEnd = changes[last].aEnd + below;
    out.put("\033[36m", "@@ -" + range(aBegin, aEnd) + " +" +
                            range(changes[first].bBegin - above, changes[last].bEnd + below) + " @@");
    size_t i = aBegin;
    for (size_t c = first; c <= last; ++c) {
      for (; i < changes[c].aBegin; ++i)
        out.line("", ' ', a[i]);
      for (; i < changes[c].aEnd; ++i)
        out.line("\033[31m", '-', a[i]);
      for (size_t k = changes[c].bBegin; k < changes[c].bEnd; ++k)
        out.line("\033[32m", '+', b[k]);
    }
    for (; i < aEnd; ++i)
      out.line("", ' ', a[i]);
    first = last + 1;
  }
  return out.text;
}

} // namespace ptoscope
