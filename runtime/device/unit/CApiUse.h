/*===- CApiUse.h - a C program's use of the runtime ----------------*- C
 * -*-===*/
#ifndef TIRX_CAPI_USE_H
#define TIRX_CAPI_USE_H

#include "tirx/Runtime/tirx_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Loads the artifact and launches its kernel "scale" on `device`:
 * d[i] = alpha * a[i], i < n. 0 on success. */
int scaleFromC(const char *device, const void *artifact, size_t size,
               const float *a, float *d, int64_t n, float alpha,
               tirx_launch_stats *stats);

/* Sizes that C sees, to compare with what C++ sees. */
size_t argSizeInC(void);
size_t statsSizeInC(void);

#ifdef __cplusplus
}
#endif

#endif
