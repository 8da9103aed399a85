#pragma once
/// AdaptiveCpp's hint that a captured value may be compiled into the kernel as a constant (ACPP_EXT_SPECIALIZED). In
/// Sinter the class only holds the value. Queues with the property `adaptive` find such values by themselves
/// (docs/specialization.md).

#define ACPP_EXT_SPECIALIZED 1

namespace sycl::inline _V1 {

template <class T>
class specialized {
public:
  constexpr specialized() = default;
  constexpr specialized(const T& value) : m_value(value) {}
  constexpr operator T() const { return m_value; }
  constexpr specialized& operator=(const T& value) {
    m_value = value;
    return *this;
  }

private:
  T m_value{};
};

}  // namespace sycl
