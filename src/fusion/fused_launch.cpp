#include "fused_launch.hpp"

#include <cxxabi.h>

#include <abi/fused_range.hpp>
#include <abi/tile_limits.hpp>
#include <abi/work_items.hpp>
#include <algorithm>
#include <images/kernel_name.hpp>
#include <images/registry.hpp>
#include <memory/buffer_record.hpp>
#include <base/environment.hpp>
#include <base/report.hpp>
#include <base/trace.hpp>
#include <optional>
#include <scheduler/submission_queue.hpp>
#include <sycl/exception.hpp>

#include "fused_cache.hpp"
#include "member_arguments.hpp"

namespace sycl::inline _V1::detail {
namespace {

/// The cost of completing a list, and the cost of each launch besides its work (benchmarks/fusion, `complete` and
/// `chain`).
constexpr cost per_list = 6'000, per_launch = 1'000;
// The costs on GPUs. Kernels on GPUs are not measured, so their duration is estimated as if each work-item processed
// one number.
constexpr cost per_device_launch = 3'000, items_per_nanosecond = 500;

std::uint32_t tile_limits_of(const sinter::device_backend& backend) {
  const sinter::device_facts& facts = backend.facts();
  if (facts.is_this_process) return 0;
  return sinter::abi::packed({static_cast<std::uint32_t>(std::min<std::uint64_t>(facts.local_memory_bytes / 1024,
                                                                                 sinter::abi::most_tile_limit)),
                              facts.most_items(2)});
}

/// Returns whether fusing probably saves more time than it costs. Fusing saves launches and memory traffic. The
/// function assumes that the saved traffic takes a quarter of the members' time, which is a low estimate if the members
/// share memory.
bool probably_pays(std::span<const command_ptr> members, bool on_device) {
  cost gain = (members.size() - 1) * (on_device ? per_device_launch : per_launch);
  for (const command_ptr& member : members) {
    gain += (on_device ? member->kernel->launch.work_items() / items_per_nanosecond : member->estimate) / 4;
  }
  return gain > per_list || sinter::environment().fuse_small;
}

/// Members that run in one launch, or a single member.
struct fused_part {
  std::span<const command_ptr> members;
  std::vector<const void*> blocks{};
  /// The code of the part; null for a single member. The code was found for the present facts about temporaries, and is
  /// valid as long as these facts hold.
  const sinter::fused_code* code = nullptr;
  std::vector<member_arguments::candidate> temporaries{};
  buffers_elsewhere elsewhere{};  ///< buffers that other parts use

  /// Copies from `arguments` the facts that the launch needs. `may_change` says that temporaries may still be destroyed
  /// before the launch.
  void keep(const member_arguments& arguments, bool may_change) {
    if (may_change) temporaries.assign(arguments.candidates().begin(), arguments.candidates().end());
    blocks.reserve(members.size());
    for (const command_ptr& member : members) blocks.push_back(member->kernel->launch.block);
  }
};

/// Everything that a fused launch needs while it runs.
struct fused_work : counted {
  command* user = nullptr;           ///< the command that does this work, and uses the members' buffers
  std::vector<command_ptr> members;
  fusion_options options;
  std::vector<fused_part> parts;  ///< the whole list, or the parts into which it was cut, in order
  /// Whether a device completes each member as a command of its own. finish_on_device then destroys the captures of
  /// each member. Another thread may do so while this object is destroyed.
  bool members_finish_alone = false;

  /// Destroys the captures of the kernels when the command has run the kernels. Otherwise the captures would exist as
  /// long as events refer to the commands.
  ~fused_work() override {
    if (members_finish_alone) return;
    for (const command_ptr& member : members) member->kernel.reset();
  }
};

/// Returns a text with the kernels' names and ranges, in the order of submission.
std::string launches_of(std::span<const command_ptr> members) {
  std::string launches;
  for (const command_ptr& member : members) {
    const sinter::kernel_launch& launch = member->kernel->launch;
    const bool visits = launch.element_dimensions != 0;
    const int dimensions = static_cast<int>(visits ? launch.element_dimensions : launch.kernel->dimensions);
    auto sizes = [&](const std::uint64_t (&padded)[3]) { return " " + size_list(padded + 3 - dimensions, dimensions); };
    launches += (launches.empty() ? "" : ", ") + sinter::kernel_display_name(*launch.kernel) +
                sizes(visits ? launch.element_range : launch.global_range);
    if (!visits && launch.kernel->shape == sinter::abi::kernel_shape::nd_range)
      launches += " in groups of" + sizes(launch.local_range);
  }
  return launches;
}

std::uint64_t all_items_of(const sinter::kernel_launch& launch) {
  return sinter::abi::work_items(launch.element_dimensions != 0 ? launch.element_range : launch.global_range);
}

void report(std::span<const command_ptr> members, const sinter::kernel_launch& launch, const sinter::fused_code& code) {
  if (!sinter::environment().report_fusion) return;
  const std::uint64_t items = all_items_of(launch), kernels = members.size();
  const bool again = code.reported.exchange(true);
  sinter::report_record record{
      "fusion",
      {"",
       "fusion: " + std::to_string(kernels) + " kernels -> 1 launch, " + std::to_string(items) + " work-items",
       {{"kernels", kernels}, {"launches", std::uint64_t{1}}, {"work_items", items}},
       {{"members", launches_of(members)}}}};
  std::vector<sinter::report_statement>& parts = record.what.parts;
  parts.insert(parts.end(), code.facts.statements.begin(), code.facts.statements.end());
  if (const std::uint64_t saved = saved_bytes(launch, code); saved != 0) {
    parts.push_back(
        {"saved", std::to_string(saved / 1000) + " kB of memory traffic in this launch", {{"bytes", saved}}});
  }
  parts.push_back(again ? sinter::report_statement{"reused", "what was made for an earlier list"} : code.origin);
  if (!again) record.code = code.facts.code;
  sinter::print_report(record);
}

void check_member(const sinter::kernel_launch& launch, std::string& why) {
  // Only messages need names, so a launch that succeeds makes no names.
  auto name = [&] { return sinter::kernel_display_name(*launch.kernel); };
  if (!sinter::image_of(*launch.kernel) || sinter::environment().force_host_entry) {
    why = "No suitable IR available for fusion: kernel '" + name() + "' was compiled without the capture plugin";
  } else if (launch.is_empty()) {
    why = "kernel '" + name() + "' has an empty range";
  }
}

std::vector<const sinter::kernel_launch*> launches_together(std::span<const command_ptr> members) {
  std::vector<const sinter::kernel_launch*> launches;
  launches.reserve(members.size());
  for (const command_ptr& member : members) launches.push_back(&member->kernel->launch);
  return launches;
}

sinter::kernel_launch launch_of(std::span<const command_ptr> members, const std::vector<const void*>& blocks,
                                const sinter::fused_code& code) {
  sinter::kernel_launch launch = members[code.facts.range_member]->kernel->launch;
  const sinter::kernel_launch& groups = members[code.facts.local_member]->kernel->launch;
  if (code.facts.local_member != code.facts.range_member) {
    std::uint64_t largest[3];
    std::copy(launch.global_range, launch.global_range + 3, largest);
    // This call can't fail, because it succeeded with the same range when the code was compiled.
    sinter::abi::fused_global_range(largest, groups.global_range, groups.local_range, groups.kernel->dimensions,
                                    launch.global_range);
    std::copy(groups.global_offset, groups.global_offset + 3, launch.global_offset);
    std::copy(groups.local_range, groups.local_range + 3, launch.local_range);
  }
  if (code.facts.has_geometry()) {
    std::copy(code.facts.global_range, code.facts.global_range + 3, launch.global_range);
    std::copy(code.facts.local_range, code.facts.local_range + 3, launch.local_range);
    std::fill_n(launch.global_offset, 3, 0);
  }
  launch.kernel = members.front()->kernel->launch.kernel;
  launch.blocks = blocks.data();
  launch.code = &code.variant;
  launch.local_memory_bytes = code.facts.local_memory_bytes;
  return launch;
}

/// Returns the name for the timeline.
std::string names_in_trace(std::span<const command_ptr> members) {
  std::string text;
  for (const command_ptr& each : members) {
    text += (text.empty() ? "" : ", ") + sinter::kernel_display_name(*each->kernel->launch.kernel);
  }
  return text;
}

/// Makes and reports the launch. If the members need too much memory together, returns nothing and sets `why` to the
/// reason.
std::optional<sinter::kernel_launch> reported_launch(std::span<const command_ptr> members,
                                                     const std::vector<const void*>& blocks,
                                                     const sinter::fused_code& code,
                                                     const sinter::device_backend& backend, std::string& why) {
  const sinter::kernel_launch launch = launch_of(members, blocks, code);
  try {
    backend.check_memory(launch);
  } catch (const sycl::exception& refusal) {
    why = refusal.what();
    return std::nullopt;
  }
  report(members, launch, code);
  return launch;
}

/// The launch of a part. `measured` is set if the launch's time may have to be measured, to find out whether the fused
/// kernel or the separate members are faster.
struct part_launch {
  std::optional<sinter::kernel_launch> joined;  ///< empty: the members run one by one
  sinter::fusion_choice* measured = nullptr;
};

/// Makes the launch from the present facts, because temporaries may have been destroyed since the list was completed.
/// If the members can't run together any more, reports this.
part_launch fused_launch_now(const fused_part& part, const fused_work& work, sinter::device_backend& backend) {
  if (!part.code) return {};
  const sinter::fused_code* code = part.code;
  part_launch result;
  fusion_refused refused;
  if (std::any_of(part.temporaries.begin(), part.temporaries.end(),
                  [&](const auto& each) { return each.is_unobservable(work.user) != each.unobservable; })) {
    member_arguments arguments(part.members, work.user, !work.options.automatic, &part.elsewhere);
    code = find_fused_code(arguments, work.options, backend.target(), backend.class_of(launches_together(part.members)),
                           fusion_moment::launch, refused);
  }
  if (code && code->choice) {
    result.measured = code->choice;
    refused.why = code->choice->text();
    if (code->choice->next() == sinter::fusion_choice::form::apart) code = nullptr;
  }
  if (code) result.joined = reported_launch(part.members, part.blocks, *code, backend, refused.why);
  if (!result.joined) report_one_by_one(part.members, refused.why);
  return result;
}

/// Calls `run` and turns an exception into an error of the command, so that later members run even if one member fails.
/// Separate commands would also run after a command that fails.
template <class Run>
void run_all_the_same(const fused_work& work, const Run& run) {
  try {
    run();
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    work.user->add_error(std::current_exception());
  }
}

void run_part(const fused_part& part, const fused_work& work, sinter::device_backend& backend) {
  const part_launch launch = fused_launch_now(part, work, backend);
  const std::uint64_t start = now_nanoseconds();
  if (!launch.joined) {
    // Running the members one by one is always correct.
    for (const command_ptr& member : part.members) run_all_the_same(work, [&] { backend.run(member->kernel->launch); });
    if (launch.measured) launch.measured->note(sinter::fusion_choice::form::apart, now_nanoseconds() - start);
    return;
  }
  if (sinter::traces()) work.user->launches.push_back(*launch.joined);  // the timeline shows the number of work-items
  backend.run(*launch.joined);
  if (launch.measured) launch.measured->note(sinter::fusion_choice::form::joined, now_nanoseconds() - start);
  if (!work.options.automatic) return;
  // Fused members do not run alone, so their measured costs would be old or missing. Each member is noted with an equal
  // share of the measured time.
  const cost share = (now_nanoseconds() - start) / part.members.size();
  for (const command_ptr& member : part.members) note_launch(member->kernel->launch, share);
}

void run_fused(const fused_work& work, sinter::device_backend& backend) {
  for (const fused_part& part : work.parts) run_all_the_same(work, [&] { run_part(part, work, backend); });
}

/// For a device that works by itself: makes the launches that are handed over in place of the command.
void make_launches(const fused_work& work, sinter::device_backend& backend) {
  std::vector<sinter::kernel_launch>& launches = work.user->launches;
  for (const fused_part& part : work.parts) {
    if (const part_launch launch = fused_launch_now(part, work, backend); launch.joined) {
      launches.push_back(*launch.joined);
      continue;
    }
    for (const command_ptr& member : part.members) {
      run_all_the_same(work, [&] {
        backend.prepare(member->kernel->launch);
        launches.push_back(member->kernel->launch);
      });
    }
  }
}

/// Finds code for some members of a list, or for the parts that they may be cut into.
class list_cutter {
public:
  list_cutter(fused_work& work, const member_arguments& whole, sinter::device_backend& backend)
      : m_work(work), m_whole(whole), m_backend(backend) {}

  /// Cuts the list into parts. `refused` is the reason why the whole list is not fused. Returns false if cutting gains
  /// nothing.
  bool cut(const fusion_refused& refused) {
    if (refused.parts.empty()) return false;
    add_parts(0, m_work.members.size(), refused.parts);
    return m_work.parts.size() < m_work.members.size();
  }

private:
  void add_parts(std::size_t first, std::size_t count, std::span<const std::uint32_t> firsts) {
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::size_t end = i + 1 < firsts.size() ? firsts[i + 1] : count;
      add(first + firsts[i], end - firsts[i]);
    }
  }

  void add(std::size_t first, std::size_t count) {
    const std::span members = std::span<const command_ptr>(m_work.members).subspan(first, count);
    if (count == 1) {
      m_work.parts.push_back({members});
      return;
    }
    fused_part part{members};
    part.elsewhere = m_whole.buffers_around(first, count);
    member_arguments arguments(members, m_work.user, !m_work.options.automatic, &part.elsewhere);
    fusion_refused refused;
    // Fusion gains nothing for kernels that share no memory.
    if (!m_work.options.automatic || arguments.share_memory()) {
      part.code = find_fused_code(arguments, m_work.options, m_backend.target(),
                                  m_backend.class_of(launches_together(members)), fusion_moment::completion, refused);
    }
    if (!part.code) {
      if (!refused.parts.empty()) return add_parts(first, count, refused.parts);
      for (std::size_t i = 0; i < count; ++i) m_work.parts.push_back({members.subspan(i, 1)});
      return;
    }
    part.keep(arguments, arguments.has_candidates());
    m_work.parts.push_back(std::move(part));
  }

  fused_work& m_work;
  const member_arguments& m_whole;
  sinter::device_backend& m_backend;
};

std::string text_of_cut(const fused_work& work, const std::string& why) {
  return std::to_string(work.members.size()) + " kernels run in " + std::to_string(work.parts.size()) +
         " launches: " + why;
}

void report_cut(const fused_work& work, const std::string& why) {
  if (!sinter::environment().report_fusion) return;
  const std::uint64_t kernels = work.members.size(), launches = work.parts.size();
  sinter::print_report({"fusion",
                        {"",
                         "fusion cut: " + text_of_cut(work, why),
                         {{"kernels", kernels}, {"launches", launches}, {"refused", why}},
                         {{"members", launches_of(work.members)}}}});
}

} // namespace

/// Returns the number of bytes that a launch saves. If the code can be used for any size, the number grows with the
/// number of work-items.
std::uint64_t saved_bytes(const sinter::kernel_launch& launch, const sinter::fused_code& code) {
  if (code.facts.work_items == 0) return 0;
  const double of_one = static_cast<double>(code.facts.saved_bytes) / static_cast<double>(code.facts.work_items);
  return static_cast<std::uint64_t>(of_one * static_cast<double>(all_items_of(launch)));
}

void report_one_by_one(std::span<const command_ptr> members, const std::string& why) {
  if (!sinter::environment().report_fusion || members.empty()) return;
  const std::uint64_t kernels = members.size();
  sinter::print_report({"fusion",
                        {"",
                         "fusion refused: " + why,
                         {{"kernels", kernels}, {"launches", kernels}, {"refused", why}},
                         {{"members", launches_of(members)},
                          {"launches", std::to_string(kernels) + ", one for each kernel"}}}});
}

namespace {

std::vector<promoted_memory> promoted_by(const sinter::fused_code& code, member_arguments& arguments) {
  std::vector<promoted_memory> result;
  if (code.facts.promotions.empty()) return result;
  arguments.name_pointers();
  const auto pointers = arguments.pointers();
  for (const sinter::abi::fusion_promotion& each : code.facts.promotions) {
    const auto found = std::find_if(pointers.begin(), pointers.end(), [&](const sinter::abi::fusion_pointer& pointer) {
      return pointer.member == each.member && pointer.offset == each.offset;
    });
    if (found == pointers.end()) continue;
    const auto at = static_cast<std::size_t>(found - pointers.begin());
    const auto its = std::find_if(arguments.candidates().begin(), arguments.candidates().end(),
                                  [&](const member_arguments::candidate& known) { return known.pointer == at; });
    result.push_back({found->name, its == arguments.candidates().end() ? nullptr : its->record,
                      static_cast<sinter::abi::promotion>(each.to), each.bytes});
  }
  return result;
}

}  // namespace

shared<fused_kernels> fuse_for_replay(std::span<const command_ptr> members, const buffers_elsewhere& elsewhere,
                                      const buffers_elsewhere& overwritten, fusing_graph of, fusion_refused& refused,
                                      bool last_runs_behind) {
  std::string& why = refused.why;
  sinter::device_backend& backend = of.backend;
  const sinter::trace_scope scope(sinter::trace_kind::fusion,
                                  [&] { return "decide whether to fuse " + names_in_trace(members); });
  for (const command_ptr& member : members) {
    check_member(member->kernel->launch, why);
    if (member->kernel->launch.finish) why = "a kernel ends with work of the host";
    if (!why.empty()) return nullptr;
  }
  member_arguments arguments(members, elsewhere, of.number, &overwritten);
  if (last_runs_behind && !arguments.run_last_behind()) {
    why = "the kernel behind them has no pointers";
    return nullptr;
  }
  if (!arguments.share_memory()) {
    why = "the kernels have no memory in common";
    return nullptr;
  }
  fusion_options options;
  options.only_proved = options.tiles = true;
  options.must_pay = !sinter::environment().fuse_small;
  options.tile_limits = tile_limits_of(backend);
  options.timed = !backend.works_by_itself() || backend.make_timer();
  const sinter::launch_class launches = backend.class_of(launches_together(members));
  const sinter::fused_code* code = find_fused_code(arguments, options, backend.target(), launches,
                                                    fusion_moment::launch, refused);
  if (!code) return nullptr;
  if (last_runs_behind) members = members.first(members.size() - 1);
  auto fused = make_counted<fused_kernels>();
  fused->members.assign(members.begin(), members.end());
  for (const command_ptr& member : members) fused->blocks.push_back(member->kernel->launch.block);
  fused->code = code;
  if (code->choice && !code->choice->is_kept()) fused->choice = code->choice;
  const auto launch = reported_launch(fused->members, fused->blocks, *code, backend, why);
  if (!launch) return nullptr;
  fused->launch = *launch;
  fused->promoted = promoted_by(*code, arguments);
  if (sinter::traces()) fused->name = sinter::lasting_text("fused: " + names_in_trace(members));
  return fused;
}

bool make_fused(command& fused, std::span<const command_ptr> members, fusion_options options, std::string& why) {
  const sinter::trace_scope scope(sinter::trace_kind::fusion,
                                  [&] { return "decide whether to fuse " + names_in_trace(members); });
  for (const command_ptr& member : members) {
    check_member(member->kernel->launch, why);
    if (!why.empty()) return false;
  }
  member_arguments arguments(members, &fused, !options.automatic);
  for (const char* text : arguments.warnings()) warn_fusion(text);
  if (options.automatic && !arguments.share_memory()) {
    why = "the kernels have no memory in common";
    return false;
  }
  if (options.automatic && !probably_pays(members, fused.works_by_itself())) {
    why = "fusing costs more than it gains";
    return false;
  }
  const bool may_change = arguments.has_candidates();
  sinter::device_backend& backend = fused.queue->backend();
  fusion_refused refused;
  options.tile_limits = tile_limits_of(backend);
  // The host can't measure lists that are handed over to a device, because the host does not see when such a list ends.
  options.timed = !backend.works_by_itself();
  const sinter::fused_code* code =
      find_fused_code(arguments, options, backend.target(), backend.class_of(launches_together(members)),
                      fusion_moment::completion, refused);
  why = refused.why;
  if (!code && refused.parts.empty()) return false;
  auto work = make_counted<fused_work>();
  work->options = options;
  work->members.assign(members.begin(), members.end());
  work->user = &fused;
  if (code) {
    work->parts.emplace_back(fused_part{work->members, {}, code}).keep(arguments, may_change);
  } else {
    work->options.part = true;
    if (!list_cutter(*work, arguments, backend).cut(refused)) {
      work->members.clear();
      return false;
    }
    report_cut(*work, why);
    why = text_of_cut(*work, why);
  }
  // The members are changed only from here on, so that they are unchanged after a refusal.
  if (sinter::traces()) fused.name = sinter::lasting_text("fused: " + names_in_trace(members));
  fused.estimate = 0;
  for (const command_ptr& member : members) {
    fused.estimate += member->estimate;
    member->keep.move_to(fused.keep);
  }
  if (fused.works_by_itself()) {
    work->members_finish_alone = options.automatic;
    fused.work = [&backend, work] { make_launches(*work, backend); };
  } else {
    fused.work = [&backend, work] { run_fused(*work, backend); };
  }
  return true;
}

} // namespace sycl::detail
