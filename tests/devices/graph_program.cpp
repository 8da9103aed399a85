#include "graph_program.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <scheduler/test_hooks.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <utility>
#include <vector>

#include "recorded_order.hpp"

namespace test {
namespace {

namespace ex = sycl::ext::oneapi::experimental;
namespace node_property = ex::property::node;
namespace graph_property = ex::property::graph;
using graph_type = ex::command_graph<>;
using executable_type = ex::command_graph<ex::graph_state::executable>;
using word = std::uint32_t;
using words = std::vector<word>;
using buffer_type = sycl::buffer<word, 1>;

constexpr std::size_t length = 24;

/// Makes a command last a little, so that a missing wait leads to wrong results.
void linger(word spins) {
  for (volatile word i = 0; i < spins; i = i + 1) {
  }
}

/// A command that computes out[i] = out[i] * factor + in[i] + term for the first `count` elements. Commands of other
/// kinds: a kernel that omits the old out[i] (it computes in[i] * factor + term), a copy, a fill, a sum (adds all in[i]
/// * factor to out[0]), an allocation of the graph's memory for `out` (async_malloc), a release of that memory, and
/// update_host, which brings the contents of `in` to the host.
struct operation {
  enum class kind { kernel, grouped, task, copy, fill, begin, sum, fetch, hint, nothing, allocate, release } what;
  std::size_t out, in;  ///< numbers of arrays
  word factor, term, spins;
  std::size_t count, shift;  ///< number of elements, and offset: the command reads in[i + shift]

  bool reads_out() const {
    return what == kind::kernel || what == kind::grouped || what == kind::task || what == kind::sum;
  }
  bool computes() const { return what < kind::fetch; }
  bool reads_in() const { return what <= kind::fetch && what != kind::fill; }
  /// Whether all bytes of the fill's pattern are equal.
  bool is_memset() const { return what == kind::fill && term == (term & 255) * 0x01010101u; }
  template <class Arrays>
  void apply(Arrays& arrays) const {
    if (!computes()) return;  // update_host copies a buffer, which is compared at the end
    for (std::size_t i = 0; i < count; ++i) {
      word& x = arrays[out][what == kind::sum ? 0 : i];
      if (what == kind::copy)
        x = arrays[in][i];
      else if (what == kind::fill)
        x = term;
      else if (what == kind::sum)
        x += arrays[in][i] * factor;
      else if (what == kind::begin)
        x = arrays[in][(i + shift) % length] * factor + term;
      else
        x = x * factor + arrays[in][(i + shift) % length] + term;
    }
  }
};

/// The arrays that a graph uses: USM memory that host and device can access, memory of the device alone, and buffers.
class memory {
public:
  memory(sycl::queue& queue, std::mt19937_64& random) : m_queue(queue) {
    const std::size_t count = 3 + random() % 4;
    for (std::size_t i = 0; i < count; ++i) {
      words initial(length);
      for (word& each : initial) each = static_cast<word>(random());
      const auto kind = random() % 3;
      m_buffers.emplace_back();
      m_host.emplace_back();
      m_usm.push_back(nullptr);
      m_owned.push_back(false);
      m_on_host.push_back(kind == 0);
      if (kind == 2) {
        // Some buffers have memory of the host that only update_host writes.
        if (random() % 2) {
          m_host.back() = std::make_unique<words>(initial);
          m_brought[i] = initial;
          m_buffers.back().emplace(m_host.back()->data(), sycl::range<1>(length));
          m_buffers.back()->set_write_back(false);
        } else {
          m_buffers.back().emplace(sycl::range<1>(length));
          sycl::host_accessor a(*m_buffers.back(), sycl::write_only);
          for (std::size_t k = 0; k < length; ++k) a[k] = initial[k];
        }
      } else {
        m_usm.back() = kind == 0 ? sycl::malloc_host<word>(length, queue) : sycl::malloc_device<word>(length, queue);
        queue.memcpy(m_usm.back(), initial.data(), length * sizeof(word)).wait();
      }
      expected.push_back(std::move(initial));
    }
    m_lasting = count;
  }
  memory(const memory&) = delete;
  ~memory() {
    for (std::size_t i = 0; i < m_usm.size(); ++i) {
      if (m_usm[i] && !m_owned[i]) sycl::free(m_usm[i], m_queue);
    }
  }

  /// The number of arrays that are compared at the end. These arrays have the lowest numbers.
  std::size_t size() const { return m_lasting; }
  bool is_buffer(std::size_t i) const { return !m_usm[i] && !m_owned[i]; }
  /// Whether the next graph allocates the array's memory, by async_malloc.
  bool is_owned(std::size_t i) const { return m_owned[i]; }
  void set_owned(std::size_t i, void* pointer) { m_usm[i] = static_cast<word*>(pointer); }
  /// Adds a buffer that only the next graph uses, or memory of the graph's own.
  std::size_t add_temporary(bool owned) {
    m_buffers.emplace_back();
    m_host.emplace_back();
    if (!owned) m_buffers.back().emplace(sycl::range<1>(length));
    m_owned.push_back(owned);
    m_usm.push_back(nullptr);
    m_on_host.push_back(false);
    expected.emplace_back(length);
    return expected.size() - 1;
  }
  /// Drops the temporary arrays, so that only graphs refer to them.
  void drop_temporaries() {
    for (std::size_t i = m_lasting; i < m_buffers.size(); ++i) m_buffers[i].reset();
  }
  buffer_type& buffer(std::size_t i) { return *m_buffers[i]; }
  word* usm(std::size_t i) { return m_usm[i]; }
  /// Whether host tasks can access the array.
  bool is_for_host(std::size_t i) const { return is_buffer(i) || m_on_host[i]; }
  words read(std::size_t i) {
    words values(length);
    if (is_buffer(i)) {
      sycl::host_accessor a(buffer(i), sycl::read_only);
      for (std::size_t k = 0; k < length; ++k) values[k] = a[k];
    } else {
      m_queue.memcpy(values.data(), usm(i), length * sizeof(word)).wait();
    }
    return values;
  }

  void run(const operation& what) {
    what.apply(expected);
    if (what.what == operation::kind::fetch && m_host[what.in]) m_brought[what.in] = expected[what.in];
  }
  /// Whether the host's memory holds exactly the contents that update_host copied there.
  bool is_brought(std::size_t i) const { return !m_host[i] || *m_host[i] == m_brought.at(i); }

  std::vector<words> expected;

private:
  sycl::queue m_queue;
  std::vector<std::unique_ptr<words>> m_host;  // outlives the buffers; null: the buffer has no memory of the host
  std::map<std::size_t, words> m_brought;
  std::vector<std::optional<buffer_type>> m_buffers;
  std::vector<word*> m_usm;
  std::vector<bool> m_on_host, m_owned;
  std::size_t m_lasting = 0;
};

using reader = sycl::accessor<word, 1, sycl::access_mode::read>;

/// Parts of a kernel's node that an update can change, besides the range.
struct dynamics {
  std::optional<ex::dynamic_parameter<word>> factor;
  std::optional<ex::dynamic_parameter<const word*>> in;  ///< used if the input is USM memory
  std::optional<ex::dynamic_parameter<reader>> buffer;   ///< used if the input is a buffer
  std::optional<ex::dynamic_local_accessor<word, 1>> local;
  std::optional<ex::dynamic_command_group> choice;
  operation others[2];  ///< the command groups of `choice`
};

/// Submits a kernel whose arguments are accessors of buffers or pointers to USM memory.
template <class Out, class In>
void set_command(sycl::handler& h, const operation& what, Out out, In in, dynamics* changes) {
  const operation its = what;
  if (changes && changes->local) {
    h.parallel_for(sycl::nd_range<1>(its.count / 4 * 4, 4), [=, local = *changes->local](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_linear_id(), l = item.get_local_linear_id();
      const auto values = local.get();
      // The work-group writes all of its local memory.
      for (std::size_t k = l; k < values.size(); k += item.get_local_range(0)) values[k] = in[(i + its.shift) % length];
      sycl::group_barrier(item.get_group());
      if (i == 0) linger(its.spins);
      out[i] = out[i] * its.factor + values[l] + its.term;
    });
    return;
  }
  if (changes && changes->factor) {
    word factor = 77;  // the values of the dynamic parameters replace `factor` and `in`
    h.set_arg(2, *changes->factor);
    if (changes->in) h.set_arg(1, *changes->in);
    if (changes->buffer) h.require(*changes->buffer), h.set_arg(1, *changes->buffer);
    h.parallel_for(sycl::range<1>(its.count),
                   [out, in, factor, its](sycl::id<1> i) {
                     if (i[0] == 0) linger(its.spins);
                     out[i[0]] = out[i[0]] * factor + in[(i[0] + its.shift) % length] + its.term;
                   });
    return;
  }
  const auto step = [=](std::size_t i) {
    if (i == 0) linger(its.spins);
    out[i] = out[i] * its.factor + in[(i + its.shift) % length] + its.term;
  };
  // A kernel of this form may be fused with another kernel.
  const auto plain = [out, in, factor = its.factor, term = its.term](sycl::id<1> i) {
    out[i[0]] = out[i[0]] * factor + in[i[0]] + term;
  };
  const auto shifted = [out, in, factor = its.factor, shift = its.shift](sycl::id<1> i) {
    out[i[0]] = out[i[0]] * factor + in[(i[0] + shift) % length];
  };
  if (what.what == operation::kind::begin && its.spins == 0 && its.shift == 0) {
    h.parallel_for(sycl::range<1>(length), [out, in, factor = its.factor, term = its.term](sycl::id<1> i) {
      out[i[0]] = in[i[0]] * factor + term;
    });
  } else if (what.what == operation::kind::begin) {
    h.parallel_for(sycl::range<1>(length), [out, in, its](sycl::id<1> i) {
      if (i[0] == 0) linger(its.spins);
      out[i[0]] = in[(i[0] + its.shift) % length] * its.factor + its.term;
    });
  } else if (what.what == operation::kind::task) {
    h.host_task([=] {
      for (std::size_t i = 0; i < its.count; ++i) step(i);
    });
  } else if (what.what == operation::kind::grouped) {
    h.parallel_for(sycl::nd_range<1>(its.count / 4 * 4, 4),
                   [=](sycl::nd_item<1> item) { step(item.get_global_linear_id()); });
  } else if (its.spins != 0) {
    h.parallel_for(sycl::range<1>(its.count), [=](sycl::id<1> i) { step(i[0]); });
  } else if (its.shift == 0) {
    h.parallel_for(sycl::range<1>(its.count), plain);
  } else {
    h.parallel_for(sycl::range<1>(its.count), shifted);
  }
}

template <class In>
void set_sum(sycl::handler& h, const operation& what, word* out, In in) {
  h.parallel_for(sycl::range<1>(what.count), sycl::reduction(out, sycl::plus<word>()),
                 [in, factor = what.factor](sycl::id<1> i, auto& sum) { sum += in[i[0]] * factor; });
}

template <class Out>
void set_command(sycl::handler& h, const operation& what, memory& arrays, Out out, dynamics* changes) {
  if (!arrays.is_buffer(what.in)) {
    return set_command(h, what, out, static_cast<const word*>(arrays.usm(what.in)), changes);
  }
  if (what.what == operation::kind::task) {
    set_command(h, what, out,
                sycl::accessor<word, 1, sycl::access_mode::read, sycl::target::host_task>(arrays.buffer(what.in), h),
                nullptr);
  } else {
    set_command(h, what, out, reader(arrays.buffer(what.in), h), changes);
  }
}

void set_command(sycl::handler& h, const operation& what, memory& arrays, dynamics* changes = nullptr) {
  using kind = operation::kind;
  if (what.what == kind::nothing) return;
  if (what.what == kind::fetch) {
    return h.update_host(sycl::accessor<word, 1, sycl::access_mode::read>(arrays.buffer(what.in), h));
  }
  const std::size_t bytes = what.count * sizeof(word);
  if (what.what == kind::allocate)
    return arrays.set_owned(what.out, ex::async_malloc(h, sycl::usm::alloc::device, length * sizeof(word)));
  if (what.what == kind::release) return ex::async_free(h, arrays.usm(what.out));
  if (what.what == kind::hint && what.shift) return h.prefetch(arrays.usm(what.out), bytes);
  if (what.what == kind::hint) return h.mem_advise(arrays.usm(what.out), bytes, 0);
  if (what.what == kind::fill) {
    if (what.is_memset() && !arrays.is_buffer(what.out))
      return h.memset(arrays.usm(what.out), static_cast<int>(what.term & 255), bytes);
    if (!arrays.is_buffer(what.out)) return h.fill(arrays.usm(what.out), what.term, what.count);
    return h.fill(
        sycl::accessor<word, 1, sycl::access_mode::write>(arrays.buffer(what.out), h, sycl::range<1>(what.count)),
        what.term);
  }
  if (what.what == kind::copy) {
    const auto from = [&] {
      return sycl::accessor<word, 1, sycl::access_mode::read>(arrays.buffer(what.in), h, sycl::range<1>(what.count));
    };
    const auto to = [&] {
      return sycl::accessor<word, 1, sycl::access_mode::write>(arrays.buffer(what.out), h, sycl::range<1>(what.count));
    };
    if (arrays.is_buffer(what.in) && arrays.is_buffer(what.out)) return h.copy(from(), to());
    if (arrays.is_buffer(what.in)) return h.copy(from(), arrays.usm(what.out));
    if (arrays.is_buffer(what.out)) return h.copy(static_cast<const word*>(arrays.usm(what.in)), to());
    return h.memcpy(arrays.usm(what.out), arrays.usm(what.in), bytes), void();
  }
  if (what.what == kind::sum) {
    word* const out = arrays.usm(what.out);
    if (!arrays.is_buffer(what.in)) return set_sum(h, what, out, static_cast<const word*>(arrays.usm(what.in)));
    return set_sum(h, what, out, sycl::accessor<word, 1, sycl::access_mode::read>(arrays.buffer(what.in), h));
  }
  if (!arrays.is_buffer(what.out)) return set_command(h, what, arrays, arrays.usm(what.out), changes);
  if (what.what == kind::task) {
    return set_command(
        h, what, arrays,
        sycl::accessor<word, 1, sycl::access_mode::read_write, sycl::target::host_task>(arrays.buffer(what.out), h),
        nullptr);
  }
  using writer = sycl::accessor<word, 1, sycl::access_mode::write>;
  if (what.what == kind::begin) {
    return set_command(h, what, arrays, writer(arrays.buffer(what.out), h, sycl::property_list{sycl::no_init}),
                       nullptr);
  }
  set_command(h, what, arrays, sycl::accessor<word, 1, sycl::access_mode::read_write>(arrays.buffer(what.out), h),
              changes);
}

operation random_operation(std::mt19937_64& random, const memory& arrays, bool with_tasks) {
  using kind = operation::kind;
  operation made{};
  static constexpr kind kinds[] = {kind::kernel, kind::kernel, kind::grouped, kind::task,
                                   kind::copy,   kind::fill,   kind::hint,    kind::nothing, kind::sum,
                                   kind::fetch};
  made.what = kinds[random() % std::size(kinds)];
  made.out = random() % arrays.size();
  do made.in = random() % arrays.size();
  while (made.in == made.out);
  if (made.what == kind::task && (!with_tasks || !arrays.is_for_host(made.out) || !arrays.is_for_host(made.in)))
    made.what = kind::kernel;
  if (made.what == kind::hint && arrays.is_buffer(made.out)) made.what = kind::nothing;
  if (made.what == kind::fetch && !arrays.is_buffer(made.in)) made.what = kind::kernel;
  // A reduction into a buffer would need a second kernel, so these sums become ordinary kernels.
  if (made.what == kind::sum && arrays.is_buffer(made.out)) made.what = kind::kernel;
  made.factor = static_cast<word>(random() % 5);
  made.term = static_cast<word>(random());
  if (made.what == kind::fill && random() % 2) made.term = (made.term & 255) * 0x01010101u;
  made.spins = random() % 4 == 0 ? static_cast<word>(random() % 20000) : 0;
  made.count = made.what == kind::grouped ? 4 * (1 + random() % (length / 4))
               : random() % 2             ? length
                                          : 1 + random() % length;
  if ((made.what == kind::kernel || made.what == kind::hint) && random() % 3 == 0) made.shift = random() % length;
  // Kernels that read in[i + shift] add a term only if they also spin.
  if (made.shift != 0 && made.spins == 0) made.term = 0;
  return made;
}

/// The graph's memory has to exist from the first command that uses it until the last command that uses it. It may
/// exist longer.
void add_allocations(std::mt19937_64& random, const memory& arrays, std::vector<operation>& commands) {
  for (std::size_t own = arrays.size(); own < arrays.expected.size(); ++own) {
    if (!arrays.is_owned(own)) continue;
    const auto uses = [&](const operation& each) { return each.out == own || each.in == own; };
    operation added{};
    added.what = operation::kind::allocate, added.out = own, added.in = own;
    commands.insert(std::find_if(commands.begin(), commands.end(), uses), added);
    if (random() % 4 == 0) continue;
    added.what = operation::kind::release;
    const auto behind = std::find_if(commands.rbegin(), commands.rend(), uses).base();
    const auto at = random() % (static_cast<std::size_t>(commands.end() - behind) + 1);
    commands.insert(behind + static_cast<std::ptrdiff_t>(at), added);
  }
}

/// Adds commands that use memory of the graph's own. The first of these commands writes the whole array.
void add_temporaries(std::mt19937_64& random, memory& arrays, std::vector<operation>& commands, bool may_allocate) {
  using kind = operation::kind;
  for (std::size_t count = random() % 6; count > 0; --count) {
    const std::size_t own = arrays.add_temporary(may_allocate && random() % 3 == 0);
    const auto add = [&](std::size_t at, operation added) {
      commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(at), added);
    };
    std::size_t at = random() % (commands.size() + 1);
    operation begins = random_operation(random, arrays, false);
    static constexpr kind beginnings[] = {kind::begin, kind::copy, kind::fill};
    begins.what = beginnings[random() % std::size(beginnings)];
    begins.out = own;
    begins.count = length;
    // The next kernel may be fused with this kernel, and then the array may need no memory.
    const bool is_inner = random() % 3 == 0;
    if (is_inner) begins.what = kind::begin, begins.spins = 0, begins.shift = 0;
    add(at, begins);
    if (is_inner) {
      operation use = random_operation(random, arrays, false);
      use.what = kind::kernel, use.in = own, use.count = length, use.spins = 0, use.shift = 0;
      add(++at, use);
    }
    for (std::size_t uses = random() % 4; uses > 0; --uses) {
      at += 1 + random() % (commands.size() - at);
      operation use = random_operation(random, arrays, false);
      // The command's other array must exist already: a lasting array, or an array of the graph that was allocated
      // before.
      std::vector<std::size_t> begun;
      for (std::size_t i = 0; i < at; ++i) {
        if (commands[i].out >= arrays.size() && commands[i].out != own) begun.push_back(commands[i].out);
      }
      if (!begun.empty() && random() % 2) (random() % 2 ? use.in : use.out) = begun[random() % begun.size()];
      (random() % 3 ? use.in : use.out) = own;
      if (use.in == use.out) continue;
      if (use.what == kind::sum && arrays.is_buffer(use.out)) use.what = kind::kernel;
      if (use.what == kind::fetch && !arrays.is_buffer(use.in)) use.what = kind::kernel;
      add(at, use);
    }
  }
}

/// Returns, for each command, the earlier commands for which it has to wait. Edges between commands on the same buffer
/// are left out, because the graph adds these edges itself.
std::vector<std::vector<std::size_t>> edges_of(const std::vector<operation>& commands, const memory& arrays) {
  std::vector<std::vector<std::size_t>> before(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const operation &a = commands[k], &b = commands[i];
      const auto is_free = [](const operation& each) {
        return each.what == operation::kind::nothing || each.what == operation::kind::hint;
      };
      if (is_free(a) || is_free(b)) continue;
      const auto conflicts = [&](std::size_t array, bool writes_a, bool writes_b) {
        return !arrays.is_buffer(array) && (writes_a || writes_b);
      };
      const auto writes = [](const operation& each) { return each.what != operation::kind::fetch; };
      const bool found = (writes(a) && writes(b) && a.out == b.out && conflicts(a.out, true, true)) ||
                         (b.reads_in() && writes(a) && a.out == b.in && conflicts(a.out, true, false)) ||
                         (a.reads_in() && writes(b) && a.in == b.out && conflicts(a.in, false, true));
      if (found) before[i].push_back(k);
    }
  }
  return before;
}

bool uses_buffers(const std::vector<operation>& commands, const memory& arrays) {
  return std::any_of(commands.begin(), commands.end(), [&](const operation& each) {
    return (each.computes() && arrays.is_buffer(each.out)) || (each.reads_in() && arrays.is_buffer(each.in));
  });
}

/// A graph with its commands, in an order in which they may run.
struct built {
  graph_type graph;
  /// Commands of the graph and of graphs inside it, in the order in which they run.
  std::vector<operation> commands;
  std::vector<std::optional<ex::node>> nodes;  ///< the node of each command; commands of inner graphs have none
  std::vector<std::unique_ptr<dynamics>> dynamics;  ///< for each command; null: an update can change only its range
};

class builder {
public:
  builder(std::uint64_t seed, const sycl::device& device) : m_random(seed), m_device(device), m_context(device) {
    for (int i = 0; i < 4; ++i) {
      const auto handler = [this](sycl::exception_list list) { m_errors += list.size(); };
      m_queues.push_back(
          i % 2 ? sycl::queue(m_context, device, handler, sycl::property_list{sycl::property::queue::in_order()})
                : sycl::queue(m_context, device, handler));
    }
  }
  std::string run();

private:
  sycl::queue& any_queue() { return m_queues[m_random() % m_queues.size()]; }
  graph_type make_graph() { return graph_type(m_context, m_device, {graph_property::assume_buffer_outlives_graph()}); }
  std::vector<operation> random_commands(memory& arrays, std::size_t most, bool may_allocate) {
    std::vector<operation> commands;
    const bool with_tasks = m_random() % 2 == 0, only_kernels = m_random() % 3 == 0;
    for (std::size_t i = m_random() % (most + 1); i > 0; --i) {
      operation& added = commands.emplace_back(random_operation(m_random, arrays, with_tasks));
      if (!only_kernels) continue;
      // Equal kinds and lengths let the graph fuse many of these kernels.
      if (added.what != operation::kind::sum) added.what = operation::kind::kernel;
      added.count = length;
      added.spins = 0;
      if (added.shift != 0) added.term = 0;
    }
    add_temporaries(m_random, arrays, commands, may_allocate);
    if (may_allocate) add_allocations(m_random, arrays, commands);
    return commands;
  }
  std::unique_ptr<dynamics> random_dynamics(memory& arrays, const graph_type& graph, const operation& its);
  bool change(built& made, std::size_t at, memory& arrays, executable_type& executable);
  built add_by_hand(memory& arrays, std::vector<operation> commands);
  built record(memory& arrays, std::vector<operation> commands);
  built nest(memory& arrays);
  void run_one(memory& arrays);

  std::mt19937_64 m_random;
  sycl::device m_device;
  sycl::context m_context;
  std::vector<sycl::queue> m_queues;
  std::size_t m_errors = 0;
  std::vector<sycl::event> m_last;  ///< the last submission of each graph
};

/// Returns null if the command has no dynamic parts besides its range.
std::unique_ptr<dynamics> builder::random_dynamics(memory& arrays, const graph_type& graph, const operation& its) {
  using kind = operation::kind;
  const auto which = m_random() % 4;
  if (its.what != kind::kernel && its.what != kind::grouped) return nullptr;
  auto made = std::make_unique<dynamics>();
  if (which == 0) {
    made->others[0] = made->others[1] = its;
    made->others[1].what = its.what == kind::kernel && its.count % 4 == 0 ? kind::grouped : its.what;
    // Kernels that read in[i + shift] add their term only if they also spin.
    if (its.shift == 0 || its.spins != 0) made->others[1].term ^= 0xff;
    std::vector<std::function<void(sycl::handler&)>> groups;
    for (const operation& each : made->others) {
      groups.emplace_back([&arrays, each](sycl::handler& h) { set_command(h, each, arrays); });
    }
    made->choice.emplace(graph, groups);
  } else if (which == 1 && its.what == kind::grouped) {
    made->local.emplace(sycl::range<1>(4 + m_random() % 20));
  } else if (which == 1) {
    made->factor.emplace(its.factor);
    if (arrays.is_buffer(its.in)) {
      made->buffer.emplace(reader(arrays.buffer(its.in)));
    } else {
      made->in.emplace(arrays.usm(its.in));
    }
  } else {
    return nullptr;
  }
  return made;
}

/// Gives a kernel other arguments, another range, or another function. Returns whether a new graph of the changed
/// commands would have the same nodes.
bool builder::change(built& made, std::size_t at, memory& arrays, executable_type& executable) {
  using kind = operation::kind;
  operation& its = made.commands[at];
  if (!made.nodes[at] || (its.what != kind::kernel && its.what != kind::grouped)) return true;
  const operation before = its;
  dynamics* const changes = made.dynamics[at].get();
  const bool grouped = its.what == kind::grouped;
  ex::node& node = *made.nodes[at];
  if (changes && changes->choice && m_random() % 2) {
    changes->others[changes->choice->get_active_index()] = its;
    changes->choice->set_active_index(m_random() % 2);
    its = changes->others[changes->choice->get_active_index()];
  } else if (changes && changes->local && m_random() % 2) {
    changes->local->update(sycl::range<1>(4 + m_random() % 60));
  } else if (changes && changes->factor && m_random() % 2) {
    its.factor = static_cast<word>(m_random() % 5);
    changes->factor->update(its.factor);
    // An update does not change edges, so the other array must be an array that no command of the graph writes.
    const std::size_t other = m_random() % arrays.size();
    const bool is_written = std::any_of(made.commands.begin(), made.commands.end(), [&](const operation& each) {
      return each.computes() && each.out == other;
    });
    if (!is_written && arrays.is_buffer(other) == arrays.is_buffer(its.in)) {
      its.in = other;
      if (changes->buffer) changes->buffer->update(reader(arrays.buffer(other)));
      if (changes->in) changes->in->update(arrays.usm(other));
    }
  } else {
    its.count = grouped ? 4 * (m_random() % (length / 4 + 1)) : m_random() % (length + 1);
    if (grouped || (its.count % 4 == 0 && m_random() % 2)) {
      node.update_nd_range(sycl::nd_range<1>(its.count, 4));
    } else {
      node.update_range(sycl::range<1>(its.count));
    }
  }
  executable.update(node);
  return its.what == before.what && its.in == before.in && its.term == before.term;
}

/// Adds nodes in any order and adds edges afterwards. If commands use buffers, nodes are added in the commands' order,
/// because the graph makes edges from this order.
built builder::add_by_hand(memory& arrays, std::vector<operation> commands) {
  built made{make_graph(), commands, {}, {}};
  made.nodes.resize(commands.size());
  made.dynamics.resize(commands.size());
  const auto before = edges_of(commands, arrays);
  // Commands that use memory of the graph need the memory's address, so allocations come first.
  std::vector<std::size_t> order;
  for (const bool allocate : {true, false}) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      if ((commands[i].what == operation::kind::allocate) == allocate) order.push_back(i);
    }
  }
  const auto others = std::find_if(order.begin(), order.end(),
                                   [&](std::size_t i) { return commands[i].what != operation::kind::allocate; });
  const bool in_order = uses_buffers(commands, arrays) || m_random() % 4 == 0;
  if (!in_order) std::shuffle(others, order.end(), m_random);
  const bool at_once = in_order && m_random() % 2 == 0;
  for (const std::size_t i : order) {
    made.dynamics[i] = random_dynamics(arrays, made.graph, commands[i]);
    dynamics* const changes = made.dynamics[i].get();
    const auto group = [&](sycl::handler& h) { set_command(h, commands[i], arrays, changes); };
    if (changes && changes->choice) {
      made.nodes[i] = made.graph.add(*changes->choice);
    } else if (at_once && before[i].size() == 1) {
      made.nodes[i] = made.graph.add(group, {node_property::depends_on(*made.nodes[before[i][0]])});
    } else {
      made.nodes[i] = made.graph.add(group);
    }
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    for (const std::size_t each : before[i]) made.graph.make_edge(*made.nodes[each], *made.nodes[i]);
    // Adds an edge between two commands that need no order.
    if (i > 0 && m_random() % 4 == 0) made.graph.make_edge(*made.nodes[m_random() % i], *made.nodes[i]);
  }
  return made;
}

/// About half of the dependencies are given as events. If possible, the other dependencies follow from barriers and
/// in-order queues.
built builder::record(memory& arrays, std::vector<operation> commands) {
  built made{make_graph(), commands, {}, {}};
  made.dynamics.resize(commands.size());
  const auto before = edges_of(commands, arrays);
  std::vector<sycl::queue> queues;
  for (std::size_t i = 1 + m_random() % 3; i > 0; --i) {
    sycl::queue& next = any_queue();
    if (std::find(queues.begin(), queues.end(), next) == queues.end()) queues.push_back(next);
  }
  const std::size_t at_first = 1 + m_random() % queues.size();
  made.graph.begin_recording(
      std::vector<sycl::queue>(queues.begin(), queues.begin() + static_cast<std::ptrdiff_t>(at_first)));
  recorded_order order;
  std::vector<std::size_t> entry_of;  // indexed by command
  const auto records = [&](std::size_t queue) {
    return queues[queue].ext_oneapi_get_state() == ex::queue_state::recording;
  };
  const auto add_barrier = [&](std::size_t at) {
    sycl::queue& queue = queues[at];
    std::set<std::size_t> its = order.implied(at);
    if (m_random() % 2 || order.size() == 0) {
      const sycl::event event = queue.ext_oneapi_submit_barrier();
      its.merge(order.all_of(at));
      order.add(at, event, its, true);
      return;
    }
    std::vector<sycl::event> events;
    for (std::size_t i = 1 + m_random() % 2; i > 0; --i) {
      const std::size_t chosen = m_random() % order.size();
      events.push_back(order[chosen].event);
      order.add(its, chosen);
    }
    order.add(at, queue.ext_oneapi_submit_barrier(events), its, true);
  };
  for (std::size_t i = 0; i < commands.size(); ++i) {
    std::size_t chosen = m_random() % queues.size();
    // Another queue begins to record when a command of this queue waits for a recorded command.
    if (!records(chosen) && before[i].empty()) chosen = 0;
    if (m_random() % 4 == 0 && records(chosen)) add_barrier(chosen);
    std::set<std::size_t> its = records(chosen) ? order.implied(chosen) : std::set<std::size_t>();
    std::vector<std::size_t> asked;
    // The search begins with the latest command, because that command mostly waits for the earlier commands.
    for (std::size_t k = before[i].size(); k-- > 0;) {
      const std::size_t entry = entry_of[before[i][k]];
      if (its.contains(entry) && m_random() % 2) continue;
      asked.push_back(entry);
      order.add(its, entry);
    }
    if (!records(chosen) && asked.empty()) chosen = 0, its = order.implied(0);
    sycl::queue& queue = queues[chosen];
    const sycl::event event = queue.submit([&](sycl::handler& h) {
      for (const std::size_t each : asked) h.depends_on(order[each].event);
      set_command(h, commands[i], arrays);
    });
    entry_of.push_back(order.add(chosen, event, its, queue.is_in_order()));
    made.nodes.push_back(ex::node::get_node_from_event(event));
    // Recording may end and continue later.
    if (m_random() % 16 == 0 && records(0)) {
      made.graph.end_recording(queues[0]);
      made.graph.begin_recording(queues[0]);
    }
  }
  made.graph.end_recording();
  // If the test drops edges on purpose, this check is skipped: the wrong order has to show in the results.
  if (sycl::detail::test_hooks().dropped_graph_edge == 0) order.check();
  return made;
}

/// Makes a graph whose nodes are graphs. Each of these nodes waits for the previous node.
built builder::nest(memory& arrays) {
  built made{make_graph(), {}, {}, {}};
  for (std::size_t i = m_random() % 4; i > 0; --i) {
    const bool by_hand = m_random() % 2;
    const std::vector<operation> commands = random_commands(arrays, 6, false);
    const built inner = by_hand ? add_by_hand(arrays, commands) : record(arrays, commands);
    arrays.drop_temporaries();
    executable_type executable = inner.graph.finalize();
    for (std::size_t times = 1 + m_random() % 2; times > 0; --times) {
      made.graph.add([&](sycl::handler& h) { h.ext_oneapi_graph(executable); },
                     {node_property::depends_on_all_leaves()});
      made.commands.insert(made.commands.end(), inner.commands.begin(), inner.commands.end());
    }
    if (m_random() % 2) {
      const operation own = random_operation(m_random, arrays, true);
      const ex::node node = made.graph.add([&](sycl::handler& h) { set_command(h, own, arrays); },
                                           {node_property::depends_on_all_leaves()});
      made.commands.push_back(own);
      made.nodes.resize(made.commands.size() - 1);
      made.nodes.push_back(node);
    }
  }
  made.nodes.resize(made.commands.size());
  made.dynamics.resize(made.commands.size());
  return made;
}

/// Whether the executable graph may be updated from another graph with the same commands.
bool can_be_made_again(const std::vector<operation>& commands, const memory& arrays) {
  using kind = operation::kind;
  return std::all_of(commands.begin(), commands.end(), [&](const operation& each) {
    const bool is_kernel = each.what == kind::kernel || each.what == kind::grouped || each.what == kind::sum;
    return each.what == kind::nothing || (is_kernel && std::max(each.out, each.in) < arrays.size());
  });
}

/// Makes a graph, submits it several times, and changes it between submissions. Does not wait for the graph's last run.
void builder::run_one(memory& arrays) {
  const auto how = m_random() % 5;
  std::mt19937_64 at_making;
  const auto make = [&](const std::vector<operation>& commands) {
    at_making = m_random;
    return how < 3 ? add_by_hand(arrays, commands) : record(arrays, commands);
  };
  built made = how == 0 ? nest(arrays) : make(random_commands(arrays, 14, true));
  const bool updatable = m_random() % 2;
  bool replaced = false;
  // An update compares edges, so the update would find the dropped edge. In this test, however, the results have to
  // show that the edge is missing.
  bool can_be_replaced = how != 0 && can_be_made_again(made.commands, arrays) &&
                               sycl::detail::test_hooks().dropped_graph_edge == 0;
  arrays.drop_temporaries();
  using fuse = sycl::ext::sinter::property::graph::fuse;
  using updates = graph_property::updatable;
  executable_type executable =
      m_random() % 2 ? (updatable ? made.graph.finalize({fuse(), updates()}) : made.graph.finalize({fuse()}))
      : updatable    ? made.graph.finalize({updates()})
                     : made.graph.finalize();
  sycl::event last;
  for (std::size_t i = 1 + m_random() % 4; i > 0; --i) {
    if (updatable && !replaced && m_random() % 2 && !made.commands.empty()) {
      can_be_replaced &= change(made, m_random() % made.commands.size(), arrays, executable);
    }
    if (updatable && can_be_replaced && m_random() % 2) {
      for (operation& each : made.commands) each.factor = static_cast<word>(m_random() % 5);
      const std::mt19937_64 now = std::exchange(m_random, at_making);
      executable.update(make(made.commands).graph);
      m_random = now;
      // The nodes of the modifiable graph keep their old arguments.
      replaced = true;
    }
    sycl::queue& queue = any_queue();
    last = queue.ext_oneapi_graph(executable, last);
    for (const operation& each : made.commands) arrays.run(each);
    if (m_random() % 4 == 0) {
      const operation between = random_operation(m_random, arrays, true);
      last = any_queue().submit([&](sycl::handler& h) {
        h.depends_on(last);
        // Devices with a driver take native work, but no host code as a native command.
        const bool takes_host_code = m_device.is_cpu() && m_device.get_backend() == sycl::backend::sinter_cpu;
        const bool natively = takes_host_code && between.what == operation::kind::task &&
                              !arrays.is_buffer(between.out) && !arrays.is_buffer(between.in) && m_random() % 2;
        if (!natively) return set_command(h, between, arrays);
        std::vector<word*> places;
        for (std::size_t i = 0; i < arrays.size(); ++i) places.push_back(arrays.usm(i));
        h.ext_codeplay_enqueue_native_command([=](sycl::interop_handle) { between.apply(places); });
      });
      arrays.run(between);
    }
  }
  m_last.push_back(last);
}

std::string builder::run() {
  std::vector<std::unique_ptr<memory>> all;
  for (std::size_t i = 1 + m_random() % 3; i > 0; --i) all.push_back(std::make_unique<memory>(m_queues[0], m_random));
  for (std::size_t i = 0; i < all.size(); ++i) run_one(*all[i]);
  for (sycl::event& each : m_last) each.wait();
  for (sycl::queue& each : m_queues) each.throw_asynchronous();
  if (m_errors != 0) return std::to_string(m_errors) + " errors came to handlers";
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < all[i]->size(); ++k) {
      if (!all[i]->is_brought(k)) {
        return "graph " + std::to_string(i) + ", array " + std::to_string(k) + ": not what update_host should bring";
      }
      const words found = all[i]->read(k);
      const auto wrong = std::mismatch(found.begin(), found.end(), all[i]->expected[k].begin());
      if (wrong.first == found.end()) continue;
      return "graph " + std::to_string(i) + ", array " + std::to_string(k) + ": element " +
             std::to_string(wrong.first - found.begin()) + " is " + std::to_string(*wrong.first) + ", not " +
             std::to_string(*wrong.second);
    }
  }
  return {};
}

}  // namespace

std::string run_graphs(std::uint64_t seed, const sycl::device& device) {
  try {
    return builder(seed, device).run();
  } catch (const std::exception& error) {
    return std::string("unexpected exception: ") + error.what();
  }
}

}  // namespace test
