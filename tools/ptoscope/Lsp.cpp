//===- Lsp.cpp - ptoscope lsp ---------------------------------------------===//
//
// MLIR's language server reads programs with MLIR's parser, which does not
// survive every text. Between the editor and the server, a text becomes what
// that parser reads; one that has to be refused becomes a single operation that
// tells why, at the place of the fault. On the way back, hovers and completions get
// what the manual says of an instruction.
//
//===----------------------------------------------------------------------===//

#include "Verbs.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <unistd.h>

using namespace ptoscope;

namespace {

constexpr llvm::StringLiteral kRefused = "ptoscope.refused";

/// `ptoscope.refused "why"` is an error in these words.
struct RefusalDialect : mlir::Dialect {
  explicit RefusalDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<RefusalDialect>()) {}
  static llvm::StringRef getDialectNamespace() { return "ptoscope"; }

  std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override {
    if (name != kRefused)
      return std::nullopt;
    return [](mlir::OpAsmParser &parser, mlir::OperationState &) -> mlir::ParseResult {
      std::string why;
      if (succeeded(parser.parseString(&why)))
        mlir::emitError(parser.getEncodedSourceLoc(parser.getNameLoc())) << why;
      return mlir::failure();
    };
  }
};

std::string readable(const std::string &text) {
  FindingList findings;
  if (std::optional<std::string> documented = readableText("", text, findings))
    return *documented;
  const Finding &first = findings.all().front();
  std::string refusal(std::max(first.place.line, 1u) - 1, '\n');
  refusal.append(std::max(first.place.column, 1u) - 1, ' ');
  llvm::raw_string_ostream out(refusal);
  out << kRefused << " \"";
  llvm::printEscapedString(first.message, out);
  out << "\"\n";
  return refusal;
}

void replaceText(llvm::json::Object *holder) {
  if (holder && !holder->get("range"))
    if (std::optional<llvm::StringRef> text = holder->getString("text"))
      (*holder)["text"] = readable(text->str());
}

/// A message of the editor, with readable texts.
std::string readableMessage(const std::string &body) {
  llvm::Expected<llvm::json::Value> message = llvm::json::parse(body);
  if (!message) {
    llvm::consumeError(message.takeError());
    return body; // the server's to refuse
  }
  llvm::json::Object *object = message->getAsObject(), *params = object ? object->getObject("params") : nullptr;
  if (!params)
    return body;
  replaceText(params->getObject("textDocument"));
  if (llvm::json::Array *changes = params->getArray("contentChanges"))
    for (llvm::json::Value &change : *changes)
      replaceText(change.getAsObject());
  return llvm::formatv("{0}", *message).str();
}

/// The text of a hover begins with the name of the operation in quotes; the instruction goes before it.
void describeHover(llvm::json::Object &contents) {
  const llvm::StringRef text = contents.getString("value").value_or("");
  const pto::InstrInfo *info = text.starts_with("\"pto.")
                                   ? pto::findInstr(text.drop_front(5).take_until([](char c) { return c == '"'; }))
                                   : nullptr;
  if (info)
    contents["value"] = "```\n" + textOf(*info) + "```\n\n" + text.str();
}

/// Operations are listed by their names without the dialect.
void describeCompletion(llvm::json::Object &item) {
  const pto::InstrInfo *info =
      item.getString("detail") == "operation" ? pto::findInstr(item.getString("label").value_or("")) : nullptr;
  if (info)
    item["detail"] = info->summary.str();
}

/// A message of the server, with the words of the manual.
std::string describedMessage(const std::string &body) {
  llvm::Expected<llvm::json::Value> message = llvm::json::parse(body);
  if (!message) {
    llvm::consumeError(message.takeError());
    return body;
  }
  llvm::json::Object *object = message->getAsObject(), *result = object ? object->getObject("result") : nullptr;
  if (!result)
    return body;
  if (llvm::json::Object *contents = result->getObject("contents"))
    describeHover(*contents);
  if (llvm::json::Array *items = result->getArray("items"))
    for (llvm::json::Value &item : *items)
      if (llvm::json::Object *each = item.getAsObject())
        describeCompletion(*each);
  return llvm::formatv("{0}", *message).str();
}

/// Passes messages on until there are no more: `Content-Length: N`, an empty line, N bytes.
void passMessages(FILE *in, FILE *out, std::string (*change)(const std::string &)) {
  char *line = nullptr;
  size_t room = 0, length = 0;
  while (getline(&line, &room, in) > 0) {
    llvm::StringRef header = llvm::StringRef(line).trim();
    if (header.consume_front_insensitive("content-length:"))
      (void)header.trim().getAsInteger(10, length);
    if (!header.empty())
      continue;
    std::string body(length, '\0');
    body.resize(fread(body.data(), 1, length, in));
    body = change(body);
    fprintf(out, "Content-Length: %zu\r\n\r\n%s", body.size(), body.c_str());
    fflush(out);
  }
  free(line);
  fclose(out);
}

} // namespace

int ptoscope::lspVerb(int argc, char **argv) {
  hideLibraryOptions();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registry.insert<RefusalDialect>();
  // Tests of the server itself send messages of another form; `--help` is no message.
  const bool plain = std::all_of(argv, argv + argc, [](llvm::StringRef word) {
    word = word.ltrim('-');
    return word != "lit-test" && word != "version" && !word.starts_with("help");
  });
  int toServer[2], fromServer[2];
  if (!plain || pipe(toServer) != 0 || pipe(fromServer) != 0)
    return succeeded(mlir::MlirLspServerMain(argc, argv, registry)) ? kSuccess : kProgramError;
  FILE *editorIn = fdopen(dup(STDIN_FILENO), "r"), *serverIn = fdopen(toServer[1], "w");
  FILE *serverOut = fdopen(fromServer[0], "r"), *editorOut = fdopen(dup(STDOUT_FILENO), "w");
  dup2(toServer[0], STDIN_FILENO);
  dup2(fromServer[1], STDOUT_FILENO);
  close(toServer[0]);
  close(fromServer[1]);
  std::thread(passMessages, editorIn, serverIn, readableMessage).detach();
  std::thread answers(passMessages, serverOut, editorOut, describedMessage);
  const bool served = succeeded(mlir::MlirLspServerMain(argc, argv, registry));
  llvm::outs().flush();
  close(STDOUT_FILENO); // the end of the answers
  answers.join();
  return served ? kSuccess : kProgramError;
}
