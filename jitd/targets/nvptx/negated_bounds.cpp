#include "negated_bounds.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

namespace sinter::jit::nvptx {
namespace {

/// The parts of an instruction such as "neg.s64 %rd9, %rd27;".
struct instruction {
  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef, 4> operands;
};

instruction parts_of(llvm::StringRef line) {
  instruction result;
  auto [name, rest] = line.trim().split(' ');
  result.name = name;
  rest.trim().rtrim(';').split(result.operands, ',');
  for (llvm::StringRef& operand : result.operands) operand = operand.trim();
  return result;
}

bool is_signed(llvm::StringRef name) {
  return name.ends_with(".s16") || name.ends_with(".s32") || name.ends_with(".s64");
}

/// Returns the value that the instruction negates, or an empty string if the instruction does not negate a value.
llvm::StringRef negated_by(const instruction& its) {
  if (!is_signed(its.name)) return {};
  if (its.name.starts_with("neg.") && its.operands.size() == 2) return its.operands[1];
  if (its.name.starts_with("sub.") && its.operands.size() == 3 && its.operands[1] == "0") return its.operands[2];
  return {};
}

/// Finds the registers whose values are compared in the function, directly or after moves to other registers.
llvm::StringSet<> compared_in(llvm::ArrayRef<llvm::StringRef> function) {
  llvm::StringSet<> compared;
  llvm::SmallVector<instruction, 32> moves;
  for (llvm::StringRef line : function) {
    if (line.contains("setp.")) {
      const instruction its = parts_of(line);
      if (!its.name.starts_with("setp.")) continue;
      for (llvm::StringRef operand : llvm::ArrayRef(its.operands).drop_front()) compared.insert(operand);
    } else if (line.contains("mov.b")) {
      moves.push_back(parts_of(line));
    }
  }
  for (bool more = true; more;) {
    more = false;
    for (const instruction& move : moves) {
      if (move.operands.size() == 2 && compared.contains(move.operands[0])) {
        more |= compared.insert(move.operands[1]).second;
      }
    }
  }
  return compared;
}

void write(std::string& result, llvm::ArrayRef<llvm::StringRef> function) {
  const llvm::StringSet<> compared = compared_in(function);
  for (llvm::StringRef line : function) {
    const instruction its = line.contains("neg.s") || line.contains("sub.s") ? parts_of(line) : instruction();
    const llvm::StringRef value = negated_by(its);
    if (value.empty() || !compared.contains(its.operands[0])) {
      result.append(line.begin(), line.end());
      continue;
    }
    const std::string bits = its.name.substr(its.name.size() - 2).str(), to = its.operands[0].str();
    result += "\tnot.b" + bits + " \t" + to + ", " + value.str() + ";\n";
    result += "\tadd.s" + bits + " \t" + to + ", " + to + ", 1;\n";
  }
}

}  // namespace

std::string without_negated_bounds(llvm::StringRef text) {
  std::string result;
  result.reserve(text.size());
  llvm::SmallVector<llvm::StringRef, 0> function;
  while (!text.empty()) {
    const llvm::StringRef line = text.take_front(text.find('\n') == text.npos ? text.size() : text.find('\n') + 1);
    text = text.drop_front(line.size());
    function.push_back(line);
    // Each function is examined by itself, because register names have another meaning in each function.
    if (!line.starts_with("}") && !text.empty()) continue;
    write(result, function);
    function.clear();
  }
  return result;
}

}  // namespace sinter::jit::nvptx
