//===- Generate.cpp - the module's text -----------------------------------===//

#include "Kernel.h"

#include <algorithm>
#include <cctype>

namespace tirx::kernels {

using namespace detail;

namespace detail {

const GemmRole &Kernel::role(std::string_view name) const {
  return *std::ranges::find(plan.roles, name, &GemmRole::name);
}

std::string Kernel::numbered(std::string_view name, int64_t consumer) const {
  return config.schedule.consumers == 1 ? std::string(name)
                                        : fmt::format("{}{}", name, consumer);
}

void Kernel::openRole(const GemmRole &role, std::string_view attribute) {
  std::string warps = role.warps == 1
                          ? fmt::format("{}", role.firstWarp)
                          : fmt::format("{} to {}", role.firstWarp,
                                        role.firstWarp + role.warps);
  text.open("tirx.role \"{}\" warps({}) registers({}){}", role.name, warps,
            role.registers, attribute);
}

void Kernel::openTiles() {
  text.open("tirx.for_tiles (%m, %n{}) in %tiles : !tiles",
            config.operation.batch ? ", %l" : "");
}

std::string Kernel::ctaGroup() const {
  return config.schedule.ctaGroup == 2 ? " cta_group(2)" : "";
}

int64_t Kernel::clusterRows() const {
  return config.schedule.tileM * config.schedule.clusterM;
}

int64_t Kernel::clusterColumns() const {
  return config.schedule.tileN * config.schedule.clusterN;
}

std::string Kernel::batchIndex() const {
  return config.operation.batch ? "%l, " : "";
}

void Kernel::writePosition(std::string_view name, std::string_view tile,
                           int64_t extent, const std::string &offset,
                           int64_t more) {
  int left = !offset.empty() + (more != 0);
  auto next = [&](int adds) {
    return adds ? fmt::format("{}_{}", name, adds) : std::string(name);
  };
  std::string value = next(left);
  text.line("%{} = arith.muli %{}, {} : index", value, tile,
            text.constant(extent));
  auto add = [&](const std::string &term) {
    std::string sum = next(--left);
    text.line("%{} = arith.addi %{}, {} : index", sum, value, term);
    value = sum;
  };
  if (!offset.empty())
    add("%" + offset);
  if (more)
    add(text.constant(more));
}

void writePipelines(Kernel &kernel) {
  Text &text = kernel.text;
  const GemmSchedule &s = kernel.schedule();
  text.line("%ring = tirx.pipeline full(tma) empty(mma){} : !ring",
            kernel.ctaGroup());
  for (int64_t c = 0; c < s.consumers; ++c)
    text.line("%{} = tirx.pipeline full(mma) empty(threads){} : !out",
              kernel.numbered("out", c), kernel.ctaGroup());
  if (kernel.operation().residual)
    for (int64_t c = 0; c < s.consumers; ++c)
      text.line("%{} = tirx.pipeline full(tma) empty(threads) : !chunks_C",
                kernel.numbered("chunks_C", c));
  for (int64_t c = 0; c < s.consumers; ++c)
    text.line("%{} = tirx.shared.alloc : !staging",
              kernel.numbered("staging", c));
  if (kernel.operation().bias)
    text.line("%tiles_bias = tirx.pipeline full(tma) empty(threads) : "
              "!tiles_bias");
}

} // namespace detail

namespace {

bool isIdentifier(std::string_view name) {
  auto letter = [](unsigned char c) { return std::isalpha(c) || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](unsigned char c) {
           return letter(c) || std::isdigit(c);
         });
}

std::string describeOperand(std::string_view name, bool batch, Major major,
                            std::string_view rows, rt::DType dtype) {
  return fmt::format("{} [{}{}] {}", name, batch ? "L, " : "",
                     major == Major::K ? fmt::format("{}, K", rows)
                                       : fmt::format("K, {}", rows),
                     rt::nameOf(dtype));
}

std::string describe(const GemmConfig &config) {
  const GemmOperation &op = config.operation;
  std::string value = op.alpha ? "alpha * A * B" : "A * B";
  if (op.residual)
    value += " + beta * C";
  if (op.bias)
    value += " + bias";
  if (op.activation != Activation::none)
    value = fmt::format("{}({})", toString(op.activation), value);
  return fmt::format(
      "// D = {}: {}, {},\n// D [{}M, N] {}. Made by tirxc gen gemm.\n// "
      "{}\n\n",
      value, describeOperand("A", op.batch, op.aMajor, "M", op.a),
      describeOperand("B", op.batch, op.bMajor, "N", op.b),
      op.batch ? "L, " : "", rt::nameOf(op.d), toString(config.schedule));
}

std::string arguments(const GemmOperation &op) {
  std::string text = "%A: !A, %B: !B, ";
  if (op.residual)
    text += "%C: !D, ";
  if (op.bias)
    text += "%bias: !bias, ";
  text += "%D: !D";
  if (op.alpha)
    text += ", %alpha: f32";
  if (op.residual)
    text += ", %beta: f32";
  return text;
}

void writeDevicePart(Kernel &kernel) {
  Text &text = kernel.text;
  const GemmPlan &plan = kernel.plan;
  const GemmSchedule &s = kernel.schedule();
  std::string cluster =
      plan.ctas == 1 ? ""
                     : fmt::format(" cluster({}, {}, {})", plan.cluster[0],
                                   plan.cluster[1], plan.cluster[2]);
  text.open("tirx.launch grid(%ctas, {}, {}){} threads({})",
            text.constant(plan.cluster[1]), text.constant(plan.cluster[2]),
            cluster, plan.threads);
  writePipelines(kernel);
  text.blank();
  writeCtaOffsets(kernel);
  text.open("tirx.roles");
  writeLoadRole(kernel);
  if (kernel.operation().residual || kernel.operation().bias) {
    text.blank();
    writeEpilogueLoadRole(kernel);
  }
  for (int64_t c = 0; c < s.consumers; ++c) {
    text.blank();
    writeMmaRole(kernel, c);
  }
  for (int64_t c = 0; c < s.consumers; ++c) {
    text.blank();
    writeEpilogueRole(kernel, c);
  }
  if (s.scheduler == Scheduler::clc) {
    text.blank();
    text.comment("Takes over the tiles of clusters that have not started.");
    kernel.openRole(kernel.role("schedule"));
    text.line("tirx.fetch_tiles %tiles : !tiles");
    text.close();
  }
  text.close();
  text.close();
}

} // namespace

rt::Expected<std::string> generateGemm(const GemmConfig &config) {
  auto plan = planGemm(config);
  if (!plan)
    return tl::unexpected(plan.error());
  if (!isIdentifier(config.name))
    return rt::makeError("the kernel's name is '{}'; it must be an identifier "
                         "of letters, digits and _",
                         config.name);
  Kernel kernel{config, *plan};
  writeHostPart(kernel);
  kernel.text.blank();
  writeDevicePart(kernel);

  std::string text = describe(config) + writeTypes(config, *plan);
  text += fmt::format("\ntirx.kernel @{}({}) {{\n", config.name,
                      arguments(config.operation));
  for (int64_t value : kernel.text.constants())
    text += fmt::format("  %c{} = arith.constant {} : index\n", value, value);
  return text + kernel.text.text() + "}\n";
}

} // namespace tirx::kernels
