//===- Server.cpp - the language server -----------------------------------===//
//
// One thread answers in the order of the questions; findings come from another
// (Diagnostics.h) and are published when they are there. Between them stand the
// documents, under one lock.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Language/Server.h"

#include "Diagnostics.h"
#include "Features.h"
#include "ptoscope/Language/Layout.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <set>

using namespace llvm;

namespace ptoscope {

namespace {

/// Codes of JSON-RPC and of the protocol.
enum ErrorCode {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kNotInitialized = -32002,
  kRequestFailed = -32803,
};

struct Failure {
  ErrorCode code;
  std::string message;
};

/// `file:///a%20b.pto` as a path; other addresses as they are.
std::string pathOf(StringRef uri) {
  if (!uri.consume_front("file://"))
    return uri.str();
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i) {
    unsigned byte;
    if (uri[i] == '%' && i + 2 < uri.size() && !uri.substr(i + 1, 2).getAsInteger(16, byte)) {
      path += char(byte);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

class Server {
public:
  Server(Channel &channel, std::string version)
      : channel(channel), toolVersion(std::move(version)),
        watcher([this](const std::string &uri, int64_t version, const FindingList &findings) {
          found(uri, version, findings);
        }) {}

  bool run() {
    while (true) {
      Channel::Incoming incoming = channel.read();
      if (incoming.atEnd())
        return shutDown;
      if (!incoming.message) {
        fail(nullptr, {kParseError, incoming.fault});
        continue;
      }
      const std::optional<StringRef> method = incoming.message->getString("method");
      if (method && *method == "exit")
        return shutDown;
      handle(*incoming.message, method);
    }
  }

private:
  using Answer = json::Value;
  using Request = json::Value (Server::*)(const json::Object &);
  using Notice = void (Server::*)(const json::Object &);

  //===--- messages ---------------------------------------------------------===//

  void fail(json::Value id, const Failure &failure) {
    channel.write(json::Object{
        {"jsonrpc", "2.0"},
        {"id", std::move(id)},
        {"error", json::Object{{"code", int(failure.code)}, {"message", json::fixUTF8(failure.message)}}}});
  }

  void notify(StringRef method, json::Value params) {
    channel.write(json::Object{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }

  void handle(const json::Object &message, std::optional<StringRef> method) {
    const json::Value *id = message.get("id");
    if (!method) { // an answer to a question that was not asked
      if (id && !message.get("result") && !message.get("error"))
        fail(*id, {kInvalidRequest, "a request needs a `method`"});
      return;
    }
    static const json::Object kNothing;
    const json::Object *params = message.getObject("params");
    if (!params)
      params = &kNothing;
    if (!id) {
      if (auto notice = kNotices().find(*method);
          notice != kNotices().end() && (initialized || *method == "initialized"))
        (this->*notice->second)(*params);
      return; // notifications get no answer, known or not
    }
    const auto request = kRequests().find(*method);
    if (request == kRequests().end())
      return fail(*id, {kMethodNotFound, "there is no method `" + method->take_front(80).str() + "`"});
    if (shutDown)
      return fail(*id, {kInvalidRequest, "the server has been shut down; only `exit` may follow"});
    if (!initialized && *method != "initialize")
      return fail(*id, {kNotInitialized, "`initialize` comes first"});
    failure.reset();
    std::lock_guard lock(mutex);
    json::Value result = (this->*request->second)(*params);
    if (failure)
      return fail(*id, *failure);
    channel.write(json::Object{{"jsonrpc", "2.0"}, {"id", *id}, {"result", std::move(result)}});
  }

  json::Value refuse(ErrorCode code, std::string message) {
    failure = Failure{code, std::move(message)};
    return nullptr;
  }

  static const StringMap<Request> &kRequests() {
    static const StringMap<Request> table = {
        {"initialize", &Server::initialize},
        {"shutdown", &Server::shutdown},
        {"textDocument/hover", &Server::onHover},
        {"textDocument/completion", &Server::onCompletion},
        {"completionItem/resolve", &Server::onResolve},
        {"textDocument/definition", &Server::onDefinition},
        {"textDocument/references", &Server::onReferences},
        {"textDocument/documentHighlight", &Server::onHighlight},
        {"textDocument/prepareRename", &Server::onPrepareRename},
        {"textDocument/rename", &Server::onRename},
        {"textDocument/documentSymbol", &Server::onOutline},
        {"textDocument/foldingRange", &Server::onFolding},
        {"textDocument/semanticTokens/full", &Server::onColours},
        {"textDocument/formatting", &Server::onFormatting},
        {"textDocument/rangeFormatting", &Server::onRangeFormatting},
        {"textDocument/codeAction", &Server::onAction},
        {"textDocument/codeLens", &Server::onLens},
    };
    return table;
  }

  static const StringMap<Notice> &kNotices() {
    static const StringMap<Notice> table = {
        {"textDocument/didOpen", &Server::opened},
        {"textDocument/didChange", &Server::changed},
        {"textDocument/didClose", &Server::closed},
    };
    return table;
  }

  //===--- life -------------------------------------------------------------===//

  json::Value initialize(const json::Object &params) {
    if (initialized)
      return refuse(kInvalidRequest, "`initialize` comes once");
    initialized = true;
    const json::Object *at = &params;
    for (StringRef key : {"capabilities", "textDocument", "completion", "completionItem"})
      at = at ? at->getObject(key) : nullptr;
    snippets = at && at->getBoolean("snippetSupport").value_or(false);
    json::Array kinds, modifiers;
    for (StringRef kind : colourKinds())
      kinds.push_back(kind);
    for (StringRef modifier : colourModifiers())
      modifiers.push_back(modifier);
    return json::Object{
        {"serverInfo", json::Object{{"name", "ptoscope"}, {"version", toolVersion}}},
        {"capabilities",
         json::Object{
             {"positionEncoding", "utf-16"},
             {"textDocumentSync", json::Object{{"openClose", true}, {"change", 2}}},
             {"hoverProvider", true},
             {"completionProvider",
              json::Object{{"triggerCharacters", json::Array{".", "%", "@", "^", "!", "#", "<", "\""}},
                           {"resolveProvider", true}}},
             {"definitionProvider", true},
             {"referencesProvider", true},
             {"documentHighlightProvider", true},
             {"renameProvider", json::Object{{"prepareProvider", true}}},
             {"documentSymbolProvider", true},
             {"foldingRangeProvider", true},
             {"documentFormattingProvider", true},
             {"documentRangeFormattingProvider", true},
             {"codeActionProvider", json::Object{{"codeActionKinds", json::Array{"quickfix", "source.fixAll"}}}},
             {"codeLensProvider", json::Object{{"resolveProvider", false}}},
             {"semanticTokensProvider", json::Object{{"legend", json::Object{{"tokenTypes", std::move(kinds)},
                                                                             {"tokenModifiers", std::move(modifiers)}}},
                                                     {"full", true}}}}}};
  }

  json::Value shutdown(const json::Object &) {
    shutDown = true;
    for (const auto &entry : documents)
      watcher.forget(entry.getKey().str());
    return nullptr;
  }

  //===--- documents --------------------------------------------------------===//

  struct Open {
    Document document;
    std::vector<Finding> findings; ///< of the version that they were found in
    int64_t findingsVersion = -1;
  };

  void opened(const json::Object &params) {
    const json::Object *item = params.getObject("textDocument");
    std::optional<StringRef> uri = item ? item->getString("uri") : std::nullopt,
                             text = item ? item->getString("text") : std::nullopt;
    if (!uri || !text)
      return;
    std::lock_guard lock(mutex);
    documents.erase(*uri);
    documents.try_emplace(*uri,
                          Open{Document(uri->str(), text->str(), item->getInteger("version").value_or(0)), {}, -1});
    diagnoseLater(*uri, /*typing=*/false);
  }

  void changed(const json::Object &params) {
    std::lock_guard lock(mutex);
    Open *open = find(params);
    const json::Array *changes = params.getArray("contentChanges");
    if (!open || !changes)
      return;
    for (const json::Value &change : *changes)
      if (const json::Object *object = change.getAsObject())
        open->document.change(*object);
    open->document.version =
        params.getObject("textDocument")->getInteger("version").value_or(open->document.version + 1);
    diagnoseLater(open->document.uri, /*typing=*/true);
  }

  void closed(const json::Object &params) {
    std::lock_guard lock(mutex);
    Open *open = find(params);
    if (!open)
      return;
    const std::string uri = open->document.uri;
    watcher.forget(uri);
    documents.erase(uri);
    notify("textDocument/publishDiagnostics", json::Object{{"uri", uri}, {"diagnostics", json::Array()}});
  }

  Open *find(const json::Object &params) {
    const json::Object *item = params.getObject("textDocument");
    std::optional<StringRef> uri = item ? item->getString("uri") : std::nullopt;
    auto known = uri ? documents.find(*uri) : documents.end();
    return known == documents.end() ? nullptr : &known->second;
  }

  void diagnoseLater(StringRef uri, bool typing) {
    Open &open = documents.find(uri)->second;
    if (const size_t bytes = open.document.tooLong()) {
      watcher.forget(uri.str());
      Finding finding =
          makeFinding("file-error", {pathOf(uri), 0, 0},
                      "the language server looks at texts of up to " + std::to_string(Document::kMaxBytes) +
                          " bytes; this one has " + std::to_string(bytes));
      finding.help = "`ptoscope check` has no such limit";
      publish(open, {finding});
      return;
    }
    watcher.submit(uri.str(), pathOf(uri), open.document.text(), open.document.version, typing);
  }

  void found(const std::string &uri, int64_t version, const FindingList &findings) {
    std::lock_guard lock(mutex);
    auto known = documents.find(uri);
    if (known != documents.end() && known->second.document.version == version)
      publish(known->second, findings.all());
  }

  void publish(Open &open, const std::vector<Finding> &findings) {
    open.findings = findings;
    open.findingsVersion = open.document.version;
    json::Array list;
    for (const Finding &finding : findings)
      list.push_back(toDiagnostic(open.document, finding));
    notify(
        "textDocument/publishDiagnostics",
        json::Object{{"uri", open.document.uri}, {"version", open.document.version}, {"diagnostics", std::move(list)}});
  }

  //===--- questions --------------------------------------------------------===//

  /// The document, or null with a failure.
  Open *asked(const json::Object &params) {
    Open *open = find(params);
    if (!open)
      refuse(kInvalidParams, "no document of this `uri` is open");
    return open;
  }

  /// Calls fn(document, offset) for the place in question.
  template <typename Fn> json::Value atPlace(const json::Object &params, Fn fn) {
    Open *open = asked(params);
    if (!open)
      return nullptr;
    std::optional<Position> position = positionFrom(params.getObject("position"));
    if (!position)
      return refuse(kInvalidParams, "`position` needs a `line` and a `character`");
    return fn(open->document, open->document.offsetOf(*position));
  }

  template <typename Fn> json::Value ofDocument(const json::Object &params, Fn fn) {
    Open *open = asked(params);
    return open ? fn(open->document) : json::Value(nullptr);
  }

  static json::Value location(const Document &document, TextRange range) {
    return json::Object{{"uri", document.uri}, {"range", document.rangeOf(range)}};
  }

  json::Value onHover(const json::Object &params) { return atPlace(params, hover); }
  json::Value onCompletion(const json::Object &params) {
    return atPlace(params, [&](const Document &document, size_t at) { return completions(document, at, snippets); });
  }
  json::Value onResolve(const json::Object &params) { return completed(params); }
  json::Value onDefinition(const json::Object &params) {
    return atPlace(params, [](const Document &document, size_t at) -> json::Value {
      std::optional<TextRange> place = definition(document, at);
      return place ? location(document, *place) : nullptr;
    });
  }
  json::Value onReferences(const json::Object &params) {
    const json::Object *context = params.getObject("context");
    const bool withDefinition = context && context->getBoolean("includeDeclaration").value_or(false);
    return atPlace(params, [&](const Document &document, size_t at) -> json::Value {
      json::Array places;
      for (TextRange place : occurrences(document, at, withDefinition))
        places.push_back(location(document, place));
      return places;
    });
  }
  json::Value onHighlight(const json::Object &params) {
    return atPlace(params, [](const Document &document, size_t at) -> json::Value {
      json::Array places;
      const std::optional<TextRange> written = definition(document, at);
      for (TextRange place : occurrences(document, at, true)) // 3: written, 2: read
        places.push_back(json::Object{{"range", document.rangeOf(place)},
                                      {"kind", written && written->begin == place.begin ? 3 : 2}});
      return places;
    });
  }
  json::Value onPrepareRename(const json::Object &params) {
    return atPlace(params, [](const Document &document, size_t at) -> json::Value {
      std::optional<TextRange> place = renamable(document, at);
      return place ? document.rangeOf(*place) : nullptr;
    });
  }
  json::Value onRename(const json::Object &params) {
    std::string name = params.getString("newName").value_or("").str();
    return atPlace(params, [&](const Document &document, size_t at) -> json::Value {
      Result<std::vector<TextRange>> places = rename(document, at, name);
      if (!places)
        return refuse(kRequestFailed, places.takeFinding().message);
      json::Array edits;
      for (TextRange place : *places)
        edits.push_back(json::Object{{"range", document.rangeOf(place)}, {"newText", name}});
      return json::Object{{"changes", json::Object{{document.uri, std::move(edits)}}}};
    });
  }
  json::Value onOutline(const json::Object &params) { return ofDocument(params, outline); }
  json::Value onFolding(const json::Object &params) { return ofDocument(params, foldings); }
  json::Value onColours(const json::Object &params) { return ofDocument(params, colours); }
  json::Value onLens(const json::Object &params) { return ofDocument(params, lenses); }

  json::Value format(const json::Object &params, size_t first, size_t last) {
    return ofDocument(params, [&](const Document &document) -> json::Value {
      if (!bracketsBalance(document.text()))
        return refuse(kRequestFailed, "brackets do not match, so there is no layout to give");
      return layoutEdits(document, first, last);
    });
  }
  json::Value onFormatting(const json::Object &params) { return format(params, 0, SIZE_MAX - 1); }
  /// The lines of `range`; nothing with a failure for one that is none.
  std::optional<std::pair<size_t, size_t>> linesOf(const json::Object &params) {
    const json::Object *range = params.getObject("range");
    std::optional<Position> start, end;
    if (range) {
      start = positionFrom(range->getObject("start"));
      end = positionFrom(range->getObject("end"));
    }
    if (!start || !end || start->line < 0 || end->line < start->line) {
      refuse(kInvalidParams, "`range` needs a `start`, and an `end` that is not before it");
      return std::nullopt;
    }
    return std::pair(size_t(start->line), size_t(end->line));
  }
  json::Value onRangeFormatting(const json::Object &params) {
    auto lines = linesOf(params);
    return lines ? format(params, lines->first, lines->second) : nullptr;
  }
  json::Value onAction(const json::Object &params) {
    Open *open = asked(params);
    auto lines = open ? linesOf(params) : std::nullopt;
    if (!lines)
      return nullptr;
    // Findings of an older text have lines that mean something else by now.
    if (open->findingsVersion != open->document.version)
      return json::Array();
    return actions(open->document, open->findings, lines->first, lines->second);
  }

  Channel &channel;
  const std::string toolVersion;
  bool initialized = false, shutDown = false, snippets = false;
  std::optional<Failure> failure;
  std::mutex mutex; ///< of the documents
  StringMap<Open> documents;
  Watcher watcher; ///< last: its thread uses all of them
};

} // namespace

bool serveLanguage(Channel &channel, const std::string &version) { return Server(channel, version).run(); }

} // namespace ptoscope
