#include "random_program.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

namespace test {
namespace {

using word = std::uint32_t;
using words = std::vector<word>;

/// The exception that a host task throws.
struct numbered_error : std::runtime_error {
  explicit numbered_error(word its_number) : std::runtime_error("numbered error"), number(its_number) {}
  word number;
};

/// A part of an array: rows of `width` elements that begin `stride` elements apart.
struct part {
  std::size_t first = 0, width = 0, rows = 0, stride = 0;
  std::size_t size() const noexcept { return width * rows; }
  std::size_t at(std::size_t k) const noexcept { return first + k / width * stride + k % width; }
};

bool meet(const part& a, const part& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (a.at(i) == b.at(k)) return true;
    }
  }
  return false;
}

/// Makes a command last some time, so that later commands read wrong values if they don't wait for it.
void linger(word spins) {
  for (volatile word i = 0; i < spins; i = i + 1) {
  }
}

/// The numbers of one command. The command computes out[k] = (old value or 0) * factor + in[k] + term.
struct numbers {
  word factor, term, spins;
  bool forgets;  ///< the command uses 0 instead of the old value

  word mix(word old, word other) const { return (forgets ? 0 : old) * factor + other + term; }
};

/// The following structures are the ways in which kernels access a part of an array.
template <class Accessor>
struct boxed {
  Accessor memory;
  std::size_t width;
  auto& at(std::size_t k) const { return memory[sycl::id<2>(k / width, k % width)]; }
};
template <class Accessor>
struct linear {
  Accessor memory;
  auto& at(std::size_t k) const { return memory[k]; }
};
struct plain {
  word* memory;
  part where;
  word& at(std::size_t k) const { return memory[where.at(k)]; }
};
struct nothing {
  word at(std::size_t) const { return 0; }
};

template <class Out, class In>
struct mixing {
  Out out;
  In in;
  std::size_t size, in_size;
  numbers how;

  void operator()(sycl::id<1> k) const {
    if (k[0] == size / 2) linger(how.spins);
    out.at(k) = how.mix(how.forgets ? 0 : out.at(k), in_size == 0 ? 0 : in.at(k % in_size));
  }
};

/// A buffer, and the array that it should be equal to.
struct buffer_case {
  std::size_t rows, columns;
  std::unique_ptr<words> host;  ///< the destroyed buffer writes its contents here; null: it has no host memory
  std::unique_ptr<sycl::buffer<word, 2>> memory;
  words model;
  std::size_t size() const noexcept { return rows * columns; }
};

struct usm_case {
  word* memory;
  words model;
  struct use {
    part where;
    bool writes;
    sycl::event done;
    std::size_t queue;
  };
  std::vector<use> uses;
};

class program {
public:
  program(std::uint64_t seed, queue_set& queues, word first_error, std::vector<std::vector<word>>& thrown)
      : m_random(seed), m_queues(queues), m_next_error(first_error), m_thrown(thrown) {}

  std::string run() {
    for (std::size_t i = 0; i < 1 + below(3); ++i) make_buffer();
    const std::size_t arrays = 1 + below(2);
    for (std::size_t i = 0; i < arrays; ++i) make_usm();
    const std::size_t commands = 10 + below(40);
    for (std::size_t i = 0; i < commands && m_failure.empty(); ++i) step();
    for (buffer_case& each : m_buffers) {
      if (m_failure.empty() && below(2) == 0) check_on_host(each);
      drop(each);
    }
    // Waits for each command separately, because a planted error may keep a queue from waiting for all its commands.
    for (sycl::event& each : m_events) each.wait();
    for (usm_case& each : m_usm) {
      compare(each.memory, each.model, "USM memory");
      sycl::free(each.memory, of_all());
    }
    return m_failure;
  }

private:
  std::size_t below(std::size_t count) { return m_random() % count; }
  word any() { return static_cast<word>(m_random() >> 16); }
  numbers any_numbers() {
    // Factors are odd, so a multiplication loses no information.
    const word spins = below(4) == 0 ? static_cast<word>(below(20000)) : 0;
    return {any() | 1, any(), spins, below(4) == 0};
  }

  void make_buffer() {
    buffer_case made;
    made.rows = 1 + below(6);
    made.columns = 1 + below(12);
    made.model.resize(made.size());
    for (word& value : made.model) value = any();
    open(made);
    m_buffers.push_back(std::move(made));
  }
  void open(buffer_case& made) {
    const sycl::range<2> shape(made.rows, made.columns);
    if (below(2) == 0) {
      if (!made.host) made.host = std::make_unique<words>();
      *made.host = made.model;
      // A buffer that is made from const memory does not work in this memory, so writing back copies the contents.
      made.memory = std::make_unique<sycl::buffer<word, 2>>(const_cast<const word*>(made.host->data()), shape);
      if (below(2) == 0) {
        made.memory->set_final_data(made.host->data());
      } else {
        made.memory = std::make_unique<sycl::buffer<word, 2>>(made.host->data(), shape);
      }
    } else {
      made.host.reset();
      made.memory = std::make_unique<sycl::buffer<word, 2>>(shape);
      sycl::host_accessor init(*made.memory, sycl::write_only, sycl::no_init);
      for (std::size_t i = 0; i < made.size(); ++i)
        init[sycl::id<2>(i / made.columns, i % made.columns)] = made.model[i];
    }
  }
  void drop(buffer_case& dropped) {
    dropped.memory.reset();
    if (dropped.host) {
      compare(dropped.host->data(), dropped.model, "host memory after its buffer");
      m_old_host.push_back(std::move(dropped.host));
    }
  }
  /// Returns a queue whose shared memory all devices can access. GPUs can't access the shared memory of other devices.
  sycl::queue& of_all() {
    for (const sycl::backend gpus : {sycl::backend::ext_oneapi_cuda, sycl::backend::ext_oneapi_hip}) {
      for (std::size_t i = 0; i < m_queues.size(); ++i) {
        if (m_queues[i].get_backend() == gpus) return m_queues[i];
      }
    }
    return m_queues[0];
  }
  void make_usm() {
    usm_case made;
    made.model.resize(1 + below(60));
    for (word& value : made.model) value = any();
    made.memory = sycl::malloc_shared<word>(made.model.size(), of_all());
    std::copy(made.model.begin(), made.model.end(), made.memory);
    m_usm.push_back(std::move(made));
  }

  void compare(const word* seen, const words& expected, const char* what) {
    for (std::size_t i = 0; i < expected.size() && m_failure.empty(); ++i) {
      if (seen[i] == expected[i]) continue;
      m_failure = std::string(what) + " differs at " + std::to_string(i) + " of " + std::to_string(expected.size());
    }
  }
  void check_on_host(buffer_case& checked) {
    const sycl::host_accessor memory(*checked.memory, sycl::read_only);
    compare(&memory[sycl::id<2>(0, 0)], checked.model, "a buffer");
  }

  part box_of(const buffer_case& of) {
    const std::size_t height = 1 + below(of.rows), width = 1 + below(of.columns);
    return {below(of.rows - height + 1) * of.columns + below(of.columns - width + 1), width, height, of.columns};
  }
  part run_of(std::size_t size) {
    const std::size_t length = 1 + below(size);
    return {below(size - length + 1), length, 1, length};
  }

  /// Calls `use` with an accessor of the part: a box, one row, or one row of a sub-buffer. Some accessors are
  /// placeholders.
  template <class Tag, class Use>
  void with_part(buffer_case& of, const part& where, bool is_box, unsigned way, sycl::handler& group, Tag tag,
                 bool forgets, const Use& use) {
    const sycl::property_list properties =
        forgets ? sycl::property_list{sycl::property::no_init()} : sycl::property_list{};
    if (is_box) {
      const sycl::range<2> extent(where.rows, where.width);
      const sycl::id<2> offset(where.first / of.columns, where.first % of.columns);
      if (way % 3 == 0) {
        sycl::accessor placeholder(*of.memory, extent, offset, tag, properties);
        group.require(placeholder);
        use(boxed<decltype(placeholder)>{placeholder, where.width});
      } else {
        sycl::accessor memory(*of.memory, group, extent, offset, tag, properties);
        use(boxed<decltype(memory)>{memory, where.width});
      }
      return;
    }
    auto flat = of.memory->template reinterpret<word, 1>(sycl::range<1>(of.size()));
    if (way % 3 == 0) {
      sycl::buffer<word, 1> sub(flat, sycl::id<1>(where.first), sycl::range<1>(where.size()));
      sycl::accessor memory(sub, group, tag, properties);
      use(linear<decltype(memory)>{memory});
    } else {
      sycl::accessor memory(flat, group, sycl::range<1>(where.size()), sycl::id<1>(where.first), tag, properties);
      use(linear<decltype(memory)>{memory});
    }
  }

  /// Submits a kernel or a host task that does the command's computation.
  template <class Out, class In>
  void launch(sycl::handler& group, const Out& out, const In& in, std::size_t size, std::size_t in_size, numbers how,
              unsigned kind, bool throws, word error) {
    const mixing<Out, In> work{out, in, size, in_size, how};
    auto all = [=] {
      for (std::size_t k = 0; k < size; ++k) work(sycl::id<1>(k));
    };
    if (throws || kind == 0) {
      group.host_task([=] {
        all();
        if (throws) throw numbered_error(error);
      });
    } else if (kind == 1) {
      group.single_task(all);
    } else {
      group.parallel_for(sycl::range<1>(size), work);
    }
  }

  void model_mix(words& out, const part& where, const words* in, const part& from, numbers how) {
    for (std::size_t k = 0; k < where.size(); ++k) {
      word& value = out[where.at(k)];
      value = how.mix(value, in ? (*in)[from.at(k % from.size())] : 0);
    }
  }

  bool throws() { return below(25) == 0; }
  word next_error(std::size_t queue) {
    m_thrown[queue].push_back(m_next_error);
    return m_next_error++;
  }

  void mix_buffers() {
    const std::size_t queue = below(m_queues.size());
    buffer_case &to = m_buffers[below(m_buffers.size())], &from = m_buffers[below(m_buffers.size())];
    const bool out_box = below(2) == 0, in_box = below(2) == 0;
    const part out = out_box ? box_of(to) : run_of(to.size()), in = in_box ? box_of(from) : run_of(from.size());
    const bool reads = (&to != &from || !meet(out, in)) && below(4) != 0;
    const numbers how = any_numbers();
    const unsigned kind = static_cast<unsigned>(below(4)), out_way = static_cast<unsigned>(below(6)),
                   in_way = static_cast<unsigned>(below(6));
    const bool fails = throws();
    const word error = fails ? next_error(queue) : 0;
    remember(m_queues[queue].submit([&](sycl::handler& group) {
      auto with_out = [&](const auto& out_memory) {
        if (!reads) return launch(group, out_memory, nothing(), out.size(), 0, how, kind, fails, error);
        with_part(from, in, in_box, in_way, group, sycl::read_only, false, [&](const auto& in_memory) {
          launch(group, out_memory, in_memory, out.size(), in.size(), how, kind, fails, error);
        });
      };
      // The command writes the whole part, so its old contents may be discarded.
      if (how.forgets && below(2) == 0) {
        with_part(to, out, out_box, out_way, group, sycl::write_only, true, with_out);
      } else {
        with_part(to, out, out_box, out_way, group, sycl::read_write, false, with_out);
      }
    }));
    model_mix(to.model, out, reads ? &from.model : nullptr, in, how);
  }

  void copy_or_fill_buffer() {
    const std::size_t queue = below(m_queues.size());
    buffer_case& to = m_buffers[below(m_buffers.size())];
    buffer_case& from = m_buffers[below(m_buffers.size())];
    const part out = run_of(to.size());
    part in = run_of(from.size());
    const bool copies = out.size() <= in.size() && (&to != &from || !meet(out, in)) && below(2) == 0;
    in.width = out.width;
    const word value = any();
    remember(m_queues[queue].submit([&](sycl::handler& group) {
      auto to_flat = to.memory->reinterpret<word, 1>(sycl::range<1>(to.size()));
      auto from_flat = from.memory->reinterpret<word, 1>(sycl::range<1>(from.size()));
      sycl::accessor target(to_flat, group, sycl::range<1>(out.size()), sycl::id<1>(out.first), sycl::write_only);
      if (!copies) return group.fill(target, value);
      sycl::accessor source(from_flat, group, sycl::range<1>(in.size()), sycl::id<1>(in.first), sycl::read_only);
      group.copy(source, target);
    }));
    for (std::size_t k = 0; k < out.size(); ++k) to.model[out.at(k)] = copies ? from.model[in.at(k)] : value;
  }

  /// Finds the events for which a command that uses USM memory has to wait. Commands of the same in-order queue need no
  /// event.
  void order(usm_case& memory, const part& where, bool writes, std::size_t queue, std::vector<sycl::event>& after) {
    for (const usm_case::use& each : memory.uses) {
      const bool ordered = each.queue == queue && m_queues.in_order(queue);
      if ((writes || each.writes) && !ordered && meet(where, each.where)) after.push_back(each.done);
    }
  }

  void use_usm() {
    const std::size_t queue = below(m_queues.size());
    usm_case &to = m_usm[below(m_usm.size())], &from = m_usm[below(m_usm.size())];
    const part out = run_of(to.model.size());
    part in = run_of(from.model.size());
    const unsigned kind = static_cast<unsigned>(below(6));
    const bool may_read = &to != &from || !meet(out, in);
    const bool copies = kind == 4 && may_read && in.size() >= out.size(), fills = kind == 5;
    if (copies) in.width = out.width;
    const bool reads = copies || (!fills && may_read && below(3) != 0);
    const numbers how = any_numbers();
    const bool fails = !copies && !fills && throws();
    const word error = fails ? next_error(queue) : 0;
    std::vector<sycl::event> after;
    order(to, out, true, queue, after);
    if (reads) order(from, in, false, queue, after);
    const sycl::event done = m_queues[queue].submit([&](sycl::handler& group) {
      group.depends_on(after);
      word *const target = to.memory, *const source = from.memory;
      if (copies) return group.memcpy(target + out.first, source + in.first, out.size() * sizeof(word));
      if (fills) return group.fill(target + out.first, how.term, out.size());
      if (reads) {
        launch(group, plain{target, out}, plain{source, in}, out.size(), in.size(), how, kind, fails, error);
      } else {
        launch(group, plain{target, out}, nothing(), out.size(), 0, how, kind, fails, error);
      }
    });
    to.uses.push_back({out, true, done, queue});
    if (reads) from.uses.push_back({in, false, done, queue});
    remember(done);
    if (copies || fills) {
      for (std::size_t k = 0; k < out.size(); ++k) to.model[out.at(k)] = copies ? from.model[in.at(k)] : how.term;
    } else {
      model_mix(to.model, out, reads ? &from.model : nullptr, in, how);
    }
  }

  void use_on_host() {
    buffer_case& used = m_buffers[below(m_buffers.size())];
    if (below(2) == 0) return check_on_host(used);
    const part where = box_of(used);
    sycl::host_accessor memory(*used.memory, sycl::range<2>(where.rows, where.width),
                               sycl::id<2>(where.first / used.columns, where.first % used.columns), sycl::read_write);
    const numbers how = any_numbers();
    for (std::size_t k = 0; k < where.size(); ++k) {
      word& value = memory[sycl::id<2>(k / where.width, k % where.width)];
      if (value != used.model[where.at(k)] && m_failure.empty()) m_failure = "a host accessor saw another value";
      value = how.mix(value, 0);
    }
    model_mix(used.model, where, nullptr, {}, how);
  }

  void wait_for_something() {
    if (below(2) == 0 && !m_events.empty()) {
      m_events[below(m_events.size())].wait();
    } else {
      m_queues[below(m_queues.size())].wait();
    }
  }

  /// Submits a command that does nothing but wait for events of other queues.
  void join_events() {
    if (m_events.empty()) return;
    std::vector<sycl::event> some;
    for (int i = 0; i < 3; ++i) some.push_back(m_events[below(m_events.size())]);
    remember(m_queues[below(m_queues.size())].submit([&](sycl::handler& group) { group.depends_on(some); }));
  }

  void step() {
    const std::size_t which = below(24);
    if (which < 8) return mix_buffers();
    if (which < 10) return copy_or_fill_buffer();
    if (which < 16) return use_usm();
    if (which == 16) return use_on_host();
    if (which == 17) return wait_for_something();
    if (which == 18) return join_events();
    if (which > 19) return change_fusion();
    buffer_case& renewed = m_buffers[below(m_buffers.size())];
    drop(renewed);
    open(renewed);
  }

  /// Starts or ends a fusion. In library mode, kernels have no code that could be fused.
  void change_fusion() {
    sycl::queue& queue = m_queues[below(m_queues.size())];
    if (!queue.has_property<sycl::ext::codeplay::experimental::property::queue::enable_fusion>()) return;
    const bool fuses = queue.ext_codeplay_is_in_fusion_mode(), completes = below(2) == 0;
    try {
      if (!fuses) queue.ext_codeplay_start_fusion();
      if (fuses && completes) remember(queue.ext_codeplay_complete_fusion());
      if (fuses && !completes) queue.ext_codeplay_cancel_fusion();
    } catch (const sycl::exception&) {
      // Another thread has already started or ended the fusion.
    }
  }

  void remember(sycl::event done) { m_events.push_back(std::move(done)); }

  std::mt19937_64 m_random;
  queue_set& m_queues;
  word m_next_error;
  std::vector<std::vector<word>>& m_thrown;
  std::vector<std::unique_ptr<words>> m_old_host;  ///< kept, because commands may still use it if an error was planted
  std::vector<buffer_case> m_buffers;
  std::vector<usm_case> m_usm;
  std::vector<sycl::event> m_events;
  std::string m_failure;
};

}  // namespace

namespace {

std::vector<sycl::device>& chosen_devices() {
  static std::vector<sycl::device> devices;
  return devices;
}

}  // namespace

void set_devices(std::vector<sycl::device> devices) { chosen_devices() = std::move(devices); }

queue_set::queue_set(std::uint64_t seed, std::size_t count) : m_errors(count) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    auto note = [errors = &m_errors[i]](const sycl::exception_list& list) {
      for (const std::exception_ptr& each : list) {
        try {
          std::rethrow_exception(each);
        } catch (const numbered_error& error) {
          errors->push_back(error.number);
        } catch (...) {
          errors->push_back(~word{0});
        }
      }
    };
    const bool in_order = i < 2 ? i == 1 : random() % 2 == 0;
    using fusion = sycl::ext::codeplay::experimental::property::queue::enable_fusion;
    using order = sycl::property::queue::in_order;
    const std::vector<sycl::device>& devices = chosen_devices();
    const sycl::device where = devices.empty() ? sycl::device() : devices[random() % devices.size()];
    using sycl::ext::codeplay::experimental::info::device::supports_fusion;
    const bool fuses = random() % 3 != 0 && where.get_info<supports_fusion>();
    const sycl::property_list properties =
        in_order ? fuses ? sycl::property_list{order(), fusion()} : sycl::property_list{order()}
        : fuses  ? sycl::property_list{fusion()}
                 : sycl::property_list{};
    m_queues.emplace_back(where, note, properties);
  }
}

std::vector<std::uint32_t> queue_set::take_errors(std::size_t i) {
  m_queues[i].wait_and_throw();
  return std::exchange(m_errors[i], {});
}

std::string run_program(std::uint64_t seed, queue_set& queues, std::uint32_t first_error,
                        std::vector<std::vector<std::uint32_t>>& thrown) {
  return program(seed, queues, first_error, thrown).run();
}

std::string run_seed(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  queue_set queues(random(), 2 + random() % 3);
  const std::size_t threads = random() % 3 == 0 ? 2 : 1;
  constexpr std::uint32_t errors_per_thread = 1 << 20;
  using lists = std::vector<std::vector<std::uint32_t>>;
  std::vector<lists> thrown(threads, lists(queues.size()));
  std::vector<std::string> failures(threads);
  const std::uint64_t first = random();
  auto one = [&](std::size_t i) {
    try {
      failures[i] = run_program(first + i, queues, static_cast<std::uint32_t>(i) * errors_per_thread, thrown[i]);
    } catch (const std::exception& error) {
      failures[i] = std::string("unexpected exception: ") + error.what();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(one, i);
  one(0);
  for (std::thread& each : others) each.join();

  std::string failure;
  for (std::size_t i = 0; i < threads && failure.empty(); ++i) failure = failures[i];
  for (std::size_t q = 0; q < queues.size(); ++q) {
    const std::vector<std::uint32_t> seen = queues.take_errors(q);
    for (std::size_t i = 0; i < threads; ++i) {
      std::vector<std::uint32_t> of_thread, expected = thrown[i][q];
      for (std::uint32_t number : seen) {
        if (number / errors_per_thread == i) of_thread.push_back(number);
      }
      // In an out-of-order queue, commands may fail in any order.
      if (!queues.in_order(q)) std::sort(of_thread.begin(), of_thread.end());
      if (of_thread != expected && failure.empty()) failure = "the errors of a queue are not those that were thrown";
    }
  }
  return failure.empty() ? failure : "seed " + std::to_string(seed) + ": " + failure;
}

}  // namespace test
