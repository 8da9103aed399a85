#pragma once
/// Finds code that devices can't run but that kernels reach. Also finds the calls that lead to this code.
///
/// Code is judged after simplification, so that dead code does not count. The calls are recorded before simplification,
/// which inlines them. With some kinds of such code (imports, indirect calls), the kernel still runs on the host's CPU.

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Keeps facts that simplification loses. One such fact is which functions call each other before inlining; functions
/// are known by their names.
class call_graph {
public:
  explicit call_graph(const llvm::Module& device);

  /// Returns the demangled names of the functions on the call chain from the kernel to the function that does `what`,
  /// joined by " -> ". The kernel itself is left out.
  std::string chain(llvm::StringRef kernel, llvm::StringRef what) const;

  /// Sorted keys of all specialization constants that the kernel refers to, even if the kernel does not use their
  /// values.
  std::vector<std::uint64_t> constants(llvm::StringRef kernel) const;

private:
  llvm::StringMap<std::vector<std::string>> m_edges;
  llvm::StringMap<std::vector<std::uint64_t>> m_constants;
};

/// The place of a statement; line 0: not known.
struct statement_place {
  std::string file;
  unsigned line = 0, column = 0;
};

/// Returns the place. The path is the path as the compiler got it, if this is known. Otherwise, it is the whole path.
/// Debug information may split a path into folder and file at any slash.
statement_place place_in_text(const llvm::DILocation& location);
/// The line of the function's name.
statement_place place_in_text(const llvm::DISubprogram& function);

struct offence {
  std::string text;       ///< "throws an exception", "calls the undefined function 'f(int)'" ...
  std::string node;       ///< the node of call_graph at which the chain of calls ends
  statement_place place;  ///< where the statement is, in the user's own code if possible
  bool not_portable;      ///< the code runs on the host CPU only
  bool not_capturable;    ///< the JIT can't compile the code even for the host CPU, so the kernel stays host code
};

struct kernel_reach {
  std::vector<offence> offences;  ///< at most one offence with each text
  bool groups_meet = false;         ///< the kernel has a barrier of the root group
  bool has_device_globals = false;  ///< device globals rule out a host copy, because the copy would use other variables
};

kernel_reach examine(llvm::Function& kernel);

/// The declarations that are neither intrinsics nor functions of the device ABI. Code reaches these declarations by
/// their address on the host.
std::vector<llvm::GlobalValue*> find_imports(llvm::Module& device);

} // namespace sinter::capture
