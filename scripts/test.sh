#!/usr/bin/env bash
# Builds and runs all tests: the development build, and the sanitizer build.
# Runs on a bare Debian 12; installs what is missing. The last line is
# "N passed, N failed".
#   scripts/test.sh            both builds
#   scripts/test.sh dev        one of them
source "$(dirname "$0")/common.sh"
ensure_packages
ensure_ptxas

presets=("${@:-dev}")
[ $# -eq 0 ] && presets=(dev asan)
passed=0 failed=0
for preset in "${presets[@]}"; do
  build "$preset" || { failed=$((failed + 1)); continue; }
  say "testing preset '$preset'"
  log=build/$preset-tests.log
  ctest --test-dir "build/$preset" --output-on-failure -j2 2>&1 | tee "$log" || true
  # ctest counts programs; lit and Catch2 say how many tests those hold.
  counts=$(python3 scripts/count_tests.py "build/$preset")
  passed=$((passed + ${counts% *}))
  failed=$((failed + ${counts#* }))
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
