//===- Text.cpp - random programs as PTO text -----------------------------===//
//
// Constants and pointers to fixed places stand at the top, once each; what
// depends on the turn of a loop is computed where it is used. Spellings vary.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <map>

namespace ptoscope::randomprogram {

namespace {

class Writer {
public:
  explicit Writer(const Program &program) : program(program) {}

  std::string text() {
    std::string kind = program.mixed ? "" : ", pto.kernel_kind = #pto.kernel_kind<vector>";
    std::string result = "module attributes {pto.target_arch = \"" + program.arch + "\"" + kind + "} {\n" +
                         "func.func @k(%in: !pto.ptr<i8, gm>, %gm: !pto.ptr<i8, gm>) attributes {pto.kernel} {\n";
    std::string bodies[kCores];
    for (uint8_t core = 0; core < kCores; ++core)
      bodies[core] = bodyOf(core);
    result += head;
    if (program.mixed)
      result += "pto.section.cube {\n" + bodies[kAic] + "}\npto.section.vector {\n  %sub = pto.get_subblock_idx\n" +
                "  %first = arith.cmpi eq, %sub, " + zero + " : i64\n  scf.if %first {\n" + bodies[kAiv0] +
                "  } else {\n" + bodies[kAiv1] + "  }\n}\n";
    else
      result += bodies[kAiv0];
    return result + "return\n}\n}\n";
  }

private:
  using String = std::string;
  static String pointer(std::string_view element, std::string_view space) {
    return "!pto.ptr<" + String(element) + ", " + String(space) + ">";
  }
  String fresh() { return "%x" + std::to_string(++values); }
  void line(const String &text) { body += String(indent, ' ') + text + "\n"; }
  String define(const String &text) {
    String name = fresh();
    line(name + " = " + text);
    return name;
  }
  /// A definition at the top; the same text gives the same name.
  String common(const String &text) {
    String &name = known[text];
    if (name.empty()) {
      name = "%v" + std::to_string(known.size());
      head += "  " + name + " = " + text + "\n";
    }
    return name;
  }
  String constant(uint64_t value, const String &type) {
    return common("arith.constant " + std::to_string(type == "i32" ? int64_t(int32_t(value)) : int64_t(value)) + " : " +
                  type);
  }
  String i64(uint64_t value) { return constant(value, "i64"); }
  String index(uint64_t value) { return constant(value, "index"); }

  static std::string_view spaceOf(Memory memory) {
    return memory == Memory::L1 ? "l1" : memory >= Memory::Ub0 ? "ub" : "gm";
  }
  /// The part of a block in GM: this one, or `neighbour` further on.
  String part(uint64_t neighbour) {
    String block = common("pto.get_block_idx");
    if (neighbour) {
      String sum = common("arith.addi " + block + ", " + i64(neighbour) + " : i64");
      block = common("arith.remui " + sum + ", " + common("pto.get_block_num") + " : i64");
    }
    String number = common("arith.index_cast " + block + " : i64 to index");
    String offset = common("arith.muli " + number + ", " + index(kBlockBytes) + " : index");
    return common("pto.addptr %gm, " + offset + " : !pto.ptr<i8, gm> -> !pto.ptr<i8, gm>");
  }
  /// A pointer to `where`, to bytes or to 32-bit words.
  String address(const Where &where, const String &element = "i8") {
    String bytes = pointer("i8", spaceOf(where.memory)), result;
    if (where.memory >= Memory::L1) {
      result = common("pto.castptr " + i64(where.offset) + " : i64 -> " + bytes);
    } else {
      result = where.memory == Memory::Input ? "%in"
               : where.memory == Memory::Gm
                   ? part(where.neighbour)
                   : common("pto.addptr %gm, " + index(program.blocks * kBlockBytes) + " : " + bytes + " -> " + bytes);
      if (where.offset)
        result = common("pto.addptr " + result + ", " + index(where.offset) + " : " + bytes + " -> " + bytes);
    }
    for (auto [step, count] : {std::pair(where.perTurn, String("%turn")), {where.perParity, "%parity"}})
      if (step) {
        String offset = define("arith.muli " + count + ", " + index(step) + " : index");
        result = define("pto.addptr " + result + ", " + offset + " : " + bytes + " -> " + bytes);
      }
    if (element == "i8")
      return result;
    String cast = "pto.castptr " + result + " : " + bytes + " -> " + pointer(element, spaceOf(where.memory));
    return where.perTurn || where.perParity ? define(cast) : common(cast);
  }

  String comment(const Instruction &i) { return " // #" + std::to_string(&i - program.list.data()); }
  void control(uint64_t value) { line("pto.set_ctrl " + i64(value) + " : i64"); }
  void transfer(const Instruction &i) {
    if (!i.transfer.atomic)
      return plainTransfer(i);
    const AtomicKind &kind = kAtomics[*i.transfer.atomic];
    control(uint64_t(kind.type) << 6 | uint64_t(kind.op) << 9);
    plainTransfer(i);
    control(0);
  }
  void plainTransfer(const Instruction &i) {
    const Transfer &t = i.transfer;
    const PathInfo &path = infoOf(t.path);
    String src = address(t.src), dst = address(t.dst);
    String types = " : " + pointer("i8", path.from) + ", " + pointer("i8", path.to);
    auto unit = [&](uint64_t bytes) { return i64(path.gaps ? bytes / 32 : bytes); };
    String len = unit(t.len), n = i64(t.count);
    String ss = unit(path.gaps ? t.srcStep - t.len : t.srcStep), ds = unit(path.gaps ? t.dstStep - t.len : t.dstStep);
    String zero = i64(0);
    if (!t.legacy) {
      bool load = t.path == Path::GmUb;
      String text = "pto." + String(path.grouped) + " " + src + ", " + dst + ", " + (load ? zero + ", " : "") + len +
                    " nburst(" + n + ", " + ss + ", " + ds + ")";
      types += load ? ", i64, i64, i64, i64, i64" : ", i64, i64, i64, i64";
      for (const OuterLoop &loop : t.loops) {
        text += " loop(" + i64(loop.count) + ", " + i64(loop.srcStep) + ", " + i64(loop.dstStep) + ")";
        types += ", loop i64, i64, i64";
      }
      if (t.pad) {
        String type = t.pad->width == 1 ? "i8" : "i32";
        text += " pad(" + padValue(*t.pad) + ", " + i64(t.pad->left) + ", " + i64(t.pad->right) + ")";
        types += ", pad " + type + ", i64, i64";
      }
      return line(text + types + comment(i));
    }
    if ((t.path == Path::GmUb || t.path == Path::UbGm) && program.arch == "a5") {
      String suffix = t.path == Path::GmUb ? "outtoub " : "ubtoout ";
      auto count = [&](size_t k) { return i64(k < t.loops.size() ? t.loops[k].count : 1); };
      line("pto.set_loop_size_" + suffix + count(0) + ", " + count(1) + " : i64, i64");
      for (size_t k = 0; k < t.loops.size(); ++k)
        line("pto.set_loop" + std::to_string(k + 1) + "_stride_" + suffix + i64(t.loops[k].srcStep) + ", " +
             i64(t.loops[k].dstStep) + " : i64, i64");
    }
    String words, kinds;
    auto word = [&](const String &value, const char *type = "i64") {
      words += ", " + value;
      kinds += ", " + String(type);
    };
    if (t.path == Path::GmUb) {
      if (t.pad)
        line("pto.set_mov_pad_val " + padValue(*t.pad) + " : " + (t.pad->width == 1 ? "i8" : "i32"));
      for (const String &value : {zero, n, len, i64(t.pad ? t.pad->left : 0), i64(t.pad ? t.pad->right : 0)})
        word(value);
      word(common(t.pad ? "arith.constant true" : "arith.constant false"), "i1");
      for (const String &value : {zero, ss, ds})
        word(value);
    } else if (t.path == Path::UbGm) {
      for (const String &value : {zero, n, len, zero, ds, ss})
        word(value);
    } else if (t.path == Path::GmL1) {
      for (const String &value : {n, len, ss, ds})
        word(value);
    } else {
      for (const String &value : {i64(t.path == Path::L1Ub && t.dst.memory == Memory::Ub1), n, len, ss, ds})
        word(value);
    }
    line("pto." + String(path.legacy) + " " + src + ", " + dst + words + types + kinds + comment(i));
  }
  String padValue(const Padding &pad) {
    if (pad.width == 4)
      return constant(pad.value, "i32");
    return common("arith.constant " + std::to_string(int8_t(pad.value)) + " : i8");
  }

  String mask(const Mask &mask, const std::map<unsigned, String> &registers) {
    if (mask.kind == Mask::None)
      return define("pto.pset_b32 \"PAT_ALL\" : !pto.mask<b32>");
    if (mask.kind == Mask::Negative)
      return define("pto.vcmps " + registers.at(mask.number) + ", " + constant(0, "i32") +
                    ", \"lt\" : !pto.vreg<64xi32>, i32 -> !pto.mask<b32>");
    if (mask.kind == Mask::Pattern)
      return define("pto.pset_b32 \"" + String(kPatterns[mask.number].name) + "\" : !pto.mask<b32>");
    String name = fresh();
    line(name + ", " + name + "_rest = pto.plt_b32 " + constant(mask.number, "i32") + " : i32 -> !pto.mask<b32>, i32");
    return name;
  }

  void scope(const Instruction &i) {
    constexpr const char *kRegister = "!pto.vreg<64xi32>", *kMask = "!pto.mask<b32>";
    const Scope &scope = i.scope;
    String ub = pointer("i32", "ub");
    auto at = [&](uint64_t bytes) { return address({Memory::Ub0, bytes, 0, scope.perParity}, "i32"); };
    // Pointers are made outside, so that both kinds of captures occur.
    std::vector<std::pair<String, String>> places;
    for (const Step &step : scope.steps)
      places.push_back({at(step.from), at(step.to)});
    line(scope.carrier == 0 ? "pto.vecscope {"
                            : "scf.for %d" + std::to_string(++values) + " = " + index(0) + " to " + index(1) +
                                  " step " + index(1) + " {");
    indent += 2;
    String zero = index(0);
    std::map<unsigned, String> registers;
    for (size_t k = 0; k < scope.steps.size(); ++k) {
      const Step &step = scope.steps[k];
      const auto &[from, to] = places[k];
      switch (step.kind) {
      case Step::Load:
        registers[step.result] = load(step, from);
        break;
      case Step::Gather:
        registers[step.result] =
            define("pto.vgather2 " + from + ", " + indices(step) + ", " + mask(step.mask, registers) + " : " + ub +
                   ", " + kRegister + ", " + kMask + " -> " + kRegister);
        break;
      case Step::Scatter:
        line("pto.vscatter " + registers[step.a] + ", " + to + ", " + indices(step) + ", " +
             mask(step.mask, registers) + " : " + kRegister + ", " + ub + ", " + kRegister + ", " + kMask);
        break;
      case Step::Stream:
        stream(step, to, registers);
        break;
      case Step::MaskCopy: {
        String m = define("pto.plds " + from + "[" + zero + "], \"NORM\" : " + ub + ", index -> !pto.mask<b8>");
        line("pto.psts " + m + ", " + to + "[" + zero + "], \"NORM\" : !pto.mask<b8>, " + ub + ", index");
        break;
      }
      case Step::Lane: {
        String m = step.mask.kind == Mask::None ? "" : mask(step.mask, registers);
        registers[step.result] = lane(step.op, registers[step.a], registers[step.b], m);
        break;
      }
      case Step::Store: {
        if (kStores[step.op].name == "vsstb") {
          line("pto.vsstb " + registers[step.a] + ", " + to + strides(step) + mask({}, registers) + " : " + kRegister +
               ", " + ub + ", i16, i16, " + kMask);
          break;
        }
        String m = step.mask.kind == Mask::None ? "" : mask(step.mask, registers);
        line("pto.vsts " + registers[step.a] + ", " + to + "[" + zero + "]" + (m.empty() ? "" : ", " + m) +
             " {dist = \"" + String(kStores[step.op].name) + "\"} : " + kRegister + ", " + ub +
             (m.empty() ? "" : String(", ") + kMask));
        break;
      }
      case Step::Fence:
        line("pto.mem_bar \"" + String(kFences[step.op].name) + "\"");
        break;
      case Step::Scalar: {
        String value = define("pto.load_scalar " + from + "[" + zero + "] : " + ub + " -> i32");
        String sum = define("arith.addi " + value + ", " + constant(step.addend, "i32") + " : i32");
        line("pto.store_scalar " + sum + ", " + to + "[" + zero + "] : " + ub + ", i32");
        break;
      }
      case Step::Rows: {
        String row = "%r" + std::to_string(++values);
        line("scf.for " + row + " = " + zero + " to " + index(step.rows) + " step " + index(1) + " {");
        indent += 2;
        String offset = define("arith.muli " + row + ", " + index(kLanes) + " : index");
        String x = define("pto.vlds " + from + "[" + offset + "] : " + ub + " -> " + kRegister);
        line("pto.vsts " + lane(step.op, x, x, "") + ", " + to + "[" + offset + "] : " + kRegister + ", " + ub);
        indent -= 2;
        line("}");
        break;
      }
      }
    }
    indent -= 2;
    line(scope.carrier == 0 ? "}" : "} {llvm.loop.aivector_scope}");
  }
  String strides(const Step &step) {
    return ", " + constant(step.blocks, "i16") + ", " + constant(step.repeat, "i16") + ", ";
  }
  String load(const Step &step, const String &from) {
    String ub = pointer("i32", "ub"), result = "!pto.vreg<64xi32>", token(kLoads[step.op].name);
    if (token == "vldus") {
      String state = define("pto.vldas " + from + " : " + ub + " -> !pto.align"), value = fresh();
      line(value + ", " + value + "_next = pto.vldus " + from + ", " + state + " : " + ub + ", !pto.align -> " +
           result + ", !pto.align");
      return value;
    }
    if (token == "vsldb")
      return define("pto.vsldb " + from + strides(step) + mask({}, {}) + " : " + ub + ", i16, i16, !pto.mask<b32> -> " +
                    result);
    return define("pto.vlds " + from + "[" + index(0) + "] {dist = \"" + token + "\"} : " + ub + " -> " + result);
  }
  /// Step::indexOf, as instructions on registers.
  String indices(const Step &step) {
    String type = "!pto.vreg<64xi32>";
    String lanes = define("pto.vci " + constant(step.first, "i32") + " : i32 -> " + type);
    String spread =
        define("pto.vmuls " + lanes + ", " + constant(step.factor, "i32") + " : " + type + ", i32 -> " + type);
    return define("pto.vands " + spread + ", " + constant(Step::kIndexed - 1, "i32") + " : " + type + ", i32 -> " +
                  type);
  }
  void stream(const Step &step, const String &to, const std::map<unsigned, String> &registers) {
    String ub = pointer("i32", "ub"), state = define("pto.init_align : !pto.align"), at = to;
    for (auto [value, count] : {std::pair(step.a, step.count), {step.b, step.more}}) {
      if (value == step.b && count == 0)
        continue;
      String next = fresh();
      line(next + ", " + next + "_end = pto.vstus " + state + ", " + constant(count, "i32") + ", " +
           registers.at(value) + ", " + at + ", \"POST_UPDATE\" : !pto.align, i32, !pto.vreg<64xi32>, " + ub +
           " -> !pto.align, " + ub);
      state = next;
      at = next + "_end";
    }
    line("pto.vstas " + state + ", " + at + ", " + constant(0, "i32") + " : !pto.align, " + ub + ", i32");
  }
  String lane(unsigned op, const String &a, const String &b, const String &mask) {
    constexpr const char *kRegister = "!pto.vreg<64xi32>";
    const LaneOp &info = kLaneOps[op];
    String text = "pto." + String(info.name) + " " + a, types = kRegister;
    if (info.operands == 2) {
      text += ", " + b;
      types += String(", ") + kRegister;
    }
    if (!mask.empty()) {
      text += ", " + mask;
      types += ", !pto.mask<b32>";
    }
    return define(text + " : " + types + " -> " + kRegister);
  }

  void flag(const Instruction &i) {
    String name = i.kind == Kind::SetFlag ? "pto.set_flag" : "pto.wait_flag";
    String a(nameOf(i.source)), b(nameOf(i.destination)), id = std::to_string(i.id);
    if (i.parity || i.spelling % 4 == 3) {
      String value = index(uint64_t(i.id));
      if (i.parity)
        value = define("arith.addi %parity, " + value + " : index");
      return line(name + "_dyn[#pto.pipe<" + a + ">, #pto.pipe<" + b + ">, " + value + "]");
    }
    switch (i.spelling % 4) {
    case 0:
      return line(name + "[\"" + a + "\", \"" + b + "\", \"EVENT_ID" + id + "\"]");
    case 1:
      return line(name + "[<" + a + ">, <" + b + ">, <EVENT_ID" + id + ">]");
    default:
      return line(name + "[#pto.pipe<" + a + ">, #pto.pipe<" + b + ">, #pto.event<EVENT_ID" + id + ">]");
    }
  }

  void bracket(const Instruction &i) {
    String name = i.kind == Kind::Get ? "pto.get_buf " : "pto.rls_buf ", pipe = "\"" + String(nameOf(i.pipe)) + "\"";
    if (i.parity) {
      String low = index(uint64_t(i.id)), sum = define("arith.addi %parity, " + low + " : index");
      String id = define("arith.index_cast " + sum + " : index to i64");
      return line(name + pipe + ", " + id + ", " + i64(0) + " : i64, i64");
    }
    if (i.spelling % 2 && i.mode == 0)
      return line(name + i64(uint64_t(i.id)) + ", " + pipe);
    line(name + pipe + ", " + std::to_string(i.id) + ", " + std::to_string(i.mode));
  }

  void semaphore(const Instruction &i) {
    bool set = i.kind == Kind::SyncSet;
    String pipe(nameOf(i.pipe)), id = std::to_string(i.id);
    switch (i.spelling % 3) {
    case 0:
      return line(String(set ? "pto.sync.set <" : "pto.sync.wait <") + pipe + ">, " + id);
    case 1:
      return line(String(set ? "pto.sync.set #pto.pipe<" : "pto.sync.wait #pto.pipe<") + pipe + ">, " +
                  index(uint64_t(i.id)));
    default:
      return line(String(set ? "pto.set_intra_block \"" : "pto.wait_intra_core \"") + pipe + "\", " +
                  i64(uint64_t(i.id)) + " : i64");
    }
  }

  void write(const Instruction &i) {
    switch (i.kind) {
    case Kind::Transfer:
      return transfer(i);
    case Kind::Scope:
      return scope(i);
    case Kind::Scalar: {
      auto type = [](const Where &w) { return pointer("i32", spaceOf(w.memory)); };
      String from = address(i.scalar.from, "i32"), to = address(i.scalar.to, "i32");
      String value =
          define("pto.load_scalar " + from + "[" + index(0) + "] : " + type(i.scalar.from) + " -> i32" + comment(i));
      String sum = define("arith.addi " + value + ", " + constant(i.scalar.addend, "i32") + " : i32");
      return line("pto.store_scalar " + sum + ", " + to + "[" + index(0) + "] : " + type(i.scalar.to) + ", i32");
    }
    case Kind::SetFlag:
    case Kind::WaitFlag:
      return flag(i);
    case Kind::Barrier:
      return line(i.spelling % 2 ? "pto.barrier #pto.pipe<" + String(nameOf(i.pipe)) + ">"
                                 : "pto.pipe_barrier \"" + String(nameOf(i.pipe)) + "\"");
    case Kind::Get:
    case Kind::Rls:
      return bracket(i);
    case Kind::SyncSet:
    case Kind::SyncWait:
      return semaphore(i);
    case Kind::CrossSet:
    case Kind::CrossWait:
      return line(String(i.kind == Kind::CrossSet ? "pto.set_cross_core " : "pto.wait_flag_dev ") +
                  (i.spelling % 2 ? i64(0) + ", " : "") + i64(uint64_t(i.id)) +
                  (i.spelling % 2 ? " : i64, i64" : " : i64"));
    case Kind::SyncAll: {
      String type = program.mixed ? "mix" : i.spelling % 2 ? "aiv_only" : "mix";
      if (i.spelling % 4 != 1 || program.mixed)
        return line("pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<" + type + ">");
      return line("pto.syncall(%gm, " + address({Memory::Ub0, 0}) + ", " + constant(program.blocks, "i32") +
                  " : !pto.ptr<i8, gm>, !pto.ptr<i8, ub>, i32) mode = #pto.sync_all_mode<soft>, "
                  "core_type = #pto.sync_core_type<aiv_only>");
    }
    case Kind::Loop: {
      line("scf.for %turn = " + index(0) + " to " + index(uint64_t(i.id)) + " step " + index(1) + " {");
      indent += 2;
      line("%parity = arith.remui %turn, " + index(2) + " : index");
      return;
    }
    case Kind::If: {
      String bit = define("arith.andi " + common("pto.get_block_idx") + ", " + i64(1) + " : i64");
      String even = define("arith.cmpi eq, " + bit + ", " + i64(0) + " : i64");
      line("scf.if " + even + " {");
      indent += 2;
      return;
    }
    case Kind::End:
      indent -= 2;
      return line("}");
    }
  }

  String bodyOf(uint8_t core) {
    std::multimap<size_t, const Instruction *> mine; // equal numbers keep their order
    for (const Instruction &i : program.list)
      if (i.core == core)
        mine.insert({i.issue, &i});
    body.clear();
    indent = program.mixed ? 4 : 2;
    for (const auto &[number, i] : mine)
      write(*i);
    return body;
  }

  const Program &program;
  String head, body;
  std::map<String, String> known;
  unsigned values = 0;
  unsigned indent = 2;
  String zero = i64(0);
};

} // namespace

std::string textOf(const Program &program) { return Writer(program).text(); }

} // namespace ptoscope::randomprogram
