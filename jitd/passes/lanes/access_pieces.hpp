#pragma once
/// Finds accesses that one work-item makes side by side, while other lanes access memory elsewhere: rows of a matrix,
/// structures in an array, pixels. Each lane then loads or stores a piece, which is 16 bytes of its own, and registers
/// are transposed. Without pieces, lanes would access one element at a time.
///
/// Input: a work-item function after prepare_for_lanes, and its shapes. All loads of a piece are made at the place of
/// its first load, all stores at the place of its last store. All accesses of a piece run whenever the access at that
/// place runs. Nothing in between may access what is stored or write what is loaded. A piece touches only bytes that
/// its accesses would touch.

#include <map>
#include <vector>

#include "lane_shapes.hpp"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Accesses of one type whose addresses have constant distances. They are all loads or all stores, sorted by distance.
struct access_row {
  const llvm::SCEV* first;
  llvm::Type* type;
  unsigned opcode;
  std::map<std::int64_t, llvm::Instruction*> by_distance;
};

/// Finds rows among accesses of one block.
std::vector<access_row> neighbours_in(llvm::ArrayRef<llvm::Instruction*> accesses, llvm::ScalarEvolution& evolution);

/// Whether all accesses can be made together: loads at the place of the first load, stores at the place of the last
/// store.
bool can_be_joined(llvm::ArrayRef<llvm::Instruction*> in_order, llvm::AAResults& aliases);

class access_pieces {
public:
  struct piece {
    llvm::SmallVector<llvm::Instruction*, 4> accesses;  ///< all loads or all stores, in the order of their addresses
    std::int64_t start;                                 ///< bytes from the address of place_of() to the first byte
  };

  access_pieces(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine);

  /// The access at whose place all accesses of the piece are made.
  static llvm::Instruction* place_of(const piece& piece);

  /// All pieces. No access is in two pieces.
  llvm::ArrayRef<piece> all() const { return m_pieces; }

private:
  std::vector<piece> m_pieces;
};

/// The size of a piece in bytes.
inline constexpr unsigned piece_bytes = 16;

/// The number of accesses like this load or store that make a piece. Returns 0 if the access can't be in a piece.
unsigned piece_length(const llvm::Instruction& access, const lane_shapes& shapes);

}  // namespace sinter::passes
