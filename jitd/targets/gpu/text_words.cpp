#include "text_words.hpp"

namespace sinter::jit::gpu {

std::string in_words_of(const dialect& its, std::string text) {
  const words& known = its.text_words();
  const std::pair<llvm::StringRef, const char*> pairs[] = {
      {"@thread.id.", known.thread_id},       {"@block.id.", known.block_id}, {"LEAVE", known.leave},
      {"BLOCK_BARRIER", known.block_barrier}, {"ARRIVE", known.arrive},      {"DEVICE", known.device}};
  for (const auto& [ours, its_own] : pairs) {
    for (std::size_t at = 0; (at = text.find(ours, at)) != std::string::npos; at += llvm::StringRef(its_own).size()) {
      text.replace(at, ours.size(), its_own);
    }
  }
  return its.text_words().declarations + text;
}

}  // namespace sinter::jit::gpu
