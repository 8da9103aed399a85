#include "tile_kernel.hpp"

#include <abi/device_abi.hpp>
#include <abi/planted_error.hpp>

#include "group_tiles.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "passes/convergence.hpp"
#include "run_kernel.hpp"
#include "stage_function.hpp"
#include "tile_builder.hpp"

namespace sinter::passes {
namespace {

// The number of lanes that a loop of vectors handles at once. With all usual widths, these lanes are a few vectors.
constexpr std::int64_t chunk = 64;
constexpr std::int64_t line = 64;  // bytes of a cache line

class tile_kernel : tile_builder {
public:
  tile_kernel(llvm::Function& fused, const stencil_fusion& stencils)
      : tile_builder(fused, stencils), m_past_caches(stencils.past_caches.has_value()) {}

  llvm::Error build() {
    begin();
    make_place_to_wait();
    if (!m_stencils.request.rows_are_loops)
      m_lane = m_builder.CreateNSWAdd(m_first_lane, query("__sinter_local_id", 2));
    if (m_stencils.request.rows_are_loops) make_inside_forms();
    go_along_rows([this](std::size_t s, llvm::Value* row) { stage_at_row(s, row); });
    // When the group has ended, the runtime does a store, from which other threads learn this. Without the fence,
    // stores that bypass the caches might become visible only after the runtime's store.
    if (m_past_caches) m_builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    m_builder.CreateRetVoid();
    std::vector<llvm::Function*> functions = m_functions;
    llvm::append_range(functions, m_inside_functions);
    llvm::append_range(functions, m_inner_functions);
    for (const rows_ahead& each : m_ahead) functions.push_back(each.function);
    return inline_stages(functions);
  }

private:
  void make_place_to_wait() {
    if (!m_past_caches) return;
    const auto bytes = static_cast<std::uint64_t>(chunk * m_stencils.past_caches->layout.element_bytes);
    llvm::AllocaInst* waiting =
        m_builder.CreateAlloca(llvm::ArrayType::get(m_builder.getInt8Ty(), bytes), nullptr, "waiting");
    waiting->setAlignment(llvm::Align(line));
    m_waiting = waiting;
  }

  void stage_at_row(std::size_t s, llvm::Value* row) {
    const auto work = [&] {
      if (m_plan.middle == 3) {
        stage_in_lanes(s, row, nullptr);
        return;
      }
      const auto [first, last] = part_of(s, m_plan.middle);
      loop(first, last, "middle", [&](llvm::Value* middle) {
        stage_in_lanes(s, row, middle);
        barrier();
      });
    };
    if (row) {
      const auto [first, last] = part_of(s, m_plan.slide);
      if_true(m_builder.CreateAnd(m_builder.CreateICmpSGE(row, first), m_builder.CreateICmpSLT(row, last)), work);
    } else {
      work();
    }
    barrier();
  }

  void barrier() {
    if (!m_stencils.request.rows_are_loops && !abi::is_planted("tiles_without_barriers"))
      create_barrier(m_builder, abi::scope::work_group);
  }

  /// Whether one of the stages reads memory that one of these stages overwrites. Work-items of such stages must not run
  /// twice.
  bool is_in_place(const std::vector<std::size_t>& stages) const {
    const auto any = [&](const auto& holds) {
      return llvm::any_of(stages, [&](std::size_t s) { return llvm::any_of(m_stencils.stages[s].accesses, holds); });
    };
    return any([&](const placed_access& read) {
      return !read.access.is_write && read.in_memory && any([&](const placed_access& write) {
        return write.access.is_write && write.in_memory && write.memory == read.memory;
      });
    });
  }

  /// For each stage, makes a function for lanes away from borders. LLVM's loop vectorizer can vectorize loops over
  /// these lanes.
  void make_inside_forms() {
    m_access_group = llvm::MDNode::getDistinct(m_fused.getContext(), {});
    m_inside_functions.resize(m_functions.size());
    m_inner_functions.resize(m_functions.size());
    m_ahead.resize(m_functions.size());
    for (const auto& stage : m_stencils.stages) {
      m_inside.push_back({{stage.inner[0].ids, stage.inner[1].ids, stage.inner[2].ids}});
    }
    for (std::size_t s = 0; s < m_functions.size(); ++s) {
      if (!is_first_of_pass(s)) continue;
      const std::vector<std::size_t> stages = stages_with(s);
      for (unsigned d = 0; d < 3; ++d) {
        id_span& ids = m_inside[s].ids[d];
        for (const std::size_t each : stages) {
          ids.first = std::max(ids.first, m_inside[each].ids[d].first);
          ids.last = std::min(ids.last, m_inside[each].ids[d].last);
        }
        ids.last = std::max(ids.first, ids.last);
      }
      bool asks_for_rows = false;
      for (const std::size_t each : stages) {
        m_inside_functions[each] = make_stage_function(m_stencils, each, m_inside[s], m_access_group);
        asks_for_rows |= m_plan.slide < 3 && m_inside_functions[each]->size() > 1;
      }
      inside_ids inner = m_inside[s];
      inner.of_rows = true;
      for (const std::size_t each : stages) {
        if (asks_for_rows) m_inner_functions[each] = make_stage_function(m_stencils, each, inner, m_access_group);
        if (m_plan.slide < 3) m_ahead[each] = make_rows_ahead(m_stencils, each, inner);
      }
    }
  }

  llvm::MDNode* property(const char* name, llvm::Metadata* value = nullptr) {
    llvm::LLVMContext& context = m_fused.getContext();
    llvm::SmallVector<llvm::Metadata*, 2> parts{llvm::MDString::get(context, name)};
    if (value) parts.push_back(value);
    return llvm::MDNode::get(context, parts);
  }
  llvm::Metadata* constant(llvm::Constant* value) { return llvm::ConstantAsMetadata::get(value); }

  /// Emits `do body(counter) while (++counter < end)`.
  template <class Body>
  void loop_at_least_once(llvm::Value* begin, llvm::Value* end, const char* name,
                          llvm::ArrayRef<llvm::MDNode*> properties, const Body& body) {
    llvm::BasicBlock* before = m_builder.GetInsertBlock();
    llvm::BasicBlock* inside = new_block(name);
    llvm::BasicBlock* behind = new_block("behind");
    m_builder.CreateBr(inside);
    m_builder.SetInsertPoint(inside);
    llvm::PHINode* counter = m_builder.CreatePHI(m_builder.getInt64Ty(), 2, name);
    llvm::Value* next = body(counter);
    counter->addIncoming(begin, before);
    counter->addIncoming(next, m_builder.GetInsertBlock());
    m_builder.CreateCondBr(m_builder.CreateICmpSLT(next, end), inside, behind)
        ->setMetadata(llvm::LLVMContext::MD_loop,
                      llvm::makePostTransformationMetadata(m_fused.getContext(), nullptr, {}, properties));
    m_builder.SetInsertPoint(behind);
  }

  void ask_for_rows(const std::vector<std::size_t>& stages, llvm::Value* row, llvm::Value* middle, llvm::Value* from) {
    for (const std::size_t s : stages) {
      if (!m_ahead[s].function) continue;
      for (std::int64_t lane = 0; lane < chunk; lane += m_ahead[s].lanes) {
        call_stage(s, m_ahead[s].function, row, middle, m_builder.CreateNSWAdd(from, number(lane)));
      }
    }
  }

  /// The address in memory of that element of the work-item which is stored past the caches.
  llvm::Value* streamed_place(llvm::Value* row, llvm::Value* middle, llvm::Value* lane) {
    const auto& [stage, access, base, layout] = *m_stencils.past_caches;
    const unsigned leaf = m_stencils.stages[stage].accesses[access].access.leaf;
    llvm::Value* pointer = m_builder.CreateLoad(
        m_builder.getPtrTy(), m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), m_blocks[stage], leaf));
    llvm::Value* bytes = number(base);
    for (unsigned d = 0; d < 3; ++d) {
      llvm::Value* id = d == m_plan.lanes ? lane : d == m_plan.slide ? row : d == m_plan.middle ? middle : nullptr;
      if (!id) id = number(static_cast<std::int64_t>(m_stencils.stages[stage].range.offset[d]));
      bytes = m_builder.CreateNSWAdd(bytes, m_builder.CreateNSWMul(id, number(layout.step[d])));
    }
    return m_builder.CreatePtrAdd(pointer, bytes);
  }

  /// The address where an element of a chunk is stored until its cache lines are complete.
  llvm::Value* waiting_place(llvm::Value* lane) {
    llvm::Value* bytes = m_builder.CreateNSWMul(lane, number(m_stencils.past_caches->layout.element_bytes));
    return m_builder.CreateInBoundsPtrAdd(m_waiting, bytes);
  }

  void write_past_caches(llvm::Value* to, llvm::Value* may_pass) {
    const std::int64_t bytes = chunk * m_stencils.past_caches->layout.element_bytes;
    llvm::Value* low = m_builder.CreateAnd(m_builder.CreatePtrToInt(to, m_builder.getInt64Ty()), number(line - 1));
    llvm::BasicBlock *whole = new_block("lines"), *other = new_block("other"), *behind = new_block("behind");
    m_builder.CreateCondBr(m_builder.CreateAnd(m_builder.CreateIsNull(low), may_pass), whole, other);
    m_builder.SetInsertPoint(whole);
    auto* vector = llvm::FixedVectorType::get(m_builder.getInt64Ty(), line / 8);
    llvm::Metadata* one = constant(m_builder.getInt32(1));
    for (std::int64_t at = 0; at < bytes; at += line) {
      llvm::Value* place = m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), m_waiting, at);
      llvm::Value* values = m_builder.CreateAlignedLoad(vector, place, llvm::Align(line));
      llvm::StoreInst* store = m_builder.CreateAlignedStore(
          values, m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), to, at), llvm::Align(line));
      store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(m_fused.getContext(), one));
    }
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(other);
    m_builder.CreateMemCpy(to, llvm::Align(1), m_waiting, llvm::Align(line), bytes);
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(behind);
  }

  /// Emits a stage's row. If the row is away from borders, the loop over its lanes has no conditions that depend on the
  /// row.
  void stage_in_loops(std::size_t s, llvm::Value* row, llvm::Value* middle) {
    if (!m_inner_functions[s]) {
      stage_in_loops(s, row, middle, m_inside_functions);
      return;
    }
    llvm::Value* is_inner = m_builder.getTrue();
    for (const auto& [id, d] : {std::pair(row, m_plan.slide), std::pair(middle, m_plan.middle)}) {
      if (!id) continue;
      const id_span& ids = m_inside[s].ids[d];
      is_inner = m_builder.CreateAnd(is_inner, m_builder.CreateICmpSGE(id, number(ids.first)));
      is_inner = m_builder.CreateAnd(is_inner, m_builder.CreateICmpSLT(id, number(ids.last)));
    }
    if_true(is_inner, [&] { stage_in_loops(s, row, middle, m_inner_functions); });
    if_true(m_builder.CreateNot(is_inner), [&] { stage_in_loops(s, row, middle, m_inside_functions); });
  }

  /// Emits a row of the pass that begins with the stage. Lanes away from borders run in chunks of equal length. LLVM
  /// vectorizes a chunk, and all vectors of a chunk are whole. The last chunk may repeat lanes of the previous chunk,
  /// which changes nothing.
  void stage_in_loops(std::size_t s, llvm::Value* row, llvm::Value* middle,
                      const std::vector<llvm::Function*>& inside_functions) {
    const auto [first, last] = part_of(s, m_plan.lanes);
    const id_span& inside = m_inside[s].ids[m_plan.lanes];
    llvm::Value* begin = larger(first, number(inside.first));
    llvm::Value* end = larger(smaller(last, number(inside.last)), begin);
    llvm::MDNode* parallel = property("llvm.loop.parallel_accesses", m_access_group);
    llvm::MDNode* vectors = property("llvm.loop.vectorize.enable", constant(m_builder.getTrue()));
    const std::vector<std::size_t> stages = stages_with(s);
    const auto call = [&](llvm::Value* lane, llvm::Value* stream = nullptr) {
      for (const std::size_t each : stages) call_stage(each, inside_functions[each], row, middle, lane, stream);
    };
    const auto& past_caches = m_stencils.past_caches;
    const bool streams = m_past_caches && llvm::is_contained(stages, past_caches->stage);
    if (is_in_place(stages)) {
      if_true(m_builder.CreateICmpSLT(begin, end), [&] {
        loop_at_least_once(begin, end, "inside", {parallel, vectors}, [&](llvm::Value* lane) {
          call(lane);
          return m_builder.CreateNSWAdd(lane, number(1));
        });
      });
    } else {
      llvm::Value* fits = m_builder.CreateICmpSGE(m_builder.CreateNSWSub(end, begin), number(chunk));
      end = m_builder.CreateSelect(fits, end, begin);
      if_true(fits, [&] {
        llvm::Value* latest = m_builder.CreateNSWSub(end, number(chunk));
        // Chunks are aligned: rows in stage buffers begin at a cache line, but rows of other memory may begin anywhere.
        llvm::Value* before = m_builder.CreateAnd(m_builder.CreateNSWSub(begin, m_first_lane), number(chunk - 1));
        if (streams) {
          llvm::Value* place = streamed_place(row, middle, begin);
          llvm::Value* first_byte = m_builder.CreatePtrToInt(place, m_builder.getInt64Ty());
          before = m_builder.CreateUDiv(m_builder.CreateAnd(first_byte, number(line - 1)),
                                        number(past_caches->layout.element_bytes));
        }
        loop_at_least_once(m_builder.CreateNSWSub(begin, before), end, "chunk", {property("llvm.loop.unroll.disable")},
                           [&](llvm::Value* chunk_begin) {
                             llvm::Value* from = smaller(larger(chunk_begin, begin), latest);
                             loop_at_least_once(number(0), number(chunk), "inside", {parallel, vectors},
                                                [&](llvm::Value* i) {
                                                  llvm::Value* stream = streams ? waiting_place(i) : nullptr;
                                                  call(m_builder.CreateNSWAdd(from, i), stream);
                                                  return m_builder.CreateNSWAdd(i, number(1));
                                                });
                             ask_for_rows(stages, row, middle, from);
                             if (!streams) return m_builder.CreateNSWAdd(chunk_begin, number(chunk));
                             // If two chunks write a cache line, the stores to this line do not bypass the caches.
                             llvm::Value* behind = m_builder.CreateNSWAdd(begin, number(chunk));
                             llvm::Value* next = m_builder.CreateNSWAdd(from, number(chunk));
                             llvm::Value* apart = m_builder.CreateOr(m_builder.CreateICmpEQ(from, begin),
                                                                     m_builder.CreateICmpSGE(from, behind));
                             apart = m_builder.CreateAnd(apart, m_builder.CreateOr(m_builder.CreateICmpEQ(next, end),
                                                                     m_builder.CreateICmpSLE(next, latest)));
                             write_past_caches(streamed_place(row, middle, from),
                                               m_builder.CreateAnd(apart, m_builder.CreateICmpEQ(from, chunk_begin)));
                             return m_builder.CreateNSWAdd(chunk_begin, number(chunk));
                           });
      });
    }
    // The chunks have computed the lanes from `begin` up to, but without, `end`. The general function runs for all
    // other lanes.
    const auto skip = [&](llvm::Value* lane) {
      return m_builder.CreateSelect(m_builder.CreateICmpEQ(lane, begin), end, lane);
    };
    llvm::Value* at = skip(first);
    if_true(m_builder.CreateICmpSLT(at, last), [&] {
      llvm::MDNode* never = property("llvm.loop.vectorize.enable", constant(m_builder.getFalse()));
      loop_at_least_once(at, last, "border", {never, property("llvm.loop.unroll.disable")}, [&](llvm::Value* lane) {
        for (const std::size_t each : stages) call_stage(each, m_functions[each], row, middle, lane);
        return skip(m_builder.CreateNSWAdd(lane, number(1)));
      });
    });
  }

  void stage_in_lanes(std::size_t s, llvm::Value* row, llvm::Value* middle) {
    if (m_stencils.request.rows_are_loops) return stage_in_loops(s, row, middle);
    const unsigned x = m_plan.lanes;
    const auto [first, last] = part_of(s, x);
    const auto call = [&] { call_stage(s, m_functions[s], row, middle, m_lane); };
    // If all lanes of the group are in the stage's part in every tile, no test is needed.
    const fusion_range& range = m_stencils.stages[s].range;
    const auto begin = static_cast<std::int64_t>(range.offset[x]);
    const std::int64_t end = begin + static_cast<std::int64_t>(range.global[x]);
    const reach& halo = m_plan.stages[s].halo;
    const std::int64_t from = std::max(m_plan.first[x] + halo.low[x], begin);
    const std::int64_t to = std::min(m_plan.last[x] + halo.high[x], end);
    if (m_plan.tiles[x] == 1 && from == m_plan.first[x] - m_plan.lanes_before && to - from == m_plan.columns &&
        !abi::is_planted("tiles_halo_one_short")) {
      call();
      return;
    }
    if_true(m_builder.CreateAnd(m_builder.CreateICmpSGE(m_lane, first), m_builder.CreateICmpSLT(m_lane, last)), call);
  }

  const bool m_past_caches;
  llvm::Value* m_lane = nullptr;
  std::vector<inside_ids> m_inside;                 ///< each stage's ids away from borders
  std::vector<llvm::Function*> m_inside_functions;  ///< functions for lanes away from borders
  /// Functions for work-items away from borders in all dimensions, if such functions have fewer conditions.
  std::vector<llvm::Function*> m_inner_functions;
  std::vector<rows_ahead> m_ahead;         ///< each stage's prefetches
  llvm::MDNode* m_access_group = nullptr;  ///< access group of the functions for lanes away from borders
  llvm::Value* m_waiting = nullptr;        ///< memory for a chunk of elements that will bypass the caches
};

}  // namespace

llvm::Error build_tile_kernel(llvm::Function& fused, const stencil_fusion& stencils) {
  if (stencils.request.in_groups) return build_group_tiles(fused, stencils);
  if (stencils.plan.runs_of_strip == 0) return tile_kernel(fused, stencils).build();
  // The last stage is a reduction over runs of elements. Its kernel calls a function that computes rows of all other
  // stages.
  llvm::Expected<llvm::Function*> rows = build_run_kernel(fused, stencils);
  if (!rows) return rows.takeError();
  return tile_kernel(**rows, stencils).build();
}

}  // namespace sinter::passes
