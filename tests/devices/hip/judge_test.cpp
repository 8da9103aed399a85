/// Tests the judge: breaking HIP's rules ends the process with a sentence, and correct calls do not.
///
/// usage: hip_judge_test KERNEL, the library of judge_kernel.cpp

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <abi/gpu_launch.hpp>
#include <backends/hip/hip_abi.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

namespace {

using namespace sinter::hip;

struct functions {
#define DECLARE(name, parameters) hipError_t(*name) parameters;
  SINTER_HIP_FUNCTIONS(DECLARE)
#undef DECLARE
} hip;

bool open_judge() {
  void* const library = dlopen("libamdhip64.so.7", RTLD_NOW);
  if (!library) return std::printf("no judge: %s\n", dlerror()), false;
#define FIND(name, parameters) hip.name = reinterpret_cast<hipError_t(*) parameters>(dlsym(library, #name));
  SINTER_HIP_FUNCTIONS(FIND)
#undef FIND
  return hip.hipInit(0) == hipSuccess;
}

/// Returns the output of a child process that calls `act`, or an empty text if the process succeeded.
std::string said(const std::function<bool()>& act) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    _exit(open_judge() && act() ? 0 : 1);
  }
  close(ends[1]);
  std::string words;
  char part[512];
  for (ssize_t got; (got = read(ends[0], part, sizeof(part))) > 0;) words.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) return "a function answered with an error";
  return words;
}

hipStream_t make_stream() {
  hipStream_t made = nullptr;
  hip.hipStreamCreateWithFlags(&made, hipStreamNonBlocking);
  return made;
}
void* make_memory(std::size_t bytes) {
  void* made = nullptr;
  hip.hipMalloc(&made, bytes);
  return made;
}

std::string kernel_file;

/// Launches the kernel of judge_kernel.cpp after work that takes some time.
bool launch_late(hipStream_t stream, void* added_to, void* left_alone) {
  std::ifstream file(kernel_file, std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(file), {}};
  hipModule_t module = nullptr;
  hipFunction_t kernel = nullptr;
  if (hip.hipModuleLoadData(&module, image.data()) != hipSuccess) return false;
  if (hip.hipModuleGetFunction(&kernel, module, "adds_one") != hipSuccess) return false;
  constexpr std::size_t bytes = 100 << 20;
  void* const slow = make_memory(bytes);
  for (int i = 0; i < 20; ++i) hip.hipMemsetD8Async(slow, 1, bytes, stream);
  void* places[2] = {added_to, left_alone};
  sinter::abi::grid_geometry geometry{};
  for (std::size_t d = 0; d < 3; ++d) geometry.block_size[d] = geometry.grid_size[d] = 1;
  void* parameters[] = {places, &geometry};
  return hip.hipModuleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr) == hipSuccess;
}

int wrong = 0;

void expect(const char* what, const char* words, const std::function<bool()>& act) {
  const std::string text = said(act);
  const bool is_right = *words == '\0' ? text.empty() : text.find(words) != std::string::npos;
  std::printf("%s: %s %s\n", is_right ? "ok" : "WRONG", what, is_right ? "" : text.c_str());
  wrong += !is_right;
}

}  // namespace

int main(int, char** words) {
  kernel_file = words[1];
  constexpr std::size_t bytes = 100 << 20;
  expect("fills and copies in order", "", [] {
    hipStream_t stream = make_stream();
    void* memory = make_memory(400);
    int values[100] = {};
    bool right = hip.hipMemsetD32Async(memory, 7, 100, stream) == hipSuccess;
    right &= hip.hipMemcpyAsync(values, memory, 400, hipMemcpyDefault, stream) == hipSuccess;
    right &= hip.hipStreamSynchronize(stream) == hipSuccess && values[99] == 7;
    return right && hip.hipFree(memory) == hipSuccess && hip.hipStreamDestroy(stream) == hipSuccess;
  });
  expect("streams wait for events as they were recorded", "", [] {
    hipStream_t first = make_stream(), second = make_stream();
    void* memory = make_memory(bytes);
    hipEvent_t event = nullptr;
    bool right = hip.hipEventCreateWithFlags(&event, hipEventDisableTiming) == hipSuccess;
    for (int round = 0; round < 20; ++round) {
      right &= hip.hipMemsetD8Async(memory, static_cast<unsigned char>(round), 1000000, first) == hipSuccess;
      right &= hip.hipEventRecord(event, first) == hipSuccess;
      right &= hip.hipStreamWaitEvent(second, event, 0) == hipSuccess;
      unsigned char value = 255;
      const char* const last = static_cast<char*>(memory) + 999999;
      right &= hip.hipMemcpyAsync(&value, last, 1, hipMemcpyDefault, second) == hipSuccess;
      right &= hip.hipStreamSynchronize(second) == hipSuccess && value == round;
    }
    return right;
  });
  expect("memory that is freed while a fill uses it", "freed while a command uses it", [] {
    hipStream_t stream = make_stream();
    void* memory = make_memory(bytes);
    for (int i = 0; i < 50; ++i) hip.hipMemsetD8Async(memory, 1, bytes, stream);
    return hip.hipFree(memory) == hipSuccess;
  });
  expect("memory that is freed while a kernel uses it", "freed while a command uses it", [] {
    hipStream_t stream = make_stream();
    void *used = make_memory(4), *other = make_memory(4);
    return launch_late(stream, used, other) && hip.hipFree(used) == hipSuccess &&
           hip.hipStreamSynchronize(stream) == hipSuccess;
  });
  expect("memory that a kernel does not use, although its arguments lead there", "", [] {
    hipStream_t stream = make_stream();
    void *used = make_memory(4), *other = make_memory(4);
    int value = 0;
    hip.hipMemsetD32Async(used, 6, 1, stream);
    bool right = launch_late(stream, used, other) && hip.hipFree(other) == hipSuccess;
    // The freed address must not be allocated again before the kernel has run.
    for (int i = 0; i < 100; ++i) right &= make_memory(4) != other;
    right &= hip.hipMemcpyAsync(&value, used, 4, hipMemcpyDefault, stream) == hipSuccess;
    return right && hip.hipStreamSynchronize(stream) == hipSuccess && value == 7;
  });
  expect("memory that is freed twice", "a second time", [] {
    void* memory = make_memory(100);
    return hip.hipFree(memory) == hipSuccess && hip.hipFree(memory) == hipSuccess;
  });
  expect("host memory that is freed as the device's", "another kind of memory", [] {
    void* memory = nullptr;
    hip.hipHostMalloc(&memory, 100, 0);
    return hip.hipFree(memory) == hipSuccess;
  });
  expect("an event that is gone", "an event is used that is none", [] {
    hipEvent_t event = nullptr;
    hip.hipEventCreateWithFlags(&event, 0);
    hip.hipEventDestroy(event);
    return hip.hipEventQuery(event) == hipSuccess;
  });
  expect("a stream that is gone", "a stream is used that is", [] {
    hipStream_t stream = make_stream();
    hip.hipStreamDestroy(stream);
    hip.hipMemsetD8Async(make_memory(10), 1, 10, stream);
    return true;
  });
  expect("the stream of all threads", "the stream of all threads", [] {
    return hip.hipMemsetD8Async(make_memory(10), 1, 10, nullptr) == hipSuccess;
  });
  expect("a stream of another GPU", "another GPU is the thread's", [] {
    hipStream_t stream = make_stream();
    return hip.hipSetDevice(1) == hipSuccess && hip.hipStreamQuery(stream) == hipSuccess;
  });
  expect("a module that is none", "a module is used that is none", [] {
    return hip.hipModuleUnload(reinterpret_cast<hipModule_t>(8)) == hipSuccess;
  });
  expect("a kernel that is none", "a kernel is used that is none", [] {
    void* parameters[2] = {};
    return hip.hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(8), 1, 1, 1, 1, 1, 1, 0, make_stream(), parameters,
                                     nullptr) == hipSuccess;
  });
  expect("a node that waits for one of another graph", "one of another graph", [] {
    hipGraph_t first = nullptr, second = nullptr;
    hipGraphNode_t node = nullptr, other = nullptr;
    hip.hipGraphCreate(&first, 0);
    hip.hipGraphCreate(&second, 0);
    hip.hipGraphAddEmptyNode(&node, first, nullptr, 0);
    return hip.hipGraphAddEmptyNode(&other, second, &node, 1) == hipSuccess;
  });
  expect("code for a GPU of AMD's is for another machine", "", [] {
    // This image has the beginning of a code object: e_machine is EM_AMDGPU.
    unsigned char image[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64};
    image[16] = 3, image[18] = 224;
    hipModule_t module = nullptr;
    return hip.hipModuleLoadData(&module, image) == hipErrorNoBinaryForGpu;
  });
  return wrong == 0 ? 0 : 1;
}
