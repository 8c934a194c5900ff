# Functions that the scripts share. Source it; it changes into the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The version of ptxas that resource figures refer to.
PTXAS_VERSION=13.0.88

say() { printf '== %s\n' "$*"; }

# Installs the Debian packages of packages.txt that are missing.
ensure_packages() {
  local missing=() package
  while read -r package; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done < <(grep -v '^#' scripts/packages.txt)
  [ ${#missing[@]} -eq 0 ] && return
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
}

# Makes ptxas available: from PATH, CUDA_HOME or /usr/local/cuda, else from the
# PyPI wheel in .venv. Without any, compilation ends with PTX, and says so.
ensure_ptxas() {
  [ -n "${TIRX_PTXAS:-}" ] && return
  command -v ptxas >/dev/null && return
  [ -n "${CUDA_HOME:-}" ] && [ -x "$CUDA_HOME/bin/ptxas" ] && return
  [ -x /usr/local/cuda/bin/ptxas ] && return
  export TIRX_PTXAS_VENV=$PWD/.venv
  compgen -G "$TIRX_PTXAS_VENV/lib/python*/site-packages/nvidia/*/bin/ptxas" >/dev/null && return
  say "no ptxas found: installing nvidia-cuda-nvcc $PTXAS_VERSION into .venv"
  python3 -m venv "$TIRX_PTXAS_VENV" &&
    "$TIRX_PTXAS_VENV/bin/pip" install -q "nvidia-cuda-nvcc==$PTXAS_VERSION" ||
    say "note: ptxas could not be installed; PTX is produced, cubins are not"
}

# build PRESET [TARGET...]: configures and builds a preset of CMakePresets.json.
build() {
  local preset=$1
  shift
  say "building preset '$preset' (log: build/$preset.log)"
  mkdir -p build
  { cmake --preset "$preset" && cmake --build "build/$preset" ${1:+--target "$@"}; } \
    >"build/$preset.log" 2>&1 || {
    tail -n 40 "build/$preset.log"
    return 1
  }
}
