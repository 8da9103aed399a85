#include "fusion_metadata.hpp"

#include <set>

#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {
namespace {

class writer {
public:
  explicit writer(llvm::Function& stub) : m_stub(stub), m_context(stub.getContext()) {}

  llvm::Metadata* text(llvm::StringRef value) { return llvm::MDString::get(m_context, value); }
  llvm::Metadata* number(std::uint64_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(m_context), value));
  }
  llvm::Metadata* tuple(const std::vector<llvm::Metadata*>& items) { return llvm::MDNode::get(m_context, items); }
  llvm::Metadata* argument(const fusion_argument& value) { return tuple({number(value.member), number(value.offset)}); }
  llvm::Metadata* three(const std::uint64_t (&values)[3]) {
    return tuple({number(values[0]), number(values[1]), number(values[2])});
  }
  llvm::Metadata* range(const fusion_range& value) {
    return tuple({number(value.dimensions), three(value.global), three(value.local), three(value.offset)});
  }
  void attach(const char* name, const std::vector<llvm::Metadata*>& items) {
    m_stub.setMetadata(name, llvm::MDNode::get(m_context, items));
  }

private:
  llvm::Function& m_stub;
  llvm::LLVMContext& m_context;
};

/// Reads metadata, and reports all faults by the same error.
class reader {
public:
  explicit reader(const llvm::Function& stub) : m_stub(stub) {}

  bool failed() const { return m_failed; }
  const llvm::MDNode* list(const char* name) const { return m_stub.getMetadata(name); }

  std::string text(const llvm::MDOperand& operand) {
    if (const auto* value = llvm::dyn_cast_or_null<llvm::MDString>(operand.get())) return value->getString().str();
    m_failed = true;
    return {};
  }
  std::uint64_t number(const llvm::MDOperand& operand) {
    if (auto* value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(operand)) return value->getZExtValue();
    m_failed = true;
    return 0;
  }
  unsigned small_number(const llvm::MDOperand& operand) {
    const std::uint64_t value = number(operand);
    m_failed |= value > 0xffffffff;
    return static_cast<unsigned>(value);
  }
  const llvm::MDNode* tuple(const llvm::MDOperand& operand, unsigned size) {
    const auto* node = llvm::dyn_cast_or_null<llvm::MDNode>(operand.get());
    if (node && (size == 0 || node->getNumOperands() == size)) return node;
    m_failed = true;
    return nullptr;
  }
  fusion_argument argument(const llvm::MDOperand& operand) {
    const llvm::MDNode* pair = tuple(operand, 2);
    if (!pair) return {};
    return {small_number(pair->getOperand(0)), small_number(pair->getOperand(1))};
  }
  void three(const llvm::MDOperand& operand, std::uint64_t (&values)[3]) {
    const llvm::MDNode* node = tuple(operand, 3);
    for (unsigned i = 0; node && i < 3; ++i) values[i] = number(node->getOperand(i));
  }
  fusion_range range(const llvm::MDNode* node) {
    fusion_range result;
    if (!node || node->getNumOperands() != 4) {
      m_failed = true;
      return result;
    }
    const std::uint64_t dimensions = number(node->getOperand(0));
    result.dimensions = static_cast<unsigned>(dimensions);
    three(node->getOperand(1), result.global);
    three(node->getOperand(2), result.local);
    three(node->getOperand(3), result.offset);
    // Ids are divided by these sizes, so none may be 0.
    m_failed |= dimensions < 1 || dimensions > 3;
    for (unsigned i = 0; i < 3; ++i) {
      m_failed |= result.global[i] == 0 || (result.local[i] == 0) != (result.local[0] == 0);
    }
    return result;
  }

private:
  const llvm::Function& m_stub;
  bool m_failed = false;
};

const char* text_of(promotion value) {
  return value == promotion::private_memory ? "private" : value == promotion::local_memory ? "local" : "none";
}

} // namespace

void write_fusion_metadata(llvm::Function& stub, const fusion_description& description) {
  writer out(stub);
  std::vector<llvm::Metadata*> members, params, promotes, sizes, element_sizes, constants, ranges, barriers, locals;
  for (const std::string& name : description.members) members.push_back(out.text(name));
  for (const identical_set& set : description.sets) {
    std::vector<llvm::Metadata*> pairs;
    for (const fusion_argument& argument : set.arguments) pairs.push_back(out.argument(argument));
    params.push_back(out.tuple(pairs));
    const bool promoted = set.promoted != promotion::none;
    promotes.push_back(out.text(text_of(set.promoted)));
    sizes.push_back(promoted ? out.number(set.elements) : out.text(""));
    element_sizes.push_back(promoted ? out.number(set.element_bytes) : out.text(""));
  }
  for (const fusion_constant& constant : description.constants) {
    constants.push_back(out.tuple(
        {out.number(constant.argument.member), out.number(constant.argument.offset), out.text(constant.bytes)}));
  }
  for (const fusion_range& range : description.ranges) ranges.push_back(out.range(range));
  for (unsigned member : description.barriers) barriers.push_back(out.number(member));
  for (std::uint64_t bytes : description.local_offsets) locals.push_back(out.number(bytes));
  out.attach("sycl.kernel.fused", members);
  out.attach("sycl.kernel.param", params);
  out.attach("sycl.kernel.promote", promotes);
  out.attach("sycl.kernel.promote.localsize", sizes);
  out.attach("sycl.kernel.promote.elemsize", element_sizes);
  out.attach("sycl.kernel.constants", constants);
  stub.setMetadata("sycl.kernel.nd-range", llvm::cast<llvm::MDNode>(out.range(description.range)));
  out.attach("sycl.kernel.nd-ranges", ranges);
  out.attach("sinter.kernel.barriers", barriers);
  out.attach("sinter.kernel.local", locals);
  if (description.visitor) out.attach("sinter.kernel.elements", {out.number(*description.visitor)});
}

llvm::Expected<fusion_description> read_fusion_metadata(const llvm::Function& stub) {
  fusion_description result;
  reader in(stub);
  auto each = [&](const char* name, auto use) {
    const llvm::MDNode* list = in.list(name);
    for (unsigned i = 0; list && i < list->getNumOperands(); ++i) use(i, list->getOperand(i));
  };
  each("sycl.kernel.fused", [&](unsigned, const llvm::MDOperand& name) { result.members.push_back(in.text(name)); });
  each("sycl.kernel.param", [&](unsigned, const llvm::MDOperand& operand) {
    result.sets.emplace_back();
    const llvm::MDNode* pairs = in.tuple(operand, 0);
    for (unsigned i = 0; pairs && i < pairs->getNumOperands(); ++i) {
      result.sets.back().arguments.push_back(in.argument(pairs->getOperand(i)));
    }
  });
  bool fits = true;
  each("sycl.kernel.promote", [&](unsigned i, const llvm::MDOperand& operand) {
    const std::string kind = in.text(operand);
    if (i >= result.sets.size() || (kind != "none" && kind != "private" && kind != "local")) {
      fits = false;
    } else if (kind != "none") {
      result.sets[i].promoted = kind == "private" ? promotion::private_memory : promotion::local_memory;
    }
  });
  auto sizes = [&](const char* name, std::uint64_t identical_set::* field) {
    each(name, [&](unsigned i, const llvm::MDOperand& operand) {
      if (i >= result.sets.size()) {
        fits = false;
      } else if (result.sets[i].promoted != promotion::none) {
        result.sets[i].*field = in.number(operand);
        fits &= result.sets[i].*field != 0;
      }
    });
  };
  sizes("sycl.kernel.promote.localsize", &identical_set::elements);
  sizes("sycl.kernel.promote.elemsize", &identical_set::element_bytes);
  each("sycl.kernel.constants", [&](unsigned, const llvm::MDOperand& operand) {
    if (const llvm::MDNode* node = in.tuple(operand, 3)) {
      result.constants.push_back({{in.small_number(node->getOperand(0)), in.small_number(node->getOperand(1))},
                                  in.text(node->getOperand(2))});
    }
  });
  if (const llvm::MDNode* range = in.list("sycl.kernel.nd-range")) result.range = in.range(range);
  each("sycl.kernel.nd-ranges", [&](unsigned, const llvm::MDOperand& operand) {
    result.ranges.push_back(in.range(in.tuple(operand, 4)));
  });
  each("sinter.kernel.barriers", [&](unsigned, const llvm::MDOperand& operand) {
    result.barriers.push_back(in.small_number(operand));
  });
  each("sinter.kernel.local", [&](unsigned, const llvm::MDOperand& operand) {
    result.local_offsets.push_back(in.number(operand));
  });
  each("sinter.kernel.elements",
       [&](unsigned, const llvm::MDOperand& operand) { result.visitor = in.small_number(operand); });
  std::set<std::pair<unsigned, unsigned>> seen;
  for (const identical_set& set : result.sets) {
    for (const fusion_argument& argument : set.arguments) {
      fits &= argument.member < result.members.size() && seen.insert({argument.member, argument.offset}).second;
    }
    fits &= set.promoted == promotion::none || (set.elements != 0 && set.element_bytes != 0);
  }
  for (const fusion_constant& constant : result.constants) fits &= constant.argument.member < result.members.size();
  fits &= !result.visitor || *result.visitor < result.members.size();
  fits &= result.ranges.empty() || result.ranges.size() == result.members.size();
  fits &= result.local_offsets.empty() || result.local_offsets.size() == result.members.size();
  if (in.failed() || !fits || result.members.empty()) {
    return llvm::createStringError("malformed fusion metadata on function '" + stub.getName() + "'");
  }
  return result;
}

} // namespace sinter::passes
