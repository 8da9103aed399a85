#include "group_tiles.hpp"

#include <abi/device_abi.hpp>
#include <abi/planted_error.hpp>

#include <algorithm>
#include <limits>

#include "passes/convergence.hpp"
#include "stage_function.hpp"
#include "tile_builder.hpp"

namespace sinter::passes {
namespace {

// The number of rows of a column that a work-item away from borders computes at once.
constexpr std::int64_t rows_of_item = 4;

class group_tiles : tile_builder {
public:
  group_tiles(llvm::Function& fused, const stencil_fusion& stencils) : tile_builder(fused, stencils) {}

  llvm::Error build() {
    begin();
    m_item = m_builder.CreateTrunc(query("__sinter_local_id", 2), m_builder.getInt32Ty());
    std::vector<llvm::Function*> inside;
    llvm::BasicBlock* done = new_block("done");
    if (llvm::Value* is_inside = find_inside_tiles(inside)) {
      llvm::BasicBlock *away = new_block("away"), *border = new_block("border");
      m_builder.CreateCondBr(is_inside, away, border);
      m_builder.SetInsertPoint(away);
      all_stages(inside);
      m_builder.CreateBr(done);
      m_builder.SetInsertPoint(border);
    }
    all_stages({});
    m_builder.CreateBr(done);
    m_builder.SetInsertPoint(done);
    m_builder.CreateRetVoid();
    llvm::append_range(inside, m_functions);
    return inline_stages(inside);
  }

private:
  /// Returns an i1 value: whether the tile is whole and all its work-items are away from borders. Fills `inside` with
  /// the stages' functions for such tiles. Returns null if no tile can be away from borders. These tiles may still
  /// touch borders along `slide`: the code tests these borders for each row, because tiles are few and long along
  /// `slide`.
  llvm::Value* find_inside_tiles(std::vector<llvm::Function*>& inside) {
    llvm::Value* all = m_builder.getTrue();
    for (const unsigned d : {m_plan.middle, m_plan.lanes}) {
      if (d == 3) continue;
      std::int64_t least = m_plan.first[d], most = m_plan.last[d] - m_plan.tile[d];  // bounds of the tile's first id
      for (std::size_t s = 0; s < m_functions.size(); ++s) {
        if (!m_functions[s]) continue;
        const id_span& ids = m_stencils.stages[s].inner[d].ids;
        const reach& halo = m_plan.stages[s].halo;
        least = std::max(least, ids.first - halo.low[d]);
        most = std::min(most, ids.last - halo.high[d] - m_plan.tile[d]);
      }
      if (least > most) return nullptr;
      all = m_builder.CreateAnd(all, m_builder.CreateICmpSGE(m_first[d], number(least)));
      all = m_builder.CreateAnd(all, m_builder.CreateICmpSLE(m_first[d], number(most)));
    }
    for (std::size_t s = 0; s < m_functions.size(); ++s) {
      const auto& inner = m_stencils.stages[s].inner;
      const inside_ids ids{{inner[0].ids, inner[1].ids, inner[2].ids}, /*of_rows=*/true};
      inside.push_back(m_functions[s] ? make_stage_function(m_stencils, s, ids) : nullptr);
    }
    return all;
  }

  /// Emits all stages. If `inside` is empty, the code tests for borders.
  void all_stages(llvm::ArrayRef<llvm::Function*> inside) {
    go_along_rows([&](std::size_t s, llvm::Value* row) {
      if (row) {
        const auto [first, last] = part_of(s, m_plan.slide);
        if_true(is_between(row, first, last), [&] { row_of_stage(s, row, inside); });
      } else {
        all_items(s, row, inside);
      }
      if (!abi::is_planted("tiles_without_barriers")) create_barrier(m_builder, abi::scope::work_group);
    });
  }

  void row_of_stage(std::size_t s, llvm::Value* row, llvm::ArrayRef<llvm::Function*> inside) {
    if (inside.empty()) return all_items(s, row, {});
    std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();
    for (const std::size_t each : stages_with(s)) {
      first = std::max(first, m_stencils.stages[each].inner[m_plan.slide].ids.first);
      last = std::min(last, m_stencils.stages[each].inner[m_plan.slide].ids.last);
    }
    llvm::Value* is_inner = is_between(row, number(first), number(last));
    if_true(is_inner, [&] { all_items(s, row, inside); });
    if_true(m_builder.CreateNot(is_inner), [&] { all_items(s, row, {}); });
  }

  llvm::Value* is_between(llvm::Value* id, llvm::Value* first, llvm::Value* last) {
    return m_builder.CreateAnd(m_builder.CreateICmpSGE(id, first), m_builder.CreateICmpSLT(id, last));
  }

  llvm::Value* word(std::int64_t value) { return m_builder.getInt32(static_cast<std::uint32_t>(value)); }

  /// Distributes the work-items of a pass over the work-items of the group. `s` is the pass's first stage. Away from
  /// borders, a work-item of the group computes several rows of a column. If these rows share a value, it is loaded
  /// only once.
  void all_items(std::size_t s, llvm::Value* row, llvm::ArrayRef<llvm::Function*> inside) {
    const std::int64_t height = width_of(s, m_plan.middle);
    const std::int64_t rows = inside.empty() || height < rows_of_item ? 1 : rows_of_item;
    const std::int64_t whole = height / rows * rows;
    deal_out(s, whole / rows, [&](llvm::Value* column, llvm::Value* line) {
      some_rows(s, column, m_builder.CreateNUWMul(line, word(rows)), rows, row, inside);
    });
    deal_out(s, height - whole, [&](llvm::Value* column, llvm::Value* line) {
      some_rows(s, column, m_builder.CreateNUWAdd(line, word(whole)), 1, row, inside);
    });
  }

  /// Distributes `lines` lines of the stage's part over the work-items of the group. body(column, line) emits the code
  /// for one column of a line.
  template <class Body>
  void deal_out(std::size_t s, std::int64_t lines, const Body& body) {
    const std::int64_t width = width_of(s, m_plan.lanes), items = width * lines, turns = items / m_plan.group;
    const auto one = [&](llvm::Value* item) {
      body(lines == 1 ? item : m_builder.CreateURem(item, word(width)),
           lines == 1 ? word(0) : m_builder.CreateUDiv(item, word(width)));
    };
    if (turns == 1) {
      one(m_item);
    } else if (turns > 1) {
      llvm::BasicBlock *before = m_builder.GetInsertBlock(), *turn = new_block("turn"), *behind = new_block("behind");
      m_builder.CreateBr(turn);
      m_builder.SetInsertPoint(turn);
      llvm::PHINode* first = m_builder.CreatePHI(m_builder.getInt32Ty(), 2, "first");
      one(m_builder.CreateNUWAdd(first, m_item));
      llvm::Value* next = m_builder.CreateNUWAdd(first, word(m_plan.group));
      first->addIncoming(word(0), before);
      first->addIncoming(next, m_builder.GetInsertBlock());
      m_builder.CreateCondBr(m_builder.CreateICmpULT(next, word(turns * m_plan.group)), turn, behind);
      m_builder.SetInsertPoint(behind);
    }
    const std::int64_t left = items - turns * m_plan.group;
    if (left == 0) return;
    if_true(m_builder.CreateICmpULT(m_item, word(left)),
            [&] { one(m_builder.CreateNUWAdd(m_item, word(turns * m_plan.group))); });
  }

  /// The width of the tile with the stage's halo along dimension d. Returns 1 if d is 3, which means no dimension.
  std::int64_t width_of(std::size_t s, unsigned d) const {
    if (d == 3) return 1;
    return m_plan.tile[d] + m_plan.stages[s].halo.high[d] - m_plan.stages[s].halo.low[d];
  }

  void some_rows(std::size_t s, llvm::Value* column, llvm::Value* line, std::int64_t rows, llvm::Value* row,
                 llvm::ArrayRef<llvm::Function*> inside) {
    const reach& halo = m_plan.stages[s].halo;
    // The halo's offset is added to the column and not to m_first_lane. Addresses in buffers subtract m_first_lane from
    // the lane again, so that only the column remains.
    column = m_builder.CreateNUWAdd(column, word(m_plan.lanes_before + halo.low[m_plan.lanes]));
    llvm::Value* lane = m_builder.CreateNSWAdd(m_first_lane, widen(column));
    llvm::Value* first = nullptr;
    if (m_plan.middle < 3) first = m_builder.CreateNSWAdd(m_first[m_plan.middle], widen(line));
    for (std::int64_t i = 0; i < rows; ++i) {
      llvm::Value* middle = first ? m_builder.CreateNSWAdd(first, number(halo.low[m_plan.middle] + i)) : nullptr;
      const auto call = [&](llvm::ArrayRef<llvm::Function*> functions) {
        for (const std::size_t each : stages_with(s)) call_stage(each, functions[each], row, middle, lane);
      };
      if (!inside.empty()) {
        call(inside);
        continue;
      }
      llvm::Value* needed = is_in_part(s, m_plan.lanes, lane);
      if (middle) needed = m_builder.CreateAnd(needed, is_in_part(s, m_plan.middle, middle));
      if_true(needed, [&] { call(m_functions); });
    }
  }

  llvm::Value* widen(llvm::Value* value) {
    return m_builder.CreateZExt(value, m_builder.getInt64Ty(), "", /*IsNonNeg=*/true);
  }

  llvm::Value* is_in_part(std::size_t s, unsigned d, llvm::Value* id) {
    const auto [first, last] = part_of(s, d);
    return is_between(id, first, last);
  }

  llvm::Value* m_item = nullptr;  ///< the work-item's number in its group
};

}  // namespace

llvm::Error build_group_tiles(llvm::Function& fused, const stencil_fusion& stencils) {
  return group_tiles(fused, stencils).build();
}

}  // namespace sinter::passes
