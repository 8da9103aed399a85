/// Kernels whose functions return sycl::vec, structures of floats or complex numbers. clang passes these as vectors of
/// two elements. When the JIT vectorizes such a kernel, the results must not change. Vector code is compared with a
/// loop in a single task, bit by bit, for sizes that fill vectors and sizes that don't. A work-item's last elements may
/// be padding, which may lie behind the end of the allocated memory.
#include <complex>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "check.hpp"

namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 100, 1000};

struct place {
  float x, y, z;
};

/// Zeros, numbers whose squares overflow or vanish, and ordinary numbers.
float number(std::size_t i) {
  constexpr float unusual[] = {0, -0.0f, 1e-30f, 3e-42f, 2e30f, -1e19f};
  if (i % 5 == 0) return unusual[i / 5 % 6];
  return static_cast<float>(static_cast<int>(i * 7 % 93) - 40) * 0.37f;
}

template <class T>
void fill(T* values, std::size_t count, std::size_t seed) {
  constexpr std::size_t numbers = sizeof(T) / sizeof(float);
  float all[numbers];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < numbers; ++k) all[k] = number(seed + (i + i / 6) * 3 + k * 5);
    std::memcpy(static_cast<void*>(values + i), all, sizeof(T));
  }
}

/// A result consists of `elements` floats, and may have padding behind these floats.
template <class Out, class In, class Function>
void check(const char* name, std::size_t elements, Function function) {
  sycl::queue queue;
  for (const std::size_t count : sizes) {
    In* a = sycl::malloc_shared<In>(count + 1, queue);
    In* b = sycl::malloc_shared<In>(count + 1, queue);
    Out* out = sycl::malloc_shared<Out>(count + 1, queue);
    Out* expected = sycl::malloc_shared<Out>(count + 1, queue);
    fill(a, count + 1, 1);
    fill(b, count + 1, 4);
    std::memset(static_cast<void*>(out), 0x11, (count + 1) * sizeof(Out));
    std::memset(static_cast<void*>(expected), 0x11, (count + 1) * sizeof(Out));
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { out[i] = function(a[i], b[i]); }).wait();
    queue.single_task([=] {
      for (std::size_t i = 0; i < count; ++i) expected[i] = function(a[i], b[i]);
    });
    queue.wait();
    std::size_t wrong = std::memcmp(out + count, expected + count, sizeof(Out)) != 0;
    for (std::size_t i = 0; i < count; ++i) wrong += std::memcmp(out + i, expected + i, elements * sizeof(float)) != 0;
    if (wrong != 0) std::printf("%s of %zu: %zu results are wrong\n", name, count, wrong);
    CHECK_EQUAL(wrong, std::size_t{0});
    for (void* each : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(out),
                       static_cast<void*>(expected)}) {
      sycl::free(each, queue);
    }
  }
}

template <int N>
void check_vectors() {
  using vec = sycl::vec<float, N>;
  constexpr std::size_t n = N;
  check<vec, vec>("normalize", n, [](const vec& a, const vec&) { return sycl::normalize(a); });
  check<vec, vec>("fast normalize", n, [](const vec& a, const vec& b) { return sycl::fast_normalize(a + b); });
  check<vec, vec>("mix", n, [](const vec& a, const vec& b) { return sycl::mix(a, b, 0.25f); });
  check<vec, vec>("clamp", n, [](const vec& a, const vec&) { return sycl::clamp(a, -1.0f, 1.0f); });
  check<vec, vec>("roots", n, [](const vec& a, const vec& b) { return sycl::sqrt(sycl::fabs(a)) - b; });
  check<vec, vec>("reversed", n, [](const vec& a, const vec& b) {
    vec result = b;
    for (int k = 0; k < N; ++k) result[k] += a[N - 1 - k];
    return result;
  });
  check<float, vec>("length", 1, [](const vec& a, const vec&) { return sycl::length(a); });
  check<float, vec>("distance", 1, [](const vec& a, const vec& b) { return sycl::distance(a, b); });
  check<float, vec>("dot", 1, [](const vec& a, const vec& b) { return sycl::dot(a, b); });
}

TEST("functions return vectors of two") { check_vectors<2>(); }
TEST("functions return vectors of three") { check_vectors<3>(); }
TEST("functions return vectors of four") { check_vectors<4>(); }

TEST("cross products") {
  using three = sycl::float3;
  using four = sycl::float4;
  check<three, three>("cross", 3, [](const three& a, const three& b) { return sycl::cross(a, b); });
  check<four, four>("cross of four", 4, [](const four& a, const four& b) { return sycl::cross(a, b); });
}

TEST("functions return structures and complex numbers") {
  using complex = std::complex<float>;
  check<place, place>("structure", 3, [](const place& a, const place& b) {
    return place{a.x + b.y, a.y * b.z, a.z - b.x};
  });
  check<complex, complex>("complex", 2, [](const complex& a, const complex& b) { return std::conj(a) + b; });
}

#ifdef __linux__
/// Kernels read three floats of every four floats. A page that must not be read is directly behind the last float that
/// a kernel reads.
TEST("padding behind the end is not read") {
  sycl::queue queue;
  if (!queue.get_device().has(sycl::aspect::usm_system_allocations)) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED && mprotect(static_cast<char*>(memory) + 2 * page, page, PROT_NONE) == 0);
  auto* const end = reinterpret_cast<float*>(static_cast<char*>(memory) + 2 * page);
  for (const std::size_t count : sizes) {
    if (count == 0 || 16 * count > 2 * page) continue;
    float* from = end - (4 * count - 1);
    for (std::size_t i = 0; i < 4 * count - 1; ++i) from[i] = static_cast<float>(i * 5 % 61);
    sycl::float4* out = sycl::malloc_shared<sycl::float4>(count, queue);
    queue
        .parallel_for(sycl::range<1>(count),
                      [=](sycl::id<1> i) {
                        const float* at = from + 4 * i[0];
                        out[i] = sycl::sqrt(sycl::float4(at[0], at[1] + at[2], at[2] - at[0] + 70, at[1]));
                      })
        .wait();
    for (std::size_t i = 0; i < count; ++i) {
      const float* at = from + 4 * i;
      const float expected[] = {std::sqrt(at[0]), std::sqrt(at[1] + at[2]), std::sqrt(at[2] - at[0] + 70),
                                std::sqrt(at[1])};
      for (int k = 0; k < 4; ++k) CHECK_EQUAL(out[i][k], expected[k]);
    }
    sycl::free(out, queue);
  }
  munmap(memory, 3 * page);
}
#endif

}  // namespace

E2E_MAIN
