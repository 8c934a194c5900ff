#!/usr/bin/env python3
"""Assembles every GEMM that the generator can make of the operand types, majors,
outputs and epilogues, and says what ptxas says of them.

    python3 scripts/gemm_matrix.py build/dev [options of tirxc gen gemm]

Prints each kernel that uses local memory or is refused, and one line for each
pair of operand types. Exit status 1 if there is such a kernel.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

OPERANDS = [["f16"], ["bf16"], ["tf32"], ["e4m3"], ["e5m2"], ["e4m3", "e5m2"], ["e5m2", "e4m3"]]
OUTPUTS = ["f32", "f16", "bf16"]
MAJORS = ["K", "MN"]
EPILOGUES = [
    [],
    ["--bias"],
    ["--activation=relu"],
    ["--activation=gelu"],
    ["--activation=silu"],
    ["--alpha", "--residual"],
    ["--alpha", "--residual", "--bias", "--activation=gelu", "--batch"],
]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def assemble(tirxc, options):
    """ptxas' figures of one kernel, or the text of an error."""
    with tempfile.TemporaryDirectory() as folder:
        source, artifact = os.path.join(folder, "gemm.mlir"), os.path.join(folder, "gemm.txk")
        try:
            run(tirxc, "gen", "gemm", *options, "-o", source)
            run(tirxc, source, "-o", artifact, "--no-cache")
            kernel = json.loads(run(tirxc, "info", artifact))["kernels"][0]
        except subprocess.CalledProcessError as error:
            return error.stderr.strip()
    return kernel["codes"][0]["resources"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tirxc = str(pathlib.Path(sys.argv[1]) / "tools" / "tirxc")
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for operands in OPERANDS:
            kernels = [
                [f"--dtype={operands[0]}", f"--dtype-b={operands[-1]}", f"--out-dtype={output}",
                 f"--a-major={a}", f"--b-major={b}", *epilogue, *sys.argv[2:]]
                for output, a, b, epilogue in itertools.product(OUTPUTS, MAJORS, MAJORS, EPILOGUES)
            ]
            registers = 0
            for options, figures in zip(kernels, pool.map(lambda o: assemble(tirxc, o), kernels)):
                if isinstance(figures, dict) and not (figures["spill_store_bytes"] or figures["spill_load_bytes"]
                                                      or figures["stack_bytes"]):
                    registers = max(registers, figures["registers"])
                    continue
                bad += 1
                print(f"{' '.join(options)}: {figures}")
            print(f"{' x '.join(operands)}: {len(kernels)} kernels, at most {registers} registers", flush=True)
    print(f"{bad} kernels use local memory or are refused")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
