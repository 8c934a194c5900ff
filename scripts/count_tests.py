#!/usr/bin/env python3
"""Counts the tests of the last ctest run in a build folder.

ctest sees programs. A Catch2 program reports its test cases, lit its files;
this prints "PASSED FAILED" over all of them. A program that says neither counts
as one test.
"""

import pathlib
import re
import sys

LAST_LOG = "Testing/Temporary/LastTest.log"
CATCH_PASSED = re.compile(r"All tests passed \(\d+ assertions? in (\d+) test cases?\)")
CATCH_FAILED = re.compile(r"test cases:\s*(\d+)(?:\s*\|\s*(\d+) passed)?(?:\s*\|\s*(\d+) failed)?")
LIT = {
    "passed": re.compile(r"^\s*(?:Passed|Expectedly Failed)\s*:\s*(\d+)", re.M),
    "failed": re.compile(
        r"^\s*(?:Failed|Unexpectedly Passed|Unresolved|Timed Out)\s*:\s*(\d+)", re.M),
}


def count(program: str) -> tuple[int, int]:
    """(passed, failed) of one program's section of the log."""
    ok = "Test Passed." in program
    if "Testing Time:" in program:  # lit
        passed, failed = (
            sum(map(int, pattern.findall(program))) for pattern in LIT.values())
    elif match := CATCH_PASSED.search(program):
        passed, failed = int(match[1]), 0
    elif match := CATCH_FAILED.search(program):
        failed = int(match[3] or 0)
        passed = int(match[1]) - failed
    else:
        passed, failed = int(ok), 0
    # A crash or a time-out has no count of its own.
    return passed, failed if ok or failed else 1


def main() -> int:
    log = pathlib.Path(sys.argv[1], LAST_LOG)
    if not log.exists():
        print("0 1")
        return 0
    text = log.read_text(errors="replace")
    sections = re.split(r"^\d+/\d+ Testing: ", text, flags=re.M)[1:]
    counts = [count(section) for section in sections]
    if not counts:
        print("0 1")
        return 0
    print(sum(c[0] for c in counts), sum(c[1] for c in counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
