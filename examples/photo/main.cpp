/// Reads a PNG file, develops the picture on the default device, writes a PNG file and prints a table of times.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "options.hpp"
#include "pipeline.hpp"
#include "png_io.hpp"

namespace {

using photo::image;
using photo::stage_time;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void print_row(const char* name, double first, double later, double pixels, double bytes_per_pixel) {
  const double seconds = std::max(later, 1e-6) * 1e-3;
  std::printf("%-26s %10.3f %10.3f %10.1f %8.2f\n", name, first, later, pixels / seconds * 1e-6,
              pixels * bytes_per_pixel / seconds * 1e-9);
}

/// `runs` has one entry per run of the chain. The first run includes compiling kernels that are not cached yet.
void print_table(const std::vector<std::vector<stage_time>>& runs, const image& picture) {
  const auto pixels = static_cast<double>(picture.pixels.size());
  std::printf("%-26s %10s %10s %10s %8s\n", "kernel", "first ms", runs.size() > 1 ? "median ms" : "ms", "MPix/s",
              "GB/s");
  double first_sum = 0, later_sum = 0, byte_sum = 0;
  for (std::size_t stage = 0; stage < runs.front().size(); ++stage) {
    std::vector<double> later;
    for (std::size_t run = runs.size() > 1 ? 1 : 0; run < runs.size(); ++run) {
      later.push_back(runs[run][stage].milliseconds);
    }
    const stage_time& first = runs.front()[stage];
    const double middle = median(later);
    print_row(first.name.c_str(), first.milliseconds, middle, pixels, first.bytes_per_pixel);
    first_sum += first.milliseconds;
    later_sum += middle;
    byte_sum += first.bytes_per_pixel;
  }
  print_row("all", first_sum, later_sum, pixels, byte_sum);
}

int fail(int code, const char* what) {
  std::fprintf(stderr, "photo: %s\n", what);
  return code;
}

int develop_file(const photo::options& options) {
  const image picture = photo::read_png(options.input);
  const sycl::property::queue::enable_profiling profiled;
  sycl::queue queue{
      options.automatic
          ? sycl::property_list{profiled, sycl::ext::sinter::property::queue::auto_fusion{}}
          : sycl::property_list{profiled, sycl::ext::codeplay::experimental::property::queue::enable_fusion{}}};
  std::printf("%s: %zu x %zu pixels (%.1f megapixels), on %s\n", options.input.c_str(), picture.width, picture.height,
              static_cast<double>(picture.pixels.size()) * 1e-6,
              queue.get_device().get_info<sycl::info::device::name>().c_str());

  std::vector<std::vector<stage_time>> runs(static_cast<std::size_t>(options.repeat));
  image result;
  for (auto& times : runs) result = photo::develop(queue, picture, options.how, &times);
  if (options.automatic) {
    // The first runs are not fused, so they have more kernels.
    std::erase_if(runs, [&](const auto& times) { return times.size() != runs.back().size(); });
  }
  print_table(runs, picture);
  photo::write_png(options.output, result, options.how.output_bits);
  return 0;
}

} // namespace

int main(int count, char** words) {
  try {
    const photo::options options = photo::parse_options(count, words);
    if (options.help) {
      std::fputs(photo::usage(), stdout);
      return 0;
    }
    return develop_file(options);
  } catch (const photo::option_error& error) {
    return fail(2, (std::string(error.what()) + " (photo --help lists the options)").c_str());
  } catch (const photo::file_error& error) {
    return fail(2, error.what());
  } catch (const std::bad_alloc&) {
    return fail(1, "out of memory");
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}
