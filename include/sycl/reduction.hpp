#pragma once
/// sycl::reduction and sycl::reducer (SYCL 2020 4.9.2): they combine values from all work-items of a kernel into one
/// result.
///
/// Each work-item combines its own values, and each work-group writes one partial result. The partial results of a few
/// neighbouring work-groups are combined in order, then the results of these combinations, and so on, so that the
/// result is the same in each run and for any number of threads. If the host can read the device's memory, the host
/// combines the partial results. Otherwise the work-groups that finish last combine them. In a launch over a range, the
/// elements are divided into contiguous parts, and each work-group has one part. If the operators are SYCL's own,
/// elements i, i + 16, i + 32 and so on of a part are combined into the same sum, so that the 16 sums can be computed
/// in a vector. With other operators, each contiguous sixteenth of the part has its own sum.

#include <cstddef>
#include <span>
#include <type_traits>

#include "accessor.hpp"
#include "buffer.hpp"
#include "detail/compiled_core.hpp"
#include "detail/mistake.hpp"
#include "detail/reduction_values.hpp"
#include "functional.hpp"
#include "property_list.hpp"

namespace sycl::inline _V1 {

// Programs write sycl::span and sycl::dynamic_extent in array reductions.
using std::dynamic_extent;
using std::span;

namespace property::reduction {
/// The result does not include the variable's old value.
struct initialize_to_identity : detail::property_of_kind<detail::property_kind::initialize_to_identity> {};
}  // namespace property::reduction

namespace detail {

/// The operators of reducers, such as +=.
template <class Reducer, class T, class Operation>
class reducer_operators {
  template <template <class> class... Wanted>
  static constexpr bool combines_with =
      ((std::is_same_v<Operation, Wanted<T>> || std::is_same_v<Operation, Wanted<void>>) || ...);

public:
#define SINTER_REDUCER_OPERATOR(op, wanted)                   \
  SINTER_DEVICE_INLINE Reducer& operator op(const T& partial) \
    requires(combines_with<wanted, std::wanted> && Reducer::dimensions == 0) \
  {                                                           \
    return static_cast<Reducer&>(*this).combine(partial);     \
  }
  SINTER_REDUCER_OPERATOR(+=, plus)
  SINTER_REDUCER_OPERATOR(*=, multiplies)
  SINTER_REDUCER_OPERATOR(&=, bit_and)
  SINTER_REDUCER_OPERATOR(|=, bit_or)
  SINTER_REDUCER_OPERATOR(^=, bit_xor)
#undef SINTER_REDUCER_OPERATOR
#define SINTER_NO_REDUCER_OPERATOR(op, condition)                                                             \
  template <class Value>                                                                                      \
    requires(condition)                                                                                       \
  SINTER_MISTAKE("a reducer takes values by combine(), or by the operator of its reduction: +=, *=, &=, |= "  \
                 "or ^=; that of a span has such an element for each index; it has no value to read")         \
  Reducer& operator op(const Value&) {                                                                        \
    return static_cast<Reducer&>(*this);                                                                      \
  }
  SINTER_NO_REDUCER_OPERATOR(+=, (!combines_with<plus, std::plus> || Reducer::dimensions != 0))
  SINTER_NO_REDUCER_OPERATOR(*=, (!combines_with<multiplies, std::multiplies> || Reducer::dimensions != 0))
  SINTER_NO_REDUCER_OPERATOR(-=, true)
  SINTER_NO_REDUCER_OPERATOR(+, true)
#undef SINTER_NO_REDUCER_OPERATOR
  SINTER_DEVICE_INLINE Reducer& operator++()
    requires(combines_with<plus, std::plus> && std::is_integral_v<T>)
  {
    return static_cast<Reducer&>(*this).combine(T{1});
  }
  SINTER_DEVICE_INLINE void operator++(int)
    requires(combines_with<plus, std::plus> && std::is_integral_v<T>)
  {
    static_cast<Reducer&>(*this).combine(T{1});
  }
};

/// One element of the reducer for an array reduction.
template <class T, class Operation, identity_kind Identity>
class reducer_element : public reducer_operators<reducer_element<T, Operation, Identity>, T, Operation> {
public:
  using value_type = T;
  using binary_operation = Operation;
  static constexpr int dimensions = 0;

  SINTER_DEVICE_INLINE reducer_element(const combination<T, Operation, Identity>& how,
                                       partial_of<T, Identity>& partial) noexcept
      : m_how(how), m_partial(partial) {}
  SINTER_DEVICE_INLINE reducer_element& combine(const T& value) {
    m_how.add(m_partial, value);
    return *this;
  }
  SINTER_DEVICE_INLINE T identity() const
    requires(Identity != identity_kind::none)
  {
    return m_how.identity();
  }

private:
  const combination<T, Operation, Identity>& m_how;
  partial_of<T, Identity>& m_partial;
};

}  // namespace detail

/// For each reduction, a kernel receives a reducer as a reference parameter. The reducer is one-dimensional if the
/// reduction is over a span; otherwise it has no dimensions.
template <class T, class BinaryOperation, int Dimensions, detail::identity_kind Identity, std::size_t Extent>
class reducer
    : public detail::reducer_operators<reducer<T, BinaryOperation, Dimensions, Identity, Extent>, T, BinaryOperation> {
public:
  using value_type = T;
  using binary_operation = BinaryOperation;
  static constexpr int dimensions = Dimensions;

  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;

  /// Combines one value into the result.
  SINTER_DEVICE_INLINE reducer& combine(const T& value)
    requires(Dimensions == 0)
  {
    m_how.add(m_partials[0], value);
    return *this;
  }
  SINTER_DEVICE_INLINE detail::reducer_element<T, BinaryOperation, Identity> operator[](std::size_t i)
    requires(Dimensions == 1)
  {
    return {m_how, m_partials[i]};
  }
  /// Available if the identity is known or was passed to sycl::reduction.
  SINTER_DEVICE_INLINE T identity() const
    requires(Identity != detail::identity_kind::none)
  {
    return m_how.identity();
  }

private:
  template <class, class, int, detail::identity_kind, std::size_t, class>
  friend class detail::reduction_object;
  using combination = detail::combination<T, BinaryOperation, Identity>;

  explicit SINTER_DEVICE_INLINE reducer(const combination& how) noexcept : m_how(how) {
    for (auto& each : m_partials) each = how.empty();
  }

  const combination& m_how;
  detail::partial_of<T, Identity> m_partials[Extent];
};

namespace detail {

/// The object that sycl::reduction returns. It contains the destination (a pointer or an accessor) and the operation.
/// The object is part of the kernel's argument block.
template <class T, class Operation, int Dimensions, identity_kind Identity, std::size_t Extent, class Target>
class reduction_object {
  using partial = partial_of<T, Identity>;

public:
  using reducer_type = reducer<T, Operation, Dimensions, Identity, Extent>;
  /// Only SYCL's own operators are known to commute.
  static constexpr bool commutes = has_known_identity_v<Operation, T>;
  /// Group functions need this many bytes of local memory for each work-item of a group.
  static constexpr std::size_t bytes_of_each = group_slots<partial>::bytes_of_each;

  reduction_object(Target target, const combination<T, Operation, Identity>& how, const property_list& properties)
      : m_target(target),
        m_how(how),
        m_initialize(properties.has_property<property::reduction::initialize_to_identity>()) {
    if (Identity == identity_kind::none && m_initialize) {
      throw_invalid(
          "reduction: initialize_to_identity needs an identity, and none is known for this operator and type; "
          "give one");
    }
  }

  /// The host calls this function, which allocates memory for one partial result per work-group.
  void allocate(handler_impl& group, std::size_t work_groups) {
    const std::size_t bytes = sinter::abi::multiply_bytes(work_groups, Extent * sizeof(partial));
    m_partials =
        static_cast<partial*>(add_temporary(group, bytes, alignof(partial), false));
  }

  // The kernel calls the following functions in this order.
  SINTER_DEVICE_INLINE reducer_type make_reducer() const { return reducer_type(m_how); }
  /// All work-items of the group call this function. `first` says that this is the kernel's first reduction.
  /// `one_sub_group` says that the group consists of one sub-group.
  template <int GroupDimensions>
  SINTER_DEVICE_INLINE void store(const reducer_type& values, const sycl::group<GroupDimensions>& group, bool first,
                                  bool one_sub_group) const {
    const sub_group mine = sub_group_access::current();
    for_each_value([&](std::size_t i) {
      const auto keep = [&](const partial& whole) { m_partials[group.get_group_linear_id() * Extent + i] = whole; };
      const partial& value = values.m_partials[i];
      if (one_sub_group) {
        const partial whole = folded(mine, value);
        if (mine.leader()) keep(whole);
        return;
      }
      if (!first || i != 0) group_barrier(group);
      if constexpr (commutes) {
        fold_items_for_leader(group, value, m_how.merger(), keep);
      } else {
        fold_for_leader(group, folded(mine, value), m_how.merger(), mine.get_group_linear_range(), keep);
      }
    });
  }
  /// One work-item calls this function. It combines the results of groups begin, begin + step and so on below `end`,
  /// and stores the combination as the result of group `begin`.
  SINTER_DEVICE_INLINE void join(std::size_t begin, std::size_t end, std::size_t step) const {
    for_each_value([&](std::size_t i) { m_partials[begin * Extent + i] = joined(begin, end, step, i); });
  }
  /// One work-item of the last group calls this function, which combines the results of every `step`th group into the
  /// final result.
  SINTER_DEVICE_INLINE void finish(std::size_t work_groups, std::size_t step) const {
    for_each_value([&](std::size_t i) { m_how.write(m_target[i], joined(0, work_groups, step, i), m_initialize); });
  }
  SINTER_DEVICE_INLINE void finish_empty() const {
    for_each_value([&](std::size_t i) { m_how.write(m_target[i], m_how.empty(), m_initialize); });
  }

  /// The host calls this function. For each set of `neighbours` groups, the function combines the results as join does.
  /// Combines four such sets of groups at a time, because within a set each combination has to wait for the one before
  /// it.
  void join_all(std::size_t work_groups, std::size_t neighbours, std::size_t step) const {
    constexpr std::size_t width = 4;
    const std::size_t span = neighbours * step;
    std::size_t begin = 0;
    for (; begin + width * span <= work_groups; begin += width * span) {
      for_each_value([&](std::size_t i) {
        const auto at = [&](std::size_t j, std::size_t k) -> partial& {
          return m_partials[(begin + j * span + k * step) * Extent + i];
        };
        partial sums[width];
        for (std::size_t j = 0; j < width; ++j) sums[j] = at(j, 0);
        for (std::size_t k = 1; k < neighbours; ++k) {
          for (std::size_t j = 0; j < width; ++j) sums[j] = m_how.merger()(sums[j], at(j, k));
        }
        for (std::size_t j = 0; j < width; ++j) at(j, 0) = sums[j];
      });
    }
    for (; begin < work_groups; begin += span) {
      join(begin, work_groups - begin < span ? work_groups : begin + span, step);
    }
  }

private:
  /// For a single value there is no loop: compilers would keep the values of a long loop in memory instead of
  /// registers.
  template <class Function>
  static SINTER_DEVICE_INLINE void for_each_value(const Function& function) {
    if constexpr (Extent == 1) {
      function(std::size_t{0});
    } else {
      for (std::size_t i = 0; i < Extent; ++i) function(i);
    }
  }
  SINTER_DEVICE_INLINE partial folded(const sub_group& mine, const partial& value) const {
    return sub_group_fold(mine, value, m_how.merger(), mine.get_local_linear_range());
  }
  SINTER_DEVICE_INLINE partial joined(std::size_t begin, std::size_t end, std::size_t step, std::size_t i) const {
    partial whole = m_partials[begin * Extent + i];
    for (std::size_t k = begin + step; k < end; k += step) whole = m_how.merger()(whole, m_partials[k * Extent + i]);
    return whole;
  }

  Target m_target;
  partial* m_partials = nullptr;
  combination<T, Operation, Identity> m_how;
  bool m_initialize;
};

template <class T, class Operation>
inline constexpr identity_kind identity_of_pair =
    has_known_identity_v<Operation, T> ? identity_kind::known : identity_kind::none;

template <class T>
using reduced_element = accessor<T, 1, access_mode::read_write>;

/// Throws errc::invalid if the buffer does not have exactly one element.
template <class T, int Dimensions, class Allocator>
reduced_element<T> reduced_buffer(const buffer<T, Dimensions, Allocator>& variable, handler& group,
                                  const property_list& properties) {
  if (variable.size() != 1) throw_invalid("reduction: the buffer needs to have exactly one element");
  auto flat = variable.template reinterpret<T, 1>(range<1>(1));
  if (!properties.has_property<property::reduction::initialize_to_identity>()) return {flat, group};
  return {flat, group, property_list{property::no_init()}};
}

}  // namespace detail

/// Combines values into the only element of a buffer. The element's old value takes part, unless initialize_to_identity
/// is set.
template <class T, int Dimensions, class Allocator, class BinaryOperation>
auto reduction(buffer<T, Dimensions, Allocator> variable, handler& group, BinaryOperation combiner,
               const property_list& properties = {}) {
  constexpr auto kind = detail::identity_of_pair<T, BinaryOperation>;
  return detail::reduction_object<T, BinaryOperation, 0, kind, 1, detail::reduced_element<T>>(
      detail::reduced_buffer(variable, group, properties), {combiner}, properties);
}
template <class T, int Dimensions, class Allocator, class BinaryOperation>
auto reduction(buffer<T, Dimensions, Allocator> variable, handler& group, const std::type_identity_t<T>& identity,
               BinaryOperation combiner, const property_list& properties = {}) {
  return detail::reduction_object<T, BinaryOperation, 0, detail::identity_kind::given, 1, detail::reduced_element<T>>(
      detail::reduced_buffer(variable, group, properties), {combiner, identity}, properties);
}
/// Combines values into a variable in USM memory.
template <class T, class BinaryOperation>
auto reduction(T* variable, BinaryOperation combiner, const property_list& properties = {}) {
  constexpr auto kind = detail::identity_of_pair<T, BinaryOperation>;
  return detail::reduction_object<T, BinaryOperation, 0, kind, 1>(variable, {combiner}, properties);
}
template <class T, class BinaryOperation>
auto reduction(T* variable, const std::type_identity_t<T>& identity, BinaryOperation combiner,
               const property_list& properties = {}) {
  return detail::reduction_object<T, BinaryOperation, 0, detail::identity_kind::given, 1>(
      variable, {combiner, identity}, properties);
}
/// Combines values element by element into an array in USM memory. The array's length is part of its type.
template <class T, std::size_t Extent, class BinaryOperation>
  requires(Extent != dynamic_extent)
auto reduction(span<T, Extent> variables, BinaryOperation combiner, const property_list& properties = {}) {
  constexpr auto kind = detail::identity_of_pair<T, BinaryOperation>;
  return detail::reduction_object<T, BinaryOperation, 1, kind, Extent>(variables.data(), {combiner}, properties);
}
template <class T, std::size_t Extent, class BinaryOperation>
  requires(Extent != dynamic_extent)
auto reduction(span<T, Extent> variables, const std::type_identity_t<T>& identity, BinaryOperation combiner,
               const property_list& properties = {}) {
  return detail::reduction_object<T, BinaryOperation, 1, detail::identity_kind::given, Extent>(
      variables.data(), {combiner, identity}, properties);
}
template <class = void>
SINTER_MISTAKE("a reduction is made from a pointer, from a buffer and the handler, or from a span of constant length; "
               "then the identity, if it is no operator that SYCL knows, and the operator: sycl::plus<int>()")
detail::mistake reduction(...) {
  return {};
}

}  // namespace sycl
