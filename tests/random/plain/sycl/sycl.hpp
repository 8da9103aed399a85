#pragma once
/// What random programs need of SYCL, in plain C++: kernels run one work-item after another, each on a stack of its own,
/// and wait at barriers for the others. It shares nothing with Sinter: neither headers nor code.

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#define PLAIN_SYCL 1

namespace sycl {

// ------------------------------------------------------------------------------------------------- ids and ranges

template <int D>
struct index_values {
  std::size_t v[D] = {};
  index_values() = default;
  index_values(std::size_t a) requires(D == 1) : v{a} {}
  index_values(std::size_t a, std::size_t b) requires(D == 2) : v{a, b} {}
  index_values(std::size_t a, std::size_t b, std::size_t c) requires(D == 3) : v{a, b, c} {}
  std::size_t& operator[](int d) { return v[d]; }
  std::size_t operator[](int d) const { return v[d]; }
  std::size_t get(int d) const { return v[d]; }
};
template <int D = 1>
struct range : index_values<D> {
  using index_values<D>::index_values;
  std::size_t size() const {
    std::size_t all = 1;
    for (std::size_t one : this->v) all *= one;
    return all;
  }
};
range(std::size_t) -> range<1>;
range(std::size_t, std::size_t) -> range<2>;
range(std::size_t, std::size_t, std::size_t) -> range<3>;
template <int D = 1>
struct id : index_values<D> {
  using index_values<D>::index_values;
  operator std::size_t() const requires(D == 1) { return this->v[0]; }
};
template <int D>
std::size_t linear(const index_values<D>& at, const index_values<D>& size) {
  std::size_t all = 0;
  for (int d = 0; d < D; ++d) all = all * size.v[d] + at.v[d];
  return all;
}
template <int D>
id<D> unlinear(std::size_t at, const range<D>& size) {
  id<D> all;
  for (int d = D - 1; d >= 0; --d) all.v[d] = at % size.v[d], at /= size.v[d];
  return all;
}
template <int D>
struct nd_range {
  range<D> global, local;
  nd_range(range<D> g, range<D> l) : global(g), local(l) {}
};

// ------------------------------------------------------------------------------------------------- running groups

namespace plain {

/// For kernels that do not say how large their sub-groups are.
inline std::size_t usual_sub_group() {
  const char* text = std::getenv("PLAIN_SUB_GROUP");
  return text ? std::strtoul(text, nullptr, 10) : 16;
}
inline std::size_t required_sub_group = 0;

/// The other way round the results are the same, but for races.
inline std::size_t turned(std::size_t i, std::size_t count) {
  static const bool backwards = std::getenv("PLAIN_BACKWARDS") != nullptr;
  return backwards ? count - 1 - i : i;
}

struct meeting {
  std::size_t members = 0, arrived = 0;
  std::uint64_t round = 0;
};

struct fiber {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(256 << 10);
  bool done = false;
};

struct group_state {
  std::size_t items = 0, sub_group_size = 0, running = 0;
  std::vector<meeting> sub_groups;
  meeting all;
  std::vector<std::unique_ptr<fiber>> fibers;
  std::vector<std::array<unsigned char, 64>> mail;
  ucontext_t scheduler;
  std::function<void()> body;
};
inline group_state state;

inline void yield() { swapcontext(&state.fibers[state.running]->context, &state.scheduler); }
inline void meet(meeting& where) {
  if (++where.arrived == where.members) {
    where.arrived = 0;
    ++where.round;
    return;
  }
  const std::uint64_t round = where.round;
  while (where.round == round) yield();
}
inline void enter() {
  const std::size_t mine = state.running;
  state.body();
  state.fibers[mine]->done = true;
  yield();
}

/// Runs `body` for each of the work-items of a group; state.running says which.
inline void run_group(std::size_t items, std::function<void()> body) {
  state.items = items;
  state.sub_group_size = required_sub_group ? required_sub_group : usual_sub_group();
  state.body = std::move(body);
  state.all = {items};
  state.sub_groups.clear();
  for (std::size_t first = 0; first < items; first += state.sub_group_size) {
    state.sub_groups.push_back({std::min(items - first, state.sub_group_size)});
  }
  state.mail.resize(items);
  while (state.fibers.size() < items) state.fibers.push_back(std::make_unique<fiber>());
  for (std::size_t i = 0; i < items; ++i) {
    fiber& one = *state.fibers[i];
    getcontext(&one.context);
    one.context.uc_stack = {one.stack.data(), 0, one.stack.size()};
    one.context.uc_link = nullptr;
    one.done = false;
    makecontext(&one.context, enter, 0);
  }
  for (bool waits = true; waits;) {
    waits = false;
    for (std::size_t position = 0; position < items; ++position) {
      const std::size_t i = turned(position, items);
      if (state.fibers[i]->done) continue;
      state.running = i;
      swapcontext(&state.scheduler, &state.fibers[i]->context);
      waits |= !state.fibers[i]->done;
    }
  }
}

}  // namespace plain

// ------------------------------------------------------------------------------------------------- groups

enum class memory_scope { work_item, sub_group, work_group, device, system };
enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
namespace access {
enum class address_space { global_space, local_space, private_space, generic_space };
enum class decorated { no, yes };
}  // namespace access

struct sub_group {
  std::size_t mine = plain::state.running;
  std::size_t first() const { return mine / plain::state.sub_group_size * plain::state.sub_group_size; }
  std::uint32_t get_local_linear_id() const { return static_cast<std::uint32_t>(mine - first()); }
  id<1> get_local_id() const { return get_local_linear_id(); }
  std::uint32_t get_local_linear_range() const { return static_cast<std::uint32_t>(where().members); }
  std::uint32_t get_group_linear_id() const { return static_cast<std::uint32_t>(mine / plain::state.sub_group_size); }
  std::uint32_t get_group_linear_range() const { return static_cast<std::uint32_t>(plain::state.sub_groups.size()); }
  range<1> get_max_local_range() const { return plain::state.sub_group_size; }
  bool leader() const { return mine == first(); }
  plain::meeting& where() const { return plain::state.sub_groups[get_group_linear_id()]; }
};
template <int D>
struct group {
  id<D> m_group, m_local;
  range<D> m_groups, m_size;
  std::size_t first() const { return 0; }
  std::size_t get_group_id(int d) const { return m_group[d]; }
  std::size_t get_group_linear_id() const { return linear(m_group, m_groups); }
  std::size_t get_local_linear_id() const { return linear(m_local, m_size); }
  std::size_t get_local_linear_range() const { return m_size.size(); }
  bool leader() const { return get_local_linear_id() == 0; }
  plain::meeting& where() const { return plain::state.all; }
};
template <int D>
struct nd_item {
  group<D> m_group;
  sycl::group<D> get_group() const { return m_group; }
  std::size_t get_group(int d) const { return m_group.m_group[d]; }
  sub_group get_sub_group() const { return {}; }
  std::size_t get_global_id(int d) const { return m_group.m_group[d] * m_group.m_size[d] + m_group.m_local[d]; }
  std::size_t get_local_id(int d) const { return m_group.m_local[d]; }
  std::size_t get_local_linear_id() const { return m_group.get_local_linear_id(); }
  std::size_t get_group_linear_id() const { return m_group.get_group_linear_id(); }
  std::size_t get_local_range(int d) const { return m_group.m_size[d]; }
  std::size_t get_group_range(int d) const { return m_group.m_groups[d]; }
  std::size_t get_global_range(int d) const { return m_group.m_size[d] * m_group.m_groups[d]; }
  std::size_t get_global_linear_id() const {
    std::size_t all = 0;
    for (int d = 0; d < D; ++d) all = all * get_global_range(d) + get_global_id(d);
    return all;
  }
};
template <int D>
struct item {
  id<D> m_id;
  range<D> m_range;
  std::size_t get_id(int d) const { return m_id[d]; }
  std::size_t operator[](int d) const { return m_id[d]; }
  std::size_t get_range(int d) const { return m_range[d]; }
  std::size_t get_linear_id() const { return linear(m_id, m_range); }
};

template <class Group>
void group_barrier(Group where, memory_scope = memory_scope::work_group) {
  plain::meet(where.where());
}

template <class T = void>
struct plus { template <class A> A operator()(A a, A b) const { return static_cast<A>(a + b); } };
template <class T = void>
struct multiplies { template <class A> A operator()(A a, A b) const { return static_cast<A>(a * b); } };
template <class T = void>
struct minimum { template <class A> A operator()(A a, A b) const { return b < a ? b : a; } };
template <class T = void>
struct maximum { template <class A> A operator()(A a, A b) const { return a < b ? b : a; } };
template <class T = void>
struct bit_and { template <class A> A operator()(A a, A b) const { return static_cast<A>(a & b); } };
template <class T = void>
struct bit_or { template <class A> A operator()(A a, A b) const { return static_cast<A>(a | b); } };
template <class T = void>
struct bit_xor { template <class A> A operator()(A a, A b) const { return static_cast<A>(a ^ b); } };

namespace plain {
/// Hands all values of a group to `use`, which gets a function from work-item to value.
template <class Group, class T, class Use>
auto together(Group where, const T& value, Use use) {
  static_assert(sizeof(T) <= 64);
  std::memcpy(state.mail[state.running].data(), &value, sizeof(T));
  meet(where.where());
  auto result = use([&](std::size_t i) {
    T one;
    std::memcpy(&one, state.mail[where.first() + i].data(), sizeof(T));
    return one;
  });
  meet(where.where());
  return result;
}
}  // namespace plain

template <class Group, class T, class Op>
T reduce_over_group(Group where, T value, Op op) {
  return plain::together(where, value, [&](auto at) {
    T all = at(0);
    for (std::size_t i = 1; i < where.get_local_linear_range(); ++i) all = op(all, at(i));
    return all;
  });
}
template <class Group, class T, class Op>
T inclusive_scan_over_group(Group where, T value, Op op) {
  return plain::together(where, value, [&](auto at) {
    T all = at(0);
    for (std::size_t i = 1; i <= where.get_local_linear_id(); ++i) all = op(all, at(i));
    return all;
  });
}
template <class Group, class T, class Op>
T exclusive_scan_over_group(Group where, T value, T initial, Op op) {
  return plain::together(where, value, [&](auto at) {
    T all = initial;
    for (std::size_t i = 0; i < where.get_local_linear_id(); ++i) all = op(all, at(i));
    return all;
  });
}
template <class Group>
bool any_of_group(Group where, bool value) {
  return reduce_over_group(where, static_cast<int>(value), bit_or<>()) != 0;
}
template <class Group>
bool all_of_group(Group where, bool value) {
  return reduce_over_group(where, static_cast<int>(value), bit_and<>()) != 0;
}
template <class Group>
bool none_of_group(Group where, bool value) {
  return !any_of_group(where, value);
}
template <class Group, class T>
T group_broadcast(Group where, T value, std::size_t source = 0) {
  return plain::together(where, value, [&](auto at) { return at(source); });
}
template <class T>
T select_from_group(sub_group where, T value, std::size_t source) {
  return plain::together(where, value, [&](auto at) { return source < where.where().members ? at(source) : T(); });
}
template <class T>
T shift_group_left(sub_group where, T value, std::uint32_t by = 1) {
  return select_from_group(where, value, where.get_local_linear_id() + by);
}
template <class T>
T shift_group_right(sub_group where, T value, std::uint32_t by = 1) {
  return select_from_group(where, value, std::size_t{where.get_local_linear_id()} - by);
}
template <class T>
T permute_group_by_xor(sub_group where, T value, std::uint32_t mask) {
  return select_from_group(where, value, where.get_local_linear_id() ^ mask);
}

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

template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
template <class T> T clamp(T x, T a, T b) { return min(max(x, a), b); }
template <class T> T popcount(T x) { return static_cast<T>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(x))); }
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
  return n == 0 ? x : static_cast<T>(static_cast<U>(static_cast<U>(x) << n) | static_cast<U>(static_cast<U>(x) >> (bits - n)));
}
template <class T> T mul_hi(T a, T b) { return static_cast<T>((static_cast<__int128>(a) * static_cast<__int128>(b)) >> (8 * sizeof(T))); }
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
template <class T> std::make_unsigned_t<T> abs_diff(T a, T b) {
  using U = std::make_unsigned_t<T>;
  return a < b ? static_cast<U>(static_cast<U>(b) - static_cast<U>(a)) : static_cast<U>(static_cast<U>(a) - static_cast<U>(b));
}
template <class T> T hadd(T a, T b) { return static_cast<T>((static_cast<__int128>(a) + b) >> 1); }
template <class T> T sqrt(T x) { return std::sqrt(x); }
template <class T> T fma(T a, T b, T c) { return std::fma(a, b, c); }
template <class T> T fabs(T x) { return std::fabs(x); }
template <class T> T floor(T x) { return std::floor(x); }
template <class T> T ceil(T x) { return std::ceil(x); }
template <class T> T trunc(T x) { return std::trunc(x); }
template <class T> T rint(T x) { return std::nearbyint(x); }

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

/// Copies share their memory: groups run one after another.
template <class T, int D = 1>
struct local_accessor {
  std::shared_ptr<std::vector<T>> data;
  local_accessor(range<1> size, handler&) : data(std::make_shared<std::vector<T>>(size.size())) {}
  T& operator[](std::size_t i) const { return (*data)[i]; }
};

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
        kernel(nd_item<D>{{unlinear(g, groups), unlinear(plain::state.running, size.local), groups, size.local}});
      });
    }
  }
  template <int D, class Kernel>
  void parallel_for(range<D> size, Kernel kernel) {
    for (std::size_t i = 0; i < size.size(); ++i) kernel(item<D>{unlinear(plain::turned(i, size.size()), size), size});
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
    group(one);
    return {};
  }
  event wait() { return {}; }
};
template <class T>
T* malloc_shared(std::size_t count, const queue&) {
  return static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64));
}
inline void free(void* memory, const queue&) { std::free(memory); }

}  // namespace sycl
