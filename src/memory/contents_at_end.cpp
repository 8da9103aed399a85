#include "contents_at_end.hpp"

#include <base/program_end.hpp>
#include <cstdio>
#include <exception>
#include <mutex>
#include <unordered_set>

#include "buffer_record.hpp"

namespace sycl::inline _V1::detail {
namespace {

/// The list is never destroyed, because static buffers may be destroyed later.
struct noted_records {
  std::mutex mutex;  // protects the members below; locked before the mutexes of records
  std::unordered_set<buffer_record*> records;

  static noted_records& instance() {
    static auto* all = [] {
      sinter::serve_contents(bring_home);
      return new noted_records;
    }();
    return *all;
  }

  static void bring_home() noexcept {
    noted_records& all = instance();
    std::lock_guard lock(all.mutex);
    for (buffer_record* each : all.records) {
      try {
        each->bring_home_at_end();
      } catch (const std::exception& failure) {
        std::fprintf(stderr, "sinter: the contents of a buffer stay on a device when the program ends: %s\n",
                     failure.what());
      }
    }
  }
};

}  // namespace

void note_device_contents(buffer_record& record) {
  noted_records& all = noted_records::instance();
  std::lock_guard lock(all.mutex);
  all.records.insert(&record);
}

void forget_device_contents(buffer_record& record) noexcept {
  noted_records& all = noted_records::instance();
  std::lock_guard lock(all.mutex);
  all.records.erase(&record);
}

}  // namespace sycl::detail
