// Defaults of AddressSanitizer for programs that use LLVM.

/// LLVM's headers poison the free part of its arenas in sanitized code, but the
/// packaged LLVM, which is not sanitized, takes memory from the same arenas
/// without unpoisoning it.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}
