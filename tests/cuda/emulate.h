// The text for a device, on this machine: what `nvcc` would define, for a C++20 compiler.
//
// A block is as many threads of the machine as it has, `__syncthreads` a barrier among them, and shared memory what is static. Blocks
// run one after the other, the last one first, for their order is open. So races between threads are races here, and a tool that finds
// such (-fsanitize=thread) finds a barrier that is missing.
#pragma once
#include <barrier>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

struct dim3 {
  unsigned x, y, z;
  dim3(long long x = 1, long long y = 1, long long z = 1) : x(x), y(y), z(z) {}
};

static thread_local dim3 threadIdx, blockIdx;
static std::barrier<> *emulated_barrier = nullptr;

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(threads)
#define __syncthreads() emulated_barrier->arrive_and_wait()

using cudaStream_t = void *;
enum { cudaSuccess = 0, cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
template <typename F> static int cudaFuncSetAttribute(F *, int, long long) { return cudaSuccess; }
static inline int cudaGetLastError() { return cudaSuccess; }

#define ATL_DYNAMIC_SHARED(name) static __align__(16) unsigned char name[227 << 10]

static inline float __fmul_rn(float a, float b) { return a * b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline float __fsqrt_rn(float a) { return std::sqrt(a); }
static inline double __dsqrt_rn(double a) { return std::sqrt(a); }
template <typename To, typename From> static inline To emulated_bits(From from) {
  To to;
  static_assert(sizeof to == sizeof from);
  std::memcpy(&to, &from, sizeof to);
  return to;
}
static inline float __uint_as_float(unsigned a) { return emulated_bits<float>(a); }
static inline double __longlong_as_double(long long a) { return emulated_bits<double>(a); }

// Runs the body by every thread of every block.
template <typename Body> static void emulated_launch(dim3 grid, dim3 block, Body body) {
  const unsigned threads = block.x * block.y * block.z;
  std::barrier<> barrier(threads);
  emulated_barrier = &barrier;
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < threads; thread++) {
    running.emplace_back([&, thread] {
      threadIdx = dim3(thread % block.x, thread / block.x % block.y, thread / block.x / block.y);
      for (long long b = (long long)grid.x * grid.y * grid.z - 1; b >= 0; b--) {
        blockIdx = dim3(b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y);
        body();
        barrier.arrive_and_wait();
      }
    });
  }
  for (std::thread &thread : running) thread.join();
}

#define ATL_LAUNCH(kernel, grid, block, shared, stream, ...) \
  ((void)(stream), emulated_launch(grid, block, [&] { kernel(__VA_ARGS__); }))
