#pragma once
/// Finds accesses of one work-item to neighbouring addresses, if each lane accesses a different part of memory: rows of
/// a matrix, structures in an array, pixels. Each lane then loads or stores a piece, which is 16 bytes of its own, and
/// the pieces of all lanes are transposed in registers. Without pieces, each element would be a separate access in each
/// lane. A piece may also be a load of three elements and a gap (sycl::float3), if the pieces of all lanes are
/// contiguous.
///
/// Input: a work-item function after prepare_for_lanes, and its shapes. All loads of a piece are done at the place of
/// the piece's first load, and all stores at the place of the piece's last store. Whenever this first load or last
/// store runs, all accesses of the piece run. Instructions between these accesses may not access the stored bytes or
/// write to the loaded bytes. A piece touches only bytes that its accesses would touch, and gaps of 4 bytes between
/// loaded bytes.

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

/// Whether one access can replace all accesses of `in_order`. The common access would be at the place of the first
/// load, or at the place of the last store.
bool can_be_joined(llvm::ArrayRef<llvm::Instruction*> in_order, llvm::AAResults& aliases);

class access_pieces {
public:
  struct piece {
    llvm::SmallVector<llvm::Instruction*, 4> accesses;  ///< all loads or all stores, in the order of their addresses
    std::int64_t start;                                 ///< bytes from place_of()'s address to the first byte

    /// Whether the last of the piece's elements is missing.
    bool has_gap() const { return accesses.size() == 3; }
    unsigned length() const { return static_cast<unsigned>(accesses.size()) + (has_gap() ? 1 : 0); }
  };

  access_pieces(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine);

  /// The access where the piece is emitted: the first load or the last store in program order.
  static llvm::Instruction* place_of(const piece& piece);

  /// All pieces. No access belongs to two pieces.
  llvm::ArrayRef<piece> all() const { return m_pieces; }

private:
  /// Joins accesses to neighbouring elements of `size` bytes into one piece, if this is possible.
  void add(llvm::ArrayRef<llvm::Instruction*> accesses, std::int64_t size, llvm::AAResults& aliases);

  std::vector<piece> m_pieces;
};

/// The size of a piece in bytes.
inline constexpr unsigned piece_bytes = 16;

/// The number of loads or stores of this access's type that fill a piece. Returns 0 if the access can't be in a piece.
unsigned piece_length(const llvm::Instruction& access, const lane_shapes& shapes);

/// Whether the access may be in a piece with a gap. This requires that all lanes run the access, and that the addresses
/// of neighbouring lanes are 16 bytes apart.
bool may_leave_gap(const llvm::Instruction& access, const lane_shapes& shapes);

}  // namespace sinter::passes
