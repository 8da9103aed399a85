// Loops as in the headers and in users' code. A kernel's name says whether its image still has a loop.
#include "mini_launch.hpp"

struct four {
  float v[4];
  friend four operator+(const four& a, const four& b) {
    four result{};
    for (int i = 0; i < 4; ++i) result.v[i] = a.v[i] + b.v[i];
    return result;
  }
  friend bool operator==(const four& a, const four& b) {
    for (int i = 0; i < 4; ++i) {
      if (a.v[i] != b.v[i]) return false;
    }
    return true;
  }
};

void kernels(four* p, float* f, int n) {
  launch<class straight_sum>([=](std::size_t i) { p[i] = p[i] + p[i + 1] + p[i + 2]; });
  launch<class loop_around_a_short_one>([=](std::size_t i) {
    for (int k = 0; k < 4; ++k) {
      for (int j = 0; j < 16; ++j) f[16 * i + j] *= 2;
    }
  });
  launch<class loop_with_a_way_out>([=](std::size_t i) { f[i] = p[i] == p[i + 1]; });
  launch<class loop_of_seventeen>([=](std::size_t i) {
    for (int k = 0; k < 17; ++k) f[i] = f[i] * f[k];
  });
  launch<class loop_of_any_length>([=](std::size_t i) {
    for (int k = 0; k < n; ++k) f[i] = f[i] * f[k];
  });
  launch<class loop_that_asks>([=](std::size_t i) {
    for (int k = 0; k < 4; ++k) {
      if (i + k < 100) f[i] += f[i + k];
    }
  });
  launch<class loop_with_barriers>([=](std::size_t i) {
    for (int k = 0; k < 4; ++k) {
      f[i] += f[k];
      __sinter_barrier(2, 2);
    }
  });
}
