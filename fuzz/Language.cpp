//===- Language.cpp - what an editor may send to the language server ------===//

#include "Messages.h"

#include "ptoscope/Language/Server.h"

using namespace ptoscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Messages messages(fuzz::textOf(data, size));
  serveLanguage(messages.channel, "0");
  return 0;
}
