#include <abi/device_abi.hpp>
#include <cstdlib>
#include <doctest/doctest.h>
#include <base/large_stack.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

// Ends the program, like the runtime's function with this name.
extern "C" void __sinter_trap(const char*) noexcept { std::abort(); }

namespace {

struct taken_stack {
  sinter::group_stack stacks{1000};
  boost::context::stack_context stack = stacks.allocate();

  char* end() const { return static_cast<char*>(stack.sp) - stack.size; }
  void give_back() { stacks.deallocate(stack); }
};

/// Whether calling `act` ends a child process.
template <class Act>
bool ends_program(const Act& act) {
  const pid_t child = fork();
  if (child == 0) {
    act();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

}  // namespace

TEST_CASE("what uses more than the stack of a work-item that waits faults, and does not reach another's") {
  taken_stack first, second;
  for (const taken_stack& each : {first, second}) {
    *each.end() = 1;
    CHECK(ends_program([&] { *(each.end() - 1) = 1; }));
    CHECK(ends_program([&] { *(each.end() - (1 << 20)) = 1; }));
    *each.end() = 0;
  }
  first.give_back();
  second.give_back();
  // The runtime keeps mapped stacks for later kernels.
  taken_stack again;
  CHECK(ends_program([&] { *(again.end() - 1) = 1; }));
  again.give_back();
}

TEST_CASE("a process has many thousands of such stacks; what overflows the last ones ends the program") {
  std::vector<taken_stack> stacks(8200);
  CHECK(ends_program([&] { *(stacks.front().end() - 1) = 1; }));
  taken_stack& last = stacks.back();
  CHECK_FALSE(ends_program([&] { last.give_back(); }));
  CHECK(ends_program([&] {
    last.end()[100] = 1;
    last.give_back();
  }));
  for (taken_stack& each : stacks) each.give_back();
}
