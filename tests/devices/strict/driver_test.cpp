/// The strict driver ends the process if a program breaks its rules, and only then.

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "driver.hpp"

namespace {

using namespace strict;

/// Calls `what` in a child process. Returns the message with which the process ends, or an empty text if `what`
/// returns.
std::string said_by(const std::function<void()>& what) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    what();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t count = 0; (count = read(ends[0], part, sizeof(part))) > 0;) text.append(part, std::size_t(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK((WEXITSTATUS(status) == 86) == !text.empty());
  return text;
}

bool ends_with_words(const std::function<void()>& what, const char* words) {
  return said_by(what).find(words) != std::string::npos;
}

void run(command_list& list, queue& on, event& done) {
  list.append_signal(done);
  list.close();
  on.execute(list);
}

void wait(const event& done) {
  while (!done.is_signalled()) done.wait_a_moment();
}

}  // namespace

TEST_CASE("what keeps the rules goes on") {
  CHECK(said_by([] {
          memory::instance().add_device(1 << 20);
          void* const at = memory::instance().allocate(0, sinter::memory_kind::device, 100, 64);
          queue on(engine::compute), other(engine::copy);
          command_list list(engine::compute), second(engine::copy);
          event done, second_done;
          list.append_kernel([] {}, {{at, 100}});
          second.append_wait(done);
          second.append_fill([] {}, {at, 100}, 1);
          run(second, other, second_done);
          run(list, on, done);
          wait(second_done);
          done.reset();
          list.reset();
          run(list, on, done);
          wait(done);
          memory::instance().free(at);
        }).empty());
}

TEST_CASE("what breaks them ends the process with a sentence") {
  CHECK(ends_with_words(
      [] {
        command_list list(engine::compute);
        list.close();
        list.append_kernel([] {}, {});
      },
      "list that is closed"));
  CHECK(ends_with_words(
      [] {
        queue on(engine::compute);
        command_list list(engine::compute);
        on.execute(list);
      },
      "not closed"));
  CHECK(ends_with_words(
      [] {
        queue on(engine::compute);
        command_list list(engine::compute), waiting(engine::compute);
        event done;
        waiting.append_wait(done);
        run(list, on, done);
        wait(done);
        done.reset();
      },
      "reset while commands have to wait"));
  CHECK(ends_with_words(
      [] {
        command_list list(engine::compute);
        event done;
        list.append_signal(done);
        list.append_signal(done);
      },
      "was not reset"));
  CHECK(ends_with_words([] { command_list(engine::copy).append_kernel([] {}, {}); }, "engine that copies"));
  CHECK(ends_with_words([] { command_list(engine::copy).append_fill([] {}, {}, 4); }, "patterns of one byte"));
  CHECK(ends_with_words(
      [] {
        memory::instance().add_device(1 << 20);
        void* const at = memory::instance().allocate(0, sinter::memory_kind::device, 100, 64);
        command_list list(engine::compute);
        list.append_kernel([] {}, {{at, 100}});
        memory::instance().free(at);
      },
      "freed while a command uses it"));
  CHECK(ends_with_words(
      [] {
        alignas(64) static char host[64];
        memory::instance().share(host, sizeof(host));
        command_list list(engine::compute);
        list.append_copy([] {}, {host, 4}, {host + 8, 4});
        memory::instance().unshare(host);
      },
      "unshared while a command uses it"));
}
