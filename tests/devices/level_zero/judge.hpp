#pragma once
/// A driver of Level Zero's for tests, behind Level Zero's own loader (ZE_ENABLE_ALT_DRIVERS). Its device is that of an
/// OpenCL driver that takes SPIR-V and has unified shared memory, so kernels compute real values. It is as unhelpful as
/// the specification allows, and ends the process with a sentence in cases that are undefined: arguments or groups that
/// nobody set, events used again while somebody waits for them, memory freed while commands use it, commands of a list
/// that nothing orders. It knows specification 1.3; variables TEST_ZE_... give it extensions, or take something away
/// (objects.hpp).

namespace judge {

/// Breaks of the specification's rules end here.
[[noreturn]] void refuse(const char* sentence);

}  // namespace judge
