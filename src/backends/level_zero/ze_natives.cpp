#include "ze_natives.hpp"

#include <backends/driver_launch.hpp>
#include <base/large_stack.hpp>
#include <base/program_end.hpp>
#include <images/code_variant.hpp>
#include <images/registry.hpp>
#include <vector>

#include <sycl/exception.hpp>

#include "ze_programs.hpp"

namespace sinter::level_zero {
namespace {

class ze_module final : public native_module {
public:
  ze_module(ze_device_context& device, ze_module_handle_t module, bool is_own)
      : m_device(device), m_module(module), m_is_own(is_own) {}
  ~ze_module() override {
    for (const auto& each : m_codes) unload(*each->gpu);
    if (m_is_own) m_device.functions().zeModuleDestroy(m_module);
  }

  void find_kernels(const code_target& target) {
    const auto ask = m_device.functions().zeModuleGetKernelNames;
    const auto doing = [] { return std::string("asking for a module's kernels"); };
    std::uint32_t count = 0;
    m_device.check(ask(m_module, &count, nullptr), doing);
    std::vector<const char*> names(count);
    m_device.check(ask(m_module, &count, names.data()), doing);
    for (const char* each : names) add_kernel(target, each, nullptr);
  }
  void add_kernel(const code_target& target, const std::string& name, ze_kernel_handle_t known) {
    auto code = std::make_unique<code_variant>();
    code->made_for.target = &target;
    code->origin = code_origin::jit;
    code->name = name;
    code->gpu = std::make_unique<gpu_program>();
    code->gpu->entry = name;
    code->gpu->loaded[0] = load_from(m_device, m_module, name, known).release();
    m_codes.push_back(std::move(code));
    m_names.push_back(name);
  }

  const std::vector<std::string>& kernels() const override { return m_names; }
  std::uint32_t argument_count(std::size_t kernel) const override { return loaded(kernel).properties.numKernelArgs; }
  const code_variant& code(std::size_t kernel) const override { return *m_codes[kernel]; }
  void* native() const override { return m_module; }
  void* native(std::size_t kernel) const override { return loaded(kernel).function; }

private:
  loaded_kernel& loaded(std::size_t kernel) const {
    return *static_cast<loaded_kernel*>(m_codes[kernel]->gpu->loaded[0].load());
  }

  ze_device_context& m_device;
  const ze_module_handle_t m_module;
  const bool m_is_own;
  std::vector<std::string> m_names;
  std::vector<std::unique_ptr<code_variant>> m_codes;
};

}  // namespace

device_backend* ze_natives::in_context(void* context) {
  return device_in_context(m_device, static_cast<ze_context_handle_t>(context));
}

void ze_natives::retain(native_kind kind, void* object) {
  if (kind != native_kind::queue) return;
  std::lock_guard lock(m_mutex);
  m_given_lists.insert(object);
}

void ze_natives::release(native_kind kind, void* object) {
  const loader& functions = m_device.functions();
  if (kind == native_kind::event) functions.zeEventDestroy(static_cast<ze_event_handle_t>(object));
  if (kind == native_kind::program) functions.zeModuleDestroy(static_cast<ze_module_handle_t>(object));
  if (kind == native_kind::kernel) functions.zeKernelDestroy(static_cast<ze_kernel_handle_t>(object));
  if (kind == native_kind::memory) m_device.deallocate(object);
}

std::unique_ptr<device_stream> ze_natives::adopt_stream(void* stream, bool measures) {
  bool is_given = false;
  {
    std::lock_guard lock(m_mutex);
    is_given = m_given_lists.erase(stream) != 0;
  }
  return std::make_unique<ze_stream>(m_device, m_keeper, measures, static_cast<ze_command_list_handle_t>(stream),
                                     is_given);
}

/// The program might never signal the event, so the wait also ends when the main thread ends.
void ze_natives::wait_for(void* event) {
  constexpr std::uint64_t a_while = 1000000;
  ze_result_t result = ZE_RESULT_NOT_READY;
  while (result == ZE_RESULT_NOT_READY && !has_main_thread_ended()) {
    result = m_device.functions().zeEventHostSynchronize(static_cast<ze_event_handle_t>(event), a_while);
  }
  if (result == ZE_RESULT_NOT_READY) return;
  m_device.check(result, [] { return std::string("waiting for an event of the program's"); });
}

std::size_t ze_natives::bytes_of(void* object) {
  void* begin = nullptr;
  std::size_t bytes = 0;
  const ze_result_t result =
      m_device.functions().zeMemGetAddressRange(m_device.context(), object, &begin, &bytes);
  if (result != ZE_RESULT_SUCCESS || !begin) return 0;
  return bytes - static_cast<std::size_t>(static_cast<char*>(object) - static_cast<char*>(begin));
}

void ze_natives::copy(void* object, void* host, std::size_t bytes, bool to_object) {
  m_owner.copy_bytes(to_object ? object : host, to_object ? host : object, bytes);
}

std::unique_ptr<native_module> ze_natives::build(const kernel_source& source, std::string& log) {
  std::unique_ptr<ze_module> made;
  on_large_stack([&] {
    made = std::make_unique<ze_module>(m_device, build_source(m_device, source, log), /*is_own=*/true);
    made->find_kernels(m_target);
  });
  return made;
}

std::unique_ptr<native_module> ze_natives::adopt_module(void* program, void* kernel) {
  auto made = std::make_unique<ze_module>(m_device, static_cast<ze_module_handle_t>(program), /*is_own=*/false);
  if (!kernel) {
    made->find_kernels(m_target);
    return made;
  }
  std::string name;
  program_of(kernel, name);
  made->add_kernel(m_target, name, static_cast<ze_kernel_handle_t>(kernel));
  return made;
}

/// Level Zero has a function for the kernel's name, but none for its module, so the result is null.
void* ze_natives::program_of(void* kernel, std::string& name) {
  const auto ask = m_device.functions().zeKernelGetName;
  const auto doing = [] { return std::string("asking for a kernel's name"); };
  std::size_t bytes = 0;
  m_device.check(ask(static_cast<ze_kernel_handle_t>(kernel), &bytes, nullptr), doing);
  name.assign(bytes, '\0');
  m_device.check(ask(static_cast<ze_kernel_handle_t>(kernel), &bytes, name.data()), doing);
  while (!name.empty() && name.back() == '\0') name.pop_back();
  return nullptr;
}

device_natives::code ze_natives::code_of(abi::kernel_descriptor& kernel, const abi::specialization_table* constants) {
  const image_use keep_image(kernel);
  kernel_launch launch{};
  launch.kernel = &kernel;
  launch.constants = constants;
  find_driver_code(m_owner, launch);
  loaded_kernel& loaded = load(m_device, *launch.code, kernel);
  return {loaded.module, kernel_to_give(loaded, launch.code->gpu->entry)};
}

}  // namespace sinter::level_zero
