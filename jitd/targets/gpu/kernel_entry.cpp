#include "kernel_entry.hpp"

#include <abi/gpu_launch.hpp>
#include <cctype>

#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::jit::gpu {
namespace {

/// The largest id that is computed in 32 bits.
constexpr std::uint64_t most_narrow = (std::uint64_t{1} << 31) - 1;

class entry_builder {
public:
  entry_builder(const dialect& words, llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                const abi::jit_request& request, const abi::local_range& local_range, bool smaller)
      : m_dialect(words),
        m_module(module),
        m_kernel(kernel),
        m_facts(facts),
        m_request(request),
        m_known(local_range),
        m_smaller(smaller),
        m_builder(module.getContext()) {}

  kernel_entry run() {
    create();
    llvm::BasicBlock* body = llvm::BasicBlock::Create(m_module.getContext(), "body", m_entry);
    llvm::BasicBlock* done = llvm::BasicBlock::Create(m_module.getContext(), "done", m_entry);
    read_position(done);
    skip_surplus_items(body, done);
    m_builder.SetInsertPoint(done);
    m_builder.CreateRetVoid();
    m_builder.SetInsertPoint(body);
    llvm::Value* block = m_builder.CreateAddrSpaceCast(m_entry->getArg(0), m_builder.getPtrTy());
    llvm::CallInst* call = m_builder.CreateCall(&m_kernel, {block});
    m_builder.CreateBr(done);
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info);
    m_kernel.eraseFromParent();
    return {m_entry, m_where};
  }

private:
  void create() {
    llvm::LLVMContext& context = m_module.getContext();
    std::string name = "sinter_";
    for (char c : m_facts.display_name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    const parameters& how = m_dialect.how_launched();
    llvm::Type* pointer = m_builder.getPtrTy(how.space);
    m_entry = llvm::Function::Create(llvm::FunctionType::get(m_builder.getVoidTy(), {pointer, pointer}, false),
                                     llvm::GlobalValue::ExternalLinkage, name, m_module);
    const auto by_value = [&](unsigned index, std::uint64_t bytes, std::uint64_t alignment) {
      llvm::Type* type = llvm::ArrayType::get(m_builder.getInt8Ty(), std::max<std::uint64_t>(bytes, 1));
      m_entry->addParamAttr(index, llvm::Attribute::get(context, how.by_value, type));
      m_entry->addParamAttr(index, llvm::Attribute::getWithAlignment(context, llvm::Align(alignment)));
      m_entry->addParamAttr(index, llvm::Attribute::NoAlias);
    };
    by_value(0, m_facts.row.block_size, std::max<std::uint64_t>(m_facts.row.block_alignment, 8));
    by_value(1, how.geometry_bytes, alignof(abi::gpu_geometry));
    m_dialect.mark_entry(*m_entry, m_known, m_smaller);
    m_builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", m_entry));
  }

  llvm::Value* read(place what, unsigned dimension) { return m_dialect.read(m_builder, what, dimension); }
  /// Tells LLVM that the id is below `limit`. If LLVM knows this limit, it may find the number of iterations of a loop
  /// in which a group goes over a tile row by row.
  llvm::Value* read_thread_id(unsigned dimension, std::uint64_t limit) {
    return below(read(place::thread_id, dimension), limit);
  }
  /// If ids are narrow, sums of block ids and thread ids are narrow, too, and LLVM computes addresses with fewer
  /// additions.
  llvm::Value* read_block_id(unsigned dimension) {
    const std::uint64_t least = m_smaller ? abi::least_block : m_known[dimension];
    const std::uint64_t size = m_known[2] != 0 && is_narrow() ? least : 0;
    return below(read(place::block_id, dimension), size == 0 ? 0 : most_narrow / size + 1);
  }
  llvm::Value* read_block_size(unsigned dimension) {
    if (m_known[2] == 0) return widen(read(place::block_size, dimension));
    if (!m_smaller) return number(m_known[dimension]);
    return widen(below(read(place::block_size, dimension), m_known[dimension] + 1));
  }
  llvm::Value* below(llvm::Value* value, std::uint64_t limit) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(value);
    if (call && limit != 0) call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, limit)));
    return value;
  }
  llvm::Value* widen(llvm::Value* value) {
    return m_builder.CreateZExt(value, m_builder.getInt64Ty(), "", /*IsNonNeg=*/true);
  }
  llvm::Value* number(std::uint64_t value) { return m_builder.getInt64(value); }

  llvm::Value* geometry_word(std::size_t offset, unsigned dimension) {
    llvm::Value* place =
        m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), m_entry->getArg(1), offset + 8 * dimension);
    return m_builder.CreateAlignedLoad(m_builder.getInt64Ty(), place, llvm::Align(8));
  }

  bool is_used(unsigned dimension) const { return dimension + m_facts.row.dimensions >= 3; }

  llvm::Value* count_groups() {
    llvm::Value* count = number(1);
    for (unsigned d = 3 - m_facts.row.dimensions; d < 3; ++d) {
      m_where.group_range[d] = geometry_word(offsetof(abi::gpu_geometry, group_range), d);
      count = m_builder.CreateMul(count, m_where.group_range[d]);
    }
    return count;
  }

  /// A block runs the group with its own number, and the groups whose numbers are larger by a multiple of the number of
  /// blocks.
  void read_turns() {
    llvm::Value* linear = read(place::block_id, 2);
    llvm::Value* blocks = read(place::grid_size, 2);
    llvm::Value* count = count_groups();
    m_where.first_group = widen(linear);
    m_where.blocks = widen(blocks);
    if (is_narrow()) {
      count = narrow(count);
    } else {
      linear = m_where.first_group, blocks = m_where.blocks;
    }
    llvm::Value* one = llvm::ConstantInt::get(count->getType(), 1);
    llvm::Value* behind = m_builder.CreateUDiv(m_builder.CreateSub(m_builder.CreateSub(count, one), linear), blocks);
    m_where.turns = m_builder.CreateZExt(m_builder.CreateAdd(behind, one), m_builder.getInt64Ty());
    m_where.narrow = is_narrow();
    m_where.dimensions = m_facts.row.dimensions;
    m_where.group_id = coordinates_of(m_builder, m_where.first_group, m_where.group_range, m_where.dimensions);
  }

  /// Makes blocks beyond the last group jump to `done`.
  void read_groups(llvm::BasicBlock* done) {
    for (unsigned d = 0; d < 3; ++d) m_where.group_id[d] = number(0), m_where.group_range[d] = number(1);
    if (m_request.gpu.turns) return read_turns();
    if (!m_request.gpu.folded) {
      for (unsigned d = 3 - m_facts.row.dimensions; d < 3; ++d) {
        m_where.group_id[d] = widen(read_block_id(d));
        m_where.group_range[d] = widen(read(place::grid_size, d));
      }
      return;
    }
    llvm::Value* linear = m_builder.CreateAdd(
        m_builder.CreateMul(widen(read(place::block_id, 1)), widen(read(place::grid_size, 2))),
        widen(read(place::block_id, 2)));
    llvm::Value* count = count_groups();
    llvm::BasicBlock* inside = llvm::BasicBlock::Create(m_module.getContext(), "inside", m_entry);
    m_builder.CreateCondBr(m_builder.CreateICmpULT(linear, count), inside, done);
    m_builder.SetInsertPoint(inside);
    m_where.group_id = coordinates_of(m_builder, linear, m_where.group_range, m_facts.row.dimensions);
  }

  void read_position(llvm::BasicBlock* done) {
    read_groups(done);
    m_where.meeting = geometry_word(offsetof(abi::gpu_geometry, meeting), 0);
    m_where.linear_local_id = number(0);
    m_where.items_of_group = number(1);
    for (unsigned d = 0; d < 3; ++d) {
      if (!is_used(d)) {
        m_where.local_id[d] = m_where.global_id[d] = m_where.offset[d] = number(0);
        m_where.local_range[d] = m_where.global_range[d] = number(1);
        m_position[d] = number(0);
        continue;
      }
      m_where.local_id[d] = widen(read_thread_id(d, m_known[2] != 0 ? m_known[d] : 0));
      m_where.local_range[d] = read_block_size(d);
      m_where.global_range[d] = geometry_word(offsetof(abi::gpu_geometry, global_range), d);
      m_where.offset[d] =
          m_request.gpu.no_offset ? number(0) : geometry_word(offsetof(abi::gpu_geometry, global_offset), d);
      m_position[d] = sum_of(product_of(m_where.group_id[d], m_where.local_range[d]), m_where.local_id[d]);
      m_where.global_id[d] = m_request.gpu.no_offset ? m_position[d] : sum_of(m_position[d], m_where.offset[d]);
      m_where.linear_local_id =
          sum_of(product_of(m_where.linear_local_id, m_where.local_range[d]), m_where.local_id[d]);
      m_where.items_of_group = product_of(m_where.items_of_group, m_where.local_range[d]);
    }
  }

  // Narrow ids are computed in 32 bits. Surplus work-items of range kernels may be beyond 2^31.
  bool is_narrow() const { return m_request.options.ids == abi::id_width::bits_32; }
  bool may_exceed() const { return m_facts.row.shape == abi::kernel_shape::range; }
  llvm::Value* narrow(llvm::Value* value) { return m_builder.CreateTrunc(value, m_builder.getInt32Ty()); }
  llvm::Value* widen_result(llvm::Value* value) {
    return m_builder.CreateZExt(value, m_builder.getInt64Ty(), "", /*IsNonNeg=*/!may_exceed());
  }
  llvm::Value* sum_of(llvm::Value* a, llvm::Value* b) {
    if (!is_narrow()) return m_builder.CreateAdd(a, b, "", /*HasNUW=*/true, /*HasNSW=*/true);
    return widen_result(m_builder.CreateAdd(narrow(a), narrow(b), "", true, !may_exceed()));
  }
  llvm::Value* product_of(llvm::Value* a, llvm::Value* b) {
    if (!is_narrow()) return m_builder.CreateMul(a, b, "", true, true);
    return widen_result(m_builder.CreateMul(narrow(a), narrow(b), "", true, !may_exceed()));
  }

  /// If ids are narrow, ranges are narrow, too. Then the code compares numbers of 32 bits: for 64 bits, GPUs need two
  /// steps, or twice the time.
  llvm::Value* is_below(llvm::Value* position, llvm::Value* range) {
    if (!is_narrow()) return m_builder.CreateICmpULT(position, range);
    return m_builder.CreateICmpULT(narrow(position), narrow(range));
  }

  void skip_surplus_items(llvm::BasicBlock* body, llvm::BasicBlock* done) {
    if (m_facts.row.shape != abi::kernel_shape::range) {
      m_builder.CreateBr(body);
      return;
    }
    llvm::Value* inside = m_builder.getTrue();
    for (unsigned d = 3 - m_facts.row.dimensions; d < 3; ++d) {
      inside = m_builder.CreateAnd(inside, is_below(m_position[d], m_where.global_range[d]));
    }
    m_builder.CreateCondBr(inside, body, done);
  }

  const dialect& m_dialect;
  llvm::Module& m_module;
  llvm::Function& m_kernel;
  const kernel_facts& m_facts;
  const abi::jit_request& m_request;
  abi::local_range m_known;
  bool m_smaller;
  llvm::IRBuilder<> m_builder;
  llvm::Function* m_entry = nullptr;
  geometry m_where{};
  geometry::values m_position{};  ///< position without the launch's offset
};

}  // namespace

geometry::values coordinates_of(llvm::IRBuilder<>& builder, llvm::Value* linear, const geometry::values& extents,
                                unsigned dimensions) {
  llvm::Value* zero = builder.getInt64(0);
  geometry::values result{zero, zero, zero};
  for (unsigned d = 2; d > 3 - dimensions; --d) {
    result[d] = builder.CreateURem(linear, extents[d]);
    linear = builder.CreateUDiv(linear, extents[d]);
  }
  result[3 - dimensions] = linear;
  return result;
}

abi::local_range block_of_range(unsigned dimensions) {
  switch (dimensions) {
    case 1:
      return {1, 1, 256};
    case 2:
      return {1, 8, 32};
    default:
      return {2, 4, 32};
  }
}

kernel_entry make_entry(const dialect& words, llvm::Module& module, llvm::Function& kernel,
                        const kernel_facts& facts, const abi::jit_request& request,
                        const abi::local_range& local_range, bool smaller) {
  return entry_builder(words, module, kernel, facts, request, local_range, smaller).run();
}

}  // namespace sinter::jit::gpu
