//===- FakeCuda.h - talk to the stand-in for libcuda ------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>

/// The last launch and what led to it. Read through fakeCudaState().
struct FakeCudaState {
  int contextDepth;   ///< pushes less pops; every call but these needs 1
  int contextRetains; ///< retains less releases
  int modulesLoaded, modulesUnloaded;
  int tensorMapsEncoded;
  int dynamicSharedLimit; ///< the function attribute
  int nonPortableCluster; ///< the function attribute
  int launches;
  unsigned grid[3], block[3], cluster[3], sharedBytes;
  int launchAttributes;
  int programmaticStreamSerialization; ///< the launch attribute
  unsigned char image[64];             ///< of the last module
  unsigned char parameters[5][128];    ///< each parameter's bytes
  // The last cuTensorMapEncodeTiled.
  int dataType, swizzle, l2Promotion, oobFill, interleave;
  unsigned rank;
  void *address;
  uint64_t globalDim[5], globalStride[4];
  uint32_t boxDim[5], elementStride[5];
  // What to do.
  int capability[2];
  int smCount;
  int deviceCount;
  size_t parameterBytes[5]; ///< how much of each parameter to keep
  const char *failFunction; ///< this function fails
  int failCode;
};

extern "C" FakeCudaState *fakeCudaState();
