/*===- tirx_runtime.h - the runtime for C programs ----------------*- C -*-===
 *
 * Open a device, load a .txk file, launch its kernels. Functions that return
 * int give 0 on success; those that return a pointer give NULL on failure.
 * After a failure tirx_last_error() says what was wrong. No function takes
 * ownership of what it is given, and none throws.
 *
 *===----------------------------------------------------------------------===*/
#ifndef TIRX_RUNTIME_TIRX_RUNTIME_H
#define TIRX_RUNTIME_TIRX_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A device; used by one thread at a time. */
typedef struct tirx_device tirx_device;
/* The contents of a .txk file; immutable, may be shared between threads. */
typedef struct tirx_artifact tirx_artifact;
/* A kernel of an artifact; lives as long as the artifact. */
typedef struct tirx_kernel tirx_kernel;

/* The message of this thread's last failure; "" if there was none. Valid until
 * the thread's next failure. */
const char *tirx_last_error(void);

/* ---- devices ------------------------------------------------------------ */

typedef enum {
  TIRX_SIM_DELIVERY_EAGER = 0,
  TIRX_SIM_DELIVERY_LAZY = 1,
  TIRX_SIM_DELIVERY_RANDOM = 2
} tirx_sim_delivery;

typedef enum {
  TIRX_SIM_SCHEDULE_ROUND_ROBIN = 0,
  TIRX_SIM_SCHEDULE_RANDOM = 1
} tirx_sim_schedule;

typedef enum {
  TIRX_SIM_NUMERICS_EXACT = 0,
  TIRX_SIM_NUMERICS_FAST = 1
} tirx_sim_numerics;

/* How a simulated device executes; all zero is the default. */
typedef struct {
  int32_t delivery; /* tirx_sim_delivery */
  int32_t schedule; /* tirx_sim_schedule */
  int32_t numerics; /* tirx_sim_numerics */
  uint64_t seed;
  uint64_t max_instructions; /* warp instructions of a launch; 0: no limit */
} tirx_sim_options;

/* Opens "sim:sm_100a", "sim:sm_90a" or "cuda:N". `options` may be NULL and is
 * ignored by CUDA devices. */
tirx_device *tirx_device_open(const char *name,
                              const tirx_sim_options *options);
/* Frees the device, its memory and its loaded kernels; NULL does nothing. */
void tirx_device_close(tirx_device *device);

/* Device memory (of simulated devices: host memory), at least 256-byte aligned.
 * Kernels of a simulated device may also be given any other host memory. */
int tirx_device_allocate(tirx_device *device, size_t bytes, void **pointer);
int tirx_device_free(tirx_device *device, void *pointer);
int tirx_device_copy_to_device(tirx_device *device, void *dst, const void *src,
                               size_t bytes);
int tirx_device_copy_to_host(tirx_device *device, void *dst, const void *src,
                             size_t bytes);

/* ---- artifacts ---------------------------------------------------------- */

tirx_artifact *tirx_artifact_load_file(const char *path);
/* `bytes` may be freed afterwards. */
tirx_artifact *tirx_artifact_load_memory(const void *bytes, size_t size);
/* Frees the artifact and its kernels; NULL does nothing. */
void tirx_artifact_free(tirx_artifact *artifact);

size_t tirx_artifact_kernel_count(const tirx_artifact *artifact);
/* NULL if there is no such kernel; the message lists those there are. */
const tirx_kernel *tirx_artifact_kernel_at(const tirx_artifact *artifact,
                                           size_t index);
const tirx_kernel *tirx_artifact_find_kernel(const tirx_artifact *artifact,
                                             const char *name);
const char *tirx_kernel_name(const tirx_kernel *kernel);

/* ---- launch ------------------------------------------------------------- */

typedef enum {
  TIRX_ARG_DLPACK = 0,  /* value.dlpack */
  TIRX_ARG_TENSOR = 1,  /* value.tensor */
  TIRX_ARG_INTEGER = 2, /* value.integer */
  TIRX_ARG_REAL = 3     /* value.real */
} tirx_arg_kind;

/* A tensor in the device's memory. */
typedef struct {
  void *data;
  const char *dtype; /* "f16", "bf16", "f8e4m3", "f32", "i32", ... */
  int32_t ndim;
  const int64_t *shape;
  const int64_t *strides; /* in elements; NULL: row-major */
} tirx_tensor;

/* One argument of a kernel, by the name that the kernel gives it. */
typedef struct {
  const char *name;
  int32_t kind; /* tirx_arg_kind */
  union {
    /* A DLTensor (dlpack/dlpack.h), or a DLManagedTensor, which starts with
     * one. Its device must be the one that launches: kDLCPU for simulated
     * devices, kDLCUDA with the same ordinal for cuda:N. */
    const void *dlpack;
    tirx_tensor tensor;
    int64_t integer; /* must fit the kernel's dtype */
    double real;
  } value;
} tirx_arg;

typedef struct {
  uint64_t warp_instructions; /* simulated devices only */
  uint64_t tensor_core_ops;
  uint64_t tma_ops;
  double seconds;
  size_t warnings; /* of the simulator; tirx_device_warning gives them */
} tirx_launch_stats;

/* Checks the arguments, launches the kernel and waits for it. Every argument of
 * the kernel must be given once, in any order. `stats` may be NULL. */
int tirx_launch(tirx_device *device, const tirx_kernel *kernel,
                const tirx_arg *args, size_t count, tirx_launch_stats *stats);

/* Warning `index` of the device's last launch; NULL if there is none. Valid
 * until the device's next launch. */
const char *tirx_device_warning(const tirx_device *device, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* TIRX_RUNTIME_TIRX_RUNTIME_H */
