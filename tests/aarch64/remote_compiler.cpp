/// A process that compiles kernels for a program under qemu, and is not emulated itself. remote_jit.cpp starts it. The
/// first argument of the process names the processor, in the same form as SINTER_CPU. The standard input is a socket to
/// the program.
///
/// A request's pointers lead into the program's memory. This process copies a page when it first reads it, and
/// releases all pages after the request. The copies have the addresses that the pages have in the program. qemu puts
/// programs and their libraries far from this process's own memory, so the copies never replace that memory.

#include <abi/launch_abi.hpp>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "llvm/Support/Error.h"
#include "passes/machine/vector_math.hpp"
#include "remote.hpp"
#include "service/compiler.hpp"
#include "service/object_linker.hpp"
#include "targets/cpu_target.hpp"
#include "targets/linked_object.hpp"
#include "targets/open_file.hpp"

namespace {

using namespace sinter;

constexpr int program = STDIN_FILENO;

/// Receives bytes. This process ends when the program has ended.
void receive(void* to, std::size_t size) {
  for (char* at = static_cast<char*>(to); size != 0;) {
    const ssize_t got = read(program, at, size);
    if (got <= 0) _exit(0);
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}
void send(const void* from, std::size_t size) {
  for (const char* at = static_cast<const char*>(from); size != 0;) {
    const ssize_t sent = write(program, at, size);
    if (sent <= 0) _exit(0);
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

constexpr std::size_t most_pages = 1 << 16;
void* fetched[most_pages];
std::size_t fetched_count = 0;

/// The signal handler may interrupt any code, so it only makes system calls.
void fetch_page(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr) & ~(remote::page_bytes - 1);
  void* const wanted = reinterpret_cast<void*>(address);
  char is_there = 0;
  if (address != 0 && fetched_count < most_pages &&
      mmap(wanted, remote::page_bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == wanted) {
    const remote::message_header header{remote::message::page, address};
    send(&header, sizeof(header));
    receive(wanted, remote::page_bytes);
    receive(&is_there, 1);
    fetched[fetched_count++] = wanted;
  }
  if (is_there) return;
  std::fprintf(stderr, "remote compiler: nothing is at address %p\n", info->si_addr);
  signal(SIGSEGV, SIG_DFL);
  munmap(wanted, remote::page_bytes);
}

void give_pages_back() {
  for (std::size_t i = 0; i < fetched_count; ++i) munmap(fetched[i], remote::page_bytes);
  fetched_count = 0;
}

/// A library of the emulated machine is a file of this machine, too. Returns the path of this file.
std::string outside(const std::string& path) {
  const char* root = std::getenv("QEMU_LD_PREFIX");
  const std::string found = (root ? root : "") + path;
  return access(found.c_str(), R_OK) == 0 ? found : path;
}

llvm::Error link(const jit::compiled_object& object, const remote::request& request) {
  std::vector<std::string> libraries;
  if (request.libraries[0][0]) libraries = {"--as-needed", outside(request.libraries[0])};
  if (request.libraries[1][0]) libraries.push_back(outside(request.libraries[1]));
  llvm::Expected<std::string> linked = jit::link_object(object.bytes->getBuffer(), libraries);
  if (!linked) return linked.takeError();
  jit::open_file file(open(request.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
  if (file.get() < 0) return jit::errno_error(std::string("can't write ") + request.file);
  return jit::write_all(file.get(), *linked, request.file);
}

void put(remote::row_writer& row, const passes::report_statements& statements) {
  row.number(statements.size());
  for (const passes::report_statement& each : statements) {
    row.text(each.topic);
    row.text(each.text);
    row.number(each.numbers.size());
    for (const abi::report_number& number : each.numbers) {
      row.text(number.name);
      row.number(number.value);
    }
  }
}

void put(remote::row_writer& row, const jit::fused_kernel& fusion) {
  put(row, fusion.report);
  row.text(fusion.code);
  row.number(fusion.depends_on.size());
  for (const abi::fusion_dependence& each : fusion.depends_on) {
    for (const std::uint32_t part : {each.member, each.offset, each.size}) row.number(part);
  }
  row.number(fusion.promotions.size());
  for (const abi::fusion_promotion& each : fusion.promotions) {
    for (const std::uint32_t part : {each.member, each.offset, each.to, each.bytes}) row.number(part);
  }
  for (const std::uint64_t each : {fusion.local_memory_bytes, fusion.saved_bytes, std::uint64_t{fusion.range_member},
                                   std::uint64_t{fusion.local_member}, std::uint64_t{fusion.any_size}}) {
    row.number(each);
  }
  for (const std::uint64_t each : fusion.global_range) row.number(each);
  for (const std::uint64_t each : fusion.local_range) row.number(each);
}

/// Compiles the code. Returns the answer, whose parts are in the order in which remote_jit.cpp reads them.
std::string answer(const remote::request& request) {
  passes::know_sleef(request.libraries[1][0] != 0);
  const bool fuses = request.what == remote::operation::fuse;
  auto made = fuses ? jit::compile_fusion(*reinterpret_cast<const abi::fusion_request*>(request.address))
                    : jit::compile_kernel(*reinterpret_cast<const abi::jit_request*>(request.address));
  llvm::Error failure = made ? link(*made, request) : made.takeError();
  remote::row_writer row;
  row.number(failure ? 0 : 1);
  if (failure) {
    passes::report_statements parts;
    if (failure.isA<jit::fusion_refusal>()) {
      llvm::visitErrors(failure, [&](const llvm::ErrorInfoBase& each) {
        parts = static_cast<const jit::fusion_refusal&>(each).parts();
      });
    }
    row.text(llvm::toString(std::move(failure)));
    put(row, parts);
    return row.bytes();
  }
  row.text(made->warnings);
  put(row, made->lanes);
  if (fuses) put(row, made->fusion);
  return row.bytes();
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::fprintf(stderr, "remote_compiler is for tests/aarch64/remote_jit.cpp\n"), 2;
  jit::compile_for(words[1]);
  (void)jit::host_cpu();
  struct sigaction action {};
  action.sa_sigaction = fetch_page;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  for (;;) {
    remote::request request;
    receive(&request, sizeof(request));
    const std::string result = answer(request);
    give_pages_back();
    const remote::message_header header{remote::message::result, result.size()};
    send(&header, sizeof(header));
    send(result.data(), result.size());
  }
}
