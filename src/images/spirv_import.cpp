#include "spirv_import.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <abi/read_variable.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "image_view.hpp"
#include "jit_library.hpp"
#include "registry.hpp"

extern "C" char** environ;

namespace sinter {
namespace {

/// Names of translators. LLVM 22 can read the output of these translators, because they use LLVM 22 or older versions.
constexpr const char* translator_names[] = {"llvm-spirv-22", "llvm-spirv-15", "llvm-spirv"};

std::string find_in_path(const char* name) {
  const char* path = abi::read_variable("PATH");
  const std::string folders = path ? path : "/usr/bin";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::string file = folders.substr(at, end - at) + "/" + name;
    if (end > at && access(file.c_str(), X_OK) == 0) return file;
    at = end + 1;
  }
  return {};
}

struct tools {
  std::string importer, translator, problem;

  tools() {
    importer = jit_path().substr(0, jit_path().rfind('/')) + "/sinter-import";
    if (access(importer.c_str(), X_OK) != 0) {
      problem = "reading SPIR-V needs " + importer + ", which is missing; reinstall Sinter";
      return;
    }
    for (const char* name : translator_names) {
      if (translator = find_in_path(name); !translator.empty()) return;
    }
    problem =
        "reading SPIR-V for this device needs the translator llvm-spirv, which is not in PATH; install it "
        "(Debian: llvm-spirv-15)";
  }
};

const tools& the_tools() {
  static const auto* found = new tools;
  return *found;
}

/// A file in memory without a name, which a child process opens by /proc/self/fd.
class memory_file {
public:
  explicit memory_file(const char* name) : m_number(memfd_create(name, 0)) {}
  memory_file(const memory_file&) = delete;
  ~memory_file() {
    if (m_number >= 0) close(m_number);
  }
  bool write(const std::string& bytes) const {
    std::size_t done = 0;
    while (m_number >= 0 && done < bytes.size()) {
      const ssize_t count = ::write(m_number, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      done += static_cast<std::size_t>(count);
    }
    return m_number >= 0;
  }
  std::size_t size() const {
    const off_t end = lseek(m_number, 0, SEEK_END);
    return end > 0 ? static_cast<std::size_t>(end) : 0;
  }
  bool read(void* to, std::size_t bytes) const { return pread(m_number, to, bytes, 0) == static_cast<ssize_t>(bytes); }
  std::string text() const {
    std::string result(size(), '\0');
    if (!read(result.data(), result.size())) return {};
    while (!result.empty() && result.back() == '\n') result.pop_back();
    return result;
  }
  int number() const noexcept { return m_number; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(m_number); }

private:
  int m_number;
};

std::string value_text(const spirv_constant& constant, const std::string& bytes) {
  std::string text = std::to_string(constant.id) + (constant.is_float ? ":f" : ":i");
  text += std::to_string(constant.is_bool ? 1 : 8 * constant.bytes) + ":";
  if (constant.is_float) {
    float single = 0;
    double number = 0;
    if (bytes.size() == sizeof(single)) {
      std::memcpy(&single, bytes.data(), sizeof(single));
      number = static_cast<double>(single);
    } else if (bytes.size() == sizeof(number)) {
      std::memcpy(&number, bytes.data(), sizeof(number));
    }
    char digits[64];
    std::snprintf(digits, sizeof(digits), "%.17g", number);
    return text + digits;
  }
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof(number)));
  return text + std::to_string(number);
}

/// Runs a command and waits for its end. Returns an empty text if the command succeeded, otherwise a text that says how
/// it ended.
std::string run(const std::vector<std::string>& command, const memory_file& said) {
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, said.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, said.number(), STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return command[0] + " can't be started: " + std::strerror(failed);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return "nobody knows how " + command[0] + " ended: " + std::strerror(errno);
  }
  if (WIFSIGNALED(status)) return std::string("the translator ended by signal: ") + strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) == 0) return {};
  const std::string text = said.text();
  constexpr std::size_t enough = 2000;
  return text.empty() ? "the translator gave no reason" : text.substr(0, enough);
}

}  // namespace

const std::string& import_problem() { return the_tools().problem; }

imported_module::imported_module(std::vector<std::uint64_t> blob, std::size_t size) : m_blob(std::move(blob)) {
  const auto* header = reinterpret_cast<const abi::image_header*>(m_blob.data());
  const image_view image(header);
  m_descriptors.resize(header->kernel_count);
  for (std::uint32_t i = 0; i < header->kernel_count; ++i) {
    const abi::image_kernel& from = image.kernel(i);
    if (i % abi::imported_forms == 0) m_names.emplace_back(image.string(from.display_name));
    abi::kernel_descriptor& made = m_descriptors[i];
    made.block_size = from.block_size;
    made.block_alignment = from.block_alignment;
    made.shape = from.shape;
    made.dimensions = from.dimensions;
    made.image = &m_record;
    made.index = i;
    made.flags = abi::descriptor_is_helper | abi::descriptor_from_source;
    m_pointers.push_back(&made);
  }
  m_record.version = abi::image_format_version;
  m_record.descriptor_count = header->kernel_count;
  m_record.image = header;
  m_record.image_size = size;
  m_record.descriptors = m_pointers.data();
  __sinter_register_image(&m_record);
}

imported_module::~imported_module() { __sinter_unregister_image(&m_record); }

const abi::image_kernel& imported_module::row(std::size_t kernel) const noexcept {
  return image_view(m_record.image).kernel(static_cast<std::uint32_t>(kernel) * abi::imported_forms);
}

std::uint32_t imported_module::argument_count(std::size_t kernel) const noexcept {
  const auto leaves = image_view(m_record.image).leaves(static_cast<std::uint32_t>(kernel) * abi::imported_forms);
  std::uint32_t count = 0;
  while (count < leaves.size() && leaves[count].access_mode != abi::leaf_is_own_array) ++count;
  return count;
}

bool imported_module::needs_groups(std::size_t kernel) const noexcept {
  return (row(kernel).flags & abi::kernel_needs_groups) != 0;
}

abi::kernel_descriptor& imported_module::descriptor(std::size_t kernel, abi::kernel_shape shape,
                                                    unsigned dimensions) noexcept {
  std::size_t form = 0;
  if (shape == abi::kernel_shape::range) form = dimensions;
  if (shape == abi::kernel_shape::nd_range) form = 3 + dimensions;
  return m_descriptors[kernel * abi::imported_forms + form];
}

std::unique_ptr<imported_module> import_spirv(const spirv_facts& facts, const std::vector<spirv_value>& values,
                                              std::string& log, std::string& error) {
  const tools& found = the_tools();
  error = found.problem;
  if (!error.empty()) return nullptr;
  const memory_file module("sinter module"), image("sinter image"), said("sinter log");
  if (!module.write(facts.module) || image.number() < 0 || said.number() < 0) {
    error = "no memory for the module";
    return nullptr;
  }
  std::vector<std::string> command{found.importer, found.translator, module.path(), image.path()};
  for (const spirv_value& value : values) {
    for (const spirv_constant& known : facts.constants) {
      if (known.id == value.id) command.push_back(value_text(known, value.bytes));
    }
  }
  error = run(command, said);
  log = said.text();
  if (!error.empty()) return nullptr;
  const std::size_t size = image.size();
  std::vector<std::uint64_t> blob((size + 7) / 8);
  if (!image.read(blob.data(), size)) {
    error = "the translated module can't be read";
    return nullptr;
  }
  error = validate_image(blob.data(), size);
  if (!error.empty()) return nullptr;
  auto made = std::make_unique<imported_module>(std::move(blob), size);
  if (made->is_registered() && made->kernels().size() == facts.kernels.size()) return made;
  error = "the translator made an image of other kernels";
  return nullptr;
}

}  // namespace sinter
