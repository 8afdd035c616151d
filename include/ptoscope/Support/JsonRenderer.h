//===- JsonRenderer.h - findings for programs -------------------*- C++ -*-===//
//
// One object: `schema` (the number changes when a reader would have to), `tool`,
// `findings` with every field of every Finding present, and `summary`. Nothing
// is omitted when empty: a missing place or byte range is null.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_JSONRENDERER_H
#define PTOSCOPE_SUPPORT_JSONRENDERER_H

#include "ptoscope/Support/Finding.h"

#include <nlohmann/json_fwd.hpp>

namespace ptoscope {

inline constexpr int kJsonSchema = 1;

struct ToolInfo {
  std::string name = "ptoscope";
  std::string version;
};

/// One finding as an object.
nlohmann::ordered_json toJson(const Finding &finding);
/// The whole object, for clients that add members of their own.
nlohmann::ordered_json toJson(const FindingList &findings, const ToolInfo &tool);
/// As text, indented by two, ending in a newline. Bytes that are no UTF-8
/// become U+FFFD.
std::string printJson(const nlohmann::ordered_json &json);

std::string renderJson(const FindingList &findings, const ToolInfo &tool);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_JSONRENDERER_H
