/// This file is compiled with -fplugin-arg-sinter-fixed-targets=nvptx64. The kernels of this file are for NVIDIA GPUs,
/// and submitting such a kernel to another device throws. Kernels of fixed_targets_second.cpp run on every device.
#include "check.hpp"

using namespace sycl;

int run_elsewhere(queue& q, int x);

class for_nvptx;

TEST("kernels for other targets are refused at submission, and bundles leave them out") {
  queue q = e2e::make_queue();
  const bool is_target = q.get_backend() == backend::ext_oneapi_cuda;
  int* data = malloc_shared<int>(1, q);
  *data = 0;
  bool thrown = false;
  try {
    q.single_task<for_nvptx>([=] { *data = 7; }).wait();
  } catch (const exception& error) {
    thrown = true;
    CHECK(error.code() == errc::kernel_not_supported);
    CHECK(std::strstr(error.what(),
                      "Kernel was compiled with '-fsycl-fixed-targets=nvptx64' but was submitted to a "
                      "different device"));
  }
  CHECK_EQUAL(thrown, !is_target);
  CHECK_EQUAL(*data, is_target ? 7 : 0);
  CHECK_EQUAL(is_compatible<for_nvptx>(q.get_device()), is_target);
  const auto bundle = get_kernel_bundle<bundle_state::executable>(q.get_context());
  CHECK_EQUAL(bundle.has_kernel(get_kernel_id<for_nvptx>()), is_target);
  CHECK_EQUAL(run_elsewhere(q, 5), 6);
  free(data, q);
}

E2E_MAIN
