#pragma once
/// A Level Zero driver for tests. Level Zero's own loader loads it (ZE_ENABLE_ALT_DRIVERS). The test driver forwards
/// kernels to a device of an OpenCL driver that accepts SPIR-V and has unified shared memory, so kernels compute real
/// values. The driver is as unhelpful as the specification allows, and ends the process with a sentence in cases that
/// are undefined: arguments or groups that were not set, events used again while a command waits for them, memory freed
/// while commands use it, commands that use the same memory in no certain order. The driver implements specification
/// 1.3. The variables TEST_ZE_... add extensions or remove features (objects.hpp).

namespace judge {

/// Ends the process with the sentence, because a rule of the specification was broken.
[[noreturn]] void refuse(const char* sentence);

}  // namespace judge
