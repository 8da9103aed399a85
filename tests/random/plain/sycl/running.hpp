#pragma once
/// Plain SYCL: ids and ranges. Work-items of a group run one after another, each on a separate stack.

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

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

/// The sub-group size of kernels that do not require a size.
inline std::size_t usual_sub_group() {
  const char* text = std::getenv("PLAIN_SUB_GROUP");
  return text ? std::strtoul(text, nullptr, 10) : 16;
}
inline std::size_t required_sub_group = 0;

/// Reverses the order of work-items if requested. If a program has no races, its results stay equal.
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
  static constexpr std::size_t stack_bytes = 8 << 20;
  std::unique_ptr<char[]> stack{new char[stack_bytes]};  // the system allocates a page only when the page is used
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

/// Runs `body` for each work-item of a group; state.running is the current work-item.
inline void run_group(std::size_t items, std::function<void()> body) {
  state.items = items;
  static const bool none_required = std::getenv("PLAIN_REQUIRES_NOTHING") != nullptr;
  state.sub_group_size = required_sub_group && !none_required ? required_sub_group : usual_sub_group();
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
    one.context.uc_stack = {one.stack.get(), 0, fiber::stack_bytes};
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

}  // namespace sycl
