/// sinter-import: makes a device image of a SPIR-V module. libsinter.so starts it as a process of its own, because a
/// bad module may crash it.
///
///   sinter-import TRANSLATOR MODULE IMAGE [ID:TYPE:VALUE ...]
///
/// TRANSLATOR is llvm-spirv of LLVM 22 or of an older version, whose bitcode LLVM 22 reads. On failure the program
/// writes a sentence to the standard error output and exits with code 1.

#include <sys/mman.h>
#include <sys/resource.h>

#include <capture/canonical_math.hpp>
#include <capture/image_writer.hpp>
#include <capture/simplify.hpp>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "builtins_bitcode.hpp"
#include "flat_memory.hpp"
#include "kernel_blocks.hpp"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "passes/llvm_versions.hpp"

namespace {

using namespace sinter;

[[noreturn]] void fail(const llvm::Twine& why) {
  llvm::errs() << why << "\n";
  std::exit(1);
}

template <class T>
T check(llvm::Expected<T> value) {
  if (!value) fail(llvm::toString(value.takeError()));
  return std::move(*value);
}

/// Limits memory and time, because a module may make the importer use any amount of them.
void limit_resources() {
  const rlimit seconds{60, 60}, memory{std::uint64_t{8} << 30, std::uint64_t{8} << 30}, none{0, 0};
  setrlimit(RLIMIT_CPU, &seconds);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)
  setrlimit(RLIMIT_AS, &memory);
#endif
  setrlimit(RLIMIT_CORE, &none);
}

std::vector<std::uint32_t> read_words(const char* path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) fail("the module can't be read: " + file.getError().message());
  std::vector<std::uint32_t> words((*file)->getBufferSize() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), (*file)->getBufferStart(), words.size() * sizeof(std::uint32_t));
  return words;
}

/// Replaces OpConstantNull of numbers, which LLVM 22 writes, by OpConstant, because translators for LLVM 15 and older
/// do not accept OpConstantNull.
std::vector<std::uint32_t> without_null_numbers(const std::vector<std::uint32_t>& words) {
  constexpr std::uint32_t type_bool = 20, type_int = 21, type_float = 22, constant_false = 42, constant = 43, null = 46;
  std::vector<std::uint32_t> result;
  std::map<std::uint32_t, std::uint32_t> bits;  // the bits of each type; 0 for bool
  constexpr std::size_t header = 5;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t count = at == 0 ? header : words[at] >> 16;
    const std::uint32_t operation = at == 0 ? 0 : words[at] & 0xffff;
    if (count == 0 || count > words.size() - at) fail("word " + llvm::Twine(at) + ": an instruction has no end");
    const std::uint32_t* each = words.data() + at;
    if (operation == type_bool && count >= 2) bits[each[1]] = 0;
    if ((operation == type_int || operation == type_float) && count >= 3) bits[each[1]] = each[2];
    if (const auto type = operation == null && count == 3 ? bits.find(each[1]) : bits.end(); type != bits.end()) {
      const std::uint32_t literals = type->second == 0 ? 0 : type->second <= 32 ? 1 : 2;
      result.push_back((3 + literals) << 16 | (literals == 0 ? constant_false : constant));
      result.insert(result.end(), {each[1], each[2]});
      result.insert(result.end(), literals, 0);
    } else {
      result.insert(result.end(), each, each + count);
    }
    at += count;
  }
  return result;
}

/// A file without a name, for the translator.
std::string make_file(const char* name, const void* bytes, std::size_t size) {
  const int file = memfd_create(name, 0);
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/false);
  stream.write(static_cast<const char*>(bytes), size);
  stream.flush();
  if (file < 0 || stream.has_error()) fail("no memory for the module");
  return "/proc/self/fd/" + std::to_string(file);
}

std::unique_ptr<llvm::Module> translate(const char* translator, const std::vector<std::uint32_t>& words,
                                        llvm::ArrayRef<const char*> constants, llvm::LLVMContext& context) {
  const std::string from = make_file("module", words.data(), words.size() * sizeof(std::uint32_t));
  const std::string to = make_file("bitcode", "", 0);
  std::string values = "--spec-const=";
  for (const char* each : constants) values += std::string(each) + " ";
  llvm::SmallVector<llvm::StringRef, 8> command{translator, "-r", "--spirv-target-env=CL2.0"};
  if (!constants.empty()) command.push_back(llvm::StringRef(values).rtrim());
  command.append({from, "-o", to});
  std::string error;
  constexpr unsigned seconds = 60, megabytes = 8192;
  const int code = llvm::sys::ExecuteAndWait(translator, command, {}, {}, seconds, megabytes, &error);
  if (code != 0) {
    fail("the translator " + llvm::Twine(translator) + " does not take the module (" +
         (error.empty() ? "code " + std::to_string(code) : error) + ")");
  }
  auto bitcode = llvm::MemoryBuffer::getFile(to, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!bitcode) fail("what the translator made can't be read: " + bitcode.getError().message());
  return check(llvm::parseBitcodeFile((*bitcode)->getMemBufferRef(), context));
}

void verify(const llvm::Module& module, const char* when) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream)) fail(llvm::Twine("the module is not valid ") + when + ": " + text);
}

void link_builtins(llvm::Module& module) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(builtins_bitcode), sizeof(builtins_bitcode));
  auto builtins = check(llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "builtins"), module.getContext()));
  builtins->setDataLayout(module.getDataLayout());
  builtins->setTargetTriple(module.getTargetTriple());
  // If the module and the functions both declare metadata, such as OpenCL's version, only the module's metadata stay.
  while (!builtins->named_metadata_empty()) builtins->eraseNamedMetadata(&*builtins->named_metadata_begin());
  if (llvm::Linker::linkModules(module, std::move(builtins), llvm::Linker::LinkOnlyNeeded)) {
    fail("OpenCL's functions can't be linked");
  }
}

/// Gives the module the host's target, which all device images have.
void take_host_target(llvm::Module& module) {
  llvm::InitializeNativeTarget();
  const llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(passes::target_name(triple), error);
  if (!target) fail(error);
  const std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(passes::target_name(triple), "", "", {}, std::nullopt));
  module.setTargetTriple(passes::target_name(triple));
  module.setDataLayout(machine->createDataLayout());
}

/// Writes each kernel in all shapes, as abi::imported_forms describes.
std::vector<std::uint8_t> write(const llvm::Module& device, llvm::ArrayRef<import::imported_kernel> kernels) {
  llvm::LLVMContext& context = device.getContext();
  llvm::Module facts("descriptors", context);
  std::vector<capture::captured_kernel> forms(kernels.size() * abi::imported_forms);
  std::vector<capture::image_entry> entries;
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const import::imported_kernel& kernel = kernels[i / abi::imported_forms];
    const std::uint64_t form = i % abi::imported_forms;
    const auto shape = form == 0  ? abi::kernel_shape::single_task
                       : form < 4 ? abi::kernel_shape::range
                                  : abi::kernel_shape::nd_range;
    const std::uint64_t dimensions = form == 0 ? 1 : (form - 1) % 3 + 1;
    llvm::SmallVector<llvm::Constant*, 6> fields;
    for (const std::uint64_t field : {std::uint64_t{0}, std::uint64_t{0}, kernel.block_size, kernel.block_alignment,
                                      static_cast<std::uint64_t>(shape), dimensions}) {
      fields.push_back(llvm::ConstantInt::get(word, field));
    }
    llvm::Constant* values = llvm::ConstantStruct::getAnon(fields);
    capture::captured_kernel& made = forms[i];
    made.descriptor = new llvm::GlobalVariable(facts, values->getType(), true, llvm::GlobalValue::InternalLinkage,
                                               values, "descriptor");
    made.symbol = made.layout.display_name = kernel.name;
    std::copy_n(kernel.required_work_group_size, 3, made.layout.required_work_group_size.begin());
    made.layout.required_sub_group_size = kernel.required_sub_group_size;
    made.layout.leaves = kernel.leaves;
    entries.push_back({&made, kernel.needs_groups ? abi::kernel_needs_groups : 0u, {}, 0,
                       made.layout.required_sub_group_size});
  }
  return capture::write_image(device, entries, {}, {}, 0);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) fail("usage: sinter-import TRANSLATOR MODULE IMAGE [ID:TYPE:VALUE ...]");
  limit_resources();
  const std::vector<std::uint32_t> words = without_null_numbers(read_words(arguments[2]));
  llvm::LLVMContext context;
  const llvm::ArrayRef<const char*> constants(arguments + 4, static_cast<std::size_t>(count - 4));
  std::unique_ptr<llvm::Module> module = translate(arguments[1], words, constants, context);
  verify(*module, "as the translator made it");
  link_builtins(*module);
  const std::vector<import::imported_kernel> kernels = check(import::make_kernel_blocks(*module));
  std::unique_ptr<llvm::Module> device = check(import::flatten_memory(*module));
  take_host_target(*device);
  verify(*device, "without address spaces");
  capture::canonicalize_math(*device);
  capture::simplify(*device);
  verify(*device, "when simplified");
  const std::vector<std::uint8_t> image = write(*device, kernels);
  std::error_code error;
  llvm::raw_fd_ostream file(arguments[3], error);
  if (error) fail("the image can't be written: " + error.message());
  file.write(reinterpret_cast<const char*>(image.data()), image.size());
  file.close();
  if (file.has_error()) fail("the image can't be written");
  return 0;
}
