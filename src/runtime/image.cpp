#include <sycl/exception.hpp>
#include <sycl/image.hpp>

namespace sycl::detail {

void refuse_images(const char* what) {
  detail::throw_error(
      errc::feature_not_supported,
      std::string(what) + ": no device supports images (aspect::image); use a buffer and compute the address");
}

}  // namespace sycl::detail
