// What the verifiers of tirx.roles and tirx.role refuse. The good twins are in
// roles.mlir.
//
// RUN: tirx-opt %s -split-input-file -verify-diagnostics

func.func @f() {
  // expected-error@+1 {{warps(4 to 4) is no range of the 32 warps that a CTA can have}}
  tirx.role "none" warps(4 to 4) {
  }
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{warps(-1 to 0) is no range of the 32 warps that a CTA can have}}
  tirx.role "negative" warps(-1) {
  }
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{warps(0 to 33) is no range of the 32 warps that a CTA can have}}
  tirx.role "many" warps(0 to 33) {
  }
  return
}

// -----

// Numbers that would overflow.
func.func @f() {
  // expected-error@+1 {{warps(9223372036854775807 to 33) is no range of the 32 warps that a CTA can have}}
  tirx.role "huge" warps(9223372036854775807) {
  }
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tirx.role' op has 9223372036854775807 warps from warp 31, no range of the 32 that a CTA can have}}
  "tirx.role"() <{role_name = "huge", first_warp = 31 : i64, warps = 9223372036854775807 : i64}> ({
    "tirx.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tirx.role' op has 0 warps from warp 2, no range of the 32 that a CTA can have}}
  "tirx.role"() <{role_name = "none", first_warp = 2 : i64, warps = 0 : i64}> ({
    "tirx.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tirx.role' op region takes no arguments}}
  "tirx.role"() <{role_name = "r", first_warp = 2 : i64, warps = 1 : i64}> ({
  ^bb0(%i: index):
    "tirx.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// The generic form lets one leave out everything.
func.func @f() {
  // expected-error@+1 {{'tirx.role' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "tirx.role"() <{role_name = "r", first_warp = 2 : i64, warps = 1 : i64}> ({}) : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tirx.role' op expects a non-empty block}}
  "tirx.role"() <{role_name = "r", first_warp = 2 : i64, warps = 1 : i64}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

func.func @f() {
  "tirx.role"() <{role_name = "r", first_warp = 2 : i64, warps = 1 : i64}> ({
    // expected-error@+1 {{block with no terminator}}
    "tirx.role_sync"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tirx.role' op requires attribute 'first_warp'}}
  "tirx.role"() <{role_name = "r"}> ({
    "tirx.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.roles {
      tirx.role "outer" warps(0 to 4) {
        scf.for %i = %n to %n step %n {
          // expected-error@+1 {{'tirx.role' op may not be nested in another tirx.role}}
          tirx.role "inner" warps(0) {
          }
        }
      }
    }
  }
}

// -----

func.func @f() {
  tirx.elect {
    // expected-error@+1 {{'tirx.role' op may not be in tirx.elect, which leaves one thread}}
    tirx.role "r" warps(0) {
    }
  }
  return
}

// -----

// The warp that elects is one of the role.
tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(256) {
    tirx.role "store" warps(4 to 8) {
      // expected-error@+1 {{'tirx.elect' op warp(0) is none of role "store", which has the warps 4 to 7}}
      tirx.elect warp(0) {
      }
    }
  }
}

// -----

func.func @f() {
  tirx.role "store" warps(4 to 8) {
    // expected-error@+1 {{'tirx.elect' op warp(8) is none of role "store", which has the warps 4 to 7}}
    tirx.elect warp(8) {
    }
  }
  return
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(256) {
    // expected-error@+1 {{'tirx.role' op warps(4 to 9) exceed the launch's 8 warps}}
    tirx.role "r" warps(4 to 9) {
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.role' op leader needs a cluster of CTA pairs: an even x extent, not 1}}
    tirx.role "r" warps(0) leader {
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) cluster(3, 2, 1) threads(128) {
    // expected-error@+1 {{'tirx.role' op leader needs a cluster of CTA pairs: an even x extent, not 3}}
    tirx.role "r" warps(0) leader {
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.roles {
      // expected-error@+1 {{'tirx.role' op registers(50) must be a multiple of 8 between 24 and 256 (PTX ISA, setmaxnreg)}}
      tirx.role "r" warps(0 to 4) registers(50) {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.roles {
      // expected-error@+1 {{'tirx.role' op registers(264) must be a multiple of 8 between 24 and 256 (PTX ISA, setmaxnreg)}}
      tirx.role "r" warps(0 to 4) registers(264) {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.roles {
      // expected-error@+1 {{'tirx.role' op registers(16) must be a multiple of 8 between 24 and 256 (PTX ISA, setmaxnreg)}}
      tirx.role "r" warps(0 to 4) registers(16) {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.role' op registers are divided in tirx.roles only}}
    tirx.role "r" warps(0 to 4) registers(48) {
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.roles {
      // expected-note@+1 {{here}}
      tirx.role "load" warps(0) {
      }
      // expected-error@+1 {{'tirx.role' op "store" takes warp 0, which role "load" has}}
      tirx.role "store" warps(0 to 4) {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.roles {
      // expected-note@+1 {{here}}
      tirx.role "a" warps(0) registers(48) {
      }
      // expected-error@+1 {{'tirx.role' op "b" states registers(56), role "a" of the same warpgroup registers(48): setmaxnreg is executed by whole warpgroups (PTX ISA, setmaxnreg)}}
      tirx.role "b" warps(1) registers(56) {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.roles {
      // expected-note@+1 {{here}}
      tirx.role "a" warps(0) registers(48) {
      }
      // expected-error@+1 {{'tirx.role' op "b" states no registers, role "a" of the same warpgroup registers(48)}}
      tirx.role "b" warps(1) {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(160) {
    // expected-error@+1 {{'tirx.roles' op states registers, but the launch's threads(160) are no whole warpgroups of 128}}
    tirx.roles {
      tirx.role "a" warps(0 to 5) registers(48) {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(384) {
    // expected-error@+1 {{'tirx.roles' op states registers for 2 of 3 warpgroups: state them for all}}
    tirx.roles {
      tirx.role "a" warps(0 to 8) registers(48) {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(384) {
    // 128 * (176 + 200 + 200)
    // expected-error@+1 {{'tirx.roles' op takes 73728 registers (128 threads times the budget of each warpgroup), an SM has 65536}}
    tirx.roles {
      tirx.role "a" warps(0 to 4) registers(176) {
      }
      tirx.role "b" warps(4 to 12) registers(200) {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.roles {
      // expected-error@+1 {{'tirx.cta_sync' op may not stand in tirx.roles, which holds tirx.role operations only}}
      tirx.cta_sync
    }
  }
}

// -----

func.func @f() {
  // expected-error@+1 {{'tirx.roles' op expects parent op 'tirx.launch'}}
  tirx.roles {
  }
  return
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.roles' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
    "tirx.roles"() ({}) : () -> ()
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.roles' op region takes no arguments}}
    "tirx.roles"() ({
    ^bb0(%i: index):
      "tirx.return"() : () -> ()
    }) : () -> ()
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    %r = tirx.role "r" warps(0) carry(%n : index) -> index {
      // expected-error@+1 {{'tirx.return' op returns 0 values, but tirx.role carries 1 of these types}}
      tirx.return
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    %true = arith.constant true
    %r = tirx.role "r" warps(0) carry(%n : index) -> index {
      // expected-error@+1 {{'tirx.return' op returns 1 values, but tirx.role carries 1 of these types}}
      tirx.return %true : i1
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    // expected-error@+1 {{'tirx.role' op carries values of other types than its results have}}
    %r = tirx.role "r" warps(0) carry(%n : index) -> i1 {
      tirx.return %n : index
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  tirx.launch grid(%n, %n, %n) threads(128) {
    tirx.roles {
      // expected-error@+1 {{'tirx.role' op in tirx.roles may not carry values: no warp comes back to it}}
      %r = tirx.role "r" warps(0) carry(%n : index) -> index {
        tirx.return %n : index
      }
    }
  }
}

// -----

func.func @f(%n: index) {
  tirx.elect {
    // expected-error@+1 {{'tirx.return' op returns 1 values, but tirx.elect carries 0 of these types}}
    tirx.return %n : index
  }
  return
}
