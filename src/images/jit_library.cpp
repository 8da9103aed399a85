#include "jit_library.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

namespace sinter {

const std::string& jit_path() {
  static const auto* path = [] {
    Dl_info self;
    std::string folder = ".";
    if (dladdr(reinterpret_cast<const void*>(&query_jit), &self) && self.dli_fname) {
      folder = self.dli_fname;
      const std::size_t slash = folder.rfind('/');
      folder = slash == std::string::npos ? "." : folder.substr(0, slash);
    }
    auto* found = new std::string(folder + "/libsinter-jit.so");
    struct stat facts;
    if (stat(found->c_str(), &facts) != 0 && stat((folder + "/../jitd/libsinter-jit.so").c_str(), &facts) == 0) {
      *found = folder + "/../jitd/libsinter-jit.so";
    }
    return found;
  }();
  return *path;
}

const jit_library& jit() {
  static const auto* library = [] {
    auto* result = new jit_library;
    void* handle = dlopen(jit_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* reason = dlerror();
      result->error = "the compiler can't be opened: " + std::string(reason ? reason : jit_path());
      return result;
    }
    auto open = reinterpret_cast<abi::jit_open_function>(dlsym(handle, abi::jit_open_symbol));
    result->api = open ? open(abi::contract_version) : nullptr;
    if (!result->api) result->error = jit_path() + " belongs to another version of Sinter; reinstall both libraries";
    return result;
  }();
  return *library;
}

jit_facts query_jit() {
  jit_facts facts{jit_path(), {}, {}, {}, jit().error};
  if (const abi::jit_api* api = jit().api) {
    facts.llvm_version = api->llvm_version;
    facts.llvm_path = api->llvm_path;
    facts.cpu_name = api->cpu_name;
  }
  return facts;
}

}  // namespace sinter
