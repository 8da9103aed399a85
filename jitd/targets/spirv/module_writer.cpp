#include "module_writer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

/// Of libLLVM, which has no header for it.
extern "C" bool SPIRVTranslate(llvm::Module* module, std::string& object, std::string& error,
                               const std::vector<std::string>& extensions, llvm::CodeGenOptLevel level,
                               llvm::Triple triple);

namespace sinter::jit::spirv {
namespace {

enum opcode : std::uint32_t {
  op_name = 5,
  op_function_end = 56,
  op_phi = 245,
  op_loop_merge = 246,
  op_selection_merge = 247,
  op_label = 248,
  op_branch = 249,
  op_branch_conditional = 250,
};
constexpr std::size_t header_words = 5, bound_word = 3;

/// Labels are numbered again: nothing else may name them. The kernel's name stays, as that of its entry point.
void erase_names(std::vector<std::uint32_t>& words) {
  std::size_t end = header_words;
  for (std::size_t at = header_words, length = 0; at < words.size(); at += length) {
    length = std::max<std::size_t>(words[at] >> 16, 1);
    if ((words[at] & 0xffff) == op_name || at + length > words.size()) continue;
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(at), length,
                words.begin() + static_cast<std::ptrdiff_t>(end));
    end += length;
  }
  words.resize(end);
}

/// Gives the labels of one function numbers of their own. False: two of them have one number.
class label_renumbering {
public:
  explicit label_renumbering(std::vector<std::uint32_t>& words) : m_words(words) {}

  bool run() {
    std::size_t function = header_words;
    for (std::size_t at = header_words; at < m_words.size(); at += length(at)) {
      if (length(at) == 0 || at + length(at) > m_words.size()) return false;
      if (code(at) == op_label && !m_labels.insert({m_words[at + 1], m_words[bound_word]++}).second) return false;
      if (code(at) != op_function_end) continue;
      for (std::size_t i = function; i < at; i += length(i)) rename(i);
      function = at;
      m_labels.clear();
    }
    return true;
  }

private:
  std::uint32_t code(std::size_t at) const { return m_words[at] & 0xffff; }
  std::size_t length(std::size_t at) const { return m_words[at] >> 16; }

  void rename(std::size_t at) {
    const auto label = [&](std::size_t index) {
      const auto found = m_labels.find(m_words[at + index]);
      if (found != m_labels.end()) m_words[at + index] = found->second;
    };
    switch (code(at)) {
      case op_label:
      case op_branch:
      case op_selection_merge:
        return label(1);
      case op_loop_merge:
        return label(1), label(2);
      case op_branch_conditional:
        return label(2), label(3);
      case op_phi:
        // Type, result, then pairs of a value and where it comes from.
        for (std::size_t i = 4; i < length(at); i += 2) label(i);
        return;
      default:
        return;
    }
  }

  std::vector<std::uint32_t>& m_words;
  llvm::DenseMap<std::uint32_t, std::uint32_t> m_labels;
};

std::mutex& one_at_a_time() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

}  // namespace

llvm::Expected<std::string> write_module(llvm::Module& module, const char* triple) {
  std::lock_guard lock(one_at_a_time());
  // What is held here, the next attempt does not get: its blocks have other addresses.
  constexpr int attempts = 8;
  std::vector<std::unique_ptr<char[]>> held;
  for (int i = 0; i < attempts; ++i) {
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    std::string text, problem;
    if (!SPIRVTranslate(copy.get(), text, problem, {}, llvm::CodeGenOptLevel::Default, llvm::Triple(triple))) {
      return llvm::createStringError("LLVM can't write SPIR-V: " + problem);
    }
    std::vector<std::uint32_t> words(text.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), text.data(), words.size() * sizeof(std::uint32_t));
    if (words.size() <= header_words) return llvm::createStringError("LLVM wrote no SPIR-V");
    erase_names(words);
    if (label_renumbering(words).run()) {
      return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t));
    }
    for (int k = 0; k < 64; ++k) held.push_back(std::make_unique<char[]>(4096));
  }
  return llvm::createStringError("LLVM wrote SPIR-V in which labels have numbers of others");
}

}  // namespace sinter::jit::spirv
