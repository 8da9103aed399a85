#pragma once
/// AdaptiveCpp's hint that kernels may be compiled for a value that they capture (ACPP_EXT_SPECIALIZED). In Sinter it
/// is more than a hint: kernels are compiled for the value, just like for values of specialization constants
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
