//===- DescriptorCommand.cpp - tirxc descriptor 0x... ---------------------===//
#include "CommandLine.h"
#include "Commands.h"
#include "tirx/Layout/InstrDescriptor.h"

namespace tirx::driver {
namespace {

using layout::ElementType;
using layout::InstrDescriptor;
using layout::Major;
using layout::MmaGeneration;
using layout::MmaKind;
using layout::SmemDescriptor;

const OptionSpec options[] = {
    {"--kind", "KIND",
     "smem (64 bits, of shared memory) or instruction (32 bits, of\n"
     "tcgen05.mma); by default instruction where the value has up to 8\n"
     "hexadecimal digits"},
    {"--generation", "GENERATION", "smem: tcgen05 (default) or wgmma"},
    {"--major", "MAJOR",
     "smem: k or mn, how the operand is stored; by default k, or mn with the\n"
     "swizzle that only MN-major operands have"},
    {"--element-bits", "BITS",
     "smem: width of the operand's elements, 4, 8, 16 or 32; by default 16,\n"
     "or 32 with that swizzle"},
    {"--mma-kind", "KIND",
     "instruction: f16 (default), tf32, f8f6f4, i8, mxf8f6f4, mxf4 or\n"
     "mxf4nvf4; the word does not say it, the opcode does"},
    {"--cta-group", "N", "instruction: 1 (default) or 2"},
    {"--ws", "", "instruction: of tcgen05.mma.ws"},
};

const CommandSpec spec = {"tirxc descriptor 0x4000404000010040 [options]",
                          "Decodes every field of a matrix or instruction "
                          "descriptor. The status is 1\n"
                          "when the hardware would not accept it; the fields "
                          "are printed all the same.",
                          options};

enum class Kind { smem, instruction };
const Choice<Kind> kinds[] = {{"smem", Kind::smem},
                              {"instruction", Kind::instruction}};
const Choice<MmaGeneration> generations[] = {
    {"tcgen05", MmaGeneration::Tcgen05}, {"wgmma", MmaGeneration::Wgmma}};
const Choice<Major> majors[] = {{"k", Major::K}, {"mn", Major::MN}};
const Choice<int64_t> widths[] = {{"4", 4}, {"8", 8}, {"16", 16}, {"32", 32}};
const Choice<int> groups[] = {{"1", 1}, {"2", 2}};
const Choice<MmaKind> mmaKinds[] = {
    {"f16", MmaKind::F16},           {"tf32", MmaKind::TF32},
    {"f8f6f4", MmaKind::F8F6F4},     {"i8", MmaKind::I8},
    {"mxf8f6f4", MmaKind::MXF8F6F4}, {"mxf4", MmaKind::MXF4},
    {"mxf4nvf4", MmaKind::MXF4NVF4}};

/// The option's value among its choices, `otherwise` when it is not given.
template <typename T, size_t N>
rt::Expected<T> choose(const ParsedLine &line, llvm::StringRef option,
                       const Choice<T> (&choices)[N], T otherwise) {
  auto text = line.value(option);
  if (!text)
    return otherwise;
  return parseChoice(option, *text, choices);
}

/// A run of bits and what its value means; `text` is null for reserved bits.
template <typename Descriptor> struct Field {
  llvm::StringRef name;
  unsigned low, width;
  std::string (*text)(const Descriptor &);
};

template <typename Descriptor> uint64_t maskOf(const Field<Descriptor> &field) {
  return ((uint64_t(1) << field.width) - 1) << field.low;
}

/// One line a field. `decode` reads a word in which the other fields are legal,
/// so that a bad field spoils only its own line.
template <typename Descriptor, typename Decode>
std::string fieldTable(llvm::ArrayRef<Field<Descriptor>> fields, uint64_t bits,
                       const Decode &decode) {
  std::string out;
  for (const Field<Descriptor> &field : fields) {
    const uint64_t value = (bits & maskOf(field)) >> field.low;
    std::string meaning = value ? "illegal: must be 0" : "0";
    if (field.text) {
      auto descriptor = decode(field);
      meaning = descriptor ? field.text(*descriptor)
                           : "illegal: " + descriptor.error().message;
    }
    const std::string place =
        field.width == 1
            ? std::to_string(field.low)
            : fmt::format("{}-{}", field.low, field.low + field.width - 1);
    out += fmt::format("  {:<7}{:<22}{:<8}{}\n", place, field.name.str(),
                       fmt::format("{:#x}", value), meaning);
  }
  return out;
}

std::string yesNo(bool value) { return value ? "yes" : "no"; }

//===--- shared memory ---------------------------------------------------===//

std::string startText(const SmemDescriptor &d) {
  return fmt::format("{} ({:#x}) bytes", d.startAddress, d.startAddress);
}
std::string leadingText(const SmemDescriptor &d) {
  return fmt::format("{} bytes", d.leadingByteOffset);
}
std::string strideText(const SmemDescriptor &d) {
  return fmt::format("{} bytes", d.strideByteOffset);
}
std::string versionText(const SmemDescriptor &d) {
  return std::string(layout::toString(d.generation));
}
std::string baseText(const SmemDescriptor &d) {
  return d.baseOffset ? "illegal: align the tile and use 0" : "0";
}
std::string leadingModeText(const SmemDescriptor &d) {
  return d.leadingIsAbsolute ? "illegal: absolute exists on sm_103a only"
                             : "relative";
}
std::string swizzleText(const SmemDescriptor &d) {
  return "swizzle " + std::string(layout::toString(d.swizzle));
}

// PTX ISA 9.7.16.4.1 and 9.7.15.5.1.
const Field<SmemDescriptor> tcgen05Fields[] = {
    {"start address", 0, 14, startText},
    {"reserved", 14, 2, nullptr},
    {"leading byte offset", 16, 14, leadingText},
    {"reserved", 30, 2, nullptr},
    {"stride byte offset", 32, 14, strideText},
    {"version", 46, 3, versionText},
    {"base offset", 49, 3, baseText},
    {"leading offset mode", 52, 1, leadingModeText},
    {"reserved", 53, 8, nullptr},
    {"layout type", 61, 3, swizzleText},
};
const Field<SmemDescriptor> wgmmaFields[] = {
    {"start address", 0, 14, startText},
    {"reserved", 14, 2, nullptr},
    {"leading byte offset", 16, 14, leadingText},
    {"reserved", 30, 2, nullptr},
    {"stride byte offset", 32, 14, strideText},
    {"reserved", 46, 3, nullptr},
    {"base offset", 49, 3, baseText},
    {"reserved", 52, 10, nullptr},
    {"layout type", 62, 2, swizzleText},
};

/// What the report says, and why the descriptor is illegal.
struct Report {
  std::string fields;
  std::optional<std::string> illegal;
};

rt::Expected<Report> reportSmem(const ParsedLine &line, uint64_t bits) {
  auto generation =
      choose(line, "--generation", generations, MmaGeneration::Tcgen05);
  if (!generation)
    return tl::unexpected(generation.error());
  const bool tcgen05 = *generation == MmaGeneration::Tcgen05;
  llvm::ArrayRef<Field<SmemDescriptor>> fields(tcgen05Fields);
  if (!tcgen05)
    fields = wgmmaFields;
  const uint64_t legal = tcgen05 ? uint64_t(1) << 46 : 0;
  Report report{fmt::format("{} shared-memory descriptor {:#018x}\n",
                            layout::toString(*generation), bits) +
                    fieldTable(fields, bits,
                               [&](const Field<SmemDescriptor> &field) {
                                 const uint64_t mask = maskOf(field);
                                 return layout::decodeSmemDescriptor(
                                     (legal & ~mask) | (bits & mask),
                                     *generation);
                               }),
                std::nullopt};
  auto decoded = layout::decodeSmemDescriptor(bits, *generation);
  const bool atom32 =
      decoded && decoded->swizzle == layout::SwizzleMode::B128Atom32B;
  auto major = choose(line, "--major", majors, atom32 ? Major::MN : Major::K);
  if (!major)
    return tl::unexpected(major.error());
  auto width =
      choose<int64_t>(line, "--element-bits", widths, atom32 ? 32 : 16);
  if (!width)
    return tl::unexpected(width.error());
  if (!decoded)
    report.illegal = decoded.error().message;
  else if (auto legal = layout::checkSmemDescriptor(*decoded, {*major, *width});
           !legal)
    report.illegal = legal.error().message;
  return report;
}

//===--- instructions ----------------------------------------------------===//

std::string typeText(ElementType type) {
  return std::string(layout::toString(type));
}

// PTX ISA 9.7.16.4.2, the table of the dense kinds and that of the block-scaled
// ones.
const Field<InstrDescriptor> denseFields[] = {
    {"sparsity selector", 0, 2,
     [](const InstrDescriptor &d) {
       return std::to_string(d.sparsitySelector);
     }},
    {"sparse", 2, 1, [](const InstrDescriptor &d) { return yesNo(d.sparse); }},
    {"saturate", 3, 1,
     [](const InstrDescriptor &d) { return yesNo(d.saturate); }},
    {"D type", 4, 2,
     [](const InstrDescriptor &d) { return typeText(d.dType); }},
    {"reserved", 6, 1, nullptr},
    {"A type", 7, 3,
     [](const InstrDescriptor &d) { return typeText(d.aType); }},
    {"B type", 10, 3,
     [](const InstrDescriptor &d) { return typeText(d.bType); }},
    {"negate A", 13, 1,
     [](const InstrDescriptor &d) { return yesNo(d.negateA); }},
    {"negate B", 14, 1,
     [](const InstrDescriptor &d) { return yesNo(d.negateB); }},
    {"A major", 15, 1,
     [](const InstrDescriptor &d) {
       return std::string(layout::toString(d.aMajor));
     }},
    {"B major", 16, 1,
     [](const InstrDescriptor &d) {
       return std::string(layout::toString(d.bMajor));
     }},
    {"N", 17, 6, [](const InstrDescriptor &d) { return std::to_string(d.n); }},
    {"reserved", 23, 1, nullptr},
    {"M", 24, 5, [](const InstrDescriptor &d) { return std::to_string(d.m); }},
    {"reserved", 29, 1, nullptr},
    {"max shift", 30, 2,
     [](const InstrDescriptor &d) {
       return std::to_string(d.maxShift ? 4 << d.maxShift : 0);
     }},
};
const Field<InstrDescriptor> scaledFields[] = {
    {"reserved", 0, 2, nullptr},
    denseFields[1],
    {"reserved", 3, 1, nullptr},
    {"SFB_ID", 4, 2,
     [](const InstrDescriptor &d) { return std::to_string(d.sfbId); }},
    denseFields[4],
    denseFields[5],
    denseFields[6],
    denseFields[7],
    denseFields[8],
    denseFields[9],
    denseFields[10],
    denseFields[11],
    {"scale type", 23, 1,
     [](const InstrDescriptor &d) {
       return std::string(layout::toString(d.scaleType));
     }},
    {"reserved", 24, 3, nullptr},
    {"M", 27, 2, denseFields[13].text},
    {"SFA_ID", 29, 2,
     [](const InstrDescriptor &d) { return std::to_string(d.sfaId); }},
    {"K = 96 (sm_103a)", 31, 1,
     [](const InstrDescriptor &) { return std::string("no"); }},
};

/// A legal descriptor of the kind.
InstrDescriptor example(MmaKind kind) {
  InstrDescriptor d;
  d.kind = kind;
  static constexpr ElementType types[] = {
      ElementType::F16,  ElementType::TF32, ElementType::E4M3, ElementType::S8,
      ElementType::E4M3, ElementType::E2M1, ElementType::E2M1};
  d.aType = d.bType = types[unsigned(kind)];
  if (kind == MmaKind::I8)
    d.dType = ElementType::S32;
  return d;
}

rt::Expected<Report> reportInstruction(const ParsedLine &line, uint64_t bits) {
  auto kind = choose(line, "--mma-kind", mmaKinds, MmaKind::F16);
  if (!kind)
    return tl::unexpected(kind.error());
  auto group = choose(line, "--cta-group", groups, 1);
  if (!group)
    return tl::unexpected(group.error());
  if (bits >> 32)
    return rt::makeError("{:#x} does not fit the 32 bits of an instruction "
                         "descriptor",
                         bits);
  auto legal = layout::encode(example(*kind));
  if (!legal)
    return rt::makeError("{}", legal.error().message);
  // The selector is legal with sparse operands only, and one type of kind::f16
  // with the other only: these fields are read together.
  auto decode = [&](const Field<InstrDescriptor> &field) {
    uint64_t mask = maskOf(field), value = bits & mask;
    if (field.name == "sparsity selector" && value) {
      mask |= 1 << 2;
      value |= bits & 1 << 2;
    }
    if (*kind == MmaKind::F16 && field.name.ends_with(" type") &&
        field.width == 3) {
      const uint64_t code = value >> field.low;
      mask = uint64_t(0x3f) << 7;
      value = code << 7 | code << 10;
    }
    return layout::decodeInstrDescriptor(uint32_t((*legal & ~mask) | value),
                                         *kind);
  };
  llvm::ArrayRef<Field<InstrDescriptor>> fields(denseFields);
  if (layout::isBlockScaled(*kind))
    fields = scaledFields;
  Report report{fmt::format("kind::{} instruction descriptor {:#010x}\n",
                            layout::toString(*kind), bits) +
                    fieldTable(fields, bits, decode),
                std::nullopt};
  auto decoded = layout::decodeInstrDescriptor(uint32_t(bits), *kind);
  if (!decoded)
    report.illegal = decoded.error().message;
  else if (auto ok = layout::checkInstrDescriptor(*decoded,
                                                  {*group, line.has("--ws")});
           !ok)
    report.illegal = ok.error().message;
  return report;
}

/// Options of the other kind of descriptor are a mistake.
rt::Expected<void> checkOptions(const ParsedLine &line, Kind kind) {
  llvm::StringRef other = kind == Kind::smem ? "instruction:" : "smem:";
  for (const OptionSpec &option : options)
    if (line.has(option.name) && option.help.starts_with(other))
      return rt::makeError("{} does not go with --kind={}", option.name.str(),
                           kind == Kind::smem ? "smem" : "instruction");
  return {};
}

} // namespace

rt::Expected<void> descriptorCommand(Arguments arguments) {
  auto line = parseCommandLine(spec, arguments);
  if (!line)
    return tl::unexpected(line.error());
  if (line->has("--help"))
    return writeStdout(renderHelp(spec));
  auto text = onlyOperand(line->positional, "descriptor");
  if (!text)
    return tl::unexpected(text.error());
  llvm::StringRef digits = *text;
  uint64_t bits;
  if (!(digits.consume_front("0x") || digits.consume_front("0X")) ||
      digits.getAsInteger(16, bits))
    return rt::makeError("'{}' is no descriptor: 0x and 1 to 16 hexadecimal "
                         "digits were expected",
                         *text);
  auto kind = choose(*line, "--kind", kinds,
                     digits.size() <= 8 ? Kind::instruction : Kind::smem);
  if (!kind)
    return tl::unexpected(kind.error());
  if (auto ok = checkOptions(*line, *kind); !ok)
    return ok;
  auto report = *kind == Kind::smem ? reportSmem(*line, bits)
                                    : reportInstruction(*line, bits);
  if (!report)
    return tl::unexpected(report.error());
  if (auto done =
          writeStdout(report->fields + (report->illegal ? "" : "legal\n"));
      !done)
    return done;
  if (report->illegal)
    return rt::makeError("{} is illegal: {}", *text, *report->illegal);
  return {};
}

} // namespace tirx::driver
