#pragma once
/// Owns a callable of any type. Small callables need no memory of their own.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace sycl::inline _V1::detail {

class task {
public:
  task() = default;
  task(std::nullptr_t) {}
  template <class Function>
    requires(!std::is_same_v<Function, task> && std::is_invocable_v<Function&>)
  task(Function function) {
    if constexpr (fits<Function>) {
      new (m_bytes) Function(std::move(function));
      m_actions = &inside<Function>;
    } else {
      new (m_bytes) Function*(new Function(std::move(function)));
      m_actions = &outside<Function>;
    }
  }
  task(task&& other) noexcept { take(other); }
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  ~task() { clear(); }

  void operator()() { m_actions->call(m_bytes); }
  explicit operator bool() const noexcept { return m_actions != nullptr; }

private:
  // Callables of at most this many bytes need no memory of their own. This size is enough for a strided copy and a
  // pointer to a backend.
  static constexpr std::size_t capacity = 80;
  struct actions {
    void (*call)(void* bytes);
    void (*move)(void* to, void* from) noexcept;  ///< ends the life of `from`
    void (*destroy)(void* bytes) noexcept;
  };
  template <class Function>
  static constexpr bool fits = sizeof(Function) <= capacity && alignof(Function) <= alignof(std::max_align_t) &&
                               std::is_nothrow_move_constructible_v<Function>;
  template <class Function>
  static constexpr actions inside = {[](void* bytes) { (*static_cast<Function*>(bytes))(); },
                                     [](void* to, void* from) noexcept {
                                       new (to) Function(std::move(*static_cast<Function*>(from)));
                                       static_cast<Function*>(from)->~Function();
                                     },
                                     [](void* bytes) noexcept { static_cast<Function*>(bytes)->~Function(); }};
  template <class Function>
  static constexpr actions outside = {
      [](void* bytes) { (**static_cast<Function**>(bytes))(); },
      [](void* to, void* from) noexcept { new (to) Function*(*static_cast<Function**>(from)); },
      [](void* bytes) noexcept { delete *static_cast<Function**>(bytes); }};

  void clear() noexcept {
    if (const actions* mine = std::exchange(m_actions, nullptr)) mine->destroy(m_bytes);
  }
  void take(task& other) noexcept {
    m_actions = std::exchange(other.m_actions, nullptr);
    if (m_actions) m_actions->move(m_bytes, other.m_bytes);
  }

  const actions* m_actions = nullptr;
  alignas(std::max_align_t) unsigned char m_bytes[capacity];
};

}  // namespace sycl::detail
