#pragma once
/// Loads of which one work-item makes several side by side, while the lanes lie elsewhere: rows of a matrix, structures
/// in an array. Instead of gathering one element of all lanes after the other, each lane loads a piece, 16 bytes of its
/// own, and the pieces are transposed in registers.
///
/// Input: a work-item function as prepare_for_lanes leaves it, and its shapes.
/// A piece is read where its first load stood: all of its loads run whenever that one does, nothing in between may
/// write there, and no byte is read that they would not read.
///
/// `unroll_rows` makes pieces of loops that go along a row: innermost, of one block, whose lanes stay together, without
/// stores that may touch what is read. Several iterations, a line of the caches, become one block; those that are left
/// run as before. Each work-item does what it did in the same order. Other loops stay as they are.

#include <vector>

#include "lane_shapes.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

class load_pieces {
public:
  struct piece {
    llvm::SmallVector<llvm::LoadInst*, 4> loads;  ///< in the order of their addresses
    std::int64_t start;                           ///< in bytes from the address of the one that runs first
  };

  load_pieces(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine);

  /// Null: the load is alone.
  const piece* of(const llvm::LoadInst& load) const;

private:
  std::vector<piece> m_pieces;
  llvm::DenseMap<const llvm::LoadInst*, unsigned> m_numbers;
};

/// Whether there is such a loop.
bool unroll_rows(llvm::Function& function, llvm::TargetMachine& machine, lane_facts facts);

/// From a vector of neighbouring elements for each lane to one of all lanes for each element.
llvm::SmallVector<llvm::Value*, 4> transposed(llvm::IRBuilderBase& builder, llvm::ArrayRef<llvm::Value*> of_lanes);

}  // namespace sinter::passes
