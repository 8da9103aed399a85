#include "code_memory.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <abi/read_variable.hpp>
#include <abi/vector_math.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "file_size_limit.hpp"
#include "llvm/ExecutionEngine/Orc/Debugging/DebuggerSupport.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/ELFObjectFile.h"
#include "object_linker.hpp"
#include "targets/cpu_target.hpp"

namespace sinter::jit {
namespace {

/// The last error of linking on this thread. It names the symbols that are defined nowhere.
std::string& link_failure() {
  // The object is never destroyed: the main thread's thread_local objects are destroyed before static objects, whose
  // destructors may compile kernels.
  thread_local auto& text = *new std::string;
  return text;
}

llvm::Expected<llvm::orc::LLJIT*> the_jit() {
  static std::mutex mutex;
  static llvm::orc::LLJIT* jit = nullptr;  // never destroyed: its code may run until the process is gone
  std::lock_guard lock(mutex);
  if (jit) return jit;
  const cpu_target& host = host_cpu();
  llvm::orc::JITTargetMachineBuilder machine((llvm::Triple(host.triple)));
  machine.setCPU(host.cpu).setRelocationModel(llvm::Reloc::PIC_).setCodeModel(llvm::CodeModel::Small);
  auto made = llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(std::move(machine))
                  .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                  .setLinkProcessSymbolsByDefault(false)
                  .create();
  if (!made) return made.takeError();
  // Registers the code for debuggers and profilers. This costs little, and if it fails only names are missing.
  if (llvm::Error error = llvm::orc::enableDebuggerSupport(**made)) llvm::consumeError(std::move(error));
  jit = made->release();
  // Linking runs on the thread that looks up the entry. If linking fails, the lookup's error does not contain the
  // reason, so the reason is taken from here.
  jit->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { link_failure() = llvm::toString(std::move(error)); });
  return jit;
}

class orc_code : public loaded_code {
public:
  orc_code(llvm::orc::LLJIT& jit, llvm::orc::JITDylib& library) : m_jit(jit), m_library(library) {}
  ~orc_code() override { llvm::consumeError(m_jit.getExecutionSession().removeJITDylib(m_library)); }

private:
  llvm::orc::LLJIT& m_jit;
  llvm::orc::JITDylib& m_library;
};

/// Writes start, size and name of the code to /tmp/perf-PID.map, where perf looks for code that is in no file.
void write_perf_map(const compiled_object& object, const void* entry) {
  const char* wanted = abi::read_variable("SINTER_PERF");
  if (!wanted || (std::strcmp(wanted, "1") != 0 && std::strcmp(wanted, "on") != 0)) return;
  std::uint64_t size = 0;
  if (auto file = llvm::object::ObjectFile::createObjectFile(object.bytes->getMemBufferRef())) {
    for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
      auto name = symbol.getName();
      if (name && *name == object.entry) size = llvm::object::ELFSymbolRef(symbol).getSize();
      if (!name) llvm::consumeError(name.takeError());
    }
  } else {
    llvm::consumeError(file.takeError());
  }
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  const file_size_errors limit;
  // Another user may have put a link there, or a pipe from which nobody reads.
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat facts;
  if (file < 0) return;
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != geteuid()) {
    close(file);
    return;
  }
  if (std::FILE* map = fdopen(file, "a")) {
    std::fprintf(map, "%llx %llx %s\n", static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(entry)),
                 static_cast<unsigned long long>(size), object.entry.c_str());
    std::fclose(map);
  }
}

llvm::Expected<std::unique_ptr<loaded_code>> load_with_orc(const compiled_object& object) {
  auto jit = the_jit();
  if (!jit) return jit.takeError();
  static std::atomic<unsigned> number{0};
  // Each kernel has a library of its own, because kernels may define equal names.
  auto library = (*jit)->createJITDylib("sinter." + std::to_string(number.fetch_add(1)));
  if (!library) return library.takeError();
  auto code = std::make_unique<orc_code>(**jit, *library);
  // libgcc_s has functions that the code generator calls for 128-bit arithmetic and the like.
  for (const char* name : {"libm.so.6", abi::vector_math_library, "libc.so.6", "libgcc_s.so.1"}) {
    auto symbols = llvm::orc::DynamicLibrarySearchGenerator::Load(name, (*jit)->getDataLayout().getGlobalPrefix());
    if (!symbols && name == abi::vector_math_library) {
      // Not all machines have this library. If it is missing, no code calls its functions.
      llvm::consumeError(symbols.takeError());
      continue;
    }
    if (!symbols) return symbols.takeError();
    library->addGenerator(std::move(*symbols));
  }
  // Functions that sanitized code calls (targets/address_sanitizer.hpp) belong to the program.
  auto sanitizer = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix(),
      [](const llvm::orc::SymbolStringPtr& name) { return (*name).starts_with("__asan_"); });
  if (!sanitizer) return sanitizer.takeError();
  library->addGenerator(std::move(*sanitizer));
  auto bytes = llvm::MemoryBuffer::getMemBufferCopy(object.bytes->getBuffer(), "sinter.kernel");
  if (llvm::Error error = (*jit)->addObjectFile(*library, std::move(bytes))) return std::move(error);
  link_failure().clear();
  auto info = (*jit)->lookup(*library, abi::kernel_info_symbol);
  if (!info) {
    std::string why = llvm::toString(info.takeError());
    return llvm::createStringError(link_failure().empty() ? why : link_failure());
  }
  code->info = info->toPtr<const abi::kernel_info*>();
  write_perf_map(object, reinterpret_cast<const void*>(code->info->entry));
  return code;
}

class library_code : public loaded_code {
public:
  explicit library_code(void* handle) : m_handle(handle) {}
  ~library_code() override { dlclose(m_handle); }

private:
  void* m_handle;
};

/// Loads the object as a shared object, because debuggers read variables and lines from shared objects without our
/// help.
llvm::Expected<std::unique_ptr<loaded_code>> load_as_library(const compiled_object& object) {
  const char* folder = abi::read_variable("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/sinter-XXXXXX";
  if (!mkdtemp(path.data())) return llvm::createStringError("can't make a directory in " + path);
  const std::string file = path + "/kernel.so";
  llvm::Error error = link_shared_object(object.bytes->getMemBufferRef(), file);
  void* handle = error ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  unlink(file.c_str());
  rmdir(path.c_str());
  if (error) return std::move(error);
  if (!handle) return llvm::createStringError(dlerror());
  auto code = std::make_unique<library_code>(handle);
  code->info = static_cast<const abi::kernel_info*>(dlsym(handle, abi::kernel_info_symbol));
  if (!code->info) return llvm::createStringError("the linked kernel has no description");
  return code;
}

} // namespace

llvm::Expected<std::unique_ptr<loaded_code>> load(const compiled_object& object) {
  if (object.full_debug) {
    auto code = load_as_library(object);
    if (code) return code;
    llvm::consumeError(code.takeError());
  }
  return load_with_orc(object);
}

} // namespace sinter::jit
