#pragma once
/// Common parts of random programs: arrays with guards around them, random numbers of all types, and output of results.
/// Programs do not check their results: two builds of one program must print equal texts.
///
/// PROGRAM_FUSION in the environment: list (kernels of a scene are a fusion list), auto (queues with auto_fusion),
/// graph or graph_fuse (kernels are recorded into a graph, which graph_fuse fuses if that is proved to be right).

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <sycl/sycl.hpp>
#include <type_traits>
#ifndef PLAIN_SYCL
#include <optional>
#include <sycl/ext/codeplay/experimental/fusion_wrapper.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/sinter/auto_fusion.hpp>
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/ext/sinter/graph_fusion.hpp>
#endif

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;
using f16 = sycl::half;

namespace program {

inline u64 mix(u64 x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

template <class T>
inline constexpr int elements = 0;
template <class T, int N>
inline constexpr int elements<sycl::vec<T, N>> = N;

template <class T>
void fill(T& target, u64 bits) {
  if constexpr (std::is_same_v<T, bool>) {
    target = bits & 1;
  } else if constexpr (std::is_same_v<T, f16>) {
    target = T(static_cast<float>(static_cast<int>(bits % 401) - 200) / 8.0f);
  } else if constexpr (std::is_floating_point_v<T>) {
    target = static_cast<T>(static_cast<int>(bits % 4001) - 2000) / T(8);
  } else if constexpr (std::is_integral_v<T>) {
    // Numbers are small, extreme or arbitrary.
    const u64 kind = bits >> 60;
    const u64 extreme = kind == 6 ? u64(std::numeric_limits<T>::min()) : ~u64(0);
    target = static_cast<T>(kind < 6 ? bits & 15 : kind < 8 ? extreme : bits);
  } else if constexpr (elements<T> != 0) {
    for (int i = 0; i < elements<T>; ++i) fill(target[i], bits = mix(bits));
  } else {
    u64 next = bits;
    target.each([&](auto& part) { fill(part, next = mix(next)); });
  }
}

template <class T>
u64 bits_of(const T& value) {
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, f16>) {
    if (value != value) return 0x7ff8;
    u64 bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<u64>(value);
  } else if constexpr (elements<T> != 0) {
    u64 all = 0;
    for (int i = 0; i < elements<T>; ++i) all = mix(all ^ bits_of(value[i]));
    return all;
  } else {
    u64 all = 0;
    const_cast<T&>(value).each([&](auto& part) { all = mix(all ^ bits_of(part)); });
    return all;
  }
}

/// Returns a value that all work-items share. The compiler does not know the value.
template <class T>
T argument(u64 seed, i64 low, u64 width) {
  return static_cast<T>(low + static_cast<i64>(mix(seed) % width));
}

inline int to_int(double x) { return x >= -1e9 && x <= 1e9 ? static_cast<int>(x) : 7; }

/// Returns the aligned pair of elements that contains the element.
template <class T>
T* pair_of(T* element) {
#if __has_builtin(__builtin_align_down)
  return __builtin_align_down(element, 2 * sizeof(T));
#else
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(element) & ~std::uintptr_t{2 * sizeof(T) - 1});
#endif
}

inline bool show_values = false;

template <class T>
struct array {
  static constexpr std::size_t guard = 64;
  array(sycl::queue& queue, const char* name, std::size_t size, u64 seed)
      : m_queue(queue), m_name(name), m_size(size), m_memory(sycl::malloc_shared<T>(size + 2 * guard, queue)) {
    std::memset(static_cast<void*>(m_memory), 0, (size + 2 * guard) * sizeof(T));
    for (std::size_t i = 0; i < size + 2 * guard; ++i) fill(m_memory[i], mix(seed * 0x10001 + i));
    data = m_memory + guard;
  }
  array(const array&) = delete;
  ~array() { sycl::free(m_memory, m_queue); }

  void print(const char* scene) const {
    u64 all = 0;
    for (std::size_t i = 0; i < m_size + 2 * guard; ++i) all = mix(all ^ bits_of(m_memory[i]));
    std::printf("scene %s %s %016llx\n", scene, m_name, static_cast<unsigned long long>(all));
    if (!show_values) return;
    for (std::size_t i = 0; i < m_size + 2 * guard; ++i) {
      std::printf("  %s[%lld] = %llx\n", m_name, static_cast<long long>(i) - static_cast<long long>(guard),
                  static_cast<unsigned long long>(bits_of(m_memory[i])));
    }
  }

  T* data;

private:
  sycl::queue& m_queue;
  const char* m_name;
  std::size_t m_size;
  T* m_memory;
};

inline bool fusion_is(const char* what) {
  const char* text = std::getenv("PROGRAM_FUSION");
  return text && std::strcmp(text, what) == 0;
}

/// While this object exists, submitted kernels become one list or graph if the environment asks for it. If `buffers` is
/// true, the arrays are buffers, which are destroyed too early for graphs, so no graph is made.
class list {
public:
#ifdef PLAIN_SYCL
  explicit list(sycl::queue&, bool = false) {}
  void complete() {}
#else
  explicit list(sycl::queue& queue, bool buffers = false) : m_queue(queue) {
    if (fusion_is("list")) sycl::ext::codeplay::experimental::fusion_wrapper(m_queue).start_fusion();
    if (buffers || (!fusion_is("graph") && !fusion_is("graph_fuse"))) return;
    m_graph.emplace(m_queue);
    m_graph->begin_recording(m_queue);
  }
  void complete() {
    if (fusion_is("list")) sycl::ext::codeplay::experimental::fusion_wrapper(m_queue).complete_fusion();
    if (!m_graph) return;
    m_graph->end_recording();
    const sycl::ext::sinter::property::graph::fuse fuse;
    m_queue.ext_oneapi_graph(fusion_is("graph_fuse") ? m_graph->finalize({fuse}) : m_graph->finalize()).wait();
  }

private:
  sycl::queue& m_queue;
  std::optional<sycl::ext::oneapi::experimental::command_graph<>> m_graph;
#endif
};

/// Prints whether `run` failed because of too little memory. A launch that fails in this way must change no results.
template <class Run>
void may_be_refused(const char* scene, const char* name, Run&& run) {
  const char* verdict = "runs";
  try {
    run();
  } catch (const sycl::exception& error) {
    verdict = error.code() == sycl::errc::memory_allocation ? "is refused" : error.what();
  }
  std::printf("scene %s %s %s\n", scene, name, verdict);
}

inline void sub_group_size(std::size_t size) {
#ifdef PLAIN_SYCL
  sycl::plain::required_sub_group = size;
#endif
}

/// Kernels over pointers run in the order of submission; kernels over buffers have dependencies.
inline sycl::queue make_queue(bool in_order) {
#ifdef PLAIN_SYCL
  return {};
#else
  namespace properties = sycl::property::queue;
  if (fusion_is("list")) {
    const sycl::ext::codeplay::experimental::property::queue::enable_fusion fusion;
    return in_order ? sycl::queue{{fusion, properties::in_order{}}} : sycl::queue{{fusion}};
  }
  if (fusion_is("auto")) {
    const sycl::ext::sinter::property::queue::auto_fusion fusion;
    return in_order ? sycl::queue{{fusion, properties::in_order{}}} : sycl::queue{{fusion}};
  }
  return in_order ? sycl::queue{{properties::in_order{}}} : sycl::queue{};
#endif
}

struct scene {
  const char* name;
  void (*run)();
};

/// The main function. Usage: program [--values] [SCENE...]
template <std::size_t N>
int run(const scene (&scenes)[N], int count, char** words) {
  int first = 1;
  if (count > 1 && std::strcmp(words[1], "--values") == 0) show_values = true, first = 2;
  for (const scene& one : scenes) {
    bool wanted = first == count;
    for (int i = first; i < count; ++i) wanted |= std::strcmp(words[i], one.name) == 0;
    if (!wanted) continue;
#ifndef PLAIN_SYCL
    std::fprintf(stderr, "scene %s\n", one.name);  // later messages are about this scene
#endif
    one.run();
    std::fflush(stdout);
  }
#ifndef PLAIN_SYCL
  const auto counters = sycl::ext::sinter::launch_counters();
  std::fprintf(stderr, "tiers: host_entry=%llu jit=%llu cache=%llu\n",
               static_cast<unsigned long long>(counters.host_entry), static_cast<unsigned long long>(counters.jit),
               static_cast<unsigned long long>(counters.cache));
#endif
  return 0;
}

}  // namespace program
