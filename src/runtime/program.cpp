#include <algorithm>
#include <images/kernel_name.hpp>
#include <images/kernel_view.hpp>
#include <images/registry.hpp>
#include <mutex>
#include <runtime/kernel_bundle.hpp>
#include <runtime/object_access.hpp>

#include <sycl/program.hpp>

namespace sycl::inline _V1 {

// The destructors are defined here, so that the library has the classes' virtual tables once.
experimental::spec_const_error::~spec_const_error() = default;

namespace detail {
namespace {

using experimental::spec_const_error;

[[noreturn]] void refuse_constant(errc code, const std::string& why) {
  throw spec_const_error(make_error_code(code), why);
}

struct known_constant {
  std::uint64_t key, name_hash;
  std::string name, type;
};

std::string text_of(const known_constant& constant) { return "'" + constant.name + "' (" + constant.type + ")"; }

/// Returns whether a kernel of the program has the constant. Without images, the runtime knows nothing about the
/// kernels, so the result is true.
bool exists(std::uint64_t key) {
  const std::vector<const sinter::abi::kernel_descriptor*> kernels = sinter::registered_kernels();
  return kernels.empty() || std::any_of(kernels.begin(), kernels.end(),
                                        [&](const auto* each) { return names_specialization_constant(*each, &key); });
}

const char* text_of(program_state state) {
  switch (state) {
    case program_state::none:
      return "none";
    case program_state::compiled:
      return "compiled";
    case program_state::linked:
      return "linked";
  }
  return "unknown";
}

}  // namespace

class program_impl : public counted {
public:
  program_impl(const context& in, const std::vector<device>* devices)
      : m_home(in), m_compiled(make_bundle(bundle_state::executable, in, devices, &m_no_kernels)) {}
  ~program_impl() override;

  /// Joins programs that were compiled.
  program_impl(const std::vector<shared<program_impl>>& parts, const std::string& options);

  void set_constant(const program_constant& constant, const void* value, std::size_t bytes, std::size_t alignment) {
    std::lock_guard lock(m_mutex);
    const known_constant now{constant.key, constant.name_hash, sinter::kernel_display_name(constant.name),
                             sinter::kernel_display_name(constant.type)};
    if (m_state != program_state::none) {
      refuse_constant(errc::invalid, "program::set_spec_constant: " + text_of(now) + " is set after the program was " +
                                         (m_state == program_state::linked ? "built" : "compiled") +
                                         "; set it before, in a program of its own for each value");
    }
    const auto known = std::find_if(m_constants.begin(), m_constants.end(),
                                    [&](const known_constant& each) { return each.name_hash == now.name_hash; });
    if (known != m_constants.end() && known->key != now.key) {
      refuse_constant(errc::invalid, "program::set_spec_constant: " + text_of(now) + " has been set as " + known->type +
                                         "; a constant keeps its type");
    }
    if (constant.is_number && !exists(constant.key)) {
      refuse_constant(errc::invalid,
                      "program::set_spec_constant: no kernel of the program has a constant " + text_of(now) +
                          "; a kernel has it that captures the spec_constant of this number and type and reads it");
    }
    m_compiled->values->set(constant.key, value, bytes, alignment);
    if (known == m_constants.end()) m_constants.push_back(now);
  }

  void compile(const kernel_id& id, const std::string& options, bool links) {
    std::lock_guard lock(m_mutex);
    const char* call = links ? "program::build_with_kernel_type" : "program::compile_with_kernel_type";
    if (m_state == program_state::linked || (links && m_state != program_state::none)) {
      throw_invalid(
          (std::string(call) + ": the program is in the state " + text_of(m_state) + "; make another one").c_str());
    }
    check_constants(call, id);
    const std::vector<kernel_id> ids{id};
    const shared<kernel_bundle_impl> made = make_bundle(bundle_state::executable, m_home, &m_compiled->devices, &ids);
    m_compiled->kernels.insert(m_compiled->kernels.end(), made->kernels.begin(), made->kernels.end());
    (links ? m_build_options : m_compile_options) = options;
    m_state = program_state::compiled;
    if (links) link_now();
  }

  void link(const std::string& options) {
    std::lock_guard lock(m_mutex);
    if (m_state != program_state::compiled) {
      throw_invalid((std::string("program::link: the program is in the state ") + text_of(m_state) +
                     "; compile its kernels first, and link once")
                        .c_str());
    }
    m_link_options = options;
    link_now();
  }

  bool has(const kernel_identity* id) const {
    std::lock_guard lock(m_mutex);
    return m_compiled->has(id) ||
           std::any_of(m_bundles.begin(), m_bundles.end(), [=](const auto& each) { return each->has(id); });
  }

  kernel find(const kernel_id& id) const {
    std::lock_guard lock(m_mutex);
    if (m_state != program_state::linked) {
      throw_invalid((std::string("program::get_kernel: the program is in the state ") + text_of(m_state) +
                     "; build or link it first")
                        .c_str());
    }
    for (const shared<kernel_bundle_impl>& each : m_bundles) {
      if (each->has(object_access::identity(id))) {
        return object_access::make_kernel(id, bundle_access::wrap<bundle_state::executable>(each));
      }
    }
    detail::throw_error(errc::invalid, std::string("program::get_kernel: kernel '") + id.get_name() +
                                                        "' is not in the program; build_with_kernel_type takes it in");
  }

  /// Returns the kernel that has this name in messages, or null if there is none.
  const kernel_identity* named(const std::string& name) const {
    std::lock_guard lock(m_mutex);
    if (const kernel_identity* found = named_in(*m_compiled, name)) return found;
    for (const auto& bundle : m_bundles) {
      if (const kernel_identity* found = named_in(*bundle, name)) return found;
    }
    return nullptr;
  }

  program_state state() const {
    std::lock_guard lock(m_mutex);
    return m_state;
  }
  const context& home() const noexcept { return m_home; }
  const std::vector<device>& devices() const noexcept { return m_compiled->devices; }
  std::string compile_options() const { return copy_of(m_compile_options); }
  std::string link_options() const { return copy_of(m_link_options); }
  std::string build_options() const { return copy_of(m_build_options); }

private:
  static const kernel_identity* named_in(const kernel_bundle_impl& bundle, const std::string& name) {
    for (const kernel_identity* each : bundle.kernels) {
      if (each->display_name == name) return each;
    }
    return nullptr;
  }
  std::string copy_of(const std::string& text) const {
    std::lock_guard lock(m_mutex);
    return text;
  }

  /// Throws if the kernel reads a constant that is not set (CP015), because all constants have to be set when the
  /// kernel is built.
  void check_constants(const char* call, const kernel_id& id) const {
    const auto* descriptor = find_descriptor(object_access::identity(id));
    if (!descriptor) return;
    const sinter::image_use keep_image(*descriptor);
    std::size_t wanted = 0, missing = 0;
    for (const auto& each : sinter::kernel_view(*descriptor).constants()) {
      if ((each.key & sinter::abi::specialization_without_default) == 0) continue;
      ++wanted;
      if (!m_compiled->values->find(each.key)) ++missing;
    }
    if (missing == 0) return;
    std::string known;
    for (const known_constant& each : m_constants) known += (known.empty() ? "" : ", ") + text_of(each);
    refuse_constant(errc::build,
                    std::string(call) + ": kernel '" + id.get_name() + "' reads " + std::to_string(wanted) +
                        (wanted == 1 ? " specialization constant" : " specialization constants") + ", and " +
                        std::to_string(missing) + " of them " + (missing == 1 ? "has" : "have") +
                        " no value; call set_spec_constant before, with the kernel's type. Set: " +
                        (known.empty() ? "none" : known));
  }

  void link_now() {
    m_bundles = {m_compiled};
    m_state = program_state::linked;
  }

  const std::vector<kernel_id> m_no_kernels;
  const context m_home;
  mutable std::mutex m_mutex;  // protects the members below
  program_state m_state = program_state::none;
  shared<kernel_bundle_impl> m_compiled;  ///< kernels and values of this program
  std::vector<known_constant> m_constants;
  std::vector<shared<kernel_bundle_impl>> m_bundles;  ///< linked bundles, one for each program that was joined
  std::string m_compile_options, m_link_options, m_build_options;
};

program_impl::~program_impl() = default;

program_impl::program_impl(const std::vector<shared<program_impl>>& parts, const std::string& options)
    : m_home(parts.front()->m_home),
      m_compiled(make_bundle(bundle_state::executable, m_home, &parts.front()->m_compiled->devices, &m_no_kernels)),
      m_link_options(options) {
  for (const shared<program_impl>& part : parts) {
    if (part->m_home != m_home) throw_invalid("program: the programs to link have different contexts");
    if (part->state() != program_state::compiled)
      throw_invalid("program: a program to link is not in the state compiled");
    m_bundles.push_back(part->m_compiled);
  }
  m_state = program_state::linked;
}

}  // namespace detail

namespace {

[[noreturn]] void refuse_source(const char* call) {
  detail::throw_error(
      errc::feature_not_supported,
      std::string("program::") + call + ": kernels in other languages are not supported; write them in C++");
}

detail::shared<detail::program_impl> linked(const std::vector<program>& parts, const std::string& options) {
  std::vector<detail::shared<detail::program_impl>> impls;
  for (const program& each : parts) impls.push_back(detail::object_access::impl(each));
  if (impls.empty()) detail::throw_invalid("program: the list of programs to link is empty");
  return detail::make_counted<detail::program_impl>(impls, options);
}

}  // namespace

program::program(const context& in) : m_impl(detail::make_counted<detail::program_impl>(in, nullptr)) {}
program::program(const context& in, std::vector<device> devices)
    : m_impl(detail::make_counted<detail::program_impl>(in, &devices)) {}
program::program(const std::vector<program>& parts, const std::string& link_options)
    : m_impl(linked(parts, link_options)) {}
program::program(const program&) noexcept = default;
program& program::operator=(const program&) noexcept = default;
program::~program() = default;

void program::set_constant(const detail::program_constant& constant, const void* value, std::size_t bytes,
                           std::size_t alignment) {
  m_impl->set_constant(constant, value, bytes, alignment);
}
void program::compile_with_source(const std::string&, const std::string&) { refuse_source("compile_with_source"); }
void program::build_with_source(const std::string&, const std::string&) { refuse_source("build_with_source"); }
void program::link(const std::string& options) { m_impl->link(options); }
void program::compile(const kernel_id& id, const std::string& options) { m_impl->compile(id, options, false); }
void program::build(const kernel_id& id, const std::string& options) { m_impl->compile(id, options, true); }
bool program::has(const kernel_id& id) const { return m_impl->has(detail::object_access::identity(id)); }
kernel program::find(const kernel_id& id) const { return m_impl->find(id); }
bool program::has_kernel(const std::string& name) const { return m_impl->named(name) != nullptr; }
kernel program::get_kernel(const std::string& name) const {
  const detail::kernel_identity* identity = m_impl->named(name);
  if (!identity)
    detail::throw_invalid(("program::get_kernel: there is no kernel '" + name + "' in the program").c_str());
  return m_impl->find(detail::object_access::make_kernel_id(identity));
}

program_state program::get_state() const { return m_impl->state(); }
context program::get_context() const { return m_impl->home(); }
std::vector<device> program::get_devices() const { return m_impl->devices(); }
std::string program::get_compile_options() const { return m_impl->compile_options(); }
std::string program::get_link_options() const { return m_impl->link_options(); }
std::string program::get_build_options() const { return m_impl->build_options(); }

}  // namespace sycl
