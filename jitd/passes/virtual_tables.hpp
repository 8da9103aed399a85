#pragma once
/// Tables of virtual functions whose slots nobody reads.
///
/// In: a kernel and what it reaches. An object of a class with virtual functions or virtual bases that stays in memory
/// holds the address of its table, and the table names type_info and functions, which devices with drivers don't have.
/// SYCL 2020 5.4 allows such objects, and neither virtual calls nor typeid. Out: those slots are null, offsets of
/// virtual bases stay. Legal where nothing that the kernel reaches reads them: it calls nothing by address, no function
/// of the host that could, and loads no pointer in front of what a pointer from memory leads to.

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instruction.h"

namespace sinter::passes {

/// By its name in the Itanium ABI: a table, or one of an object under construction.
bool is_virtual_table(const llvm::GlobalVariable& variable);

/// Whether it may read a slot for type_info or a function: a virtual call, typeid, dynamic_cast.
bool may_read_slots(const llvm::Instruction& instruction);

/// Of all tables that the kernel reaches, if nothing may read them.
void drop_unread_slots(llvm::Function& kernel);

}  // namespace sinter::passes
