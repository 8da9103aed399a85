/// Computes the result of hello.cpp without Sinter. The program shows how long any C++ program takes to start.
#include <cstdlib>
#include <vector>

int main() {
  std::vector<int> data(64);
  for (int i = 0; i < 64; ++i) data[static_cast<std::size_t>(i)] = i;
  return data[63] == 63 ? 0 : 1;
}
