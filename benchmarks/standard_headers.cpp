// What a small file costs the compiler anyway: four_lines.cpp is measured beside it.
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

int occurrences(const std::vector<std::string> &words, const std::string &word) {
  return int(std::count(words.begin(), words.end(), word));
}
