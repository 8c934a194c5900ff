//===- CApi.cpp - the runtime for C programs --------------------*- C++ -*-===//
#include "tirx/Runtime/tirx_runtime.h"

#include "device/DLPack.h"
#include "tirx/Runtime/Artifact.h"
#include "tirx/Runtime/Device.h"

#include <exception>
#include <memory>
#include <string>

using namespace tirx::rt;

struct tirx_device {
  std::unique_ptr<Device> device;
  std::vector<std::string> warnings;
};

struct tirx_artifact {
  Artifact artifact;
};

namespace {

thread_local std::string lastError;

/// Runs `body`, which gives an Expected; what it throws becomes an error.
template <typename Body> auto guarded(Body body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return makeError("out of memory");
  } catch (const std::exception &exception) {
    return makeError("{}", exception.what());
  }
}

void remember(const Error &error) noexcept {
  try {
    lastError = error.message;
  } catch (...) { // no memory for the message
    lastError.clear();
  }
}

template <typename Body> int statusOf(Body body) noexcept {
  const Expected<void> result = guarded(body);
  if (!result)
    remember(result.error());
  return result ? 0 : -1;
}

template <typename Pointer, typename Body>
Pointer pointerOf(Body body) noexcept {
  const Expected<Pointer> result = guarded(body);
  if (result)
    return *result;
  remember(result.error());
  return nullptr;
}

/// The handles are the C++ objects themselves, but a kernel has no wrapper.
const Kernel &unwrap(const tirx_kernel *kernel) {
  return *reinterpret_cast<const Kernel *>(kernel);
}
const tirx_kernel *wrap(const Kernel &kernel) {
  return reinterpret_cast<const tirx_kernel *>(&kernel);
}

Expected<void> requireNonNull(
    std::initializer_list<std::pair<const void *, const char *>> pointers) {
  for (const auto &[pointer, name] : pointers)
    if (!pointer)
      return makeError("{} is NULL", name);
  return {};
}

template <typename Enum>
Expected<Enum> convertEnum(int32_t value, Enum last, const char *name) {
  if (value >= 0 && value <= static_cast<int32_t>(last))
    return static_cast<Enum>(value);
  return makeError("{} = {} is not in 0..{}", name, value,
                   static_cast<int32_t>(last));
}

Expected<SimOptions> convert(const tirx_sim_options *options) {
  SimOptions result;
  if (!options)
    return result;
  const auto delivery =
      convertEnum(options->delivery, SimOptions::Delivery::random, "delivery");
  const auto schedule =
      convertEnum(options->schedule, SimOptions::Schedule::random, "schedule");
  const auto numerics =
      convertEnum(options->numerics, SimOptions::Numerics::fast, "numerics");
  if (!delivery || !schedule || !numerics)
    return tl::unexpected(!delivery   ? delivery.error()
                          : !schedule ? schedule.error()
                                      : numerics.error());
  result.delivery = *delivery;
  result.schedule = *schedule;
  result.numerics = *numerics;
  result.seed = options->seed;
  result.max_instructions = options->max_instructions;
  return result;
}

Expected<ArgValue> convert(const tirx_tensor &tensor) {
  const auto dtype = parseDType(tensor.dtype ? tensor.dtype : "");
  if (!dtype)
    return makeError("unknown dtype '{}'",
                     tensor.dtype ? tensor.dtype : "NULL");
  if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape))
    return makeError("rank {} with {} shape", tensor.ndim,
                     tensor.shape ? "a" : "no");
  TensorArg result;
  result.data = tensor.data;
  result.dtype = *dtype;
  if (tensor.ndim > 0) {
    result.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    if (tensor.strides)
      result.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  }
  return result;
}

Expected<ArgValue> convert(const tirx_arg &arg, const std::string &device) {
  switch (arg.kind) {
  case TIRX_ARG_DLPACK: {
    if (!arg.value.dlpack)
      return makeError("its DLTensor is NULL");
    auto tensor =
        fromDLPack(*static_cast<const DLTensor *>(arg.value.dlpack), device);
    if (!tensor)
      return tl::unexpected(tensor.error());
    return std::move(*tensor);
  }
  case TIRX_ARG_TENSOR:
    return convert(arg.value.tensor);
  case TIRX_ARG_INTEGER:
    return ScalarArg(arg.value.integer);
  case TIRX_ARG_REAL:
    return ScalarArg(arg.value.real);
  }
  return makeError("unknown kind {}", arg.kind);
}

Expected<ArgMap> convert(const tirx_arg *args, size_t count,
                         const std::string &device) {
  ArgMap map;
  for (size_t i = 0; i < count; ++i) {
    if (!args[i].name)
      return makeError("argument {} has no name", i);
    auto value = convert(args[i], device);
    if (!value)
      return addContext(fmt::format("argument '{}'", args[i].name),
                        value.error());
    if (!map.emplace(args[i].name, std::move(*value)).second)
      return makeError("argument '{}': given twice", args[i].name);
  }
  return map;
}

} // namespace

const char *tirx_last_error(void) { return lastError.c_str(); }

tirx_device *tirx_device_open(const char *name,
                              const tirx_sim_options *options) {
  return pointerOf<tirx_device *>([&]() -> Expected<tirx_device *> {
    if (const auto valid = requireNonNull({{name, "name"}}); !valid)
      return tl::unexpected(valid.error());
    const auto simOptions = convert(options);
    if (!simOptions)
      return tl::unexpected(simOptions.error());
    auto device = openDevice(name, *simOptions);
    if (!device)
      return tl::unexpected(device.error());
    return new tirx_device{std::move(*device), {}};
  });
}

void tirx_device_close(tirx_device *device) { delete device; }

int tirx_device_allocate(tirx_device *device, size_t bytes, void **pointer) {
  return statusOf([&]() -> Expected<void> {
    const auto valid =
        requireNonNull({{device, "device"}, {pointer, "pointer"}});
    if (!valid)
      return valid;
    *pointer = nullptr;
    return device->device->allocate(bytes).map(
        [&](void *allocated) { *pointer = allocated; });
  });
}

int tirx_device_free(tirx_device *device, void *pointer) {
  return statusOf([&] {
    return requireNonNull({{device, "device"}}).and_then([&] {
      return device->device->free(pointer);
    });
  });
}

int tirx_device_copy_to_device(tirx_device *device, void *dst, const void *src,
                               size_t bytes) {
  return statusOf([&] {
    return requireNonNull({{device, "device"}, {dst, "dst"}, {src, "src"}})
        .and_then(
            [&] { return device->device->copyToDevice(dst, src, bytes); });
  });
}

int tirx_device_copy_to_host(tirx_device *device, void *dst, const void *src,
                             size_t bytes) {
  return statusOf([&] {
    return requireNonNull({{device, "device"}, {dst, "dst"}, {src, "src"}})
        .and_then([&] { return device->device->copyToHost(dst, src, bytes); });
  });
}

tirx_artifact *tirx_artifact_load_file(const char *path) {
  return pointerOf<tirx_artifact *>([&]() -> Expected<tirx_artifact *> {
    if (const auto valid = requireNonNull({{path, "path"}}); !valid)
      return tl::unexpected(valid.error());
    return readArtifactFile(path).map([](Artifact &&artifact) {
      return new tirx_artifact{std::move(artifact)};
    });
  });
}

tirx_artifact *tirx_artifact_load_memory(const void *bytes, size_t size) {
  return pointerOf<tirx_artifact *>([&]() -> Expected<tirx_artifact *> {
    if (const auto valid = requireNonNull({{bytes, "bytes"}}); !valid)
      return tl::unexpected(valid.error());
    return readArtifact({static_cast<const std::byte *>(bytes), size})
        .map([](Artifact &&artifact) {
          return new tirx_artifact{std::move(artifact)};
        });
  });
}

void tirx_artifact_free(tirx_artifact *artifact) { delete artifact; }

size_t tirx_artifact_kernel_count(const tirx_artifact *artifact) {
  return artifact ? artifact->artifact.kernels.size() : 0;
}

const tirx_kernel *tirx_artifact_kernel_at(const tirx_artifact *artifact,
                                           size_t index) {
  return pointerOf<const tirx_kernel *>([&]() -> Expected<const tirx_kernel *> {
    if (const auto valid = requireNonNull({{artifact, "artifact"}}); !valid)
      return tl::unexpected(valid.error());
    const auto &kernels = artifact->artifact.kernels;
    if (index >= kernels.size())
      return makeError("kernel {} of an artifact with {}", index,
                       kernels.size());
    return wrap(kernels[index]);
  });
}

const tirx_kernel *tirx_artifact_find_kernel(const tirx_artifact *artifact,
                                             const char *name) {
  return pointerOf<const tirx_kernel *>([&]() -> Expected<const tirx_kernel *> {
    const auto valid = requireNonNull({{artifact, "artifact"}, {name, "name"}});
    if (!valid)
      return tl::unexpected(valid.error());
    std::vector<std::string_view> names;
    for (const Kernel &kernel : artifact->artifact.kernels) {
      if (kernel.name == name)
        return wrap(kernel);
      names.push_back(kernel.name);
    }
    return makeError("no kernel '{}'; the artifact has {}", name,
                     names.empty() ? "none"
                                   : fmt::format("{}", fmt::join(names, ", ")));
  });
}

const char *tirx_kernel_name(const tirx_kernel *kernel) {
  return kernel ? unwrap(kernel).name.c_str() : "";
}

int tirx_launch(tirx_device *device, const tirx_kernel *kernel,
                const tirx_arg *args, size_t count, tirx_launch_stats *stats) {
  return statusOf([&]() -> Expected<void> {
    const auto valid = requireNonNull({{device, "device"}, {kernel, "kernel"}});
    if (!valid)
      return valid;
    if (count > 0 && !args)
      return makeError("args is NULL");
    device->warnings.clear();
    const auto map = convert(args, count, device->device->name());
    if (!map)
      return makeError("{} (kernel {})", map.error().message,
                       unwrap(kernel).name);
    auto result = device->device->launch(unwrap(kernel), *map);
    if (!result)
      return tl::unexpected(result.error());
    device->warnings = std::move(result->warnings);
    if (stats)
      *stats = {result->warp_instructions, result->tensor_core_ops,
                result->tma_ops, result->seconds, device->warnings.size()};
    return {};
  });
}

const char *tirx_device_warning(const tirx_device *device, size_t index) {
  return device && index < device->warnings.size()
             ? device->warnings[index].c_str()
             : nullptr;
}
