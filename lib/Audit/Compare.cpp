//===- Compare.cpp - two versions of a kernel, store by store -------------===//

#include "ptoscope/Audit/Compare.h"
#include "ptoscope/Audit/Alignment.h"
#include "ptoscope/Audit/CxxProgram.h"
#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Support/JsonReader.h"
#include "ptoscope/Tile/WriteLog.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace ptoscope::audit {

namespace {

namespace fs = std::filesystem;

/// One of the two runs.
struct Side {
  std::string path, text;
  Json recording;                            ///< see tile::recordingOf
  std::vector<std::string> elements;         ///< by parameter; empty for numbers
  std::vector<std::string> names;            ///< by parameter
  std::vector<std::vector<uint8_t>> buffers; ///< by parameter, after the run
  bool completed = false;

  bool hasBuffer(size_t i) const { return i < elements.size() && !elements[i].empty(); }
  /// The object of GM that a parameter is.
  const Json *object(size_t parameter) const {
    for (const Json &object : recording["objects"])
      if (object["name"] == names[parameter])
        return &object;
    return nullptr;
  }
  Place placeOf(uint32_t write) const {
    const Json &site = siteOf(write);
    return {site["file"], site["line"], site["column"]};
  }
  const Json &siteOf(uint32_t write) const { return recording["sites"][recording["writes"][write][0].get<size_t>()]; }
  /// "`pto.tstore` of %t": the first value that the line names behind the instruction.
  std::string deedOf(uint32_t write) const {
    const std::string op = siteOf(write)["op"];
    std::string deed = "`" + op + "`";
    const std::vector<std::string_view> lines = linesOf(text);
    const size_t number = siteOf(write)["line"];
    if (number == 0 || number > lines.size())
      return deed;
    const std::string_view line = lines[number - 1];
    const size_t at = line.find(op), name = line.find('%', at == std::string_view::npos ? 0 : at);
    if (name == std::string_view::npos)
      return deed;
    size_t end = name + 1;
    while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
      ++end;
    return deed + " of " + std::string(line.substr(name, end - name));
  }
};

bool isCxx(const std::string &path) { return fs::path(path).extension() != ".pto"; }

std::vector<uint8_t> copyOf(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

class Pair {
public:
  Pair(Session &session, const CompareOptions &options, FindingList &findings)
      : session(session), options(options), findings(findings) {}

  CompareResult run() {
    words = options.request.arguments;
    const bool cxxFirst = isCxx(options.a) && !isCxx(options.b);
    // Text says what its arguments are; C++ has to take those.
    if (cxxFirst ? !load(options.b, b, options.kernelB) || !load(options.a, a, options.request.compile.kernel)
                 : !load(options.a, a, options.request.compile.kernel) || !load(options.b, b, options.kernelB))
      return std::move(result);
    result.words = words;
    if (!a.completed || !b.completed)
      return std::move(result);
    if (a.elements.size() != b.elements.size()) {
      findings.add(usageError("the kernels take " + std::to_string(a.elements.size()) + " and " +
                                  std::to_string(b.elements.size()) + " arguments",
                              "compare two versions of one kernel"));
      return std::move(result);
    }
    result.compared = true;
    compare();
    return std::move(result);
  }

private:
  bool load(const std::string &path, Side &side, const std::string &kernel) {
    side.path = path;
    return isCxx(path) ? loadCxx(side, kernel) : loadText(side, kernel);
  }

  bool loadText(Side &side, const std::string &kernel) {
    RunRequest request = options.request;
    request.compile.kernel = kernel;
    request.launch.threads = 1; // in the order of blocks
    request.arguments = words;
    result.programs.push_back(session.parseFile(side.path, request.frontend, findings));
    const ParsedProgram &program = *result.programs.back();
    if (!program.module)
      return false;
    side.text = program.text;
    request.launch.profile = program.profile;
    PreparedRun run;
    if (!prepareRun(session, program, request, run, findings))
      return false;
    words = run.words;
    tile::WriteLog log;
    request.launch.onlooker = log.onlooker();
    const RunResult launched = executeRun(session, program, request, run, findings);
    side.completed = launched.launch.completed;
    std::vector<GmObject> objects; ///< as Session::launch numbers them
    for (size_t i = 0; i < run.loaded.size(); ++i) {
      const Parameter &parameter = run.kernel->parameters[i];
      side.names.push_back(parameter.name);
      side.elements.push_back(!parameter.isPointer ? "" : parameter.element.empty() ? "u8" : parameter.element);
      side.buffers.push_back(parameter.isPointer ? copyOf(run.loaded[i].array.bytes.span()) : std::vector<uint8_t>());
      if (parameter.isPointer)
        objects.push_back({0, side.buffers.back().size(), nullptr, parameter.name, false, uint32_t(objects.size())});
    }
    side.recording = tile::recordingOf(run.kernel->sites, nullptr, &log, objects);
    return true;
  }

  bool refuse(const std::string &message, const std::string &help) {
    findings.add(usageError(message, help));
    return false;
  }

  bool loadCxx(Side &side, std::string kernel) {
    Result<Array> file = readRaw(side.path);
    if (!file)
      return findings.add(file.takeFinding()), false;
    side.text.assign(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size());
    const std::vector<std::string> kernels = kernelNames(side.text);
    if (hasMain(side.text))
      return refuse("`" + side.path + "` has a main function, which chooses its own arguments",
                    "give a file with the kernel alone");
    if (kernel.empty() && kernels.size() == 1)
      kernel = kernels[0];
    if (std::ranges::find(kernels, kernel) == kernels.end()) {
      std::string list;
      for (const std::string &name : kernels)
        list += (list.empty() ? "" : ", ") + name;
      return refuse("`" + side.path + "` has " + (kernels.empty() ? "no kernel" : "the kernels " + list),
                    "name one of them with `--kernel` or `--kernel-b`");
    }
    std::error_code ignored;
    std::string folder = (fs::temp_directory_path(ignored) / "ptoscope-compare-XXXXXX").string();
    if (!mkdtemp(folder.data()))
      return refuse("no folder for temporary files can be made", "set TMPDIR to one that exists");
    struct Remover {
      std::string folder;
      ~Remover() {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
      }
    } remover{folder};
    CxxProgram program(side.path, folder, options.compilerWords);
    if (std::optional<std::string> problem = program.compile(kernel)) {
      Finding finding = makeFinding("parse-error", {side.path, 0, 0}, "this does not compile: " + *problem);
      finding.help = "`ptoscope c++` shows all errors";
      return findings.add(std::move(finding)), false;
    }
    const std::optional<std::vector<CxxProgram::Parameter>> parameters = program.parameters();
    if (!parameters)
      return refuse("kernel `" + kernel + "` has a parameter that is neither a pointer nor a number", "");
    if (words.size() == 1 && words[0] == "auto")
      words = program.chooseArguments(*parameters, options.request.launch.blocks, options.request.frontend.arch);
    if (words.size() != parameters->size())
      return refuse("kernel `" + kernel + "` takes " + std::to_string(parameters->size()) + " arguments, " +
                        std::to_string(words.size()) + " given",
                    "give `--arg` once per parameter, or `--arg auto`");
    const std::optional<std::vector<std::string>> files = program.filesOf(words);
    if (!files)
      return refuse("an argument is neither a number nor an array", "ptoscope run --help");
    std::vector<std::string> command = {std::to_string(options.request.launch.blocks)};
    command.insert(command.end(), files->begin(), files->end());
    const CxxProgram::Run run =
        program.run(command, scheduleName(options.request.launch.schedule), true, options.request.frontend.arch);
    for (const Json &found : run.findings)
      if (std::optional<Finding> finding = findingFromJson(found))
        findings.add(std::move(*finding));
    if (run.recordings.size() != 1)
      return refuse("`" + side.path + "` did not run: " + (run.ended.output.empty() ? "no launch" : run.ended.output),
                    "");
    side.recording = run.recordings[0];
    side.completed = side.recording["completed"] == true;
    for (size_t i = 0; i < parameters->size(); ++i) {
      side.names.push_back("argument " + std::to_string(i));
      side.elements.push_back((*parameters)[i].isPointer ? (*parameters)[i].element : "");
      side.buffers.emplace_back();
      if (const Json *object = side.object(i)) {
        std::ifstream in(program.contentsFile(1, (*object)["index"]), std::ios::binary);
        side.buffers.back().assign(std::istreambuf_iterator<char>(in), {});
      }
    }
    return true;
  }

  void compare() {
    for (size_t i = 0; i < a.elements.size(); ++i) {
      if (!a.hasBuffer(i) || !b.hasBuffer(i))
        continue;
      // Text knows its elements better than a pointer to bytes does.
      const std::string &element = isCxx(a.path) && !isCxx(b.path) ? b.elements[i] : a.elements[i];
      const ElementType type = parseElementType(element).value_or(ElementType::U8);
      const Comparison comparison = compareSpans(type, a.buffers[i], b.buffers[i]);
      result.elements += comparison.elements;
      if (!comparison.equal())
        tell(i, type, comparison);
    }
  }

  Comparison compareSpans(ElementType type, std::span<const uint8_t> got, std::span<const uint8_t> expected) const {
    return compareBytes(type, infoOf(type).bytes, {}, got, expected, options.request.tolerance);
  }

  /// The history of a byte; null: no instruction of a pipe wrote it.
  static const Json *historyOf(const Side &side, size_t parameter, uint64_t byte) {
    const Json *object = side.object(parameter);
    if (object)
      for (const Json &run : (*object)["history"])
        if (run[0] <= byte && byte < run[1])
          return &run;
    return nullptr;
  }

  void tell(size_t i, ElementType type, const Comparison &comparison) {
    const std::string what = "parameter " + std::to_string(i) + " (" + a.names[i] + ")";
    if (comparison.gotBytes != comparison.expectedBytes) {
      findings.add(expectMismatch(comparison, what, b.path, {a.path, 0, 0}));
      return;
    }
    // The first store of A that left something else than B has.
    const uint64_t item = infoOf(type).bytes;
    uint64_t element = comparison.first ? comparison.first->flatIndex : 0;
    Comparison there = comparison;
    std::vector<const Json *> runs;
    if (const Json *object = a.object(i))
      for (const Json &run : (*object)["history"])
        runs.push_back(&run);
    std::ranges::sort(runs, {},
                      [](const Json *run) { return std::pair((*run)[2].get<uint32_t>(), (*run)[0].get<uint64_t>()); });
    for (const Json *run : runs) {
      const uint64_t begin = (*run)[0].get<uint64_t>() / item * item;
      const uint64_t end =
          std::min<uint64_t>(((*run)[1].get<uint64_t>() + item - 1) / item * item, a.buffers[i].size());
      const auto part = [&](const Side &side) { return std::span(side.buffers[i]).subspan(begin, end - begin); };
      if (Comparison own = compareSpans(type, part(a), part(b)); !own.equal() && own.first) {
        element = begin / item + own.first->flatIndex;
        there = std::move(own);
        break;
      }
    }
    const uint64_t byte = element * item;
    const Json *historyA = historyOf(a, i, byte), *historyB = historyOf(b, i, byte);
    std::string message = what + " differs in " + std::to_string(comparison.differing) + " of " +
                          std::to_string(comparison.elements) + " elements";
    Place place{a.path, 0, 0};
    const std::string values = "element " + std::to_string(element) + " is " + there.first->got + " (" +
                               there.first->gotBits + ") here and " + there.first->expected + " (" +
                               there.first->expectedBits + ") in " + b.path;
    if (historyA) {
      const uint32_t write = (*historyA)[2];
      place = a.placeOf(write);
      message += "; the first store that differs is " + a.deedOf(write) + ": " + values;
    } else {
      message += "; " + values + ", and no instruction of a pipe writes it here";
    }
    Finding finding = makeFinding("expect-mismatch", place, message);
    if (historyB) {
      const uint32_t write = (*historyB)[2];
      finding.notes.push_back({b.placeOf(write), "the other version stores it here, by " + b.deedOf(write)});
    } else {
      finding.notes.push_back({{b.path, 0, 0}, "no instruction of a pipe writes it in the other version"});
    }
    noteProducer(finding, a, historyA, "the bytes were written on chip here, by ");
    noteProducer(finding, b, historyB, "and in the other version here, by ");
    if (historyA)
      noteCommon(finding, (*historyA)[3].is_number() ? (*historyA)[3].get<uint32_t>() : (*historyA)[2].get<uint32_t>());
    findings.add(std::move(finding));
  }

  static void noteProducer(Finding &finding, const Side &side, const Json *history, const std::string &text) {
    if (history && (*history)[3].is_number())
      finding.notes.push_back({side.placeOf((*history)[3]), text + side.deedOf((*history)[3])});
  }

  /// The last write on chip, not after `write`, whose bytes the other version has had, too.
  void noteCommon(Finding &finding, uint32_t write) const {
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> had;
    const Json &others = b.recording["writes"];
    for (uint32_t i = 0; i < others.size(); ++i)
      if (others[i][2] != "gm")
        had.try_emplace({others[i][3], others[i][4]}, i);
    const Json &own = a.recording["writes"];
    for (uint32_t i = write + 1; i-- > 0;) {
      if (own[i][2] == "gm")
        continue;
      if (auto it = had.find({own[i][3], own[i][4]}); it != had.end()) {
        finding.notes.push_back({a.placeOf(i), "both versions agree up to here (written by " + a.deedOf(i) + ")"});
        finding.notes.push_back(
            {b.placeOf(it->second), "the other version writes the same bytes here, by " + b.deedOf(it->second)});
        return;
      }
    }
  }

  Session &session;
  const CompareOptions &options;
  FindingList &findings;
  CompareResult result;
  std::vector<std::string> words;
  Side a, b;
};

} // namespace

CompareResult compareKernels(Session &session, const CompareOptions &options, FindingList &findings) {
  return Pair(session, options, findings).run();
}

} // namespace ptoscope::audit
