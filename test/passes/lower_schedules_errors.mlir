// RUN: tirx-opt %s --tirx-lower-schedules -split-input-file -verify-diagnostics

// The grid has to fit the schedule.
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  // expected-note@+1 {{the launch is here}}
  tirx.launch grid(%n, %c1, %c1) threads(64) {
    // expected-error@+1 {{'tirx.for_tiles' op takes tiles of a schedule that the launch does not follow: the grid's x extent must be its tirx.grid_size}}
    tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
      tirx.cta_sync
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  %others = tirx.schedule one_tile over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %others : !tirx.schedule<1>
  // expected-note@+1 {{the launch is here}}
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    // expected-error@+1 {{takes tiles of a schedule that the launch does not follow}}
    tirx.fetch_tiles %tiles : !tirx.schedule<1>
  }
}

// -----

// Clusters are counted along x.
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  // expected-error@+1 {{'tirx.launch' op follows a tirx.schedule, which deals out tiles along x: the grid's y extent must be the constant 2, that of the cluster}}
  tirx.launch grid(%ctas, %c1, %c2) cluster(2, 2, 2) threads(64) {
  }
}

// -----

tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  // expected-error@+1 {{the grid's z extent must be the constant 1, that of the cluster}}
  tirx.launch grid(%ctas, %c1, %n) threads(64) {
  }
}

// -----

// A schedule is no value to compute with.
tirx.kernel @k(%n: index, %which: i1) {
  %c1 = arith.constant 1 : index
  %a = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  %b = tirx.schedule one_tile over(%n) : !tirx.schedule<1>
  // expected-error@+1 {{'arith.select' op may not use a tirx.schedule: tirx.grid_size, tirx.for_tiles and tirx.fetch_tiles may}}
  %tiles = arith.select %which, %a, %b : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
  }
}

// -----

// All threads of the CTA or the role walk the tiles.
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    // expected-note@+1 {{it is here}}
    tirx.elect {
      // expected-error@+1 {{'tirx.for_tiles' op lies in a tirx.elect, which leaves one thread}}
      tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    %warp = tirx.id warpid
    %mine = arith.cmpi eq, %warp, %c1 : index
    // expected-note@+1 {{it is here}}
    scf.if %mine {
      // expected-error@+1 {{'tirx.for_tiles' op lies in control flow that depends on the thread; only a tirx.role selects those that walk the tiles}}
      tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule persistent over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    // expected-note@+1 {{it is here}}
    tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
      // expected-error@+1 {{'tirx.for_tiles' op lies in another tirx.for_tiles}}
      tirx.for_tiles (%j) in %tiles : !tirx.schedule<1> {
      }
    }
  }
}

// -----

// Somebody has to ask for the tiles of a clc schedule ...
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'tirx.schedule' op clc needs a role that runs tirx.fetch_tiles}}
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    // expected-note@+1 {{its tiles are asked for here}}
    tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
    }
  }
}

// -----

// ... once ...
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    tirx.roles {
      tirx.role "a" warps(0) {
        // expected-note@+1 {{the first one is here}}
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
      tirx.role "b" warps(1) {
        // expected-error@+1 {{'tirx.fetch_tiles' op is the second one of a clc schedule in the kernel}}
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
    }
  }
}

// -----

// ... in a role ...
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    // expected-error@+1 {{'tirx.fetch_tiles' op of a clc schedule must lie directly in a tirx.role of tirx.roles}}
    tirx.fetch_tiles %tiles : !tirx.schedule<1>
  }
}

// -----

tirx.kernel @k(%n: index, %yes: i1) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    tirx.roles {
      tirx.role "a" warps(0) {
        scf.if %yes {
          // expected-error@+1 {{'tirx.fetch_tiles' op of a clc schedule must lie directly in a tirx.role of tirx.roles}}
          tirx.fetch_tiles %tiles : !tirx.schedule<1>
        }
      }
    }
  }
}

// -----

// ... of one warp ...
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    tirx.roles {
      tirx.role "schedule" warps(0 to 2) {
        // expected-error@+1 {{'tirx.fetch_tiles' op lies in role "schedule" of 2 warps: one warp fetches the tiles}}
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
    }
  }
}

// -----

// ... in every CTA.
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) cluster(2, 1, 1) threads(64) {
    tirx.roles {
      tirx.role "schedule" warps(0) leader {
        // expected-error@+1 {{'tirx.fetch_tiles' op lies in the leader role "schedule": every CTA of the cluster expects its responses}}
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
    }
  }
}

// -----

// Tiles are walked by other roles, beside the one that fetches ...
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    tirx.roles {
      tirx.role "schedule" warps(0) {
        // expected-note@+1 {{tiles are fetched here}}
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
        // expected-error@+1 {{'tirx.for_tiles' op over a clc schedule needs a tirx.fetch_tiles in another role of the same tirx.roles}}
        tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
        }
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    tirx.roles {
      tirx.role "schedule" warps(0) {
        // expected-note@+1 {{tiles are fetched here}}
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
    }
    tirx.roles {
      tirx.role "work" warps(1) {
        // expected-error@+1 {{needs a tirx.fetch_tiles in another role of the same tirx.roles}}
        tirx.for_tiles (%i) in %tiles : !tirx.schedule<1> {
        }
      }
    }
  }
}

// -----

// ... whatever else they do, and once a role.
tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    tirx.roles {
      tirx.role "schedule" warps(0) {
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
      tirx.role "work" warps(1) {
        scf.for %i = %c1 to %n step %c1 {
          // expected-error@+1 {{'tirx.for_tiles' op over a clc schedule must lie directly in a tirx.role of tirx.roles}}
          tirx.for_tiles (%j) in %tiles : !tirx.schedule<1> {
          }
        }
      }
    }
  }
}

// -----

tirx.kernel @k(%n: index) {
  %c1 = arith.constant 1 : index
  %tiles = tirx.schedule clc over(%n) : !tirx.schedule<1>
  %ctas = tirx.grid_size %tiles : !tirx.schedule<1>
  tirx.launch grid(%ctas, %c1, %c1) threads(64) {
    tirx.roles {
      tirx.role "work" warps(1) {
        // expected-note@+1 {{the first one is here}}
        tirx.for_tiles (%j) in %tiles : !tirx.schedule<1> {
        }
        // expected-error@+1 {{'tirx.for_tiles' op is the second one of a clc schedule in the role}}
        tirx.for_tiles (%j) in %tiles : !tirx.schedule<1> {
        }
      }
      tirx.role "schedule" warps(0) {
        tirx.fetch_tiles %tiles : !tirx.schedule<1>
      }
    }
  }
}
