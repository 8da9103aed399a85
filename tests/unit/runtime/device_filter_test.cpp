/// The variables SINTER_DEVICE and ONEAPI_DEVICE_SELECTOR select devices.

#include <doctest/doctest.h>

#include <random>
#include <runtime/device_filter.hpp>
#include <string>

namespace {

using sinter::backend_row;
using sinter::filtered_device;

constexpr filtered_device devices[] = {{"sinter", "cpu", "Some Processor", 0, 0},
                                       {"cuda", "gpu", "NVIDIA H200", 1, 0},
                                       {"cuda", "gpu", "NVIDIA L4", 2, 1},
                                       {"opencl", "cpu", "Some Processor", 3, 0},
                                       {"opencl", "accelerator", "Emulator: fast", 4, 1}};

constexpr backend_row rows[] = {{"sinter", "native_cpu host", nullptr},
                                {"cuda", "ext_oneapi_cuda", nullptr},
                                {"opencl", "", nullptr}};

sinter::device_filter device_filter(const char* text) { return {text, rows}; }

/// Returns the indices of the selected devices, one digit after the other.
std::string chosen(const char* text) {
  const sinter::device_filter filter = device_filter(text);
  std::string result;
  for (const filtered_device& each : devices) {
    const bool through = filter.lets_through(each);
    // If the filter selects a device, it must also want the device's backend.
    if (through) CHECK(filter.wants_backend(each.backend));
    if (through) result += std::to_string(each.index);
  }
  return result;
}

}  // namespace

TEST_CASE("filters of devices") {
  CHECK(chosen("") == "01234");
  CHECK(chosen("cpu") == "0");
  CHECK(chosen("CPU") == "0");
  CHECK(chosen("gpu") == "12");
  CHECK(chosen("accelerator") == "4");
  CHECK(chosen("3") == "3");
  CHECK(chosen("h200") == "1");
  CHECK(chosen("emulator: fast") == "4");
  CHECK(chosen("opencl:cpu") == "3");
  CHECK(chosen("opencl:1") == "4");
  CHECK(chosen("opencl:*") == "34");
  CHECK(chosen("opencl") == "34");
  CHECK(chosen("!OpenCL") == "012");
  CHECK(chosen("cuda;opencl:cpu") == chosen("cuda:*;opencl:cpu"));
  CHECK(chosen("ext_oneapi_cuda:1") == "2");
  CHECK(chosen("host:*") == "0");
  CHECK(chosen("*:gpu") == "12");
  CHECK(chosen("*:cpu") == "0");
  CHECK(chosen("cuda:0;opencl:cpu,fpga") == "134");
  CHECK(chosen("!opencl:*") == "012");
  CHECK(chosen("!cuda:1") == "0134");
  CHECK(chosen("cuda:*;!cuda:0") == "2");
  CHECK(chosen("level_zero:gpu") == "");
  CHECK(chosen("some") == "03");
  CHECK(chosen("nothing like this") == "");
  CHECK_FALSE(device_filter("cpu").wants_backend("cuda"));
  CHECK_FALSE(device_filter("opencl:0").wants_backend("cuda"));
  CHECK_FALSE(device_filter("opencl").wants_backend("cuda"));
  CHECK(device_filter("opencl").wants_backend("opencl"));
  CHECK(device_filter("cpu").wants_backend("sinter"));
}

TEST_CASE("any text is a filter") {
  std::mt19937 random(7);
  const std::string letters = ":;,!*0123cpugocl ";
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 20, ' ');
    for (char& each : text) each = letters[random() % letters.size()];
    (void)chosen(text.c_str());
  }
}
