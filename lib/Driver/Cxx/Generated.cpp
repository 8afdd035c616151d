//===- Generated.cpp - texts that `ptoscope c++` writes -------------------===//

#include "Generated.h"

#include "Objects.h"

#include <algorithm>

namespace ptoscope::cxx {

std::string launchFunctions(const std::set<std::string> &kernels) {
  std::string text = "#pragma once\n#include <ptoscope/launch_syntax.hpp>\n";
  for (const std::string &name : kernels)
    text += "extern \"C\" void ptoscope_entry_" + name + "() __asm__(\"" + name +
            "\");\n"
            "template <typename... Args> unsigned aclrtlaunch_" +
            name +
            "(int64_t blocks, void *, Args... args) {\n"
            "  using Entry = void (*)(decltype(::ptoscope::syntax::widened(args))...);\n"
            "  return unsigned(::ptoscope::syntax::launchEntry(\"" +
            name + "\", reinterpret_cast<Entry>(ptoscope_entry_" + name +
            "), blocks, ::ptoscope::syntax::widened(args)...));\n}\n";
  return text;
}

static bool isOfLibraries(std::string_view name) {
  for (std::string_view prefix : {"_ZNSt", "_ZSt", "_ZNKSt", "_ZN9__gnu_cxx", "_ZN3pto", "_ZNK3pto", "_ZN8ptoscope",
                                  "_ZNK8ptoscope", "_ZZ", "_ZGV", "_ZT", "__clang", "ptoscope_"})
    if (name.starts_with(prefix))
      return true;
  return name.find('"') != name.npos;
}

std::string tableOf(const std::vector<std::string> &functions, Cores cores, Target target) {
  const bool hasVector = cores != Cores::CubeHalf;
  const bool hasCube = cores == Cores::Mixed || cores == Cores::CubeHalf;
  std::string declarations, rows;
  size_t count = 0;
  for (const std::string &name : functions) {
    if (isOfLibraries(name))
      continue;
    const std::string number = std::to_string(count++);
    if (hasVector)
      declarations += "extern \"C\" void v" + number + "() __asm__(\"" + name + "\");\n";
    if (hasCube)
      declarations += "extern \"C\" void c" + number + "() __asm__(\"" + kCubePrefix + name +
                      "\") __attribute__((visibility(\"hidden\")));\n";
    rows += "    {" + (hasVector ? "(const void *)v" + number : "nullptr") + ", " +
            (hasCube ? "(const void *)c" + number : "nullptr") + ", \"" + name + "\"},\n";
  }
  const Cores kind = cores == Cores::CubeHalf ? Cores::Cube : cores;
  if (cores != Cores::CubeHalf) // which meets no other pass
    declarations += std::string("__attribute__((used)) const char pass __asm__(\"") + passMarker(cores) + "\") = 0;\n";
  return "#include <ptoscope/launch_table.hpp>\nnamespace {\n" + declarations +
         "const ptoscope::syntax::EntryHalf halves[] = {\n" + rows + "    {nullptr, nullptr, nullptr}};\n" +
         "ptoscope::syntax::EntryTable table{halves, " + std::to_string(count) + ", ptoscope::syntax::Kind(" +
         std::to_string(int(kind)) + "), \"" + (target == Target::A3 ? "a3" : "a5") + "\", nullptr};\n" +
         "const bool added = ptoscope::syntax::addTable(table);\n} // namespace\n";
}

std::string dependenciesOutside(const std::string &folder, const std::string &text) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" \n", at), text.size() - 1) + 1;
    const std::string word = text.substr(at, end - at);
    if (word.find(folder) == word.npos)
      kept += word;
    else if (word.ends_with("\n"))
      kept += "\n";
    at = end;
  }
  return kept;
}

} // namespace ptoscope::cxx
