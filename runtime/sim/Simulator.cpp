//===- Simulator.cpp - the public interface ---------------------*- C++ -*-===//

#include "tirx/Runtime/Simulator.h"
#include "Machine.h"
#include "Parser.h"
#include "units/TensorMap.h"

namespace tirx::rt::sim {

Expected<std::shared_ptr<const Program>> loadProgram(std::string_view ptx,
                                                     std::string_view name) {
  auto program = std::make_shared<Program>();
  Expected<ast::Module> module = parseModule(ptx, name);
  if (!module)
    return tl::unexpected<Error>(module.error());
  program->module = std::move(*module);
  for (const ast::Function &function : program->module.functions) {
    if (!function.is_entry || !function.has_body)
      continue;
    EntryCode code;
    if (Expected<void> decoded = Decoder(program->module, function, code).run();
        !decoded)
      return tl::unexpected<Error>(decoded.error());
    program->entries.push_back(std::move(code));
  }
  return program;
}

std::vector<EntryInfo> entries(const Program &program) {
  std::vector<EntryInfo> out;
  for (const EntryCode &code : program.entries) {
    EntryInfo info;
    info.name = code.function->name;
    info.parameter_bytes = code.function->parameter_bytes;
    for (const ast::Parameter &parameter : code.function->parameters) {
      info.parameter_offsets.push_back(parameter.offset);
      info.parameter_sizes.push_back(parameter.bytes);
    }
    info.static_shared_bytes = code.static_shared_bytes;
    info.slots32 = code.slots32;
    info.slots64 = code.slots64;
    info.slots128 = code.slots128;
    info.predicates = code.predicates;
    info.instructions =
        static_cast<uint32_t>(code.function->instructions.size());
    out.push_back(std::move(info));
  }
  return out;
}

Expected<LaunchStats> run(const Program &program, std::string_view entry,
                          const SimLaunch &launch, GlobalMemory &memory,
                          const SimOptions &options) {
  const EntryCode *code = program.find(entry);
  if (!code) {
    std::string names;
    for (const EntryCode &one : program.entries)
      names += (names.empty() ? "" : ", ") + one.function->name;
    return makeError("{}: no entry '{}'; there are: {}", program.module.name,
                     entry, names);
  }
  return Machine(program, *code, launch, memory, options).run();
}

Expected<std::array<std::byte, 128>>
encodeTensorMap(const TensorMapRecipe &recipe, const void *base,
                std::span<const uint64_t> global_dim,
                std::span<const uint64_t> global_stride) {
  TensorMapFields fields;
  size_t rank = global_dim.size();
  if (rank < 1 || rank > 5)
    return makeError("tensor map of rank {}; allowed are 1 to 5", rank);
  if (global_stride.size() + 1 != rank || recipe.box_dim.size() != rank ||
      recipe.element_stride.size() != rank)
    return makeError("tensor map of rank {}: {} strides, {} box extents, {} "
                     "element strides; expected {}, {}, {}",
                     rank, global_stride.size(), recipe.box_dim.size(),
                     recipe.element_stride.size(), rank - 1, rank, rank);
  switch (recipe.dtype) {
  case DType::boolean:
  case DType::u8:
  case DType::i8:
  case DType::f8e4m3:
  case DType::f8e5m2:
    fields.type = TensorMapDType::u8;
    break;
  case DType::u16:
  case DType::i16:
    fields.type = TensorMapDType::u16;
    break;
  case DType::u32:
    fields.type = TensorMapDType::u32;
    break;
  case DType::i32:
    fields.type = TensorMapDType::s32;
    break;
  case DType::u64:
    fields.type = TensorMapDType::u64;
    break;
  case DType::i64:
    fields.type = TensorMapDType::s64;
    break;
  case DType::f16:
    fields.type = TensorMapDType::f16;
    break;
  case DType::bf16:
    fields.type = TensorMapDType::bf16;
    break;
  case DType::f32:
    fields.type = TensorMapDType::f32;
    break;
  case DType::f64:
    fields.type = TensorMapDType::f64;
    break;
  }
  fields.rank = static_cast<uint8_t>(rank);
  fields.globalAddress = reinterpret_cast<uintptr_t>(base);
  for (size_t i = 0; i < rank; ++i) {
    fields.globalDim[i] = global_dim[i];
    fields.boxDim[i] = recipe.box_dim[i];
    fields.elementStrides[i] = recipe.element_stride[i];
    if (i + 1 < rank)
      fields.globalStrides[i] = global_stride[i];
  }
  switch (recipe.swizzle) {
  case TensorMapRecipe::Swizzle::none:
    fields.swizzle = Swizzle::none;
    break;
  case TensorMapRecipe::Swizzle::b32:
    fields.swizzle = Swizzle::b32;
    break;
  case TensorMapRecipe::Swizzle::b64:
    fields.swizzle = Swizzle::b64;
    break;
  case TensorMapRecipe::Swizzle::b128:
    fields.swizzle = Swizzle::b128;
    break;
  case TensorMapRecipe::Swizzle::b128_atom_32b:
    fields.swizzle = Swizzle::b128Atom32;
    break;
  }
  fields.l2Promotion = static_cast<uint8_t>(recipe.l2_promotion);
  fields.fill = recipe.oob_fill == TensorMapRecipe::OobFill::nan
                    ? TensorMapFill::nan
                    : TensorMapFill::zero;
  return encodeTensorMap(fields, TensorMapTarget::sm100);
}

} // namespace tirx::rt::sim
