//===- InfoCommand.cpp - tirxc info FILE.txk ------------------------------===//
#include "CommandLine.h"
#include "Commands.h"
#include "tirx/Runtime/Artifact.h"

namespace tirx::driver {

static const CommandSpec spec = {
    "tirxc info FILE.txk",
    "Prints the manifest of an artifact as JSON: kernels, arguments, launch\n"
    "rules, targets, and what ptxas said about their resources.",
    {}};

rt::Expected<void> infoCommand(Arguments arguments) {
  auto line = parseCommandLine(spec, arguments);
  if (!line)
    return tl::unexpected(line.error());
  if (line->has("--help"))
    return writeStdout(renderHelp(spec));
  auto path = onlyOperand(line->positional, "artifact (FILE.txk)");
  if (!path)
    return tl::unexpected(path.error());
  auto artifact = rt::readArtifactFile(*path);
  if (!artifact)
    return tl::unexpected(artifact.error());
  std::string json = rt::manifestJson(*artifact);
  if (json.empty() || json.back() != '\n')
    json += '\n';
  return writeStdout(json);
}

} // namespace tirx::driver
