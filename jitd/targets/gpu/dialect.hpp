#pragma once
/// The differences between GPUs whose kernels are launched as abi/gpu_launch.hpp says, with a block of arguments and a
/// geometry by value: how the compiler names the work-item's place, how work-items meet and exchange values, and which
/// steps the target has of its own. Each target has one dialect (device_targets.hpp); the rest of a kernel's way is the
/// list gpu_steps().

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

/// Address spaces that the present dialects share. Private memory may have one of its own (private_memory.hpp).
inline constexpr unsigned generic_space = 0, global_space = 1, shared_space = 3;
/// All memory of a group: its size comes with the launch.
inline constexpr const char* shared_memory_name = "sinter_shared_memory";

/// Numbers of 32 bits that a work-item reads, in each dimension.
enum class place { thread_id, block_size, block_id, grid_size };

/// Words in the texts of failures.cpp and meetings.cpp that are replaced by the target's own. Words that end with "."
/// are followed by x, y or z and "()".
struct words {
  const char *thread_id, *block_id;  ///< functions
  const char* block_barrier;         ///< calls: all work-items of a block meet
  const char* leave;                 ///< ends a block of code, and the work-item, unless it can only return
  const char* arrive;  ///< the value, as an i32, at %word, to which %much is added at once, for the whole GPU, in order
  const char* device;  ///< scope_name() of the whole GPU
  const char* declarations = "";  ///< of functions that LLVM does not have
};

/// How a kernel takes the host's data.
struct parameters {
  unsigned space;                      ///< the address space of the pointers
  llvm::Attribute::AttrKind by_value;  ///< with a type
  std::uint64_t geometry_bytes;        ///< abi::gpu_geometry, or one that begins with it
};

class dialect {
public:
  // ------------------------------------------------------------------------------------------ machine and limits

  /// Makes the machine for the GPU's name; for kernels with parameters of so many bytes.
  virtual llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string& gpu,
                                                                            std::uint64_t parameter_bytes) const = 0;
  virtual const size_limits& sizes() const = 0;
  virtual const parameters& how_launched() const = 0;
  /// For LLVM's own list of passes.
  virtual llvm::PipelineTuningOptions tuning() const { return {}; }
  /// If not, all calls are inlined, and work-items that fail return from the kernel: a thread can't end in a function.
  virtual bool has_functions() const = 0;
  /// Numbers that all work-items of a wave have alike are computed once.
  virtual bool has_scalar_unit() const { return false; }
  /// The inline assembly that kernels may have, by its name in abi/device_assembly.hpp.
  virtual const char* assembly() const { return ""; }

  // ------------------------------------------------------------------------------------------ words

  /// Calling convention and attributes of a kernel; parameters are by value already. `block`: zeros if not known.
  /// `smaller`: blocks may have fewer work-items than that.
  virtual void mark_entry(llvm::Function& entry, const abi::local_range& block, bool smaller) const = 0;
  /// Whether the size of a block is as fast to read as a constant.
  virtual bool knows_block_size() const { return false; }
  /// `dimension`: in padded SYCL order, 2 is x.
  virtual llvm::Value* read(llvm::IRBuilder<>& builder, place what, unsigned dimension) const = 0;
  /// Which place an instruction reads of the thread's own id; 3: it does not.
  virtual unsigned thread_dimension(const llvm::Instruction& instruction) const = 0;
  /// LLVM's name of the scope of work-items that share memory of `scope`.
  virtual const char* scope_name(abi::scope scope) const = 0;
  virtual void block_barrier(llvm::IRBuilder<>& builder) const = 0;
  virtual void sub_group_barrier(llvm::IRBuilder<>& builder) const = 0;
  // Where sub-groups may be parts (size_limits), these are of the whole.
  /// The work-item's number in its sub-group.
  virtual llvm::Value* lane(llvm::IRBuilder<>& builder) const = 0;
  /// Returns 64 bits, one for each work-item of the sub-group.
  virtual llvm::Value* ballot(llvm::IRBuilder<>& builder, llvm::Value* condition) const = 0;
  /// 32 bits of the work-item whose number in the sub-group `source` is.
  virtual llvm::Value* shuffle(llvm::IRBuilder<>& builder, llvm::Value* bits, llvm::Value* source) const = 0;
  virtual const words& text_words() const = 0;

  // ------------------------------------------------------------------------------------------ steps of its own

  /// Calls for matrices of sub-groups become the GPU's own; later, when it is known, they say which memory is meant. An
  /// error names the missing feature of the GPU.
  /// Otherwise work-items have fragments of their own, which they exchange.
  virtual llvm::Error lower_matrices(llvm::Function& kernel, unsigned sub_group_size,
                                     const llvm::TargetMachine& machine) const;
  virtual void place_matrices(llvm::Function&) const {}
  /// Reads and writes of images are those of the GPU's texture units. Otherwise there are none.
  virtual void lower_textures(llvm::Module& module) const;
  /// printf is the driver's; otherwise it writes for the host (prints.hpp).
  virtual llvm::Error lower_prints(llvm::Module& module) const;
  virtual llvm::Error link_math(llvm::Module& module, const llvm::TargetMachine& machine) const = 0;
  /// Two steps that mend LLVM's lowering of atomic accesses, before and behind its own passes.
  virtual void fence_atomics(llvm::Module&) const {}
  virtual void widen_atomics(llvm::Function&) const {}
  /// An operation on memory that the GPU alone reaches while kernels run.
  virtual void mark_own_memory(llvm::AtomicRMWInst&) const {}
  /// Exchanges in sub-groups whose result few work-items use.
  virtual void simplify_exchanges(llvm::Function&, const abi::local_range&, const llvm::TargetMachine&) const {}
  /// Whether the next one does something.
  virtual bool copies_ahead() const { return false; }
  /// Copies from global to local memory go on while the work-item computes.
  virtual void copy_asynchronously(llvm::Function&, llvm::ArrayRef<abi::image_leaf>, llvm::FunctionAnalysisManager&,
                                   const llvm::TargetMachine&) const {}
  /// Sums of products of bytes are the GPU's own (passes/byte_products.hpp).
  virtual void dot_bytes(llvm::Function&, passes::pass_runner&) const {}
  /// Puts constants into the memory that they have on the GPU.
  virtual llvm::Error place_constants(llvm::PassBuilder& builder, llvm::ModulePassManager& passes) const = 0;
  /// Whether the driver has a function that the module only declares.
  virtual bool is_of_driver(const llvm::Function& function) const = 0;
  /// The module as text or bytes for the driver; it is used up.
  virtual llvm::Expected<std::string> emit(llvm::TargetMachine& machine, llvm::Module& module) const = 0;

protected:
  ~dialect() = default;

  /// Reads 32 bits, at an offset, of the geometry that the kernel takes.
  static llvm::Value* geometry_word(llvm::IRBuilder<>& builder, std::size_t offset);
};

}  // namespace sinter::jit::gpu
