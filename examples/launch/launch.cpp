//===- launch.cpp - launch an artifact, with the runtime alone ------------===//
//
//   launch KERNEL.txk [--device=sim:sm_100a] NAME=FILE.npy...
//
// Links tirx-runtime and nothing else: no LLVM; CUDA only if a cuda: device is
// asked for. Arguments that the kernel writes are written back to their files.
//
//===----------------------------------------------------------------------===//

#include "tirx/Runtime/Device.h"
#include "tirx/Runtime/Tensor.h"

#include <cstdio>
#include <map>
#include <string>

using namespace tirx::rt;

static int fail(const Error &error) {
  std::fprintf(stderr, "launch: error: %s\n", error.message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  std::string artifactPath, deviceName = "sim:sm_100a";
  std::map<std::string, std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = argument.find('=');
    if (argument.rfind("--device=", 0) == 0)
      deviceName = argument.substr(equals + 1);
    else if (equals != std::string::npos)
      files[argument.substr(0, equals)] = argument.substr(equals + 1);
    else
      artifactPath = argument;
  }
  auto artifact = readArtifactFile(artifactPath);
  if (!artifact)
    return fail(artifact.error());
  auto device = openDevice(deviceName);
  if (!device)
    return fail(device.error());
  const Kernel &kernel = artifact->kernels.front();

  std::map<std::string, HostTensor> tensors;
  ArgMap arguments;
  for (const auto &[name, path] : files) {
    auto tensor = readNpy(path);
    if (!tensor)
      return fail(tensor.error());
    auto memory = (*device)->allocate(tensor->bytes.size());
    if (!memory)
      return fail(memory.error());
    if (auto copied = (*device)->copyToDevice(*memory, tensor->bytes.data(),
                                              tensor->bytes.size());
        !copied)
      return fail(copied.error());
    arguments[name] = TensorArg{*memory, tensor->dtype, tensor->shape, {}};
    tensors[name] = std::move(*tensor);
  }
  auto stats = (*device)->launch(kernel, arguments);
  if (!stats)
    return fail(stats.error());

  for (const Argument &argument : kernel.arguments) {
    if (argument.access == Argument::Access::read ||
        !tensors.count(argument.name))
      continue;
    HostTensor &tensor = tensors[argument.name];
    void *memory = std::get<TensorArg>(arguments[argument.name]).data;
    if (auto copied = (*device)->copyToHost(tensor.bytes.data(), memory,
                                            tensor.bytes.size());
        !copied)
      return fail(copied.error());
    if (auto written = writeNpy(files[argument.name], tensor); !written)
      return fail(written.error());
  }
  std::printf("%s on %s: %.3f ms\n", kernel.name.c_str(),
              (*device)->name().c_str(), stats->seconds * 1e3);
  return 0;
}
