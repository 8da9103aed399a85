#pragma once
/// Accesses of which one work-item makes several side by side, while the lanes lie elsewhere: rows of a matrix,
/// structures in an array, pixels. Instead of one element of all lanes after the other, each lane loads or stores a
/// piece, 16 bytes of its own, and registers are transposed.
///
/// Input: a work-item function as prepare_for_lanes leaves it, and its shapes. Loads are made at the place of the first
/// of them, stores at the place of the last: all accesses of a piece run whenever that one does, nothing in between may
/// access what is stored or write what is loaded, and no byte is touched that the accesses would not touch.

#include <map>
#include <vector>

#include "lane_shapes.hpp"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Accesses of one type whose addresses have constant distances, by distance: all loads, or all stores.
struct access_row {
  const llvm::SCEV* first;
  llvm::Type* type;
  unsigned opcode;
  std::map<std::int64_t, llvm::Instruction*> by_distance;
};

/// Finds rows among accesses of one block.
std::vector<access_row> neighbours_in(llvm::ArrayRef<llvm::Instruction*> accesses, llvm::ScalarEvolution& evolution);

/// Whether all can be made together: loads at the place of the first one, stores at the place of the last.
bool can_be_joined(llvm::ArrayRef<llvm::Instruction*> in_order, llvm::AAResults& aliases);

class access_pieces {
public:
  struct piece {
    llvm::SmallVector<llvm::Instruction*, 4> accesses;  ///< all loads or all stores, in the order of their addresses
    std::int64_t start;                                 ///< in bytes from the address of the one where they are made
  };

  access_pieces(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine);

  /// The access in whose place all of the piece are made.
  static llvm::Instruction* place_of(const piece& piece);

  /// No access is in two of them.
  llvm::ArrayRef<piece> all() const { return m_pieces; }

private:
  std::vector<piece> m_pieces;
};

/// Bytes of a piece.
inline constexpr unsigned piece_bytes = 16;

/// The number of accesses like this load or store in a piece; 0: it can't be in one.
unsigned piece_length(const llvm::Instruction& access, const lane_shapes& shapes);

}  // namespace sinter::passes
