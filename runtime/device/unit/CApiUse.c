/*===- CApiUse.c - a C program's use of the runtime ----------------*- C
 * -*-===*/
#include "CApiUse.h"

#include <string.h>

static tirx_arg tensorArg(const char *name, const void *data,
                          const int64_t *shape) {
  tirx_arg arg;
  memset(&arg, 0, sizeof arg);
  arg.name = name;
  arg.kind = TIRX_ARG_TENSOR;
  arg.value.tensor.data = (void *)data;
  arg.value.tensor.dtype = "f32";
  arg.value.tensor.ndim = 1;
  arg.value.tensor.shape = shape;
  return arg;
}

int scaleFromC(const char *name, const void *bytes, size_t size, const float *a,
               float *d, int64_t n, float alpha, tirx_launch_stats *stats) {
  tirx_device *device = tirx_device_open(name, NULL);
  tirx_artifact *artifact = tirx_artifact_load_memory(bytes, size);
  const tirx_kernel *kernel =
      artifact ? tirx_artifact_find_kernel(artifact, "scale") : NULL;
  int status = -1;
  if (device && kernel) {
    tirx_arg args[3];
    args[0] = tensorArg("A", a, &n);
    args[1] = tensorArg("D", d, &n);
    memset(&args[2], 0, sizeof args[2]);
    args[2].name = "alpha";
    args[2].kind = TIRX_ARG_REAL;
    args[2].value.real = alpha;
    status = tirx_launch(device, kernel, args, 3, stats);
  }
  tirx_artifact_free(artifact);
  tirx_device_close(device);
  return status;
}

size_t argSizeInC(void) { return sizeof(tirx_arg); }
size_t statsSizeInC(void) { return sizeof(tirx_launch_stats); }
