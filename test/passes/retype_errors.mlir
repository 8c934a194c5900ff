// RUN: tirx-opt %s --tirx-retype="from=f16 to=bf16" -verify-diagnostics
// RUN: not tirx-opt %s --tirx-retype="to=bf16" 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: not tirx-opt %s --tirx-retype="from=f16 to=half" 2>&1 | FileCheck %s --check-prefix=TO
// RUN: not tirx-opt %s --tirx-retype="from=i16 to=f16" 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not tirx-opt %s --tirx-retype="from=f16 to=f32" 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not tirx-opt %s --tirx-retype="from=bf16 to=f16" 2>&1 | FileCheck %s --check-prefix=LARGE

// FROM: error: tirx-retype: from='' is not a float type
// TO: error: tirx-retype: to='half' is not a float type
// Integer constants and attributes would not survive.
// INTEGER: error: tirx-retype: from='i16' is not a float type
// WIDTH: error: tirx-retype: 'f16' has 16 bits, 'f32' has 32: layouts would no longer fit
// LARGE: error: tirx-retype: constant 1.000260e+30 : bf16 is too large for 'f16'
// LARGE: error: tirx-retype: constant dense<[1.000000e+00, -1.000260e+30]> : vector<2xbf16> is too large for 'f16'

func.func @constants() -> (bf16, vector<2xbf16>, vector<2xbf16>) {
  %large = arith.constant 1.0e30 : bf16
  %some = arith.constant dense<[1.0, -1.0e30]> : vector<2xbf16>
  // Infinity stays infinity.
  %inf = arith.constant dense<[0xFF80, 0x7F80]> : vector<2xbf16>
  return %large, %some, %inf : bf16, vector<2xbf16>, vector<2xbf16>
}
