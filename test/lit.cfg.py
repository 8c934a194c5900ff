# What the tests may use.
#
#   tools     tirxc, tirx-opt, FileCheck, not, count, split-file, %python
#   %examples the folder of example kernels
#   %docs     the folder of documents
#   %scripts  the folder of scripts;  %build  the build folder
#   features  ptxas: a ptxas is at hand;  cuda: a GPU and its driver are
import glob
import os
import shutil
import subprocess

import lit.formats
import lit.llvm

lit.llvm.initialize(lit_config, config)

config.name = "tirx"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.excludes = ["Inputs"]

tools = config.tirx_tools_dir
lit.llvm.llvm_config.with_environment(
    "PATH", [tools, config.llvm_tools_dir], append_path=True)
lit.llvm.llvm_config.add_tool_substitutions(
    ["tirxc", "tirx-opt"], [tools])
lit.llvm.llvm_config.add_tool_substitutions(
    ["FileCheck", "not", "count", "split-file"], [config.llvm_tools_dir])
config.substitutions += [
    ("%python", config.python),
    ("%examples", os.path.join(config.tirx_source_dir, "examples")),
    ("%docs", os.path.join(config.tirx_source_dir, "docs")),
    ("%scripts", os.path.join(config.tirx_source_dir, "scripts")),
    ("%build", os.path.dirname(config.test_exec_root)),
]

# Tests neither see the user's cubin cache nor fill it.
config.environment["TIRX_CACHE_DIR"] = os.path.join(
    config.test_exec_root, "cubin-cache")
for name in ("TIRX_PTXAS", "TIRX_PTXAS_VENV", "CUDA_HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS",
             "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]


def find_ptxas():
    if "TIRX_PTXAS" in os.environ:
        return os.environ["TIRX_PTXAS"]
    folders = [os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"),
                            "bin"), "/usr/local/cuda/bin"]
    if "TIRX_PTXAS_VENV" in os.environ:
        folders += glob.glob(os.path.join(
            os.environ["TIRX_PTXAS_VENV"],
            "lib/python*/site-packages/nvidia/*/bin"))
    return shutil.which("ptxas") or next(
        (os.path.join(folder, "ptxas") for folder in folders
         if os.access(os.path.join(folder, "ptxas"), os.X_OK)), None)


def has_gpu():
    smi = shutil.which("nvidia-smi")
    if not smi:
        return False
    run = subprocess.run([smi, "-L"], capture_output=True, text=True)
    return run.returncode == 0 and "GPU 0" in run.stdout


if find_ptxas():
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", find_ptxas()))
if has_gpu():
    config.available_features.add("cuda")
if config.sanitizers:
    config.available_features.add("sanitizers")
