/// Replaces libsinter-jit.so under qemu: a process that is not emulated (remote_compiler.cpp) compiles for the
/// processor that qemu emulates, and qemu runs the compiled code. This is about twenty times faster than emulating
/// LLVM. TEST_REMOTE_COMPILER names the program remote_compiler. QEMU_LD_PREFIX has to name the emulated machine's
/// root folder.

#include <abi/chosen_cpu.hpp>
#include <abi/launch_abi.hpp>
#include <abi/vector_math.hpp>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "remote.hpp"

extern char** environ;

namespace sinter::abi {

struct jit_object {
  void* library = nullptr;
  std::string bytes;  ///< the linked code
  std::deque<std::string> texts;
  std::deque<std::vector<report_number>> numbers;
  std::deque<std::vector<report_statement>> statements;
  std::vector<fusion_dependence> depends_on;
  std::vector<fusion_promotion> promotions;

  const char* keep(std::string text) { return texts.emplace_back(std::move(text)).c_str(); }
};

}  // namespace sinter::abi

namespace {

using namespace sinter;

/// The emulated processor, in the same form as SINTER_CPU.
std::string cpu_words() {
  const char* level = abi::chosen_cpu();
  return "aarch64:generic:" + (level ? "0" : std::to_string(8 * abi::sve_bytes())) + ":" +
         abi::arm_feature_words(level ? level : "");
}

class compiler_process {
public:
  compiler_process() {
    const char* path = std::getenv("TEST_REMOTE_COMPILER");
    int ends[2];
    if (!path || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    std::string cpu = cpu_words(), name = path;
    char* words[] = {name.data(), cpu.data(), nullptr};
    pid_t id;
    if (posix_spawn(&id, path, &actions, nullptr, words, environ) == 0) m_socket = ends[0];
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
  }

  /// The compiler's answer, or an empty text if the compiler has ended.
  std::string ask(const remote::request& request) {
    const std::lock_guard lock(m_mutex);
    if (!send(&request, sizeof(request))) return {};
    for (remote::message_header header; receive(&header, sizeof(header));) {
      if (header.what == remote::message::result) {
        std::string row(header.number, 0);
        return receive(row.data(), row.size()) ? row : std::string();
      }
      // The system call fails if the page is not mapped, so its result says whether the page is mapped.
      static const char nothing[remote::page_bytes] = {};
      const bool is_there = send(reinterpret_cast<const void*>(header.number), remote::page_bytes);
      const char tells = is_there ? 1 : 0;
      if ((!is_there && !send(nothing, sizeof(nothing))) || !send(&tells, 1)) break;
    }
    return {};
  }

private:
  bool send(const void* from, std::size_t size) {
    for (const char* at = static_cast<const char*>(from); size != 0;) {
      const ssize_t sent = ::send(m_socket, at, size, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      at += sent;
      size -= static_cast<std::size_t>(sent);
    }
    return true;
  }
  bool receive(void* to, std::size_t size) {
    for (char* at = static_cast<char*>(to); size != 0;) {
      const ssize_t got = read(m_socket, at, size);
      if (got <= 0) return false;
      at += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  std::mutex m_mutex;
  int m_socket = -1;
};

abi::report_statements read_statements(remote::row_reader& row, abi::jit_object& object) {
  auto& made = object.statements.emplace_back(row.number());
  for (abi::report_statement& each : made) {
    each.topic = object.keep(row.text());
    each.text = object.keep(row.text());
    auto& numbers = object.numbers.emplace_back(row.number());
    for (abi::report_number& number : numbers) {
      number.name = object.keep(row.text());
      number.value = row.number();
    }
    each.numbers = numbers.data();
    each.number_count = numbers.size();
  }
  return {made.data(), made.size()};
}

std::uint32_t read_small(remote::row_reader& row) { return static_cast<std::uint32_t>(row.number()); }

void read_fusion(remote::row_reader& row, abi::jit_object& object, abi::fusion_result& fusion) {
  fusion.report = read_statements(row, object);
  fusion.code = object.keep(row.text());
  object.depends_on.resize(row.number());
  for (abi::fusion_dependence& each : object.depends_on) {
    for (std::uint32_t* part : {&each.member, &each.offset, &each.size}) *part = read_small(row);
  }
  object.promotions.resize(row.number());
  for (abi::fusion_promotion& each : object.promotions) {
    for (std::uint32_t* part : {&each.member, &each.offset, &each.to, &each.bytes}) *part = read_small(row);
  }
  fusion.depends_on = object.depends_on.data();
  fusion.promotions = object.promotions.data();
  fusion.dependence_count = static_cast<std::uint32_t>(object.depends_on.size());
  fusion.promotion_count = static_cast<std::uint32_t>(object.promotions.size());
  fusion.local_memory_bytes = row.number();
  fusion.saved_bytes = row.number();
  fusion.range_member = read_small(row);
  fusion.local_member = read_small(row);
  fusion.any_size = row.number();
  for (std::uint64_t& each : fusion.global_range) each = row.number();
  for (std::uint64_t& each : fusion.local_range) each = row.number();
}

/// Opens the linked code. If this fails, returns false and stores the reason.
bool open_code(const std::string& file, abi::jit_object& object, abi::jit_result& result) {
  std::ifstream input(file, std::ios::binary);
  object.bytes.assign(std::istreambuf_iterator<char>(input), {});
  object.library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object.library) return result.error = object.keep(dlerror()), false;
  result.info = static_cast<const abi::kernel_info*>(dlsym(object.library, abi::kernel_info_symbol));
  if (!result.info) result.error = "the linked kernel has no description";
  return result.info;
}

bool answer(remote::operation what, const void* asked, abi::jit_result& result, abi::fusion_result* fusion) {
  static auto& compiler = *new compiler_process;  // kernels are also compiled while the program ends
  result = {};
  auto& object = *(result.object = new abi::jit_object);
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/sinter-XXXXXX";
  if (!mkdtemp(path.data())) return result.error = "can't make a folder for code", false;
  const std::string file = path + "/kernel.so";
  remote::request request{what, reinterpret_cast<std::uint64_t>(asked), {}, {}};
  std::snprintf(request.file, sizeof(request.file), "%s", file.c_str());
  std::snprintf(request.libraries[0], sizeof(request.libraries[0]), "%s", abi::math_library_path().c_str());
  std::snprintf(request.libraries[1], sizeof(request.libraries[1]), "%s", abi::vector_math_path().c_str());
  std::string text = compiler.ask(request);
  bool is_made = false;
  if (text.empty()) {
    result.error = "the compiler that TEST_REMOTE_COMPILER names has ended";
  } else {
    remote::row_reader row(std::move(text));
    if (row.number() == 0) {
      result.error = object.keep(row.text());
      const abi::report_statements parts = read_statements(row, object);
      if (fusion) fusion->report = parts;
    } else {
      result.warnings = object.keep(row.text());
      result.lanes = read_statements(row, object);
      if (fusion) read_fusion(row, object, *fusion);
      is_made = open_code(file, object, result);
    }
  }
  unlink(file.c_str());
  rmdir(path.c_str());
  return is_made;
}

bool compile(const abi::jit_request* request, abi::jit_result* result) noexcept {
  return answer(remote::operation::compile, request, *result, nullptr);
}
bool fuse(const abi::fusion_request* request, abi::jit_result* result, abi::fusion_result* fusion) noexcept {
  return answer(remote::operation::fuse, request, *result, fusion);
}

bool link(const abi::jit_object* object, const char* path, char* error, std::size_t error_size) noexcept {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
  const bool is_written = file >= 0 && write(file, object->bytes.data(), object->bytes.size()) ==
                                           static_cast<ssize_t>(object->bytes.size());
  if (file >= 0) close(file);
  if (!is_written) std::snprintf(error, error_size, "can't write %s", path);
  return is_written;
}

void release(abi::jit_object* object) noexcept {
  if (object->library) dlclose(object->library);
  delete object;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const abi::jit_api* sinter_jit_open(std::uint32_t contract) {
  static const abi::jit_api api = {abi::contract_version, "remote", "", "generic", compile, fuse, link, release};
  return contract == abi::contract_version ? &api : nullptr;
}
