// Launches kernel objects. The program passes the function object, or sets arguments. In the second case, this file
// makes the function object from the arguments.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <images/kernel_name.hpp>
#include <images/kernel_view.hpp>
#include <memory/argument_fit.hpp>
#include <runtime/handler_impl.hpp>
#include <runtime/source_bundle.hpp>
#include <string>

namespace sycl::inline _V1::detail {
namespace {

using sinter::abi::leaf_kind;

[[noreturn]] void refuse(errc code, const kernel& object, const std::string& why) {
  detail::throw_error(code, std::string("launch of the kernel object '") +
                                                 object_access::kernel_id_of(object).get_name() + "': " + why);
}

std::string text_of(sinter::abi::kernel_shape shape, unsigned dimensions) {
  using sinter::abi::kernel_shape;
  if (shape == kernel_shape::single_task) return "single_task";
  return std::string("parallel_for with ") + (shape == kernel_shape::range ? "a range" : "an nd_range") + " of " +
         std::to_string(dimensions) + (dimensions == 1 ? " dimension" : " dimensions");
}

/// The bytes of a function object. The launch fills the arguments into these bytes.
class argument_block {
public:
  argument_block(const kernel& object, const sinter::abi::kernel_descriptor& descriptor)
      : m_object(object), m_leaves(sinter::kernel_view(descriptor).leaves()), m_size(descriptor.block_size) {
    const std::size_t alignment = std::max<std::size_t>(descriptor.block_alignment, alignof(std::max_align_t));
    const std::size_t bytes = (std::max<std::size_t>(m_size, 1) + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, bytes);
    if (!memory) refuse(errc::memory_allocation, object, "no memory for its arguments");
    std::memset(memory, 0, bytes);
    m_bytes = static_cast<char*>(memory);
    m_owner = function_object(memory, std::free);
    m_is_set.resize(m_leaves.size());
    // The user sets the captures, but not the arguments that the headers add behind the captures.
    while (m_arguments < m_leaves.size() && m_leaves[m_arguments].kind != leaf_kind::constants) ++m_arguments;
  }

  void set(const kernel_argument& argument) {
    const std::size_t first = argument.index == next_argument ? m_next : static_cast<std::size_t>(argument.index);
    if (first >= m_arguments) {
      refuse(errc::kernel_argument, m_object,
             "there is no argument " + std::to_string(first) + "; it has " + std::to_string(m_arguments));
    }
    argument_value value = argument.value;
    value.bytes = argument.bytes.size();
    const argument_fit fit = fit_of(m_leaves.first(m_arguments), first, value, m_size);
    if (!fit.misfit.empty()) {
      refuse(errc::kernel_argument, m_object, "argument " + std::to_string(first) + fit.misfit);
    }
    for (std::size_t i = first; i < fit.behind; ++i) m_is_set[i] = true;
    std::memcpy(m_bytes + m_leaves[first].offset, argument.bytes.data(), argument.bytes.size());
    m_next = fit.behind;
  }

  /// Returns the complete function object. Throws errc::kernel_argument if an argument is missing.
  function_object take(const specialization_table* constants) {
    for (std::size_t i = 0; i < m_arguments; ++i) {
      if (m_is_set[i]) continue;
      refuse(errc::kernel_argument, m_object,
             "argument " + std::to_string(i) + " of " + std::to_string(m_arguments) + " (" +
                 detail::text_of(m_leaves[i].kind) +
                 ") is not set; arguments are the captures of the kernel's function, see handler::set_arg");
    }
    for (const sinter::abi::image_leaf& leaf : m_leaves) {
      if (leaf.kind == leaf_kind::constants) std::memcpy(m_bytes + leaf.offset, &constants, sizeof(constants));
    }
    return std::move(m_owner);
  }

private:
  const kernel& m_object;
  std::span<const sinter::abi::image_leaf> m_leaves;
  std::size_t m_size;
  std::size_t m_arguments = 0;  ///< number of leaves that the user sets
  std::size_t m_next = 0;
  std::vector<bool> m_is_set;
  char* m_bytes = nullptr;
  function_object m_owner;
};

}  // namespace

void set_kernel_argument(handler_impl& handler, int index, const argument_value& value) {
  if (index < 0 && index != next_argument) throw_invalid("handler::set_arg: the index of an argument is negative");
  const auto* bytes = static_cast<const char*>(value.value);
  handler.kernel_arguments().push_back({index, value, {bytes, bytes + value.bytes}});
}

void clear_kernel_arguments(handler_impl& handler) { handler.kernel_arguments().clear(); }

void use_kernel(handler_impl& handler, const kernel& object, const char* type_name) {
  const kernel_id id = object_access::kernel_id_of(object);
  if (object_access::identity(id) != intern_kernel(type_name)) {
    refuse(errc::invalid, object,
           std::string("the function beside it is that of kernel '") + intern_kernel(type_name)->display_name +
               "'; name the launch as the kernel, or leave the kernel object out");
  }
  const shared<kernel_bundle_impl> bundle = implementation(object.get_kernel_bundle());
  if (handler.bundle() && handler.bundle() != bundle) {
    refuse(errc::invalid, object, "the command group uses another kernel bundle");
  }
  handler.use_bundle(bundle);
}

void launch_kernel_object(handler_impl& handler, const kernel& object, sinter::abi::kernel_shape shape, int dimensions,
                          const launch_geometry& geometry) {
  const shared<kernel_bundle_impl> from = implementation(object.get_kernel_bundle());
  if (from->source) return launch_source_kernel(handler, object, from->source, shape, dimensions, geometry);
  const kernel_identity* identity = object_access::identity(object_access::kernel_id_of(object));
  use_kernel(handler, object, identity->type_name.c_str());
  const sinter::abi::kernel_descriptor* descriptor = find_descriptor(identity);
  if (!descriptor || !sinter::image_of(*descriptor)) {
    refuse(errc::invalid, object,
           "it was compiled without the capture plugin, so that nobody knows its arguments; launch it "
           "with its function object");
  }
  const sinter::image_use keep_image(*descriptor);
  if (descriptor->shape != shape || descriptor->dimensions != static_cast<unsigned>(dimensions)) {
    refuse(errc::invalid, object,
           "it is a kernel for " + text_of(descriptor->shape, descriptor->dimensions) + ", not for " +
               text_of(shape, static_cast<unsigned>(dimensions)));
  }
  argument_block block(object, *descriptor);
  for (const kernel_argument& each : handler.kernel_arguments()) block.set(each);
  // The cast is right: descriptors are variables of the program. find_descriptor returns a descriptor as const only
  // because it does not change the descriptor.
  set_kernel(handler, const_cast<sinter::abi::kernel_descriptor&>(*descriptor), geometry,
             block.take(handler.visible_values()));
}

}  // namespace sycl::detail
