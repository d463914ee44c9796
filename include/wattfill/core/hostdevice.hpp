#pragma once

/// Marks a function that runs on the host and on a CUDA device; nothing on the host.
#ifdef __CUDACC__
#define WATTFILL_HD __host__ __device__
#else
#define WATTFILL_HD
#endif
#define WATTFILL_ALWAYS_INLINE inline __attribute__((always_inline))

/// Builds a hot, dependency-free function once per vector width and picks one at load time. The code is the same and no two operations are
/// contracted or reordered, so every width gives the same bits. Sanitizers cannot run before the loader's choice: there the plain form is built.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(WATTFILL_SANITIZED) && !defined(__CUDACC__)
#define WATTFILL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WATTFILL_CLONES
#endif

/// A hot function that is written with vectors (core/lanes.hpp) is built once per instruction set by hand, where that is possible.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(WATTFILL_SANITIZED) && !defined(__CUDACC__)
#define WATTFILL_WIDE 1
#define WATTFILL_TARGET(features) __attribute__((target(features)))
#endif
