// The library functions that a kernel still calls after the plugin has simplified it. The comment behind a kernel names
// these functions, or says "none".
#include "mini_launch.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

void kernels(int* p, const unsigned char* bytes, const char* text, int n) {
  launch<class equal_arrays>([=](std::size_t i) { p[i] = std::array<int, 4>{p[0], 1, 2, 3} == std::array<int, 4>{1, 2}; });  // none
  launch<class order_of_twelve>([=](std::size_t i) { p[i] = std::memcmp(bytes, bytes + i, 12) < 0; });                     // none
  launch<class order_of_any>([=](std::size_t i) { p[i] = std::memcmp(bytes, bytes + i, i); });                             // library.memcmp
  launch<class order_of_many>([=](std::size_t i) { p[i] = std::memcmp(bytes, bytes + i, 1000) == 0; });                    // library.memcmp
  launch<class divided>([=](std::size_t i) { p[i] = std::div(p[i], n).rem; });                                            // none
  launch<class digit>([=](std::size_t i) { p[i] = std::isdigit(text[i]); });                                              // none
  launch<class no_number>([=](std::size_t i) { p[i] = std::isnan(std::nexttoward(double(p[i]), 1.0L)); });                 // none
  launch<class measured>([=](std::size_t i) { p[i] = std::string_view(text).size(); });                                   // none
  launch<class sorted_eight>([=](std::size_t i) {                                                                         // none
    std::array<int, 8> a{p[i], 5, 3, 1};
    std::sort(a.begin(), a.end());
    p[i] = a[2];
  });
  launch<class sorted_any>([=](std::size_t i) { std::sort(p + i, p + n); });                                              // _ZSt16__introsort_loop
  launch<class drawn>([=](std::size_t i) {                                                                                // none
    std::mt19937 engine(n);
    p[i] = std::uniform_real_distribution<double>(0, 5)(engine);
  });
}
