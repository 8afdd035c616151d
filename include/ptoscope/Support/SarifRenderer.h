//===- SarifRenderer.h - findings for code review tools ---------*- C++ -*-===//
//
// SARIF 2.1.0. Rules are the rows of the table of codes that occur; notes with
// a place become related locations, edits become fixes, and what SARIF has no
// field for (category, bytes, iterations) goes into the property bag.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_SARIFRENDERER_H
#define PTOSCOPE_SUPPORT_SARIFRENDERER_H

#include "ptoscope/Support/JsonRenderer.h"

namespace ptoscope {

std::string renderSarif(const FindingList &findings, const ToolInfo &tool);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_SARIFRENDERER_H
