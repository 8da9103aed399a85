/// Sinter's declarations of HIP (src/backends/hip/hip_abi.hpp) agree with HIP's own header.

#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#define __HIP_DISABLE_CPP_FUNCTIONS__ 1
#include <backends/hip/hip_abi.hpp>
#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace ours = sinter::hip;

#define SAME_NUMBER(name) static_assert(static_cast<unsigned>(ours::name) == static_cast<unsigned>(::name), #name)
#define SAME_PLACE(name, member) static_assert(offsetof(ours::name, member) == offsetof(::name, member), #member)
#define SAME_STRUCTURE(name) \
  static_assert(sizeof(ours::name) == sizeof(::name) && alignof(ours::name) == alignof(::name), #name)

SAME_NUMBER(hipSuccess);
SAME_NUMBER(hipErrorInvalidValue);
SAME_NUMBER(hipErrorOutOfMemory);
SAME_NUMBER(hipErrorDeinitialized);
SAME_NUMBER(hipErrorNoDevice);
SAME_NUMBER(hipErrorInvalidDevice);
SAME_NUMBER(hipErrorInvalidImage);
SAME_NUMBER(hipErrorNoBinaryForGpu);
SAME_NUMBER(hipErrorInvalidHandle);
SAME_NUMBER(hipErrorNotFound);
SAME_NUMBER(hipErrorNotReady);
SAME_NUMBER(hipErrorIllegalAddress);
SAME_NUMBER(hipErrorPeerAccessAlreadyEnabled);
SAME_NUMBER(hipErrorLaunchFailure);
SAME_NUMBER(hipDeviceAttributeClockRate);
SAME_NUMBER(hipDeviceAttributeConcurrentManagedAccess);
SAME_NUMBER(hipDeviceAttributeCooperativeLaunch);
SAME_NUMBER(hipDeviceAttributeIntegrated);
SAME_NUMBER(hipDeviceAttributeL2CacheSize);
SAME_NUMBER(hipDeviceAttributeManagedMemory);
SAME_NUMBER(hipDeviceAttributeMaxBlockDimX);
SAME_NUMBER(hipDeviceAttributeMaxBlockDimY);
SAME_NUMBER(hipDeviceAttributeMaxBlockDimZ);
SAME_NUMBER(hipDeviceAttributeMaxGridDimX);
SAME_NUMBER(hipDeviceAttributeMaxGridDimY);
SAME_NUMBER(hipDeviceAttributeMaxGridDimZ);
SAME_NUMBER(hipDeviceAttributeMaxThreadsPerBlock);
SAME_NUMBER(hipDeviceAttributeMemoryBusWidth);
SAME_NUMBER(hipDeviceAttributeMemoryClockRate);
SAME_NUMBER(hipDeviceAttributeMultiprocessorCount);
SAME_NUMBER(hipDeviceAttributePciBusId);
SAME_NUMBER(hipDeviceAttributePciDeviceId);
SAME_NUMBER(hipDeviceAttributePciDomainID);
SAME_NUMBER(hipDeviceAttributeMaxSharedMemoryPerBlock);
SAME_NUMBER(hipDeviceAttributeWarpSize);
SAME_NUMBER(hipDeviceAttributeMemoryPoolsSupported);
SAME_NUMBER(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_NUMBER(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_NUMBER(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_NUMBER(HIP_FUNC_ATTRIBUTE_NUM_REGS);
SAME_NUMBER(hipMemAdviseSetReadMostly);
SAME_NUMBER(hipMemAdviseUnsetAccessedBy);
SAME_NUMBER(HIP_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME_NUMBER(hipMemPoolAttrReleaseThreshold);
SAME_NUMBER(hipMemcpyDefault);
// These are macros in HIP's header.
static_assert(static_cast<unsigned>(hipStreamNonBlocking) == 1 && static_cast<unsigned>(hipEventDisableTiming) == 2);
static_assert(static_cast<unsigned>(hipHostMallocPortable) == 1 && static_cast<unsigned>(hipHostMallocMapped) == 2 &&
              static_cast<unsigned>(hipHostMallocCoherent) == 0x40000000 &&
              static_cast<unsigned>(hipMemAttachGlobal) == 1);
static_assert(hipMemLocationTypeDevice == 1 && hipMemAccessFlagsProtReadWrite == 3);

SAME_STRUCTURE(hipUUID);
SAME_STRUCTURE(hipMemLocation);
SAME_STRUCTURE(hipMemAccessDesc);
SAME_PLACE(hipMemAccessDesc, flags);
SAME_STRUCTURE(hipKernelNodeParams);
SAME_PLACE(hipKernelNodeParams, extra);
SAME_PLACE(hipKernelNodeParams, func);
SAME_PLACE(hipKernelNodeParams, gridDim);
SAME_PLACE(hipKernelNodeParams, kernelParams);
SAME_PLACE(hipKernelNodeParams, sharedMemBytes);
SAME_STRUCTURE(hipMemsetParams);
SAME_PLACE(hipMemsetParams, elementSize);
SAME_PLACE(hipMemsetParams, height);
SAME_PLACE(hipMemsetParams, pitch);
SAME_PLACE(hipMemsetParams, value);
SAME_PLACE(hipMemsetParams, width);
// Since version 6, HIP's header has a different structure of properties under the old name.
using known_properties = std::conditional_t<(sizeof(::hipDeviceProp_t) < 1000), ours::hipDevicePropR0000,
                                            ours::hipDevicePropR0600>;
static_assert(offsetof(known_properties, gcnArchName) == offsetof(::hipDeviceProp_t, gcnArchName));
static_assert(sizeof(known_properties) >= sizeof(::hipDeviceProp_t));

namespace {

/// Structures and enumerations have other names in Sinter, so parameters are compared by number and size, and pointers
/// only with pointers.
template <class Ours, class Theirs>
struct same_call : std::false_type {};
template <class... Ours, class... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct same_call<ours::hipError_t(Ours...), ::hipError_t(Theirs...)>
    : std::bool_constant<((sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>) &&
                          ...)> {};

}  // namespace

// Declares a type for each of HIP's functions, with the function's name.
namespace sinter::hip::declared {
#define DECLARE(name, parameters) using type_of_##name = hipError_t parameters;
SINTER_HIP_FUNCTIONS(DECLARE)
}  // namespace sinter::hip::declared

namespace plain {

// HIP's header also has templates with this name, so the cast selects the function.
[[maybe_unused]] constexpr ::hipError_t (*hipMallocAsync)(void**, std::size_t, ::hipStream_t) = ::hipMallocAsync;

#define SAME_CALL(name, parameters) \
  static_assert(same_call<ours::declared::type_of_##name, std::remove_pointer_t<decltype(name)>>::value, #name);
SINTER_HIP_FUNCTIONS(SAME_CALL)

}  // namespace plain

int main() {}
