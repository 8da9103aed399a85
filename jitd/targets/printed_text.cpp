#include "printed_text.hpp"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"

namespace sinter::jit {

std::optional<std::string> constant_text(const llvm::Value& pointer) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer.stripPointerCasts());
  if (!variable || !variable->isConstant() || !variable->hasDefinitiveInitializer()) return std::nullopt;
  // A null initialiser is the empty string.
  if (variable->getInitializer()->isNullValue()) return std::string();
  const auto* text = llvm::dyn_cast<llvm::ConstantDataSequential>(variable->getInitializer());
  if (!text || !text->isCString()) return std::nullopt;
  return text->getAsCString().str();
}

llvm::SmallVector<print_directive, 8> print_directives(llvm::StringRef format) {
  llvm::SmallVector<print_directive, 8> found;
  for (std::size_t i = format.find('%'); i < format.size(); i = format.find('%', i + 1)) {
    i = format.find_first_not_of("#0- +.123456789", i + 1);
    for (; i < format.size() && format[i] == '*'; i = format.find_first_not_of("#0- +.123456789", i + 1)) {
      found.push_back({i, i});
    }
    if (i >= format.size()) break;
    const std::size_t lengths = i;
    i = format.find_first_not_of("hlqLjzt", i);
    if (i >= format.size()) break;
    if (format[i] != '%') found.push_back({lengths, i});
  }
  return found;
}

std::string with_long_lengths(llvm::StringRef format) {
  std::string text;
  std::size_t done = 0;
  for (const print_directive& each : print_directives(format)) {
    text += format.slice(done, each.lengths);
    const llvm::StringRef lengths = format.slice(each.lengths, each.conversion);
    const bool is_long = lengths == "ll" || lengths == "q" || lengths == "z" || lengths == "j" || lengths == "t";
    text += is_long ? "l" : lengths;
    done = each.conversion;
  }
  return text += format.substr(done);
}

}  // namespace sinter::jit
