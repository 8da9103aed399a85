// Tests the position of the first use of fp64. The comment "at:" names the function that the line's warning must name;
// /*here*/ marks the column of the warning.
#include "mini_launch.hpp"

namespace sycl {
enum class aspect : unsigned { cpu = 1, fp64 = 6 };
}
using sycl::aspect;

[[sycl::device_has()]] int local(int x) {
  double /*here*/ value = x;  // at: local
  return static_cast<int>(value * 2);
}
[[sycl::device_has()]] double parameter(double x) { return x; }  // at: parameter
[[sycl::device_has()]] int array(int x) {
  double values[3] = {1.0, 2.0, static_cast<double>(x)};  // at: array
  return static_cast<int>(values[x & 1]);
}
inline int inner(int x) {
  double values[3] = {1.0, 2.0, static_cast<double>(x)};  // at: outer
  return static_cast<int>(values[x & 1]);
}
[[sycl::device_has()]] int outer(int x) { return inner(x); }
[[sycl::device_has()]] int untouched(int x) { double value; return x; }  // at: untouched
[[sycl::device_has()]] int expression(int x) {
  int y = x + 1;
  return y + static_cast<int>(x * 0.1);  // at: expression
}
struct functor {
  int* p;
  [[sycl::device_has(aspect::cpu)]] void operator()(std::size_t i) const {
    double /*here*/ value = p[i];  // at: of_functor
    p[i] = static_cast<int>(value * 3);
  }
};

void kernels(int* p) {
  launch<class calls>([=](std::size_t i) {
    p[i] = local(p[i]) + static_cast<int>(parameter(2)) + array(1) + outer(2) + untouched(3) + expression(4);
  });
  launch<class of_lambda>([=](std::size_t i) [[sycl::device_has(aspect::cpu)]] {
    double /*here*/ value = p[i];  // at: of_lambda
    p[i] = static_cast<int>(value * 3);
  });
  launch<class of_functor>(functor{p});
}
