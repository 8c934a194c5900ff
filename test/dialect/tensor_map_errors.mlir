// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// A box has a dimension.
// expected-error@+1 {{a tensor map has 1 to 5 dimensions, not 0 (cuTensorMapEncodeTiled, tensorRank)}}
func.func private @f(!tirx.tensor_map<f16, none>)

// -----

// But not six.
// expected-error@+1 {{a tensor map has 1 to 5 dimensions, not 6 (cuTensorMapEncodeTiled, tensorRank)}}
func.func private @f(!tirx.tensor_map<1x1x1x1x1x8xf16, none>)

// -----

// More than 256 rows.
// expected-error@+1 {{box extent 512 of axis 0 is outside [1, 256] (cuTensorMapEncodeTiled, boxDim)}}
func.func private @f(!tirx.tensor_map<512x64xf16, swizzle128B>)

// -----

// No row at all.
// expected-error@+1 {{box extent 0 of axis 1 is outside [1, 256] (cuTensorMapEncodeTiled, boxDim)}}
func.func private @f(!tirx.tensor_map<64x0xf16, none>)

// -----

// A box is static.
// expected-error@+1 {{expected static shape}}
func.func private @f(!tirx.tensor_map<?x64xf16, none>)

// -----

// TMA copies elements that have a width.
// expected-error@+1 {{element type must be an integer or a float, not 'index'}}
func.func private @f(!tirx.tensor_map<16xindex, none>)

// -----

// Of whole bytes.
// expected-error@+1 {{elements of 4 bits are not supported: they must fill 1 to 8 bytes}}
func.func private @f(!tirx.tensor_map<64xi4, none>)

// -----

// TMA copies 16 bytes at a time.
// expected-error@+1 {{innermost box extent of 8 bytes is not a multiple of 16 (cuTensorMapEncodeTiled, boxDim)}}
func.func private @f(!tirx.tensor_map<128x4xf16, none>)

// -----

// A row must fit the swizzle's span.
// expected-error@+1 {{innermost box extent of 256 bytes exceeds the swizzle width of 128 (cuTensorMapEncodeTiled, swizzle)}}
func.func private @f(!tirx.tensor_map<128x128xf16, swizzle128B>)

// -----

// Of each swizzle.
// expected-error@+1 {{innermost box extent of 128 bytes exceeds the swizzle width of 64 (cuTensorMapEncodeTiled, swizzle)}}
func.func private @f(!tirx.tensor_map<128x64xf16, swizzle64B>)

// -----

// Of the narrowest one.
// expected-error@+1 {{innermost box extent of 64 bytes exceeds the swizzle width of 32 (cuTensorMapEncodeTiled, swizzle)}}
func.func private @f(!tirx.tensor_map<128x32xf16, swizzle32B>)

// -----

// No such swizzle.
// expected-error@+1 {{unknown swizzle 'sw128': expected none, swizzle32B, swizzle64B, swizzle128B or swizzle128B_atom32B}}
func.func private @f(!tirx.tensor_map<128x64xf16, sw128>)

// -----

// The swizzle is said.
// expected-error@+1 {{expected ','}}
func.func private @f(!tirx.tensor_map<128x64xf16>)

// -----

// A map reads what is there.
tirx.kernel @k(%A: !tirx.buffer<?x?xf16, global>) {
  // expected-error@+1 {{'tirx.tensor_map' op maps elements of 'bf16', but the buffer has 'f16'}}
  %0 = tirx.tensor_map %A : !tirx.buffer<?x?xf16, global> to !tirx.tensor_map<128x64xbf16, swizzle128B>
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// A box has the tensor's rank.
tirx.kernel @k(%A: !tirx.buffer<?x?xf16, global>) {
  // expected-error@+1 {{'tirx.tensor_map' op box has rank 1, but the buffer has rank 2}}
  %0 = tirx.tensor_map %A : !tirx.buffer<?x?xf16, global> to !tirx.tensor_map<64xf16, swizzle128B>
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
  }
}

// -----

// Maps are encoded before the launch.
tirx.kernel @k(%A: !tirx.buffer<?x?xf16, global>) {
  %c1 = arith.constant 1 : index
  tirx.launch grid(%c1, %c1, %c1) threads(32) {
    // expected-error@+1 {{'tirx.tensor_map' op expects parent op 'tirx.kernel'}}
    %0 = tirx.tensor_map %A : !tirx.buffer<?x?xf16, global> to !tirx.tensor_map<128x64xf16, swizzle128B>
  }
}

// -----

// The same for atoms of 32 bytes.
// expected-error@+1 {{innermost box extent of 256 bytes exceeds the swizzle width of 128 (cuTensorMapEncodeTiled, swizzle)}}
func.func private @f(!tirx.tensor_map<8x64xf32, swizzle128B_atom32B>)
