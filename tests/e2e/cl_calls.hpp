#pragma once
/// Functions of OpenCL's loader, declared as in <CL/cl.h>, for programs that do not link to it.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace e2e {

template <class Result, class... Parameters>
auto loader_function(const char* name) {
  void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);
  const auto found = reinterpret_cast<Result (*)(Parameters...)>(library ? dlsym(library, name) : nullptr);
  if (!found) std::printf("the loader has no %s\n", name), std::abort();
  return found;
}
template <class... Parameters>
int call(const char* name, Parameters... parameters) {
  return loader_function<int, Parameters...>(name)(parameters...);
}

/// Reads the property `what` (a number from <CL/cl.h>) of an object. Returns whether the call succeeded.
template <class Object>
bool ask(const char* function, Object object, unsigned what, void* to, std::size_t bytes) {
  return call<Object, unsigned, std::size_t, void*, std::size_t*>(function, object, what, bytes, to, nullptr) == 0;
}

}  // namespace e2e
