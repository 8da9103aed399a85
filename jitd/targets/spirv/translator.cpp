#include "translator.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <abi/read_variable.hpp>
#include <chrono>
#include <thread>

#include "llvm/ADT/StringRef.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::jit::spirv {
namespace {

/// A file without a name, which a child process reaches by its path.
class memory_file {
public:
  explicit memory_file(const char* name) : m_number(memfd_create(name, 0)) {}
  memory_file(const memory_file&) = delete;
  ~memory_file() {
    if (m_number >= 0) close(m_number);
  }
  int number() const { return m_number; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(m_number); }

private:
  int m_number;
};

llvm::Error refuse(const std::string& why) {
  return llvm::createStringError("the translator " + translator() + " does not write it: " + why);
}

/// Without LLVM's own limit of time, which takes the program's SIGALRM.
llvm::Error wait_for(llvm::sys::ProcessInfo process) {
  constexpr std::chrono::milliseconds longest(60000), look(1);
  const auto end = std::chrono::steady_clock::now() + longest;
  for (;;) {
    std::string error;
    const llvm::sys::ProcessInfo state = llvm::sys::Wait(process, /*SecondsToWait=*/0, &error);
    if (state.Pid != 0) {
      if (state.ReturnCode == 0) return llvm::Error::success();
      return refuse(error.empty() ? "it ended with " + std::to_string(state.ReturnCode) : error);
    }
    if (std::chrono::steady_clock::now() > end) {
      kill(process.Pid, SIGKILL);
      llvm::sys::Wait(process, std::nullopt);
      return refuse("it was not done after a minute");
    }
    std::this_thread::sleep_for(look);
  }
}

}  // namespace

const std::string& translator() {
  static const auto* found = [] {
    Dl_info own{};
    std::string path;
    if (dladdr(reinterpret_cast<const void*>(&translator), &own) != 0 && own.dli_fname) {
      const llvm::StringRef file(own.dli_fname);
      const std::size_t folder = file.rfind('/');
      path = (folder == llvm::StringRef::npos ? "." : file.take_front(folder).str()) + "/llvm-spirv-22";
    }
    return new std::string(access(path.c_str(), X_OK) == 0 ? path : std::string());
  }();
  return *found;
}

bool is_translator_wanted() {
  static const bool wanted = [] {
    const char* writer = abi::read_variable("SINTER_SPIRV_WRITER");
    return writer && llvm::StringRef(writer) == "translator";
  }();
  return wanted;
}

llvm::Expected<std::string> translate_module(const llvm::Module& module) {
  if (translator().empty()) {
    return llvm::createStringError(
        "SINTER_SPIRV_WRITER asks for SPIRV-LLVM-Translator, and there is no llvm-spirv-22 beside libsinter-jit.so; "
        "build Sinter with -Dspirv_translator=true");
  }
  const memory_file bitcode("module"), text("spirv"), words("words");
  if (bitcode.number() < 0 || text.number() < 0 || words.number() < 0) return refuse("no memory for its files");
  {
    llvm::raw_fd_ostream stream(bitcode.number(), /*shouldClose=*/false);
    llvm::WriteBitcodeToFile(module, stream);
  }
  const std::string from = bitcode.path(), to = text.path(), said = words.path();
  const llvm::StringRef command[] = {translator(), "--spirv-max-version=1.4", "--spirv-target-env=CL2.0",
                                     from,         "-o",                      to};
  const std::optional<llvm::StringRef> streams[] = {llvm::StringRef(), llvm::StringRef(said), llvm::StringRef(said)};
  std::string error;
  bool failed = false;
  const llvm::sys::ProcessInfo process =
      llvm::sys::ExecuteNoWait(translator(), command, std::nullopt, streams, /*MemoryLimit=*/0, &error, &failed);
  if (failed) return refuse(error);
  const auto read = [](const std::string& path) -> std::string {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    return file ? (*file)->getBuffer().str() : std::string();
  };
  if (llvm::Error problem = wait_for(process)) {
    return llvm::createStringError(llvm::toString(std::move(problem)) + "\n" +
                                   llvm::StringRef(read(said)).trim().take_front(2000).str());
  }
  std::string made = read(to);
  if (made.empty()) return refuse("it says nothing");
  return made;
}

}  // namespace sinter::jit::spirv
