#pragma once
/// Clears the slots of virtual tables that nothing reads.
///
/// Input: a kernel and the code it reaches. Objects of classes with virtual functions or virtual bases hold the address
/// of a table. The table refers to type_info and functions, which do not exist on devices other than the CPU. SYCL 2020
/// 5.4 allows such objects, but no virtual calls and no typeid. Output: slots for type_info and functions are null, and
/// offsets of virtual bases stay. This is legal if no code that the kernel reaches can read those slots: the code makes
/// no indirect calls, calls no host functions that may read types, and loads no pointer from a table. It also loads no
/// pointer from directly in front of another address, because this address may be that of a table, which has its
/// type_info there.

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instruction.h"

namespace sinter::passes {

/// Whether the variable's name is that of a virtual table in the Itanium ABI, or of the table of an object under
/// construction.
bool is_virtual_table(const llvm::GlobalVariable& variable);

/// Whether the instruction may read a slot for type_info or a function. Virtual calls, typeid and dynamic_cast may read
/// such slots.
bool may_read_slots(const llvm::Instruction& instruction);

/// Sets the slots of all tables that the kernel reaches to null, if nothing can read them.
void drop_unread_slots(llvm::Function& kernel);

}  // namespace sinter::passes
