#include "simulator.hpp"

#include <signal.h>
#include <setjmp.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "judge.hpp"
#include "streams.hpp"

namespace judge {
namespace {

namespace switching = boost::context::detail;

constexpr std::size_t guard_bytes = 4096;  // bytes that no kernel may access, behind local memory and below a stack
constexpr std::size_t base_stack_bytes = 256 << 10;  // in addition to the kernel's variables
constexpr unsigned char unset = 0xa5;

enum class state : std::uint8_t { ready, at_block_barrier, at_wave, ended };
enum class exchange : std::uint8_t { barrier, ballot, shuffle };

struct work_item {
  std::uint32_t id[3], number;  // ids along x, y and z; linear id in the block
  state its = state::ready;
  exchange what = exchange::barrier;
  const void* site = nullptr;
  std::uint64_t value = 0, result = 0;
  std::uint32_t source = 0;
  switching::fcontext_t context = nullptr;
};

/// The stack of a work-item. An access below the stack is a fault.
class stack {
public:
  explicit stack(std::size_t bytes) : m_bytes(bytes) {
    void* memory =
        mmap(nullptr, guard_bytes + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) refuse("the simulation has no memory for stacks");
    m_begin = static_cast<char*>(memory);
    mprotect(m_begin, guard_bytes, PROT_NONE);
  }
  ~stack() { munmap(m_begin, guard_bytes + m_bytes); }
  stack(const stack&) = delete;

  std::size_t bytes() const { return m_bytes; }
  char* end() const { return m_begin + guard_bytes + m_bytes; }
  bool is_below(const void* address) const { return address >= m_begin && address < m_begin + guard_bytes; }

private:
  std::size_t m_bytes;
  char* m_begin;
};

/// The block that the current thread runs.
struct running_block {
  const kernel_launch* launch = nullptr;
  const void* arguments = nullptr;
  std::uint32_t id[3] = {};
  work_item* current = nullptr;
  switching::fcontext_t scheduler = nullptr;
  std::vector<work_item> items;
  std::vector<std::unique_ptr<stack>> stacks;
  std::unique_ptr<char, void (*)(void*)> local{nullptr, std::free};
};
thread_local running_block running;
thread_local sigjmp_buf way_out;
thread_local bool may_fault = false;

void on_fault(int, siginfo_t* fault, void*) {
  if (is_gone(fault->si_addr)) refuse(freed_in_use);
  for (const std::unique_ptr<stack>& each : running.stacks) {
    if (each->is_below(fault->si_addr)) refuse("a work-item needs more private memory than its code says");
  }
  if (may_fault) siglongjmp(way_out, 1);
  // The fault did not happen in a kernel, so the default action follows.
  signal(SIGSEGV, SIG_DFL);
}

/// Lets the thread handle faults at the end of a stack.
void prepare_for_faults() {
  constexpr std::size_t bytes = 64 << 10;
  static thread_local const std::unique_ptr<char[]> memory = [] {
    auto made = std::make_unique<char[]>(bytes);
    const stack_t where = {made.get(), 0, bytes};
    sigaltstack(&where, nullptr);
    return made;
  }();
  (void)memory;
}

const stack& stack_of(std::size_t number) {
  const std::size_t bytes =
      (base_stack_bytes + running.launch->facts->private_bytes + guard_bytes - 1) / guard_bytes * guard_bytes;
  auto& stacks = running.stacks;
  if (!stacks.empty() && stacks[0]->bytes() < bytes) stacks.clear();
  while (stacks.size() <= number) stacks.push_back(std::make_unique<stack>(bytes));
  return *stacks[number];
}

void begin_item(switching::transfer_t from) {
  running.scheduler = from.fctx;
  running.launch->function(running.arguments, &running.launch->geometry);
  running.current->its = state::ended;
  switching::jump_fcontext(running.scheduler, nullptr);
}

/// A work-item calls this function to let other work-items run.
void leave(state why, const void* site) {
  if (!running.launch->facts->meets) refuse("work-items meet in a kernel that said they do not");
  work_item& mine = *running.current;
  mine.its = why;
  mine.site = site;
  running.scheduler = switching::jump_fcontext(running.scheduler, nullptr).fctx;
}

void run_item(work_item& item) {
  running.current = &item;
  item.context = switching::jump_fcontext(item.context, nullptr).fctx;
}

/// If no work-item of a sub-group can continue, the work-items that wait at the same instruction exchange values.
/// Instructions with lower addresses come first, so that work-items in a loop catch up. Returns false if no
/// work-item waits.
bool exchange_in(work_item* first, std::size_t count) {
  const void* site = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (first[i].its == state::ready) return false;
    if (first[i].its == state::at_wave && (!site || first[i].site < site)) site = first[i].site;
  }
  if (!site) return false;
  std::uint64_t votes = 0;
  const auto is_here = [&](std::size_t i) { return first[i].its == state::at_wave && first[i].site == site; };
  for (std::size_t i = 0; i < count; ++i) {
    if (is_here(i) && first[i].what == exchange::ballot && first[i].value != 0) votes |= std::uint64_t{1} << i;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_here(i)) continue;
    // Lanes that do not take part in the exchange have no value, so reading their value gives 0.
    const std::size_t source = first[i].source % running.launch->wave;
    first[i].result = first[i].what == exchange::ballot                ? votes
                      : source < count && is_here(source) ? first[source].value
                                                          : 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (is_here(i)) first[i].its = state::ready;
  }
  return true;
}

/// Returns false if all work-items have ended.
bool let_meet() {
  std::vector<work_item>& items = running.items;
  bool goes_on = false;
  for (std::size_t first = 0; first < items.size(); first += running.launch->wave) {
    goes_on |= exchange_in(&items[first], std::min<std::size_t>(running.launch->wave, items.size() - first));
  }
  if (goes_on) return true;
  const void* site = nullptr;
  for (const work_item& each : items) {
    if (each.its != state::at_block_barrier) continue;
    if (site && site != each.site) refuse("work-items of a group wait at different barriers");
    site = each.site;
  }
  for (work_item& each : items) {
    if (each.its == state::at_block_barrier) each.its = state::ready;
  }
  return site != nullptr;
}

void run_block(const std::uint32_t (&id)[3]) {
  const kernel_launch& launch = *running.launch;
  std::copy(id, id + 3, running.id);
  if (!running.local) running.local.reset(static_cast<char*>(std::aligned_alloc(128, most_local_bytes + guard_bytes)));
  std::memset(running.local.get(), unset, launch.local_bytes + guard_bytes);
  std::vector<work_item>& items = running.items;
  items.resize(launch.threads[0] * launch.threads[1] * launch.threads[2]);
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    items[i] = {};
    items[i].number = i;
    items[i].id[0] = i % launch.threads[0];
    items[i].id[1] = i / launch.threads[0] % launch.threads[1];
    items[i].id[2] = i / launch.threads[0] / launch.threads[1];
  }
  if (launch.facts->meets == 0 && launch.facts->private_bytes <= base_stack_bytes) {
    for (work_item& each : items) {
      running.current = &each;
      launch.function(running.arguments, &launch.geometry);
    }
  } else if (launch.facts->meets == 0) {
    for (work_item& each : items) {
      const stack& its = stack_of(0);
      each.context = switching::make_fcontext(its.end(), its.bytes(), begin_item);
      run_item(each);
    }
  } else {
    for (work_item& each : items) {
      const stack& its = stack_of(each.number);
      each.context = switching::make_fcontext(its.end(), its.bytes(), begin_item);
    }
    bool forwards = true;
    do {
      for (std::size_t i = 0; i < items.size(); ++i) {
        work_item& next = items[forwards ? i : items.size() - 1 - i];
        if (next.its == state::ready) run_item(next);
      }
      forwards = !forwards;
    } while (let_meet());
  }
  const char* const end = running.local.get() + launch.local_bytes;
  if (std::any_of(end, end + guard_bytes, [](char byte) { return static_cast<unsigned char>(byte) != unset; })) {
    refuse("a kernel writes behind the local memory that it was launched with");
  }
}

/// Runs every `step`-th block, beginning with block `first`. Blocks are counted from the last one. Returns false after
/// a fault.
bool run_blocks(const kernel_launch& launch, std::uint64_t first, std::uint64_t step) {
  running.launch = &launch;
  prepare_for_faults();
  // The argument block has to be aligned, but the string that holds its bytes might not be.
  const std::unique_ptr<char, void (*)(void*)> block(
      static_cast<char*>(std::aligned_alloc(std::max<std::size_t>(launch.facts->block_alignment, 64),
                                            (launch.block.size() + 127) / 64 * 64)),
      std::free);
  std::copy(launch.block.begin(), launch.block.end(), block.get());
  running.arguments = block.get();
  if (sigsetjmp(way_out, 1) != 0) {
    may_fault = false;
    return false;
  }
  may_fault = true;
  const std::uint64_t all = std::uint64_t{launch.blocks[0]} * launch.blocks[1] * launch.blocks[2];
  // Runs the last blocks first.
  for (std::uint64_t i = first; i < all; i += step) {
    const std::uint64_t number = all - 1 - i;
    run_block({static_cast<std::uint32_t>(number % launch.blocks[0]),
               static_cast<std::uint32_t>(number / launch.blocks[0] % launch.blocks[1]),
               static_cast<std::uint32_t>(number / launch.blocks[0] / launch.blocks[1])});
  }
  may_fault = false;
  return true;
}

}  // namespace

bool run(const kernel_launch& launch) {
  static const bool listens = [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    return sigaction(SIGSEGV, &action, nullptr) == 0;
  }();
  (void)listens;
  if (!launch.together) return run_blocks(launch, 0, 1);
  const std::uint64_t all = std::uint64_t{launch.blocks[0]} * launch.blocks[1] * launch.blocks[2];
  std::vector<std::thread> threads;
  std::atomic<bool> is_right{true};
  for (std::uint64_t i = 0; i < all; ++i) {
    threads.emplace_back([&, i] {
      if (!run_blocks(launch, i, all)) is_right = false;
    });
  }
  for (std::thread& each : threads) each.join();
  return is_right;
}

}  // namespace judge

#pragma GCC visibility push(default)
extern "C" {
using judge::running;

#define JUDGE_ID(name, place, dimension, index) \
  std::uint32_t judge_##name##_##dimension() asm("sinter_simulated_" #name "." #dimension); \
  std::uint32_t judge_##name##_##dimension() { return place[index]; }
JUDGE_ID(thread_id, running.current->id, x, 0)
JUDGE_ID(thread_id, running.current->id, y, 1)
JUDGE_ID(thread_id, running.current->id, z, 2)
JUDGE_ID(block_id, running.id, x, 0)
JUDGE_ID(block_id, running.id, y, 1)
JUDGE_ID(block_id, running.id, z, 2)

void* sinter_simulated_local_memory() { return running.local.get(); }
std::uint32_t sinter_simulated_lane() { return running.current->number % running.launch->wave; }
void sinter_simulated_block_barrier() { judge::leave(judge::state::at_block_barrier, __builtin_return_address(0)); }
void sinter_simulated_wave_barrier() {
  running.current->what = judge::exchange::barrier;
  judge::leave(judge::state::at_wave, __builtin_return_address(0));
}
std::uint64_t sinter_simulated_ballot(std::uint32_t condition) {
  running.current->what = judge::exchange::ballot;
  running.current->value = condition;
  judge::leave(judge::state::at_wave, __builtin_return_address(0));
  return running.current->result;
}
std::uint32_t sinter_simulated_shuffle(std::uint32_t bits, std::uint32_t source) {
  running.current->what = judge::exchange::shuffle;
  running.current->value = bits;
  running.current->source = source;
  judge::leave(judge::state::at_wave, __builtin_return_address(0));
  return static_cast<std::uint32_t>(running.current->result);
}
}
#pragma GCC visibility pop
