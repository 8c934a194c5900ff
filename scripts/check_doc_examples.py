#!/usr/bin/env python3
"""Compiles the examples of the dialect's reference.

    check_doc_examples.py TIRxDialect.md [--opt path/to/tirx-opt]

Every operation must have an example: a fenced block whose info string says what
it is part of.

    ```mlir            device code: what may stand in a tirx.launch
    ```mlir host       the host part of a tirx.kernel
    ```mlir module     a whole module
    ```mlir type       types, one a line       (types need one of these)
    ```mlir attribute  attributes, one a line  (attributes need one of these)

Fragments stand in the context below, whose names they may use. Prints one line
per failure, with its place in the file; exits with 1 if there was one.
"""
import argparse
import re
import subprocess
import sys

ALIASES = """\
#rows = #tirx.layout<S[(128,128):(1@tid_in_wg,1)]>
#sw128 = #tirx.layout<S[(128,64):(64,1)] swizzle(3,3,3)>
!A = !tirx.buffer<?x?xf16, global>
!A_tile = !tirx.buffer<128x64xf16, global>
!D_tile = !tirx.buffer<128x128xf16, global>
!As = !tirx.buffer<128x64xf16, #sw128, shared>
!Bs = !tirx.buffer<128x64xf16, #sw128, shared>
!Bs_half = !tirx.buffer<64x64xf16, #tirx.layout<S[(64,64):(64,1)] swizzle(3,3,3)>, shared>
!Ds = !tirx.buffer<128x128xf16, #tirx.layout<S[(128,2,64):(64,8192,1)] swizzle(3,3,3)>, shared>
!Acc = !tirx.buffer<128x128xf32, #tirx.layout<S[(128,128):(1@TLane,1@TCol)]>, tmem>
"""
HOST = """\
tirx.kernel @example(%A: !A, %B: !A, %D: !A) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
"""
DEVICE = """\
  %A_map = tirx.tensor_map %A : !A to !tirx.tensor_map<128x64xf16, swizzle128B>
  tirx.launch grid(%c1, %c1, %c1) threads(256) {
    %m = tirx.id bx
    %n = tirx.id by
    %k = tirx.id bz
    %flag = arith.cmpi eq, %k, %c0 : index
    %phase = arith.cmpi ne, %k, %c0 : index
    %A_tile = tirx.slice %A[%m, %k] : !A to !A_tile
    %B_tile = tirx.slice %B[%n, %k] : !A to !A_tile
    %D_tile = tirx.slice %D[%m, %n] : !A to !D_tile
    %As = tirx.shared.alloc : !As
    %Bs = tirx.shared.alloc : !Bs
    %Bs_half = tirx.shared.alloc : !Bs_half
    %Ds = tirx.shared.alloc : !Ds
    %bar = tirx.mbarrier.alloc : !tirx.barrier<1>
    %acc = tirx.tmem.alloc : !Acc
    %tile_f32 = tirx.copy %acc : !Acc to tensor<128x128xf32, #rows>
"""
DEVICE_END = "    tirx.tmem.dealloc %acc : !Acc\n  }\n}\n"
LAUNCH = "  tirx.launch grid(%c1, %c1, %c1) threads(128) {\n  }\n"

# What the reference calls its sections, and the info strings that count there.
SECTIONS = {
    "Operations": {"mlir", "mlir host", "mlir module"},
    "Attributes": {"mlir attribute"},
    "Types": {"mlir type"},
}
HEADING = re.compile(r"### (?:`(?P<op>tirx\.[\w.]+)`|(?P<name>\w+))")


class Example:
    def __init__(self, info, line):
        self.info, self.line, self.text = info, line, []


class Entry:
    """An operation, attribute or type and its examples."""

    def __init__(self, name, line, section):
        self.name, self.line, self.section = name, line, section
        self.examples = []


def read_entries(lines):
    entries, enums, section, example, fenced = [], set(), None, None, False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            info = line[3:].strip()
            if fenced:
                fenced, example = False, None
            else:
                fenced = True
                if entries and info.startswith("mlir"):
                    example = Example(info, number)
                    entries[-1].examples.append(example)
        elif fenced:
            if example:
                example.text.append(line)
        elif line.startswith("## "):
            section = line[3:].strip()
        elif section in SECTIONS and (match := HEADING.match(line)):
            name = match["op"] or match["name"]
            entries.append(Entry(name, number, section))
        elif section == "Enums" and (match := HEADING.match(line)):
            enums.add(match["name"] + "Attr")
    # Enumerations are one keyword each; their operations show them.
    return [entry for entry in entries if entry.name not in enums]


def wrap(example):
    """The module to compile, and how many lines stand before the example."""
    text = "\n".join(example.text) + "\n"
    if example.info == "mlir module":
        before, after = "", ""
    elif example.info == "mlir host":
        before, after = ALIASES + HOST, "}\n"
        if "tirx.launch" not in text:
            after = LAUNCH + after
    elif example.info == "mlir":
        before, after = ALIASES + HOST + DEVICE, DEVICE_END
    else:
        # One declaration a line keeps the line numbers.
        form = ("func.func private @f{}({})" if example.info == "mlir type"
                else "func.func private @f{}() attributes {{x = {}}}")
        rows = (row.split("//")[0].strip() for row in example.text)
        text = "".join((form.format(i, row) if row else "") + "\n"
                       for i, row in enumerate(rows))
        before, after = ALIASES, ""
    return before + text + after, before.count("\n")


def compile_example(example, opt):
    """None, or (line in the file, message)."""
    module, before = wrap(example)
    run = subprocess.run([opt, "-o", "/dev/null"], input=module,
                         capture_output=True, text=True)
    if run.returncode == 0:
        return None
    match = re.search(r"<stdin>:(\d+):\d+: error: (.*)", run.stderr)
    if not match:
        return example.line, run.stderr.strip().split("\n")[0] or "no output"
    return example.line + int(match[1]) - before, match[2]


def check(entry, opt):
    """Yields (line, message) for what is wrong with an entry."""
    allowed = SECTIONS[entry.section]
    for example in entry.examples:
        if example.info not in allowed:
            yield example.line, (f"'{example.info}' is not an info string of "
                                 f"{entry.section}: " + ", ".join(sorted(allowed)))
        elif failure := compile_example(example, opt):
            yield failure
    if entry.section == "Operations":
        # The operation itself, not one whose name it begins.
        shown = re.compile(re.escape(entry.name) + r"(?![\w.])")
        if not any(shown.search("\n".join(e.text)) for e in entry.examples):
            yield entry.line, "has no example that shows it"
    elif not entry.examples:
        yield entry.line, "has no example"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reference", help="output of mlir-tblgen -gen-dialect-doc")
    parser.add_argument("--opt", default="tirx-opt", help="the optimizer")
    args = parser.parse_args()
    with open(args.reference, encoding="utf-8") as file:
        entries = read_entries(file.read().split("\n"))
    if not any(entry.section == "Operations" for entry in entries):
        print(f"{args.reference}: error: no operations found")
        return 1
    failures = examples = 0
    for entry in entries:
        examples += len(entry.examples)
        for line, message in check(entry, args.opt):
            failures += 1
            print(f"{args.reference}:{line}: {entry.name}: {message}")
    print(f"{len(entries)} entries, {examples} examples, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
