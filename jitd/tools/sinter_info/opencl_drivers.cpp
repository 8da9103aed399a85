#include "opencl_drivers.hpp"

#include <dlfcn.h>

#include <abi/read_variable.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "child_process.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* standard_folder = "/etc/OpenCL/vendors";
/// A longer name is not a path.
constexpr std::size_t longest_name = 4096;

std::string variable(const char* name) {
  const char* value = sinter::abi::read_variable(name);
  return value ? value : "";
}

bool is_control(char each) { return static_cast<unsigned char>(each) < ' ' || each == '\x7f'; }

/// Replaces characters that can't be printed, because other people's files may contain anything.
std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

/// Reads the first line without its line break. Only this line counts.
opencl_driver read_icd_file(const std::string& path) {
  opencl_driver result{path, {}, {}};
  std::FILE* file = std::fopen(path.c_str(), "re");
  std::string begin(longest_name + 1, '\0');
  if (file) begin.resize(std::fread(begin.data(), 1, begin.size(), file));
  if (!file || std::ferror(file)) result.problem = std::string("it can't be read: ") + std::strerror(errno);
  if (file) std::fclose(file);
  if (!result.problem.empty()) return result;
  const std::string line = begin.substr(0, begin.find('\n'));
  // If the file was written on another system, the line may end with a carriage return, which stays a part of the
  // library's name.
  const bool text = std::none_of(line.begin(), line.end(), [](char each) { return is_control(each) && each != '\r'; });
  if (begin.empty()) {
    result.problem = "it is empty";
  } else if (!text || line.size() > longest_name) {
    result.problem = "it is no text";
  } else if (line.empty()) {
    result.problem = "its first line is empty";
  } else {
    result.library = line;
  }
  return result;
}

/// Opens the driver as the loader does. Must run in a child process, because opening a driver may end the process.
/// Returns the fault, or an empty text.
std::string open_driver(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return std::string("its library can't be opened: ") + dlerror();
  using address_of = void* (*)(const char*);
  using platforms_of = std::int32_t (*)(std::uint32_t, void**, std::uint32_t*);
  const auto address = reinterpret_cast<address_of>(dlsym(handle, "clGetExtensionFunctionAddress"));
  if (!address) return "its library is no driver: it has no clGetExtensionFunctionAddress";
  const auto find = [&](const char* name) {
    void* found = address(name);
    return found ? found : dlsym(handle, name);
  };
  const auto platforms = reinterpret_cast<platforms_of>(find("clIcdGetPlatformIDsKHR"));
  if (!platforms) return "its library is no driver: it has no clIcdGetPlatformIDsKHR";
  if (!find("clGetPlatformInfo")) return "its library is no driver: it has no clGetPlatformInfo";
  std::uint32_t count = 0;
  const std::int32_t result = platforms(0, nullptr, &count);
  if (result != 0) return "its driver has no platform: error " + std::to_string(result);
  return count == 0 ? "its driver has no platform" : "";
}

void try_driver(opencl_driver& driver) {
  if (!driver.problem.empty()) return;
  const trial result = try_in_child([&] { return open_driver(driver.library); });
  driver.problem = result.end.empty() ? result.words : "the process that opened it " + result.end;
}

/// The drivers of a folder, sorted by name.
std::vector<opencl_driver> drivers_of_folder(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    // A file with the name ".icd" is skipped, as its name has no extension.
    if (at->path().extension() == ".icd") paths.push_back(at->path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<opencl_driver> result;
  for (const std::string& path : paths) result.push_back(read_icd_file(path));
  return result;
}

/// Looks for drivers by the rules of ocl-icd (libOpenCL(7)). Khronos' loader accepts only folders.
opencl_drivers look() {
  std::string folder = variable("OPENCL_VENDOR_PATH");
  if (folder.empty()) folder = standard_folder;
  const std::string chosen = variable("OCL_ICD_VENDORS");
  std::error_code ignored;
  if (chosen.empty()) return {folder, drivers_of_folder(folder)};
  if (fs::is_directory(chosen, ignored)) return {chosen, drivers_of_folder(chosen)};
  if (!chosen.ends_with(".icd")) return {chosen, {{{}, chosen, {}}}};
  const std::string beside = folder + "/" + chosen;
  const bool is_beside = chosen.find('/') == std::string::npos && fs::exists(beside, ignored);
  return {chosen, {read_icd_file(is_beside ? beside : chosen)}};
}

}  // namespace

opencl_drivers try_opencl_drivers() {
  opencl_drivers result = look();
  std::istringstream more(variable("OCL_ICD_FILENAMES"));
  for (std::string library; std::getline(more, library, ':');) {
    if (!library.empty()) result.found.push_back({{}, library, {}, true});
  }
  for (opencl_driver& each : result.found) try_driver(each);
  return result;
}

std::string text_of(const opencl_driver& driver) {
  std::string text = driver.file;
  if (!driver.library.empty()) text += (text.empty() ? "" : ": ") + driver.library;
  if (!driver.problem.empty()) text += ": not used, because " + driver.problem;
  return printable(text);
}
