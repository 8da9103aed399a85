#include <sycl/stream.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <map>
#include <memory>
#include <runtime/handler_impl.hpp>
#include <sstream>
#include <vector>

namespace sycl::inline _V1::detail {
namespace {

/// Makes the text of a stream from the records that a kernel has written. Each work-item has its own format settings.
class printer {
public:
  void take(const stream_record& record, const char* value) {
    std::ostringstream& out = m_lines[record.work_item];
    switch (record.kind) {
      case stream_record_kind::text:
        out << std::string_view(value, record.bytes);
        break;
      case stream_record_kind::character:
        out << static_cast<char>(read<std::uint64_t>(value));
        break;
      case stream_record_kind::boolean:
        out << (read<std::uint64_t>(value) != 0);
        break;
      case stream_record_kind::signed_integer:
        out << read<std::int64_t>(value);
        break;
      case stream_record_kind::unsigned_integer:
        out << read<std::uint64_t>(value);
        break;
      case stream_record_kind::floating:
        if (record.bytes == sizeof(float)) {
          out << read<float>(value);
        } else {
          out << read<double>(value);
        }
        break;
      case stream_record_kind::pointer:
        out << reinterpret_cast<const void*>(read<std::uint64_t>(value));
        break;
      case stream_record_kind::precision:
        out << std::setprecision(static_cast<int>(read<std::int64_t>(value)));
        break;
      case stream_record_kind::width:
        out << std::setw(static_cast<int>(read<std::int64_t>(value)));
        break;
      case stream_record_kind::manipulator:
        manipulate(out, static_cast<stream_manipulator>(read<std::uint64_t>(value)));
    }
  }

  /// The kernel may have written text without flushing it. Prints this text after the kernel's end.
  void finish() {
    for (auto& [work_item, line] : m_lines) m_text += line.str();
    if (m_text.empty()) return;
    std::fwrite(m_text.data(), 1, m_text.size(), stdout);
    std::fflush(stdout);
  }

private:
  template <class T>
  static T read(const char* value) {
    T result;
    std::memcpy(&result, value, sizeof(result));
    return result;
  }

  void manipulate(std::ostringstream& out, stream_manipulator manipulator) {
    switch (manipulator) {
      case stream_manipulator::endl:
        out << '\n';
        [[fallthrough]];
      case stream_manipulator::flush:
        m_text += out.str();
        out.str({});
        break;
      case stream_manipulator::dec:
        out << std::dec;
        break;
      case stream_manipulator::hex:
        out << std::hex;
        break;
      case stream_manipulator::oct:
        out << std::oct;
        break;
      case stream_manipulator::noshowbase:
        out << std::noshowbase;
        break;
      case stream_manipulator::showbase:
        out << std::showbase;
        break;
      case stream_manipulator::noshowpos:
        out << std::noshowpos;
        break;
      case stream_manipulator::showpos:
        out << std::showpos;
        break;
      case stream_manipulator::fixed:
        out << std::fixed;
        break;
      case stream_manipulator::scientific:
        out << std::scientific;
        break;
      case stream_manipulator::hexfloat:
        out << std::hexfloat;
        break;
      case stream_manipulator::defaultfloat:
        out << std::defaultfloat;
        break;
    }
  }

  std::map<std::uint64_t, std::ostringstream> m_lines;
  std::string m_text;
};

/// The output of one stream in one command. This object is destroyed with the command, after the kernel has run.
struct stream_output : counted {
  stream_output(sinter::device_backend& its_device, std::size_t capacity) : device(its_device) {
    const std::size_t bytes = sizeof(stream_memory) + std::max<std::size_t>(capacity, 1);
    // If possible, the stream uses memory that both host and device can access. Pages of this memory cost nothing until
    // they are written.
    const stream_memory start{0, capacity};
    void* memory = nullptr;
    if (device.has_own_memory()) {
      memory = device.allocate(sinter::memory_kind::host, bytes, alignof(stream_memory));
      is_apart = !memory;
      if (is_apart) memory = allocate_memory(device, sinter::memory_kind::device, bytes, alignof(stream_memory));
    } else {
      memory = std::calloc(1, bytes);
    }
    if (!memory) {
      detail::throw_error(errc::memory_allocation,
                          "stream: no memory for " + std::to_string(capacity) + " bytes");
    }
    of_kernel = static_cast<stream_memory*>(memory);
    if (is_apart) {
      device.fill({memory, 1, bytes, nullptr, {}});
      device.copy_bytes(memory, &start, sizeof(start));
      return;
    }
    if (device.has_own_memory()) std::memset(memory, 0, bytes);
    new (memory) stream_memory(start);
  }
  ~stream_output() override {
    if (!is_apart) {
      print(*of_kernel);
      device.has_own_memory() ? give_back(device, of_kernel) : std::free(of_kernel);
      return;
    }
    try {
      stream_memory head{};
      device.copy_bytes(&head, of_kernel, sizeof(head));
      const std::uint64_t used = std::min(head.used, head.capacity);
      std::vector<std::uint64_t> all((sizeof(head) + used + 7) / 8);
      if (used != 0) device.copy_bytes(all.data(), of_kernel, sizeof(head) + used);
      if (used != 0) print(*reinterpret_cast<const stream_memory*>(all.data()));
    } catch (const exception& failed) {
      std::fprintf(stderr, "Sinter: what a kernel printed to a stream is lost: %s\n", failed.what());
    }
    give_back(device, of_kernel);
  }

  static void print(const stream_memory& from) {
    printer text;
    const char* data = reinterpret_cast<const char*>(&from + 1);
    const std::uint64_t end = std::min(from.used, from.capacity);
    for (std::uint64_t at = 0; at + sizeof(stream_record) <= end;) {
      const auto* record = reinterpret_cast<const stream_record*>(data + at);
      if (record->bytes == 0) break;  // this text and all later texts did not fit into the memory
      text.take(*record, data + at + sizeof(stream_record));
      at += sizeof(stream_record) + (std::uint64_t{record->bytes} + 7) / 8 * 8;
    }
    text.finish();
  }

  sinter::device_backend& device;
  stream_memory* of_kernel = nullptr;
  bool is_apart = false;  ///< the memory is on the device, where the host can't access it
};

}  // namespace

stream_memory* make_stream(handler_impl& group, std::size_t total, std::size_t) {
  if (group.is_recorded()) {
    detail::throw_error(errc::feature_not_supported,
                        "stream: commands of graphs have no streams yet; use ext::oneapi::experimental::printf");
  }
  // A single character takes a record of 24 bytes.
  constexpr std::size_t per_character = sizeof(stream_record) + 8;
  const std::size_t room = total > (std::size_t{1} << 40) ? total : total * per_character;
  auto output = make_counted<stream_output>(group.queue().hardware().backend(), room);
  group.keep(output);
  return output->of_kernel;
}

}  // namespace sycl::detail
