// One kernel for each construct that device code must not reach. The comment behind a kernel has the words of its
// warning.
#include "mini_launch.hpp"

#include <array>
#include <stdexcept>

struct interface {
  virtual int value(int) = 0;
};
int undefined_function(int);
int mutable_variable;
thread_local int thread_variable;

static int checked(int x) {
  if (x > 3) throw std::runtime_error("too large");
  return x;
}
int caller(int x) { return checked(x + 1); }
int sum_of_digits(int x) {
  return x < 10 ? x : sum_of_digits(x / 10) * 3 +
                          sum_of_digits(x % 7);
}

void kernels(int* p, interface* object, std::array<int, 4> array) {
  launch<class throwing>([=](std::size_t i) { p[i] = caller(p[i]); });                 // throws an exception; call chain: .* caller\(int\) -> checked\(int\)
  launch<class allocating>([=](std::size_t i) { p[i] = *new int(p[i]); });             // allocates memory with 'operator new\(unsigned long\)'
  launch<class virtual_call>([=](std::size_t i) { p[i] = object->value(p[i]); });      // makes a virtual call
  launch<class undefined>([=](std::size_t i) { p[i] = undefined_function(p[i]); });    // calls 'undefined_function\(int\)', which is not defined
  launch<class global>([=](std::size_t i) { p[i] = mutable_variable++; });             // uses the variable 'mutable_variable', which is not constant
  launch<class local_to_thread>([=](std::size_t i) { p[i] = thread_variable++; });     // uses the thread_local variable
  launch<class library_throw>([=](std::size_t i) { p[i] = array.at(i); });             // throws an exception; call chain: .*std::array<int, 4ul>::at
  launch<class extended>([=](std::size_t i) { p[i] = int(p[i] * 1.5L / 3.0L); });      // uses long double
  launch<class assembly>([=](std::size_t i) { asm volatile("nop"); p[i] = 0; });       // contains inline assembly
  launch<class recursive>([=](std::size_t i) { p[i] = sum_of_digits(p[i]); });         // calls 'sum_of_digits\(int\)' recursively
  launch<class dead_throw>([=](std::size_t i) { if (sizeof(p) == 4) throw 1; p[i] = 1; });
  launch<class fine>([=](std::size_t i) { p[i] += 1; });
}
