// RUN: tirx-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{a schedule deals out 1 to 3 coordinates, not 4}}
func.func private @f(!tirx.schedule<4>)

// -----

tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.schedule' op deals out 1 coordinates, its type has 2}}
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<2>
  tirx.launch grid(%n, %n, %n) threads(64) {
  }
}

// -----

tirx.kernel @k(%n: index) {
  // expected-error@+1 {{'tirx.schedule' op group(0) must be positive}}
  %tiles = tirx.schedule persistent group(0) over(%n) : !tirx.schedule<1>
  tirx.launch grid(%n, %n, %n) threads(64) {
  }
}

// -----

tirx.kernel @k(%n: index) {
  // expected-error@+1 {{unknown schedule 'serpentine': expected one_tile, persistent or clc}}
  %tiles = tirx.schedule serpentine over(%n) : !tirx.schedule<1>
  tirx.launch grid(%n, %n, %n) threads(64) {
  }
}

// -----

// How many SMs there are is known at the launch.
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(64) {
    // expected-error@+1 {{'tirx.sm_count' op expects parent op 'tirx.kernel'}}
    %sms = tirx.sm_count
  }
}

// -----

tirx.kernel @k(%n: index) {
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  tirx.launch grid(%n, %n, %n) threads(64) {
    // expected-error@+1 {{'tirx.for_tiles' op has 2 coordinates, the schedule 1}}
    tirx.for_tiles (%i, %j) in %tiles : !tirx.schedule<1> {
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  tirx.launch grid(%n, %n, %n) threads(64) {
    // expected-error@+1 {{'tirx.for_tiles' op has a coordinate of type 'i32', not index}}
    "tirx.for_tiles"(%tiles) ({
    ^bb0(%i: i32):
      "tirx.return"() : () -> ()
    }) : (!tirx.schedule<1>) -> ()
  }
}
