#pragma once
/// Describes the differences between kinds of GPUs. Kernels of these GPUs are launched as abi/gpu_launch.hpp says: they
/// take a block of arguments and a geometry by value. A dialect says how code gets the work-item's position, how
/// work-items wait for each other and exchange values, and which steps only this target has. Each target has one
/// dialect (device_targets.hpp). All other steps are in the list gpu_steps(), which targets share.

#include <abi/device_abi.hpp>
#include <memory>
#include <string>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include "passes/pass_runner.hpp"
#include "size_limits.hpp"
#include "targets/device_code.hpp"

namespace sinter::jit::gpu {

/// Address spaces that all present dialects share. Private memory may have another address space (private_memory.hpp).
inline constexpr unsigned generic_space = 0, global_space = 1, shared_space = 3;
/// The name of the variable for all local memory of a group. The size of this memory comes with the launch.
inline constexpr const char* shared_memory_name = "sinter_shared_memory";

/// Numbers of 32 bits that a work-item can read for each dimension.
enum class place { thread_id, block_size, block_id, grid_size };

/// The files failures.cpp and meetings.cpp contain texts of LLVM's IR. These are the target's replacements for words in
/// these texts. If a replacement ends with ".", the text adds x, y or z and "()".
struct words {
  const char *thread_id, *block_id;  ///< names of functions
  const char* block_barrier;         ///< the calls that make all work-items of a block meet
  const char* leave;                 ///< ends a basic block and the work-item; if a work-item can't end alone, returns
                                     ///< from the kernel instead
  const char* arrive;  ///< adds %much to the i32 at %word, atomically for the whole GPU; its value is the i32 before
                       ///< the addition
  const char* device;  ///< name of the scope of the whole GPU
  const char* declarations = "";  ///< declarations of functions that LLVM does not have
};

/// Describes how a kernel takes the host's data.
struct parameters {
  unsigned space;                      ///< the address space of the pointers
  llvm::Attribute::AttrKind by_value;  ///< the attribute for parameters that are passed by value; it must be an
                                       ///< attribute with a type
  std::uint64_t geometry_bytes;        ///< size of abi::gpu_geometry, or of a structure that begins with it
};

class dialect {
public:
  // ------------------------------------------------------------------------------------------ machine and limits

  /// Makes LLVM's target machine for the GPU with this name, for kernels whose parameters have this many bytes.
  virtual llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string& gpu,
                                                                            std::uint64_t parameter_bytes) const = 0;
  virtual const size_limits& sizes() const = 0;
  virtual const parameters& how_launched() const = 0;
  /// Options for LLVM's own list of passes.
  virtual llvm::PipelineTuningOptions tuning() const { return {}; }
  /// Whether kernels may call functions. If not, all calls are inlined, and a work-item that fails returns from the
  /// kernel, because a thread can't end inside a called function.
  virtual bool has_functions() const = 0;
  /// Whether the GPU computes a number only once for a wave if the number is equal in all work-items of the wave.
  virtual bool has_scalar_unit() const { return false; }
  /// The kind of inline assembly that kernels may contain. The result is this kind's name in abi/device_assembly.hpp.
  virtual const char* assembly() const { return ""; }

  // ------------------------------------------------------------------------------------------ words

  /// Sets the calling convention and the attributes of a kernel whose parameters are already passed by value. If the
  /// size of a block is not known, all numbers of `block` are 0. `smaller` says that blocks may have fewer work-items
  /// than `block`.
  virtual void mark_entry(llvm::Function& entry, const abi::local_range& block, bool smaller) const = 0;
  /// Whether reading the size of a block is as fast as using a constant.
  virtual bool knows_block_size() const { return false; }
  /// Reads the number `what`. `dimension` is in padded SYCL order, so 2 is x.
  virtual llvm::Value* read(llvm::IRBuilder<>& builder, place what, unsigned dimension) const = 0;
  /// Returns the dimension of the thread's id that the instruction reads, or 3 if it reads none.
  virtual unsigned thread_dimension(const llvm::Instruction& instruction) const = 0;
  /// Returns LLVM's name for the scope.
  virtual const char* scope_name(abi::scope scope) const = 0;
  virtual void block_barrier(llvm::IRBuilder<>& builder) const = 0;
  virtual void sub_group_barrier(llvm::IRBuilder<>& builder) const = 0;
  // The following three functions refer to whole sub-groups of the GPU, even if each sub-group of the kernel is only a
  // part of a GPU's sub-group (size_limits). lane() returns the work-item's number in its sub-group.
  virtual llvm::Value* lane(llvm::IRBuilder<>& builder) const = 0;
  /// Returns 64 bits, one for each work-item of the sub-group.
  virtual llvm::Value* ballot(llvm::IRBuilder<>& builder, llvm::Value* condition) const = 0;
  /// Returns the 32 bits of the work-item with the number `source` in the sub-group.
  virtual llvm::Value* shuffle(llvm::IRBuilder<>& builder, llvm::Value* bits, llvm::Value* source) const = 0;
  virtual const words& text_words() const = 0;

  // ------------------------------------------------------------------------------------------ steps of its own

  /// Replaces calls for matrices of sub-groups with the GPU's own instructions. A later step, place_matrices, states
  /// the address space of their memory when it is known. If the GPU lacks a feature that the calls need, the error
  /// names the feature. By default, each work-item holds a fragment of the matrix, and work-items exchange elements.
  virtual llvm::Error lower_matrices(llvm::Function& kernel, unsigned sub_group_size,
                                     const llvm::TargetMachine& machine) const;
  virtual void place_matrices(llvm::Function&) const {}
  /// Turns reads and writes of images into instructions of the GPU's texture units. By default, GPUs have no such
  /// instructions.
  virtual void lower_textures(llvm::Module& module) const;
  /// Turns calls of printf into calls of the driver's function. By default, texts are written to memory for the host
  /// (prints.hpp).
  virtual llvm::Error lower_prints(llvm::Module& module) const;
  virtual llvm::Error link_math(llvm::Module& module, const llvm::TargetMachine& machine) const = 0;
  /// Two steps that correct LLVM's lowering of atomic accesses, before and after LLVM's own passes.
  virtual void fence_atomics(llvm::Module&) const {}
  virtual void widen_atomics(llvm::Function&) const {}
  /// Marks an operation on memory that only this GPU accesses while kernels run.
  virtual void mark_own_memory(llvm::AtomicRMWInst&) const {}
  /// Simplifies exchanges in sub-groups if only some work-items use the result.
  virtual void simplify_exchanges(llvm::Function&, const abi::local_range&, const llvm::TargetMachine&) const {}
  /// Whether copy_asynchronously does something.
  virtual bool copies_ahead() const { return false; }
  /// Lets copies from global to local memory run in the background while the work-item computes.
  virtual void copy_asynchronously(llvm::Function&, llvm::ArrayRef<abi::image_leaf>, llvm::FunctionAnalysisManager&,
                                   const llvm::TargetMachine&) const {}
  /// Turns sums of products of bytes into the GPU's own instructions (passes/byte_products.hpp).
  virtual void dot_bytes(llvm::Function&, passes::pass_runner&) const {}
  /// Puts constants into the GPU's memory for constants.
  virtual llvm::Error place_constants(llvm::PassBuilder& builder, llvm::ModulePassManager& passes) const = 0;
  /// Whether the driver has a function that the module only declares.
  virtual bool is_of_driver(const llvm::Function& function) const = 0;
  /// Returns the module as text or bytes for the driver. The module can't be used afterwards.
  virtual llvm::Expected<std::string> emit(llvm::TargetMachine& machine, llvm::Module& module) const = 0;

protected:
  ~dialect() = default;

  /// Reads 32 bits from the kernel's parameter with the geometry. `offset` is in bytes.
  static llvm::Value* geometry_word(llvm::IRBuilder<>& builder, std::size_t offset);
};

}  // namespace sinter::jit::gpu
