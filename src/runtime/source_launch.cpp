// Launches kernels from OpenCL C or SPIR-V. If Sinter has compiled the kernel, the arguments become an argument block.
// Otherwise they are laid out for the driver's kernel.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <images/kernel_view.hpp>
#include <memory/accessor_fields.hpp>
#include <runtime/handler_impl.hpp>
#include <string>

#include "source_bundle.hpp"

namespace sycl::inline _V1::detail {
namespace {

using sinter::abi::leaf_kind;

[[noreturn]] void refuse(const kernel& object, const std::string& why) {
  detail::throw_error(
      errc::kernel_argument,
      std::string("launch of the kernel object '") + object_access::kernel_id_of(object).get_name() + "': " + why);
}

/// Returns the arguments in the order of their numbers. Throws if an argument is missing.
std::vector<const kernel_argument*> sorted_arguments(const handler_impl& handler, const kernel& object,
                                                     std::size_t count, const std::vector<kernel_argument>& given) {
  std::vector<const kernel_argument*> result(count);
  std::size_t next = 0;
  for (const kernel_argument& each : given) {
    if (each.index != next_argument) next = static_cast<std::size_t>(each.index);
    if (next >= count) {
      refuse(object, "there is no argument " + std::to_string(next) + "; it has " + std::to_string(count));
    }
    result[next++] = &each;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::string which = "argument " + std::to_string(i) + " of " + std::to_string(count);
    if (!result[i]) refuse(object, which + " is not set; see handler::set_arg");
    if (result[i]->value.kind != leaf_kind::accessor) continue;
    const accessor_fields accessor(result[i]->bytes.data(), 0, result[i]->value.dimensions);
    if (accessor.placeholder && !handler.requires_record(accessor.record)) {
      refuse(object, which +
                         " is a placeholder accessor that is not bound to this command group; call "
                         "handler::require with it");
    }
  }
  return result;
}

/// Returns the address for a pointer argument: a USM pointer, or the beginning of an accessor.
const void* pointer_of(const kernel_argument& argument) {
  return read_field<const void*>(argument.bytes.data(), sinter::abi::accessor_layout::data);
}
buffer_record* record_of_accessor(const kernel_argument& argument) {
  if (argument.value.kind != leaf_kind::accessor) return nullptr;
  return accessor_fields(argument.bytes.data(), 0, argument.value.dimensions).record;
}

struct local_part {
  std::uint64_t offset, bytes;
};
local_part local_of(const kernel_argument& argument) {
  using layout = sinter::abi::local_accessor_layout;
  local_part result{read_field<std::size_t>(argument.bytes.data(), layout::local_offset), argument.value.element_bytes};
  for (unsigned d = 0; d < argument.value.dimensions; ++d) {
    result.bytes *= read_field<std::size_t>(argument.bytes.data(), layout::range + d * sizeof(std::size_t));
  }
  return result;
}

char* allocate(std::size_t bytes, std::size_t alignment) {
  alignment = std::max<std::size_t>(alignment, alignof(std::max_align_t));
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, whole);
  if (!memory) detail::throw_error(errc::memory_allocation, "no memory for the arguments of a kernel");
  return static_cast<char*>(std::memset(memory, 0, whole));
}

/// Objects to which a launch of a driver's kernel refers.
struct native_launch : counted {
  sinter::abi::kernel_descriptor descriptor{};
  shared<source_program> program;
};

void launch_native(handler_impl& handler, const shared<source_program>& program, const sinter::code_variant& code,
                   std::span<const kernel_argument* const> arguments, sinter::abi::kernel_shape shape,
                   unsigned dimensions, const launch_geometry& geometry) {
  using sinter::native_argument;
  constexpr std::size_t alignment = 16;
  const auto aligned = [](std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  const std::uint64_t count = arguments.size();
  std::size_t bytes = aligned(sizeof(count) + count * sizeof(native_argument));
  for (const kernel_argument* each : arguments) bytes += aligned(each->bytes.size());
  char* const block = allocate(bytes, alignment);
  function_object owner(block, std::free);
  std::memcpy(block, &count, sizeof(count));
  std::size_t at = aligned(sizeof(count) + count * sizeof(native_argument));
  for (std::uint32_t i = 0; i < count; ++i) {
    const kernel_argument& each = *arguments[i];
    native_argument row{native_argument::kind::value, i, each.bytes.size(), at};
    if (each.value.kind == leaf_kind::accessor || each.value.kind == leaf_kind::global_pointer) {
      row.what = native_argument::kind::pointer;
      row.bytes = sizeof(void*);
      const void* const pointer = pointer_of(each);
      std::memcpy(block + at, &pointer, sizeof(pointer));
      if (buffer_record* record = record_of_accessor(each)) handler.bind_pointer(at, *record);
    } else if (each.value.kind == leaf_kind::local_accessor) {
      row.what = native_argument::kind::local_memory;
      row.bytes = local_of(each).bytes;
    } else {
      std::memcpy(block + at, each.bytes.data(), each.bytes.size());
    }
    std::memcpy(block + sizeof(count) + i * sizeof(row), &row, sizeof(row));
    at += aligned(each.bytes.size());
  }
  auto launched = make_counted<native_launch>();
  launched->program = program;
  launched->descriptor.block_size = static_cast<std::uint32_t>(bytes);
  launched->descriptor.block_alignment = alignment;
  launched->descriptor.shape = shape;
  launched->descriptor.dimensions = dimensions;
  launched->descriptor.flags = sinter::abi::descriptor_is_helper | sinter::abi::descriptor_from_source;
  launched->descriptor.variants = const_cast<sinter::code_variant*>(&code);
  handler.keep_with_kernel(launched);
  set_kernel(handler, launched->descriptor, geometry, std::move(owner));
}

/// Chooses the size of groups for a kernel that uses groups but is launched without a group size. The result is the
/// size that the kernel's source requires. If the source requires none, the result is a size that divides the range.
launch_geometry with_groups(launch_geometry geometry, const std::uint32_t* required) {
  constexpr std::uint64_t most = 64;
  for (int d = 0; d < 3; ++d) geometry.local_range[d] = required ? required[d] : 1;
  while (!required && geometry.local_range[2] < most && geometry.global_range[2] % (2 * geometry.local_range[2]) == 0) {
    geometry.local_range[2] *= 2;
  }
  return geometry;
}

void launch_imported(handler_impl& handler, const kernel& object, const shared<source_program>& program,
                     std::size_t kernel, std::span<const kernel_argument* const> arguments,
                     sinter::abi::kernel_shape shape, unsigned dimensions, launch_geometry geometry) {
  using sinter::abi::kernel_shape;
  const bool wants_groups = program->imported->needs_groups(kernel) && shape != kernel_shape::nd_range;
  if (wants_groups) shape = kernel_shape::nd_range;
  sinter::abi::kernel_descriptor& descriptor = program->imported->descriptor(kernel, shape, dimensions);
  const sinter::kernel_view view(descriptor);
  if (wants_groups) geometry = with_groups(geometry, view.required_work_group_size());
  char* const block = allocate(descriptor.block_size, descriptor.block_alignment);
  function_object owner(block, std::free);
  const auto leaves = view.leaves();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_argument& each = *arguments[i];
    const sinter::abi::image_leaf& leaf = leaves[i];
    const leaf_kind given = each.value.kind == leaf_kind::accessor ? leaf_kind::global_pointer : each.value.kind;
    const bool is_value = given == leaf_kind::scalar || given == leaf_kind::opaque_bytes;
    const bool takes_value = leaf.kind == leaf_kind::scalar || leaf.kind == leaf_kind::opaque_bytes;
    const std::string which = "argument " + std::to_string(i) + " ";
    if (given != leaf.kind && !(is_value && takes_value)) {
      refuse(object, which + "is of another kind: the kernel takes " +
                         (takes_value                              ? "a value"
                          : leaf.kind == leaf_kind::local_accessor ? "local memory (a local_accessor)"
                                                                   : "a pointer to global memory, or an accessor"));
    }
    if (is_value && each.bytes.size() != leaf.size) {
      refuse(object, which + "has " + std::to_string(leaf.size) + " bytes, the value " +
                         std::to_string(each.bytes.size()) + "; give it in the type of the kernel's parameter");
    }
    if (leaf.kind == leaf_kind::local_accessor) {
      const local_part part = local_of(each);
      std::memcpy(block + leaf.offset, &part, sizeof(part));
    } else if (leaf.kind == leaf_kind::global_pointer) {
      const void* const pointer = pointer_of(each);
      std::memcpy(block + leaf.offset, &pointer, sizeof(pointer));
      if (buffer_record* record = record_of_accessor(each)) handler.bind_pointer(leaf.offset, *record);
    } else {
      std::memcpy(block + leaf.offset, each.bytes.data(), each.bytes.size());
    }
  }
  // The remaining leaves describe arrays that the kernel itself has in local memory.
  for (const sinter::abi::image_leaf& leaf : leaves.subspan(arguments.size())) {
    const local_part part{handler.add_local_memory(leaf.element_size, 64), leaf.element_size};
    std::memcpy(block + leaf.offset, &part, sizeof(part));
  }
  handler.keep_with_kernel(program);
  set_kernel(handler, descriptor, geometry, std::move(owner));
}

}  // namespace

void launch_source_kernel(handler_impl& handler, const kernel& object, const shared<source_program>& program,
                          sinter::abi::kernel_shape shape, int dimensions, const launch_geometry& geometry) {
  const int found = program->find(object_access::identity(object_access::kernel_id_of(object)));
  const auto which = static_cast<std::size_t>(found);
  handler.use_bundle(implementation(object.get_kernel_bundle()));
  const queue_impl& queue = handler.queue();
  const std::vector<device> devices = object.get_kernel_bundle().get_devices();
  const bool is_built = std::find(devices.begin(), devices.end(), queue.get_device()) != devices.end();
  const source_program::part* part = program->part_for(queue.backend());
  const bool has_it = part ? part->places[which] < part->module->kernels().size() : program->imported != nullptr;
  if (!is_built || !has_it) {
    detail::throw_error(errc::kernel_not_supported,
                        std::string("launch of the kernel object '") + object_access::kernel_id_of(object).get_name() +
                            "': its bundle was not built for device '" + queue.backend().facts().name + "'");
  }
  const std::size_t count =
      part ? part->module->argument_count(part->places[which]) : program->imported->argument_count(which);
  const auto arguments = sorted_arguments(handler, object, count, handler.kernel_arguments());
  const auto rank = static_cast<unsigned>(dimensions);
  if (part) {
    launch_native(handler, program, part->module->code(part->places[which]), arguments, shape, rank, geometry);
  } else {
    launch_imported(handler, object, program, which, arguments, shape, rank, geometry);
  }
}

}  // namespace sycl::detail
