#include "device_requirements.hpp"

#include "llvm/Support/Base64.h"
#include "llvm/Support/Endian.h"

namespace sinter::tools {
namespace {

llvm::Error malformed(unsigned line, const llvm::Twine& why) {
  return llvm::createStringError("line " + llvm::Twine(line) + ": " + why);
}

llvm::Expected<std::vector<std::uint32_t>> read_numbers(llvm::StringRef value, unsigned line) {
  const auto [type, text] = value.split('|');
  if (type != "2") return malformed(line, "the value has to be bytes, \"2|BASE64\"");
  std::vector<char> bytes;
  if (llvm::Error error = llvm::decodeBase64(text, bytes)) return malformed(line, llvm::toString(std::move(error)));
  const char* at = bytes.data();
  std::size_t size = bytes.size();
  if (size >= 8 && llvm::support::endian::read64le(at) == (size - 8) * 8) at += 8, size -= 8;
  if (size % 4 != 0) return malformed(line, "its bytes are no numbers of 4 bytes each");
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < size; i += 4) numbers.push_back(llvm::support::endian::read32le(at + i));
  return numbers;
}

}  // namespace

llvm::Expected<std::optional<device_requirements>> read_device_requirements(llvm::StringRef text) {
  std::optional<device_requirements> result;
  bool is_ours = false;
  for (unsigned line = 1; !text.empty(); ++line) {
    auto [row, rest] = text.split('\n');
    text = rest;
    row = row.trim();
    if (row.empty()) continue;
    if (row.front() == '[') {
      if (row.back() != ']') return malformed(line, "a section ends in ']'");
      is_ours = row == "[SYCL/device requirements]";
      if (is_ours && !result) result.emplace();
      continue;
    }
    const auto [key, value] = row.split('=');
    if (value.empty()) return malformed(line, "a property is KEY=TYPE|VALUE");
    const bool is_aspects = key == "aspect" || key == "aspects";
    if (!is_ours || (!is_aspects && key != "reqd_sub_group_size" && key != "fixed_target")) continue;
    llvm::Expected<std::vector<std::uint32_t>> numbers = read_numbers(value, line);
    if (!numbers) return numbers.takeError();
    if (is_aspects) {
      result->aspects = std::move(*numbers);
    } else if (key == "fixed_target") {
      result->fixed_targets = std::move(*numbers);
    } else {
      result->sub_group_sizes = std::move(*numbers);
    }
  }
  return result;
}

}  // namespace sinter::tools
