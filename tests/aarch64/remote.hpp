#pragma once
/// The messages between remote_jit.cpp, which runs under qemu, and remote_compiler.cpp, which runs on the machine
/// itself.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sinter::remote {

enum class operation : std::uint32_t { compile, fuse };

/// A request to the compiler. The program's request contains pointers. The compiler requests the memory to which they
/// point, page by page.
struct request {
  operation what;
  std::uint64_t address;   ///< address of an abi::jit_request or abi::fusion_request, in the program's memory
  char file[256];          ///< the file to which the linked code is written
  char libraries[2][256];  ///< paths of libm and of the library with vector math functions in the program; may be empty
};

/// Kinds of messages from the compiler. Each message begins with a kind and a number.
enum class message : std::uint64_t {
  page,    ///< the number is an address: requests its page, and a byte that says if the page exists
  result,  ///< the number is the length in bytes of a result, which follows
};
struct message_header {
  message what;
  std::uint64_t number;
};
inline constexpr std::uint64_t page_bytes = 4096;

/// Writes numbers and texts one after the other.
class row_writer {
public:
  void number(std::uint64_t value) { m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
  void text(std::string_view value) {
    number(value.size());
    m_bytes.append(value);
  }
  const std::string& bytes() const { return m_bytes; }

private:
  std::string m_bytes;
};

class row_reader {
public:
  explicit row_reader(std::string bytes) : m_bytes(std::move(bytes)) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, m_bytes.data() + m_place, sizeof(value));
    m_place += sizeof(value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    m_place += size;
    return m_bytes.substr(m_place - size, size);
  }

private:
  std::string m_bytes;
  std::size_t m_place = 0;
};

}  // namespace sinter::remote
