#pragma once
/// Loads of which one work-item makes several side by side, while other lanes access other memory: rows of a matrix,
/// structures in an array. Instead of gathering one element of all lanes after the other, each lane loads a piece, 16
/// bytes of its own, and registers are transposed.
///
/// Input: a work-item function as prepare_for_lanes leaves it, and its shapes. A piece is read at the place of its
/// first load: all of its loads run whenever that one does, nothing in between may write there, and no byte is read
/// that the loads would not read.

#include <vector>

#include "lane_shapes.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

class load_pieces {
public:
  struct piece {
    llvm::SmallVector<llvm::LoadInst*, 4> loads;  ///< in the order of their addresses
    std::int64_t start;                           ///< in bytes from the address of the load that runs first
  };

  load_pieces(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine);

  /// No load is in two of them.
  llvm::ArrayRef<piece> all() const { return m_pieces; }

private:
  std::vector<piece> m_pieces;
};

/// Bytes of a piece.
inline constexpr unsigned piece_bytes = 16;

/// The number of loads like this one in a piece; 0: it can't be in a piece.
unsigned piece_length(const llvm::LoadInst& load, const lane_shapes& shapes);

}  // namespace sinter::passes
