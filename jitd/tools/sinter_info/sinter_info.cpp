/// sinter-info prints what Sinter finds on this machine, and what it would use.

#include <abi/read_variable.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <base/aspect_names.hpp>
#include <runtime/introspection.hpp>
#include <string>
#include <string_view>
#include <sycl/sycl.hpp>

#include "child_process.hpp"
#include "image_printer.hpp"
#include "opencl_drivers.hpp"

namespace {

constexpr const char* usage =
    "usage: sinter-info [--environment | --image FILE]\n"
    "Shows devices, versions, the kernel cache and what is missing for other backends.\n"
    "  --environment  the environment variables Sinter reads, and their present values\n"
    "  --image FILE   the kernels of an object file, program or library, and what they require of devices\n"
    "  --help         this text\n";

std::string bytes(std::uint64_t count) {
  static const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  double value = static_cast<double>(count);
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  char text[64];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

/// Prints "label          value" with a column that is wide enough for all labels of this program.
void line(const char* label, const std::string& value) { std::printf("  %-16s %s\n", label, value.c_str()); }

void print_aspects(const sycl::device& device) {
  std::string row;
  const char* label = "aspects";
  for (const auto& known : sinter::aspect_names) {
    if (!device.has(known.which)) continue;
    if (row.size() + std::char_traits<char>::length(known.name) > 90) {
      line(label, row);
      row.clear();
      label = "";
    }
    row += (row.empty() ? "" : ", ") + std::string(known.name);
  }
  line(label, row);
}

/// Returns false if there are no devices.
bool print_devices() {
  try {
    const auto devices = sycl::device::get_devices();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      using namespace sycl::info;
      const sycl::device& each = devices[i];
      std::printf("device %zu\n", i);
      line("name", each.get_info<device::name>());
      line("vendor", each.get_info<device::vendor>());
      line("compute units", std::to_string(each.get_info<device::max_compute_units>()));
      line("memory", bytes(each.get_info<device::global_mem_size>()));
      line("local memory", bytes(each.get_info<device::local_mem_size>()) + " for each work-group");
      line("work-group", "up to " + std::to_string(each.get_info<device::max_work_group_size>()) + " work-items");
      print_aspects(each);
    }
    return true;
  } catch (const sycl::exception& error) {
    std::printf("devices\n");
    line("none", error.what());
    return false;
  }
}

void print_versions(const sinter::introspection& facts) {
  std::printf("versions\n");
  line("sinter", facts.version + ", contract " + std::to_string(facts.contract));
  if (!facts.jit_error.empty()) {
    line("compiler", "can't be used, kernels run as host code: " + facts.jit_error);
    return;
  }
  line("compiler", facts.jit_path);
  line("LLVM", facts.llvm_version + ", " + facts.llvm_path);
  line("compiles for", facts.cpu_name);
}

void print_cache(const sinter::introspection& facts) {
  std::printf("kernel cache\n");
  line("directory", facts.cache_directory.empty() ? "none" : facts.cache_directory);
  if (!facts.cache_disabled.empty()) return line("off", facts.cache_disabled);
  line("kernels",
       std::to_string(facts.cache_entries) + ", " + bytes(facts.cache_bytes) + " of " + bytes(facts.cache_limit_bytes));
}

void print_images(const sinter::introspection& facts) {
  std::printf("device images of this program\n");
  line("images", std::to_string(facts.images) + " with " + std::to_string(facts.image_kernels) + " kernels");
  if (facts.images_refused != 0) line("refused", std::to_string(facts.images_refused));
}

/// Prints the files of all drivers, because the loader silently skips files that it can't use.
void print_opencl_drivers(const std::string& loader, const opencl_drivers& drivers) {
  if (drivers.found.empty()) line("", "no .icd files in " + drivers.place);
  for (const opencl_driver& driver : drivers.found) {
    const bool ignored = driver.from_file_names && !loader.empty() && loader.find("Khronos") == std::string::npos;
    line("", text_of(driver) + (ignored ? " (only Khronos' loader reads OCL_ICD_FILENAMES)" : ""));
  }
}

/// Tries the back-ends in a child process. A broken driver, or a loader that fails on a broken file, then ends the
/// child process and not sinter-info.
void try_backends() {
  for (const char* name : sinter::unsafe_backends()) {
    const trial all = try_in_child([&] {
      sinter::try_backend(name);
      return std::string();
    });
    if (all.end.empty()) continue;
    sinter::leave_backend_out(name, "not used here, because the process that asked its loader " + all.end);
  }
}

void print_backends(const sinter::introspection& facts, const opencl_drivers& opencl) {
  std::printf("other backends\n");
  for (const sinter::driver_state& each : facts.drivers) {
    line(each.label.c_str(), each.driver);
    for (const std::string& device : each.devices) line("", device);
    if (each.icd_loader) print_opencl_drivers(*each.icd_loader, opencl);
  }
}

void print_environment() {
  for (const sinter::environment_variable& variable : sinter::introspect_environment()) {
    std::printf("%s\n", variable.name);
    line("values", variable.values);
    line("when not set", variable.standard);
    line("meaning", variable.meaning);
    if (const char* present = sinter::abi::read_variable(variable.name)) line("now", "'" + std::string(present) + "'");
  }
}

} // namespace

int main(int count, char** words) {
  bool environment = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--environment") {
      environment = true;
    } else if (word == "--image" && i + 1 < count) {
      const std::string error = print_images_of(words[++i]);
      if (!error.empty()) std::fprintf(stderr, "sinter-info: %s\n", error.c_str());
      return error.empty() ? 0 : 1;
    } else if (word == "--help" || word == "-h") {
      std::fputs(usage, stdout);
      return 0;
    } else {
      std::fprintf(stderr, "sinter-info: there is no option '%s'\n%s", words[i], usage);
      return 2;
    }
  }
  if (environment) {
    print_environment();
    return 0;
  }
  // The drivers are tried before anything else, because this process may have threads and open drivers later.
  const opencl_drivers opencl = try_opencl_drivers();
  try_backends();
  const bool devices = print_devices();
  const sinter::introspection facts = sinter::introspect();
  print_versions(facts);
  print_cache(facts);
  print_images(facts);
  print_backends(facts, opencl);
  return devices ? 0 : 1;
}
