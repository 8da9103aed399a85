#pragma once
/// The part of SYCL that random programs need, in plain C++: kernels run one work-item after another, and a work-item
/// waits at barriers for the others. This version of SYCL shares neither headers nor code with Sinter.

#include <cmath>
#include <limits>
#include <type_traits>

#include "groups.hpp"

#define PLAIN_SYCL 1

namespace sycl {

// ------------------------------------------------------------------------------------------------- values

template <class T, int N>
struct vec {
  T v[N == 3 ? 4 : N] = {};
  vec() = default;
  explicit(N != 1) vec(T all) { for (int i = 0; i < N; ++i) v[i] = all; }
  template <class... More>
    requires(sizeof...(More) + 1 == N && N > 1)
  vec(T first, More... more) : v{first, static_cast<T>(more)...} {}
  T& operator[](int i) { return v[i]; }
  const T& operator[](int i) const { return v[i]; }
  template <class Op>
  vec zip(const vec& b, Op op) const {
    vec r;
    // Products of 16 bits would overflow int.
    using wide = std::conditional_t<std::is_unsigned_v<T> && sizeof(T) < 4, unsigned, T>;
    for (int i = 0; i < N; ++i) r.v[i] = static_cast<T>(op(static_cast<wide>(v[i]), static_cast<wide>(b.v[i])));
    return r;
  }
  friend vec operator+(const vec& a, const vec& b) { return a.zip(b, [](auto x, auto y) { return x + y; }); }
  friend vec operator-(const vec& a, const vec& b) { return a.zip(b, [](auto x, auto y) { return x - y; }); }
  friend vec operator*(const vec& a, const vec& b) { return a.zip(b, [](auto x, auto y) { return x * y; }); }
  friend vec operator&(const vec& a, const vec& b) { return a.zip(b, [](auto x, auto y) { return x & y; }); }
  friend vec operator|(const vec& a, const vec& b) { return a.zip(b, [](auto x, auto y) { return x | y; }); }
  friend vec operator^(const vec& a, const vec& b) { return a.zip(b, [](auto x, auto y) { return x ^ y; }); }
};

class half {
public:
  half() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  half(T value) : m_value(static_cast<_Float16>(static_cast<float>(value))) {}
  half(double value) : m_value(static_cast<_Float16>(value)) {}
  operator float() const { return static_cast<float>(m_value); }
  friend half operator+(half a, half b) { return float(a) + float(b); }
  friend half operator-(half a, half b) { return float(a) - float(b); }
  friend half operator*(half a, half b) { return float(a) * float(b); }
  friend half operator/(half a, half b) { return float(a) / float(b); }
  friend half& operator+=(half& a, half b) { return a = a + b; }

private:
  _Float16 m_value;
};

template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
template <class T> T clamp(T x, T a, T b) { return min(max(x, a), b); }
template <class T> T popcount(T x) {
  return static_cast<T>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(x)));
}
template <class T> T clz(T x) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(x);
  return static_cast<T>(bits == 0 ? 8 * sizeof(T) : __builtin_clzll(bits) - (64 - 8 * sizeof(T)));
}
template <class T> T ctz(T x) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(x);
  return static_cast<T>(bits == 0 ? 8 * sizeof(T) : __builtin_ctzll(bits));
}
template <class T> T rotate(T x, T by) {
  using U = std::make_unsigned_t<T>;
  const unsigned bits = 8 * sizeof(T), n = static_cast<unsigned>(static_cast<U>(by) % bits);
  const U value = static_cast<U>(x);
  return n == 0 ? x : static_cast<T>(static_cast<U>(value << n) | static_cast<U>(value >> (bits - n)));
}
template <class T> T mul_hi(T a, T b) {
  using wide = std::conditional_t<std::is_unsigned_v<T>, unsigned __int128, __int128>;
  return static_cast<T>((static_cast<wide>(a) * static_cast<wide>(b)) >> (8 * sizeof(T)));
}
template <class T> T add_sat(T a, T b) {
  T r;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return b < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}
template <class T> T sub_sat(T a, T b) {
  T r;
  if (!__builtin_sub_overflow(a, b, &r)) return r;
  return std::is_unsigned_v<T> || b > 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}
template <class T> T abs_diff(T a, T b) { return static_cast<T>(a < b ? b - a : a - b); }
template <class T> T hadd(T a, T b) { return static_cast<T>((static_cast<__int128>(a) + b) >> 1); }
// Functions of half are computed in float and rounded once.
template <class T> using computed = std::conditional_t<std::is_same_v<T, half>, float, T>;
template <class T> T sqrt(T x) { return std::sqrt(computed<T>(x)); }
template <class T> T fma(T a, T b, T c) { return std::fma(a, b, c); }
template <class T> T fabs(T x) { return std::fabs(computed<T>(x)); }
template <class T> T floor(T x) { return std::floor(computed<T>(x)); }
template <class T> T ceil(T x) { return std::ceil(computed<T>(x)); }
template <class T> T trunc(T x) { return std::trunc(computed<T>(x)); }
template <class T> T rint(T x) { return std::nearbyint(computed<T>(x)); }
template <class T> T sin(T x) { return std::sin(x); }
template <class T> T cos(T x) { return std::cos(x); }
template <class T> T exp(T x) { return std::exp(x); }
template <class T> T log(T x) { return std::log(x); }
template <class T> T atan(T x) { return std::atan(x); }
template <class T> T tanh(T x) { return std::tanh(x); }
template <class T> T cbrt(T x) { return std::cbrt(x); }
template <class T> T tgamma(T x) { return std::tgamma(x); }
template <class T> T lgamma(T x) { return std::lgamma(x); }

template <class T, memory_order, memory_scope, access::address_space = access::address_space::generic_space>
struct atomic_ref {
  T* m_object;
  explicit atomic_ref(T& object) : m_object(&object) {}
  T fetch_add(T x) const { return std::exchange(*m_object, plus<>()(*m_object, x)); }
  T fetch_min(T x) const { return std::exchange(*m_object, minimum<>()(*m_object, x)); }
  T fetch_max(T x) const { return std::exchange(*m_object, maximum<>()(*m_object, x)); }
  T fetch_or(T x) const { return std::exchange(*m_object, static_cast<T>(*m_object | x)); }
  T fetch_and(T x) const { return std::exchange(*m_object, static_cast<T>(*m_object & x)); }
  T fetch_xor(T x) const { return std::exchange(*m_object, static_cast<T>(*m_object ^ x)); }
};

// ------------------------------------------------------------------------------------------------- memory and queues

enum class access_mode { read, write, read_write };
struct read_only_tag {};
struct write_only_tag {};
struct read_write_tag {};
inline constexpr read_only_tag read_only;
inline constexpr write_only_tag write_only;
inline constexpr read_write_tag read_write;

template <class T, int D = 1>
struct buffer {
  T* data;
  std::size_t count;
  buffer(T* memory, range<1> size) : data(memory), count(size.size()) {}
};
struct handler;
template <class T, int D = 1, access_mode M = access_mode::read_write>
struct accessor {
  T* data;
  template <class Tag>
  accessor(buffer<std::remove_const_t<T>>& from, handler&, Tag) : data(from.data) {}
  T& operator[](std::size_t i) const { return data[i]; }
};
template <class T> accessor(buffer<T>&, handler&, read_only_tag) -> accessor<const T, 1, access_mode::read>;
template <class T> accessor(buffer<T>&, handler&, write_only_tag) -> accessor<T, 1, access_mode::write>;
template <class T> accessor(buffer<T>&, handler&, read_write_tag) -> accessor<T, 1, access_mode::read_write>;

enum class errc { memory_allocation };
struct exception {
  errc code() const { return errc::memory_allocation; }
  const char* what() const { return "too much memory"; }
};

/// All groups can use the same memory, because groups run one after another. Copies share it.
template <class T, int D = 1>
struct local_accessor {
  std::shared_ptr<std::vector<T>> data;
  local_accessor(range<1> size, handler&) {
    if (size.size() > (std::size_t{1} << 30) / sizeof(T)) throw exception();
    data = std::make_shared<std::vector<T>>(size.size());
  }
  T& operator[](std::size_t i) const { return (*data)[i]; }
};

namespace property::reduction {
struct initialize_to_identity {};
}  // namespace property::reduction
struct property_list {
  property_list() = default;
  property_list(property::reduction::initialize_to_identity) : forgets(true) {}
  bool forgets = false;
};
/// A class that is both the reduction's variable and its reducer.
template <class T, class Op>
struct reduced {
  T* variable;
  void combine(T value) { *variable = Op()(*variable, value); }
};
template <class T, class Op>
reduced<T, Op> reduction(T* variable, Op, property_list properties = {}) {
  if (properties.forgets) *variable = plain::neutral<T>(Op());
  return {variable};
}

/// A specialization constant. A value that was set remains until the next command group.
template <class T>
struct specialization_id {
  T initial;
  constexpr explicit specialization_id(T value) : initial(value) {}
};
namespace plain {
template <auto& Id>
inline auto set_constant = Id.initial;
inline std::vector<std::function<void()>> resets;
}  // namespace plain
struct kernel_handler {
  template <auto& Id>
  auto get_specialization_constant() const { return plain::set_constant<Id>; }
};
namespace plain {
template <class Kernel, class... Words>
void call(Kernel& kernel, Words&&... words) {
  if constexpr (requires { kernel(words..., kernel_handler()); }) {
    kernel(words..., kernel_handler());
  } else {
    kernel(words...);
  }
}
}  // namespace plain

struct event {
  void wait() const {}
};
struct queue;
struct handler {
  template <int D, class Kernel>
  void parallel_for(nd_range<D> size, Kernel kernel) {
    range<D> groups;
    for (int d = 0; d < D; ++d) groups[d] = size.global[d] / size.local[d];
    for (std::size_t position = 0; position < groups.size(); ++position) {
      const std::size_t g = plain::turned(position, groups.size());
      plain::run_group(size.local.size(), [&] {
        nd_item<D> it{{unlinear(g, groups), unlinear(plain::state.running, size.local), groups, size.local}};
        plain::call(kernel, it);
      });
    }
  }
  template <int D, class Kernel>
  void parallel_for(range<D> size, Kernel kernel) {
    for (std::size_t i = 0; i < size.size(); ++i) {
      item<D> it{unlinear(plain::turned(i, size.size()), size), size};
      plain::call(kernel, it);
    }
  }
  template <class Size, class T, class Op, class Kernel>
  void parallel_for(Size size, reduced<T, Op> one, Kernel kernel) {
    parallel_for(size, [=](auto it) mutable { plain::call(kernel, it, one); });
  }
  template <class Size, class T, class Op, class U, class OtherOp, class Kernel>
  void parallel_for(Size size, reduced<T, Op> one, reduced<U, OtherOp> other, Kernel kernel) {
    parallel_for(size, [=](auto it) mutable { plain::call(kernel, it, one, other); });
  }
  template <auto& Id, class T>
  void set_specialization_constant(T value) {
    plain::set_constant<Id> = value;
    plain::resets.push_back([] { plain::set_constant<Id> = Id.initial; });
  }
  template <class Kernel>
  void single_task(Kernel kernel) {
    kernel();
  }
};
struct queue {
  template <class Group>
  event submit(Group group) {
    handler one;
    for (const auto& each : std::exchange(plain::resets, {})) each();
    group(one);
    return {};
  }
  event wait() { return {}; }
  template <class T> void fill(T* to, T value, std::size_t count) { std::fill_n(to, count, value); }
  template <class T> void copy(const T* from, T* to, std::size_t count) { std::memmove(to, from, count * sizeof(T)); }
  void memcpy(void* to, const void* from, std::size_t bytes) { std::memmove(to, from, bytes); }
  void memset(void* to, int value, std::size_t bytes) { std::memset(to, value, bytes); }
};
template <class T>
T* malloc_shared(std::size_t count, const queue&) {
  return static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64));
}
inline void free(void* memory, const queue&) { std::free(memory); }

}  // namespace sycl
