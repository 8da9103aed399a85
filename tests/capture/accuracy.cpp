// The plugin recognises the headers' function rsqrt by its name, and lets the quotient in it be inexact. Other
// quotients must be exact.
#include <sycl/math.hpp>

#include "mini_launch.hpp"

int main() {
  float values[3] = {1, 4, 9}, *p = values;
  launch<class roots>([=](std::size_t i) {
    p[0] = sycl::rsqrt(p[i]);
    p[1] = 1.0f / sycl::sqrt(p[i]);
    p[2] = p[0] / p[1];
  });
}
