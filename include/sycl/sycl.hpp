#pragma once
/// The umbrella header of SYCL. Each other header can be included alone. This header includes all of them, and the
/// standard headers that programs written for other implementations expect (detail/standard_headers.hpp). With
/// SINTER_LEAN_HEADERS defined, the header includes neither these standard headers nor the headers of other vendors'
/// extensions. Programs then include the headers that they need. The headers of kernel fusion are always included.

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "Sinter needs C++20: compile with -std=c++20 or newer"
#else

#include "detail/version.hpp"

// This header is the first, so that the compiler's message about a mistaken launch has two lines about includes instead
// of seven.
#include "detail/launch_mistakes.hpp"

#include "access.hpp"
#include "accessor.hpp"
#include "aspects.hpp"
#include "atomic.hpp"
#include "atomic_ref.hpp"
#include "bit_cast.hpp"
#include "buffer.hpp"
#include "context.hpp"
#include "detail/enum_names.hpp"
#include "device.hpp"
#include "event.hpp"
#include "exception.hpp"
#include "exception_classes.hpp"
#include "ext/codeplay/experimental/fusion_properties.hpp"
#include "ext/codeplay/experimental/fusion_wrapper.hpp"
#include "ext/sinter/adaptive.hpp"
#include "ext/sinter/auto_fusion.hpp"
#include "ext/sinter/counters.hpp"
#include "ext/sinter/graph_fusion.hpp"
#include "ext/sinter/sides.hpp"
#include "ext/sinter/trust_accesses.hpp"
#include "functional.hpp"
#include "group.hpp"
#include "group_algorithms.hpp"
#include "half.hpp"
#include "handler.hpp"
#include "hierarchical.hpp"
#include "host_accessor.hpp"
#include "id.hpp"
#include "image.hpp"
#include "info.hpp"
#include "is_device_copyable.hpp"
#include "item.hpp"
#include "kernel_bundle.hpp"
#include "kernel_settings.hpp"
#include "khr/free_function_commands.hpp"
#include "khr/group_interface.hpp"
#include "khr/max_work_group_queries.hpp"
#include "khr/static_addrspace_cast.hpp"
#include "khr/work_item_queries.hpp"
#include "local_accessor.hpp"
#include "marray.hpp"
#include "math.hpp"
#include "multi_ptr.hpp"
#include "nd_item.hpp"
#include "nd_range.hpp"
#include "opencl_types.hpp"
#include "program.hpp"
#include "property_list.hpp"
#include "queue.hpp"
#include "range.hpp"
#include "reduction.hpp"
#include "specialization.hpp"
#include "stream.hpp"
#include "sub_group.hpp"
#include "usm.hpp"
#include "vec.hpp"

#ifndef SINTER_LEAN_HEADERS
#include "detail/standard_headers.hpp"

#include "backend.hpp"
#include "ext/acpp/specialized.hpp"
#include "ext/intel/device_info.hpp"
#include "ext/intel/experimental/matrix.hpp"
#include "ext/intel/usm_pointers.hpp"
#include "ext/oneapi/bfloat16.hpp"
#include "ext/oneapi/bindless_images.hpp"
#include "ext/oneapi/device_global/device_global.hpp"
#include "ext/oneapi/device_info.hpp"
#include "ext/oneapi/dot_product.hpp"
#include "ext/oneapi/experimental/async_alloc.hpp"
#include "ext/oneapi/experimental/annotated_ptr/annotated_ptr.hpp"
#include "ext/oneapi/experimental/auto_local_range.hpp"
#include "ext/oneapi/experimental/bfloat16_math.hpp"
#include "ext/oneapi/experimental/builtins.hpp"
#include "ext/oneapi/experimental/clock.hpp"
#include "ext/oneapi/experimental/copy_optimize.hpp"
#include "ext/oneapi/experimental/cuda/builtins.hpp"
#include "ext/oneapi/experimental/current_device.hpp"
#include "ext/oneapi/experimental/device_architecture.hpp"
#include "ext/oneapi/experimental/enqueue_functions.hpp"
#include "ext/oneapi/experimental/forward_progress.hpp"
#include "ext/oneapi/experimental/free_function_kernels.hpp"
#include "ext/oneapi/experimental/graph.hpp"
#include "ext/oneapi/experimental/group_load_store.hpp"
#include "ext/oneapi/experimental/group_sort.hpp"
#include "ext/oneapi/experimental/kernel_compiler.hpp"
#include "ext/oneapi/experimental/non_uniform_groups.hpp"
#include "ext/oneapi/experimental/prefetch.hpp"
#include "ext/oneapi/experimental/profiling_tag.hpp"
#include "ext/oneapi/experimental/root_group.hpp"
#include "ext/oneapi/experimental/uniform.hpp"
#include "ext/oneapi/experimental/work_group_memory.hpp"
#include "ext/oneapi/free_function_queries.hpp"
#include "ext/oneapi/functional.hpp"
#include "ext/oneapi/group_local_memory.hpp"
#include "ext/oneapi/kernel_properties/properties.hpp"
#include "ext/oneapi/matrix/matrix.hpp"
#include "ext/oneapi/peer_access.hpp"
#include "ext/oneapi/queue_properties.hpp"
#include "ext/oneapi/sub_group_mask.hpp"
#include "ext/oneapi/virtual_mem/virtual_mem.hpp"
#include "ext/oneapi/work_group_scratch_memory.hpp"
#include "ext/oneapi/work_group_static.hpp"
#include "ext/sinter/spec_ids.hpp"
#include "legacy_image.hpp"
#ifdef SYCL_EXT_ONEAPI_COMPLEX  // the program has to define this macro, because the header includes <complex>
#include "ext/oneapi/experimental/complex/complex.hpp"
#endif

// The names without a namespace are for programs that expect SYCL headers to include OpenCL's headers.
using sycl::opencl::cl_char, sycl::opencl::cl_uchar, sycl::opencl::cl_short, sycl::opencl::cl_ushort;
using sycl::opencl::cl_int, sycl::opencl::cl_uint, sycl::opencl::cl_long, sycl::opencl::cl_ulong;
using sycl::opencl::cl_double, sycl::opencl::cl_float;
#endif

// The name of the namespace in SYCL 1.2.1.
namespace cl {
namespace sycl = ::sycl;
}

#endif
