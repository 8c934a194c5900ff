#!/usr/bin/env bash
# Builds tirx, compiles the step-4 GEMM for sm_100a, runs it on the simulator and
# compares it with a float64 product. Arguments are passed on:
#   scripts/demo.sh                                   512x384x1024 standard normals
#   scripts/demo.sh --size 200x136x72 --bf16
#   scripts/demo.sh --a A.npy --b B.npy
#   scripts/demo.sh --a M.safetensors:A --b M.safetensors:B
# Runs on a bare Debian 12; installs what is missing.
source "$(dirname "$0")/common.sh"
ensure_packages
ensure_ptxas
build release gemm-demo
build/release/examples/gemm-demo examples/gemm/step04.mlir "$@"
