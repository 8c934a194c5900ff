// The second run finds the first one's cubin; a damaged entry is not used, and
// --no-cache neither looks nor stores.
//
// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: env TIRX_CACHE_DIR=%t/cache tirxc %s -o %t/0.cubin --no-cache
// RUN: not ls %t/cache
// RUN: env TIRX_CACHE_DIR=%t/cache tirxc %s -o %t/1.cubin --time 2>&1 | FileCheck %s --check-prefix=MISS
// RUN: env TIRX_CACHE_DIR=%t/cache tirxc %s -o %t/2.cubin --time 2>&1 | FileCheck %s --check-prefix=HIT
// RUN: cmp %t/1.cubin %t/2.cubin
// RUN: %python -c "import glob; f, = glob.glob(r'%t/cache/llvmcache-*[0-9a-f]'); d = bytearray(open(f, 'rb').read()); d[-9] ^= 1; open(f, 'wb').write(d)"
// RUN: env TIRX_CACHE_DIR=%t/cache tirxc %s -o %t/3.cubin --time 2>&1 | FileCheck %s --check-prefix=MISS
// RUN: cmp %t/1.cubin %t/3.cubin
// A folder that cannot be made is no error.
// RUN: env TIRX_CACHE_DIR=/dev/null/x tirxc %s -o %t/4.cubin
// RUN: cmp %t/1.cubin %t/4.cubin

// MISS: ptxas
// MISS-NOT: cache
// MISS: total
// HIT: ptxas {{.*}}(from the cache)
// HIT: total
llvm.func @k(%x: !llvm.ptr<1>, %a: i32) attributes {nvvm.kernel} {
  llvm.store %a, %x : i32, !llvm.ptr<1>
  llvm.return
}
