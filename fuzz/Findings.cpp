//===- Findings.cpp - reports of findings, read and printed ---------------===//

#include "Input.h"

#include "ptoscope/Support/JsonReader.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Support/SarifRenderer.h"
#include "ptoscope/Support/TextRenderer.h"

using namespace ptoscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<FindingList> findings = readFindings("input.json", std::string(fuzz::textOf(data, size)));
  if (!findings) {
    fuzz::require(findings.takeFinding().code == "file-error", "a refusal says why");
    return 0;
  }
  const ToolInfo tool{"ptoscope", "0"};
  const std::string json = renderJson(*findings, tool);
  Result<FindingList> again = readFindings("again.json", json);
  fuzz::require(bool(again) && renderJson(*again, tool) == json, "what is written is read as it was");
  renderSarif(*findings, tool);
  for (const Finding &finding : findings->all())
    renderText(finding, {});
  return 0;
}
