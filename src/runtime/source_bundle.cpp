#include "source_bundle.hpp"

#include <algorithm>
#include <runtime/native_objects.hpp>

namespace sycl::inline _V1 {

namespace ext::sinter {
void spec_ids::add(std::uint32_t id, const void* value, std::size_t bytes) {
  values.push_back({id, std::string(static_cast<const char*>(value), bytes)});
}
}  // namespace ext::sinter

namespace ext::oneapi::experimental {
build_options::build_options(const std::string& option) : opts{option} {}
build_options::build_options(const char* option) : opts{option} {}
build_options::build_options(const std::vector<std::string>& options) : opts(options) {}
}  // namespace ext::oneapi::experimental

namespace detail {
namespace {

using language = source_program::language;

const char* name_of(language language) {
  switch (language) {
    case language::opencl:
      return "OpenCL C";
    case language::spirv:
      return "SPIR-V";
    case language::sycl:
      break;
  }
  return "SYCL";
}

sinter::device_backend& builder_of(const device& device) { return object_access::impl(device)->backend(); }

/// Returns whether the driver builds the source; otherwise Sinter builds it.
bool driver_builds(const device& device, language language) {
  if (language == language::sycl) return false;
  const sinter::device_natives* const natives = builder_of(device).natives();
  return natives && natives->builds(language == language::spirv ? sinter::kernel_source::language::spirv
                                                                : sinter::kernel_source::language::opencl_c);
}

bool can_build(const device& device, language language) {
  return driver_builds(device, language) || (language == language::spirv && sinter::import_problem().empty());
}

[[noreturn]] void refuse_language(language language, const std::string& who) {
  std::string why;
  if (language == language::sycl) why = "; kernels in SYCL are compiled with the program";
  if (language == language::opencl) why = "; devices of OpenCL's drivers do, and others take SPIR-V";
  if (language == language::spirv) why = "; " + sinter::import_problem();
  detail::throw_error(errc::feature_not_supported, who + " kernels in " + name_of(language) + why);
}

/// Throws errc::invalid if a value is set for a constant that the module lacks.
void check_constants(const sinter::spirv_facts& facts, const ext::sinter::spec_ids& values) {
  for (const auto& each : values.values) {
    const auto found = std::find_if(facts.constants.begin(), facts.constants.end(),
                                    [&](const sinter::spirv_constant& known) { return known.id == each.id; });
    const std::string what = "build: specialization constant " + std::to_string(each.id);
    if (found == facts.constants.end()) throw_invalid((what + " is none of the module's (SpecId)").c_str());
    if (found->bytes == each.bytes.size()) continue;
    throw_invalid(
        (what + " has " + std::to_string(found->bytes) + " bytes, its value " + std::to_string(each.bytes.size()))
            .c_str());
  }
}

std::string joined(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& each : options) text += (text.empty() ? "" : " ") + each;
  return text;
}

void build_part(source_program& made, const device& device, const build_settings& settings, std::string& log) {
  sinter::kernel_source source{sinter::kernel_source::language::opencl_c, made.text, joined(settings.options), {}};
  if (made.written_in == language::spirv) {
    source.written_in = sinter::kernel_source::language::spirv;
    source.text = made.facts.module;
  }
  for (const auto& each : settings.constants.values) source.constants.push_back({each.id, each.bytes});
  source_program::part part{&builder_of(device), nullptr, {}};
  std::string said;
  try {
    part.module = natives_of(*part.device).build(source, said);
  } catch (...) {
    log += said;
    throw;
  }
  log += said;
  for (const std::string& name : part.module->kernels()) {
    if (made.find(name) < 0) made.add_kernel(name);
  }
  made.parts.push_back(std::move(part));
}

void import(source_program& made, const build_settings& settings, std::string& log) {
  std::vector<sinter::spirv_value> values;
  for (const auto& each : settings.constants.values) values.push_back({each.id, each.bytes});
  std::string error;
  made.imported = sinter::import_spirv(made.facts, values, log, error);
  if (!made.imported) detail::throw_error(errc::build, "building kernels from SPIR-V failed: " + error);
  for (const std::string& name : made.imported->kernels()) {
    if (made.find(name) < 0) made.add_kernel(name);
  }
}

/// Finds the kernels of the program in each part.
void find_places(source_program& made) {
  for (source_program::part& part : made.parts) {
    const std::vector<std::string>& names = part.module->kernels();
    for (const auto& each : made.kernels) {
      const auto found = std::find(names.begin(), names.end(), each->type_name);
      part.places.push_back(static_cast<std::size_t>(found - names.begin()));
    }
  }
}

}  // namespace

void apply(build_settings& to, const ext::oneapi::experimental::build_options& property) { to.options = property.opts; }
void apply(build_settings& to, const ext::oneapi::experimental::save_log& property) { to.log = property.log; }
void apply(build_settings& to, const ext::sinter::spec_ids& property) { to.constants = property; }

int source_program::find(const std::string& name) const noexcept {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i]->type_name == name) return static_cast<int>(i);
  }
  return -1;
}

int source_program::find(const kernel_identity* identity) const noexcept {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].get() == identity) return static_cast<int>(i);
  }
  return -1;
}

const source_program::part* source_program::part_for(const sinter::device_backend& device) const noexcept {
  for (const part& each : parts) {
    if (each.device == &device) return &each;
  }
  return nullptr;
}

std::uint32_t source_program::argument_count(std::size_t kernel) const {
  if (imported) return imported->argument_count(kernel);
  return parts.front().module->argument_count(parts.front().places[kernel]);
}

void source_program::add_kernel(const std::string& name) {
  kernels.push_back(std::make_unique<const kernel_identity>(kernel_identity{name, name}));
}

shared<kernel_bundle_impl> make_source_bundle(const context& in, language language, const void* source,
                                              std::size_t bytes) {
  if (!ext::oneapi::experimental::is_source_kernel_bundle_supported(in, language)) {
    refuse_language(language, "create_kernel_bundle_from_source: no device of the context takes");
  }
  auto program = make_counted<source_program>();
  program->written_in = language;
  if (language == language::spirv) {
    const std::string error = sinter::read_spirv(source, bytes, program->facts);
    if (!error.empty()) {
      throw_invalid(("create_kernel_bundle_from_source: no SPIR-V module for OpenCL: " + error).c_str());
    }
  } else {
    program->text.assign(static_cast<const char*>(source), bytes);
  }
  auto made = make_counted<kernel_bundle_impl>(bundle_state::ext_oneapi_source, in, in.get_devices());
  made->source = program;
  return made;
}

shared<kernel_bundle_impl> build_source_bundle(const bundle_base& source, const std::vector<device>* devices,
                                               const build_settings& settings) {
  const shared<kernel_bundle_impl>& from = implementation(source);
  const std::vector<device> wanted = devices ? *devices : from->devices;
  if (wanted.empty()) throw_invalid("build: the list of devices is empty");
  auto made = make_counted<source_program>();
  made->written_in = from->source->written_in;
  made->text = from->source->text;
  made->facts = from->source->facts;
  std::string log;
  const auto say = [&] {
    if (settings.log) *settings.log = log;
  };
  check_constants(made->facts, settings.constants);
  std::vector<device> built;
  for (const device& each : wanted) {
    if (std::find(from->devices.begin(), from->devices.end(), each) == from->devices.end()) {
      throw_invalid("build: a device is not one of the bundle's");
    }
    if (can_build(each, made->written_in)) {
      built.push_back(each);
    } else if (devices) {
      refuse_language(made->written_in, "build: device '" + each.get_info<info::device::name>() + "' takes no");
    }
  }
  try {
    for (const device& one : built) {
      const device& each = object_access::impl(from->home)->own(one);
      if (driver_builds(each, made->written_in)) {
        if (!made->part_for(builder_of(each))) build_part(*made, each, settings, log);
      } else if (!made->imported) {
        import(*made, settings, log);
      }
    }
  } catch (...) {
    say();
    throw;
  }
  say();
  find_places(*made);
  auto bundle = make_counted<kernel_bundle_impl>(bundle_state::executable, from->home, built);
  bundle->source = made;
  return bundle;
}

shared<kernel_bundle_impl> make_native_bundle(const context& in, const device& on,
                                              std::unique_ptr<sinter::native_module> module) {
  auto program = make_counted<source_program>();
  for (const std::string& name : module->kernels()) program->add_kernel(name);
  program->parts.push_back({&builder_of(on), std::move(module), {}});
  find_places(*program);
  auto bundle = make_counted<kernel_bundle_impl>(bundle_state::executable, in, std::vector<device>{on});
  bundle->source = program;
  return bundle;
}

bool bundle_base::has_source_kernel(const std::string& name, const device* on) const {
  const source_program* program = m_impl->source.get();
  if (!program || program->find(name) < 0) return false;
  return !on || std::find(m_impl->devices.begin(), m_impl->devices.end(), *on) != m_impl->devices.end();
}

kernel bundle_base::find_source_kernel(const std::string& name) const {
  const source_program* program = m_impl->source.get();
  const int found = program ? program->find(name) : -1;
  if (!program) throw_invalid("ext_oneapi_get_kernel: the bundle was not built from source");
  if (found < 0) {
    std::string names;
    for (const auto& each : program->kernels) names += (names.empty() ? "" : ", ") + each->type_name;
    throw_invalid(("ext_oneapi_get_kernel: the bundle has no kernel '" + name + "'; it has " + names).c_str());
  }
  const kernel_identity* identity = program->kernels[static_cast<std::size_t>(found)].get();
  return object_access::make_kernel(object_access::make_kernel_id(identity),
                                    bundle_access::wrap<bundle_state::executable>(m_impl));
}

}  // namespace detail

bool device::ext_oneapi_can_build(ext::oneapi::experimental::source_language language) const {
  return detail::can_build(*this, language);
}

namespace ext::oneapi::experimental {

bool is_source_kernel_bundle_supported(const context& in, source_language language) {
  const std::vector<device> devices = in.get_devices();
  return std::any_of(devices.begin(), devices.end(),
                     [&](const device& each) { return each.ext_oneapi_can_build(language); });
}

bool is_source_kernel_bundle_supported(backend of, source_language language) {
  const std::vector<device> devices = device::get_devices();
  return std::any_of(devices.begin(), devices.end(), [&](const device& each) {
    return each.get_backend() == of && each.ext_oneapi_can_build(language);
  });
}

}  // namespace ext::oneapi::experimental
}  // namespace sycl
