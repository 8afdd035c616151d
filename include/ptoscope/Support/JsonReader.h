//===- JsonReader.h - findings that were written as JSON --------*- C++ -*-===//

#ifndef PTOSCOPE_SUPPORT_JSONREADER_H
#define PTOSCOPE_SUPPORT_JSONREADER_H

#include "ptoscope/Support/Result.h"

#include <nlohmann/json_fwd.hpp>

namespace ptoscope {

/// What toJson(finding) made; nothing for any other value. Remedies are not written.
std::optional<Finding> findingFromJson(const nlohmann::ordered_json &json);

/// The findings of a whole report, as renderJson writes it; a `file-error` at `path` for
/// text that is none.
Result<FindingList> readFindings(const std::string &path, const std::string &text);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_JSONREADER_H
