#include "fusion.hpp"

#include <abi/gpu_launch.hpp>
#include <cstring>
#include <map>

#include "externals.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/fusion/access_analysis.hpp"
#include "passes/device/device_inlining.hpp"
#include "passes/fusion/disjoint_memory.hpp"
#include "passes/fusion/element_visits.hpp"
#include "passes/fusion/fused_arguments.hpp"
#include "passes/fusion/fused_range.hpp"
#include "passes/fusion/fusion_decision.hpp"
#include "passes/fusion/internalizer.hpp"
#include "passes/fusion/kernel_fusion.hpp"
#include "passes/kernel_memory.hpp"
#include "passes/llvm_versions.hpp"
#include "passes/pass_runner.hpp"
#include "passes/device/specialization_values.hpp"
#include "passes/device/turns.hpp"
#include "passes/device/sub_groups.hpp"

namespace sinter::jit {
namespace {

constexpr const char* fused_symbol = "sinter.fused";
// Local memory of members and promoted arguments is laid out in steps of this.
constexpr std::uint64_t local_alignment = 64;

std::uint64_t align_up(std::uint64_t value) {
  return (value + local_alignment - 1) / local_alignment * local_alignment;
}

passes::fusion_range range_of(const abi::fusion_member& member) {
  passes::fusion_range range;
  range.dimensions = member.dimensions;
  for (unsigned d = 0; d < 3; ++d) {
    range.global[d] = member.global_range[d];
    range.local[d] = member.local_range[d];
    range.offset[d] = member.global_offset[d];
  }
  return range;
}

/// Of the elements that its work-items visit.
passes::fusion_range element_range_of(const abi::fusion_member& member) {
  passes::fusion_range range;
  range.dimensions = member.element_dimensions;
  std::copy(member.element_range, member.element_range + 3, range.global);
  return range;
}

// Narrow ids end below 2^31; nothing has as many work-items as wide ones allow.
constexpr std::uint64_t largest_narrow = (std::uint64_t{1} << 31) - 1, largest_wide = std::uint64_t{1} << 40;

/// With as many rows in the slowest dimension as ids allow.
passes::fusion_range as_large_as_possible(passes::fusion_range range, bool narrow) {
  const unsigned d = 3 - range.dimensions;
  const std::uint64_t local = range.local[d] == 0 ? 1 : range.local[d];
  range.global[d] = ((narrow ? largest_narrow : largest_wide) - range.offset[d]) / local * local;
  return range;
}

// Ids and ranges are arrays of up to three, small vectors of up to four: indices computed by loops over them say
// nothing. One more, for the test in front counts as a turn.
constexpr unsigned longest_unrolled = 5;
// Promoted elements become values only where no loop chooses among their parts: those of vectors.
constexpr unsigned longest_element = 17;

void add_scalar_passes(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
}

bool has_loops(llvm::Function& function) {
  return !function.isDeclaration() && !llvm::LoopInfo(llvm::DominatorTree(function)).empty();
}

/// Enough for offsets of leaves and affine indices to stand out.
void simplify(llvm::Module& module, unsigned longest = longest_unrolled) {
  llvm::FunctionPassManager scalar;
  add_scalar_passes(scalar);
  llvm::ModulePassManager pipeline;
  pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(scalar)));
  passes::pass_runner().run(module, std::move(pipeline));
  passes::pass_runner of_loops;
  for (llvm::Function& function : module) {
    if (!has_loops(function)) continue;
    llvm::FunctionPassManager unrolled;
    llvm::LoopUnrollOptions whole_loops;
    whole_loops.setPartial(false).setRuntime(false).setPeeling(false).setUpperBound(false);
    unrolled.addPass(llvm::LoopUnrollPass(whole_loops.setFullUnrollMaxCount(longest)));
    add_scalar_passes(unrolled);
    of_loops.run(function, std::move(unrolled));
  }
}

class fuser {
public:
  fuser(llvm::Module& module, const abi::fusion_request& request) : m_module(module), m_request(request) {}

  llvm::Expected<fused_kernel> run() {
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) {
      m_facts.push_back(read_kernel(*m_request.members[i].image, m_request.members[i].kernel_index));
    }
    if (llvm::Error error = describe()) return std::move(error);
    passes::fusion_decision decision = passes::decide_fusion(m_decision);
    if (!decision.refused.empty()) return llvm::createStringError(decision.refused);
    m_result.any_size = holds_for_any_size(decision);
    write_stub(decision);
    if (llvm::Error error = passes::fuse_kernels(*m_stub)) return std::move(error);
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) {
      if (llvm::Function* member = m_module.getFunction(member_symbol(i))) {
        if (member->use_empty()) member->eraseFromParent();
      }
    }
    simplify(m_module);
    promote(decision);
    // Promoted memory becomes values here: in the loop over work-items it would look as if they shared it.
    simplify(m_module, !m_result.promotions.empty() ? longest_element : longest_unrolled);
    m_result.saved_bytes = decision.saved_bytes;
    for (const std::string& note : decision.notes) m_result.report += "  " + note + "\n";
    for (const std::string& each : decision.trusted) m_result.trusted += each + "\n";
    m_result.kernel = m_stub;
    m_result.facts = facts_of_the_whole();
    if (for_gpu()) join_blocks();
    if ((m_request.fusion & abi::fusion_show_code) != 0) {
      const std::unique_ptr<llvm::Module> shown = passes::clone_module(m_module);
      llvm::StripDebugInfo(*shown);
      llvm::raw_string_ostream text(m_result.report);
      shown->print(text, nullptr);
    }
    return std::move(m_result);
  }

private:
  llvm::Error describe() {
    std::vector<passes::fusion_range> ranges;
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) {
      llvm::Function* kernel = m_module.getFunction(member_symbol(i));
      if (!kernel) return llvm::createStringError("member " + std::to_string(i) + " has no function");
      if (for_gpu() && (m_facts[i].row.flags & abi::kernel_not_portable) != 0) {
        return llvm::createStringError(
            "'" + m_facts[i].display_name +
            "' was diagnosed when it was compiled: it can run on the host CPU only");
      }
      if (llvm::Error error = passes::inline_device_calls(*kernel)) return error;
      ranges.push_back(range_of(m_request.members[i]));
    }
    simplify(m_module);
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) fold_constants(i);
    if (m_request.constant_count != 0) simplify(m_module);
    if (llvm::Error error = find_visitor(ranges)) return error;
    if (llvm::Error error = choose_range(ranges)) return error;
    if (llvm::Error error = check_sub_groups()) return error;
    m_decision.no_barriers = (m_request.fusion & abi::fusion_no_barriers) != 0;
    m_decision.only_proved = (m_request.fusion & abi::fusion_only_proved) != 0;
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) {
      m_decision.members.push_back({m_facts[i].display_name, ranges[i], analyse(i, ranges[i])});
    }
    for (std::uint32_t i = 0; i < m_request.pointer_count; ++i) {
      const abi::fusion_pointer& pointer = m_request.pointers[i];
      m_decision.pointers.push_back({{pointer.member, pointer.offset},
                                     pointer.name,
                                     pointer.space,
                                     pointer.base,
                                     pointer.requested,
                                     pointer.unobservable != 0,
                                     pointer.elements,
                                     pointer.element_size});
    }
    return llvm::Error::success();
  }

  bool for_gpu() const { return m_request.gpu.name != nullptr; }

  /// A reduction over a range takes the others along, element by element.
  llvm::Error find_visitor(std::vector<passes::fusion_range>& ranges) {
    if (m_request.member_count == 1) return llvm::Error::success();
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) {
      const bool visits = m_request.members[i].element_dimensions != 0 &&
                          passes::visits_elements(*m_module.getFunction(member_symbol(i)));
      if (!visits) continue;
      if (m_visitor) {
        return llvm::createStringError(
            "'" + m_facts[*m_visitor].display_name + "' and '" + m_facts[i].display_name +
            "' are reductions over ranges, and each takes the elements in its own order; end "
            "the fusion between them");
      }
      m_visitor = i;
    }
    if (!m_visitor) return llvm::Error::success();
    ranges[*m_visitor] = element_range_of(m_request.members[*m_visitor]);
    const passes::fusion_range& elements = ranges[*m_visitor];
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) {
      const llvm::Function& kernel = *m_module.getFunction(member_symbol(i));
      const bool fits = ranges[i].dimensions == elements.dimensions && passes::same_range(ranges[i], elements);
      if (i == *m_visitor || (fits && !passes::asks_for_sub_groups(kernel))) continue;
      const char* what = fits                      ? "' asks for sub-groups"
                         : ranges[i].local[0] != 0 ? "' has work-groups"
                                                   : "' has another range";
      return llvm::createStringError("'" + m_facts[*m_visitor].display_name +
                                     "' takes the elements of its range in runs, and '" + m_facts[i].display_name +
                                     what + "; give both the same nd_range, or end the fusion between them");
    }
    m_view = passes::make_element_view(*m_module.getFunction(member_symbol(*m_visitor)));
    return llvm::Error::success();
  }

  /// The place is not a number, but a pointer to a table of specialization constants.
  bool is_table(const abi::fusion_dependence& place) const {
    return llvm::any_of(m_facts[place.member].leaves, [&](const abi::image_leaf& leaf) {
      return leaf.offset == place.offset && leaf.kind == abi::leaf_kind::constants;
    });
  }

  void fold_constants(std::uint32_t member) {
    using table_pointer = const abi::specialization_table*;
    const auto table_at = [&](std::uint64_t offset) -> std::optional<table_pointer> {
      for (std::uint32_t i = 0; i < m_request.constant_count; ++i) {
        const abi::fusion_dependence& place = m_request.constants[i];
        if (place.member != member || place.offset != offset || !is_table(place)) continue;
        table_pointer table;
        std::memcpy(&table, static_cast<const char*>(m_request.members[member].block) + offset, sizeof(table));
        return table;
      }
      return std::nullopt;
    };
    passes::fold_specialization_constants(*m_module.getFunction(member_symbol(member)), table_at);
  }

  /// One kernel has sub-groups of one size; who doesn't ask for them does not care.
  llvm::Error check_sub_groups() {
    const unsigned usual = m_request.options.sub_group_size;
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) {
      const bool of_others = for_gpu() && (m_facts[i].row.flags & abi::kernel_sizes_for_cpu) != 0;
      const unsigned required = of_others ? 0 : m_facts[i].row.required_sub_group_size;
      const llvm::Function& kernel = *m_module.getFunction(member_symbol(i));
      if (required == 0 && !passes::asks_for_sub_groups(kernel)) continue;
      const unsigned size = required != 0 ? required : usual;
      if (m_sub_group_size != 0 && m_sub_group_size != size) {
        return llvm::createStringError("Cannot fuse kernels with different sub-group sizes");
      }
      m_sub_group_size = size;
    }
    return llvm::Error::success();
  }

  llvm::Error choose_range(const std::vector<passes::fusion_range>& ranges) {
    if (m_visitor) {
      m_result.range_member = m_result.local_member = *m_visitor;
      m_decision.range = ranges[*m_visitor];
      return llvm::Error::success();
    }
    const passes::range_choice choice = passes::choose_fused_range(ranges);
    m_result.range_member = choice.range_member;
    m_result.local_member = choice.local_member;
    m_decision.range = choice.range;
    return choice.refused.empty() ? llvm::Error::success() : llvm::createStringError(choice.refused);
  }

  /// Numbers that the answer rests on are noted.
  passes::access_summary analyse(std::uint32_t i, const passes::fusion_range& range) {
    const std::string_view block(static_cast<const char*>(m_request.members[i].block), m_facts[i].row.block_size);
    const bool visits = m_visitor && i == *m_visitor;
    llvm::Function& kernel = visits ? *m_view : *m_module.getFunction(member_symbol(i));
    passes::access_summary summary = passes::analyse_accesses(kernel, range, block, m_sub_group_size);
    // Work-items take elements at a time of their own, and one of them has the result.
    summary.is_collective |= visits;
    for (const passes::block_dependence& used : summary.depends_on) {
      const bool known = llvm::any_of(m_result.depends_on, [&](const abi::fusion_dependence& other) {
        return other.member == i && other.offset == used.offset && other.size == used.size;
      });
      if (!known) m_result.depends_on.push_back({i, used.offset, used.size});
    }
    return summary;
  }

  /// Fewer rows than the most there can be leave accesses out, and add none: what is proved then, is proved for all.
  bool holds_for_any_size(const passes::fusion_decision& decision) {
    if (decision.legality != passes::verdict::proved) return false;
    passes::decision_request large = m_decision;
    const bool narrow = m_request.options.ids == abi::id_width::bits_32;
    large.range = as_large_as_possible(m_decision.range, narrow);
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) {
      passes::fusion_member& member = large.members[i];
      if (!passes::same_range(member.range, m_decision.range)) return false;
      if (member.range.dimensions != m_decision.range.dimensions) return false;
      member.range = large.range;
      member.accesses = analyse(i, large.range);
      if (member.accesses.uses_extent) return false;
    }
    const passes::fusion_decision other = passes::decide_fusion(large);
    return other.refused.empty() && other.legality == passes::verdict::proved && other.barriers == decision.barriers &&
           other.sets == decision.sets;
  }

  void write_stub(const passes::fusion_decision& decision) {
    for (std::uint32_t i = 0; i < m_request.constant_count; ++i) {
      if (!is_table(m_request.constants[i])) m_result.depends_on.push_back(m_request.constants[i]);
    }
    llvm::LLVMContext& context = m_module.getContext();
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::PointerType::getUnqual(context)}, false);
    m_stub = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, fused_symbol, m_module);
    m_stub->addFnAttr(llvm::Attribute::Convergent);
    m_description.range = m_visitor ? range_of(m_request.members[*m_visitor]) : m_decision.range;
    m_description.visitor = m_visitor;
    if (m_view) m_view->eraseFromParent();
    m_description.barriers = decision.barriers;
    m_description.sets = decision.sets;
    // What the decision rests on is part of the key in any case. As constants, the rows of a buffer are as long for one
    // member as for the next, and what one stores the other finds.
    for (const abi::fusion_dependence& known : m_result.depends_on) {
      const char* bytes = static_cast<const char*>(m_request.members[known.member].block) + known.offset;
      m_description.constants.push_back({{known.member, known.offset}, std::string(bytes, known.size)});
    }
    for (std::uint32_t i = 0; i < m_request.member_count; ++i) {
      m_description.members.push_back(member_symbol(i));
      m_description.ranges.push_back(m_decision.members[i].range);
      m_description.local_offsets.push_back(m_result.local_memory_bytes);
      m_result.local_memory_bytes = align_up(m_result.local_memory_bytes + m_request.members[i].local_memory_bytes);
    }
    passes::write_fusion_metadata(*m_stub, m_description);
  }

  void promote(passes::fusion_decision& decision) {
    passes::propagate_constants(*m_stub, m_description);
    const std::vector<llvm::LoadInst*> merged = passes::merge_identical_arguments(*m_stub, m_description);
    for (std::size_t i = 0; i < merged.size(); ++i) {
      const passes::identical_set& set = m_description.sets[i];
      if (set.promoted == passes::promotion::none || !merged[i]) continue;
      const passes::replacement_memory memory{set.promoted, abi::multiply_bytes(set.elements, set.element_bytes),
                                              m_result.local_memory_bytes};
      std::string why = passes::find_hidden_use(*m_stub, set);
      const bool local = set.promoted == passes::promotion::local_memory;
      if (why.empty()) {
        why = passes::too_large_to_promote(set.promoted,
                                           local ? abi::add_bytes(memory.local_offset, memory.bytes) : memory.bytes);
      }
      if (why.empty()) why = passes::internalize(*merged[i], memory);
      if (!why.empty()) {
        stays_in_memory(decision, i, why);
        continue;
      }
      if (local) m_result.local_memory_bytes = align_up(m_result.local_memory_bytes + memory.bytes);
      const passes::fusion_argument& first = set.arguments.front();
      m_result.promotions.push_back({first.member, first.offset, static_cast<std::uint32_t>(set.promoted),
                                     static_cast<std::uint32_t>(memory.bytes)});
    }
    std::vector<passes::argument_space> spaces;
    for (std::size_t i = 0; i < merged.size(); ++i) {
      spaces.push_back({merged[i], space_of(m_description.sets[i].arguments.front())});
    }
    passes::mark_disjoint_memory(*m_stub, spaces);
  }

  /// What was decided by accesses alone can fail for what else is done with the pointer.
  static void stays_in_memory(passes::fusion_decision& decision, std::size_t set, const std::string& why) {
    for (const passes::promoted_set& each : decision.promoted) {
      if (each.set != set) continue;
      decision.notes[each.note] = "in memory   " + each.name + ": " + why;
      decision.saved_bytes -= each.saved_bytes;
    }
  }

  unsigned space_of(const passes::fusion_argument& argument) const {
    for (const passes::fusion_pointer& pointer : m_decision.pointers) {
      if (pointer.argument.member == argument.member && pointer.argument.offset == argument.offset)
        return pointer.space;
    }
    return 0;
  }

  kernel_facts facts_of_the_whole() const {
    kernel_facts facts = m_facts.front();
    facts.symbol = fused_symbol;
    facts.row.required_sub_group_size = m_sub_group_size;
    facts.display_name = "fused";
    for (const kernel_facts& member : m_facts) facts.display_name += "_" + member.display_name;
    if (facts.display_name.size() > 200) facts.display_name.resize(200);
    facts.row.dimensions = m_description.range.dimensions;
    facts.row.shape = m_description.range.local[0] != 0 ? abi::kernel_shape::nd_range : abi::kernel_shape::range;
    // Members of other sizes may have others' work-groups, but not where they are at elements.
    const auto* required = m_visitor ? m_facts[*m_visitor].row.required_work_group_size : nullptr;
    for (unsigned d = 0; d < 3; ++d) facts.row.required_work_group_size[d] = required ? required[d] : 0;
    return facts;
  }

  void join_blocks() {
    abi::joined_blocks joined;
    std::vector<std::uint32_t> pointers;
    for (const kernel_facts& member : m_facts) {
      const std::uint64_t place = joined.add(member.row.block_size, member.row.block_alignment);
      m_result.block_places.push_back(place);
      for (const std::uint32_t each : member.pointers) pointers.push_back(static_cast<std::uint32_t>(place + each));
    }
    m_result.facts.row.block_size = static_cast<std::uint32_t>(joined.bytes);
    m_result.facts.row.block_alignment = static_cast<std::uint32_t>(joined.alignment);
    m_result.facts.row.flags = 0;
    m_result.facts.leaves.clear();
    m_result.facts.pointers = std::move(pointers);
  }

  llvm::Module& m_module;
  const abi::fusion_request& m_request;
  std::vector<kernel_facts> m_facts;
  passes::decision_request m_decision;
  passes::fusion_description m_description;
  llvm::Function* m_stub = nullptr;
  std::optional<std::uint32_t> m_visitor;  ///< of elements, at which the others run
  llvm::Function* m_view = nullptr;        ///< its, as if it had a work-item for each element
  unsigned m_sub_group_size = 0;  ///< 0: nobody asks
  fused_kernel m_result;
};

} // namespace

std::string member_symbol(std::uint32_t index) { return "sinter.member" + std::to_string(index); }

llvm::Expected<std::unique_ptr<llvm::Module>> read_members(const abi::fusion_request& request,
                                                           llvm::LLVMContext& context,
                                                           std::vector<std::string>& imports,
                                                           std::string& warnings) {
  auto whole = std::make_unique<llvm::Module>("sinter.fusion", context);
  llvm::Linker linker(*whole);
  std::map<const abi::image_header*, bool> linked;
  for (std::uint32_t i = 0; i < request.member_count; ++i) {
    const abi::image_header* image = request.members[i].image;
    if (linked[image]) continue;
    linked[image] = true;
    if (image->import_count != 0 && linked.size() > 1) {
      return llvm::createStringError("kernels of several files that refer to host functions can't be fused yet");
    }
    auto module = read_module(*image, context);
    if (!module) return module.takeError();
    passes::take_one_turn(**module);
    // Every member of this image gets a name of its own; what is left is private to the image.
    std::vector<std::pair<std::uint32_t, llvm::Function*>> members;
    for (std::uint32_t k = i; k < request.member_count; ++k) {
      if (request.members[k].image != image) continue;
      const std::string symbol = read_kernel(*image, request.members[k].kernel_index).symbol;
      llvm::Function* kernel = (*module)->getFunction(symbol);
      if (!kernel || kernel->isDeclaration())
        return llvm::createStringError("the image has no function '" + symbol + "'");
      members.push_back({k, kernel});
    }
    std::vector<llvm::Function*> copies;
    for (const auto& [k, kernel] : members) {
      llvm::ValueToValueMapTy map;
      llvm::Function* copy = llvm::CloneFunction(kernel, map);
      copy->setName(member_symbol(k));
      copies.push_back(copy);
    }
    for (llvm::GlobalValue& value : (*module)->global_values()) {
      if (!value.isDeclaration()) value.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    for (llvm::Function* copy : copies) copy->setLinkage(llvm::GlobalValue::ExternalLinkage);
    if (whole->getTargetTriple().empty()) {
      whole->setTargetTriple((*module)->getTargetTriple());
      whole->setDataLayout((*module)->getDataLayout());
    }
    if (linker.linkInModule(std::move(*module))) {
      return llvm::createStringError("the device modules of the kernels can't be linked");
    }
    for (const auto& [k, kernel] : members) {
      if (!whole->getFunction(member_symbol(k))) return llvm::createStringError("a kernel got lost while linking");
    }
  }
  std::vector<linked_kernel> members;
  for (std::uint32_t i = 0; i < request.member_count; ++i) {
    const abi::fusion_member& member = request.members[i];
    members.push_back({member_symbol(i), read_kernel(*member.image, member.kernel_index).display_name});
  }
  auto linked_imports = link_externals(*whole, members, *request.members[0].image,
                                       {request.externals, request.external_count}, warnings);
  if (!linked_imports) return linked_imports.takeError();
  imports = std::move(*linked_imports);
  return whole;
}

llvm::Expected<fused_kernel> fuse(llvm::Module& module, const abi::fusion_request& request) {
  return fuser(module, request).run();
}

} // namespace sinter::jit
