#include "image_writer.hpp"

#include <abi/device_abi.hpp>
#include <abi/launch_abi.hpp>
#include <cstring>

#include "llvm/ADT/SetVector.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace sinter::capture {
namespace {

class string_area {
public:
  std::uint32_t add(llvm::StringRef text) {
    auto [entry, inserted] = m_known.try_emplace(text, static_cast<std::uint32_t>(m_bytes.size()));
    if (inserted) {
      m_bytes.append(text.begin(), text.end());
      m_bytes.push_back('\0');
    }
    return entry->second;
  }
  llvm::StringRef bytes() const { return {m_bytes.data(), m_bytes.size()}; }

private:
  std::string m_bytes;
  llvm::StringMap<std::uint32_t> m_known;
};

template <class Element>
std::uint64_t append(std::vector<std::uint8_t>& blob, llvm::ArrayRef<Element> elements) {
  blob.resize((blob.size() + 7) / 8 * 8);
  const std::uint64_t offset = blob.size();
  blob.resize(offset + elements.size() * sizeof(Element));
  if (!elements.empty()) std::memcpy(blob.data() + offset, elements.data(), elements.size() * sizeof(Element));
  return offset;
}

/// The facts about the argument block are in the descriptor's initialiser, where the headers put them.
std::uint32_t descriptor_field(const captured_kernel& kernel, unsigned field) {
  const auto* fields = llvm::cast<llvm::ConstantStruct>(kernel.descriptor->getInitializer());
  return static_cast<std::uint32_t>(llvm::cast<llvm::ConstantInt>(fields->getOperand(field))->getZExtValue());
}

void set_field(const captured_kernel& kernel, unsigned field, llvm::Constant* value) {
  auto* fields = llvm::cast<llvm::ConstantStruct>(kernel.descriptor->getInitializer());
  llvm::SmallVector<llvm::Constant*, 12> values;
  for (llvm::Use& operand : fields->operands()) values.push_back(llvm::cast<llvm::Constant>(operand.get()));
  values[field] = value;
  kernel.descriptor->setInitializer(llvm::ConstantStruct::get(fields->getType(), values));
}

/// Indices of the functions of other files which the kernel or function calls, or whose address it takes.
std::vector<std::uint32_t> called_imports(const llvm::Module& device, llvm::StringRef symbol,
                                          llvm::ArrayRef<llvm::GlobalValue*> imports) {
  std::vector<std::uint32_t> result;
  const llvm::Function* start = device.getFunction(symbol);
  if (!start || imports.empty()) return result;
  llvm::SmallSetVector<const llvm::Function*, 16> reached;
  reached.insert(start);
  for (std::size_t at = 0; at < reached.size(); ++at) {
    for (const llvm::Instruction& instruction : llvm::instructions(*reached[at])) {
      for (const llvm::Use& operand : instruction.operands()) {
        const auto* function = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts());
        if (function) reached.insert(function);
      }
    }
  }
  for (std::size_t i = 0; i < imports.size(); ++i) {
    const auto* function = llvm::dyn_cast<llvm::Function>(imports[i]);
    if (function && reached.contains(function)) result.push_back(static_cast<std::uint32_t>(i));
  }
  return result;
}

} // namespace

abi::kernel_shape shape_of(const captured_kernel& kernel) {
  return static_cast<abi::kernel_shape>(descriptor_field(kernel, 4));
}

std::uint32_t dimensions_of(const captured_kernel& kernel) { return descriptor_field(kernel, 5); }

block_layout block_of(const captured_kernel& kernel) {
  return {descriptor_field(kernel, 2), descriptor_field(kernel, 3)};
}

std::vector<std::uint8_t> write_image(const llvm::Module& device, llvm::ArrayRef<image_entry> kernels,
                                      llvm::ArrayRef<llvm::GlobalValue*> imports,
                                      llvm::ArrayRef<image_function> exports, std::uint32_t flags) {
  string_area strings;
  std::vector<abi::image_kernel> kernel_table;
  std::vector<abi::image_leaf> leaf_table;
  std::vector<abi::image_import> import_table;
  std::vector<abi::image_export> export_table;
  std::vector<abi::image_constant> constant_table;
  std::vector<abi::image_call> call_table;
  const auto add_calls = [&](const std::string& symbol, auto& row) {
    row.first_call = static_cast<std::uint32_t>(call_table.size());
    for (const std::uint32_t import : called_imports(device, symbol, imports)) call_table.push_back({import});
    row.call_count = static_cast<std::uint32_t>(call_table.size()) - row.first_call;
  };
  for (const image_entry& entry : kernels) {
    const captured_kernel& kernel = *entry.kernel;
    abi::image_kernel& row = kernel_table.emplace_back();
    row.symbol = strings.add(kernel.symbol);
    row.display_name = strings.add(kernel.layout.display_name);
    row.source_position = strings.add(kernel.layout.source_position);
    row.flags = entry.flags | abi::group_dimensions(kernel.layout.group_dimensions) |
                (kernel.layout.own_groups ? abi::kernel_own_groups : 0u) |
                (kernel.layout.sizes_for_cpu ? abi::kernel_sizes_for_cpu : 0u);
    row.block_size = block_of(kernel).bytes;
    row.block_alignment = block_of(kernel).alignment;
    row.shape = shape_of(kernel);
    row.dimensions = dimensions_of(kernel);
    row.first_leaf = static_cast<std::uint32_t>(leaf_table.size());
    row.leaf_count = static_cast<std::uint32_t>(kernel.layout.leaves.size());
    for (int i = 0; i < 3; ++i) row.required_work_group_size[i] = kernel.layout.required_work_group_size[i];
    row.required_sub_group_size = entry.required_sub_group_size;
    row.required_aspects = entry.required_aspects;
    row.first_constant = static_cast<std::uint32_t>(constant_table.size());
    row.constant_count = static_cast<std::uint32_t>(entry.constants.size());
    for (std::uint64_t key : entry.constants) constant_table.push_back({key});
    add_calls(kernel.symbol, row);
    leaf_table.insert(leaf_table.end(), kernel.layout.leaves.begin(), kernel.layout.leaves.end());
  }
  for (const llvm::GlobalValue* import : imports) {
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(import);
    const bool is_device_global = variable && variable->hasAttribute(abi::device_global_attribute);
    import_table.push_back(
        {strings.add(import->getName()), 0,
         is_device_global ? device.getDataLayout().getTypeAllocSize(variable->getValueType()).getFixedValue() : 0});
  }
  for (const image_function& function : exports) {
    abi::image_export& row = export_table.emplace_back();
    row.symbol = strings.add(function.symbol);
    row.flags = function.flags;
    row.required_aspects = function.required_aspects;
    row.required_sub_group_size = function.required_sub_group_size;
    add_calls(function.symbol, row);
  }

  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(device, stream);
  llvm::ArrayRef<std::uint8_t> stored(reinterpret_cast<const std::uint8_t*>(bitcode.data()), bitcode.size());
  llvm::SmallVector<std::uint8_t, 0> compressed;
  if (llvm::compression::zstd::isAvailable()) {
    llvm::compression::zstd::compress(stored, compressed, /*Level=*/3);
    stored = compressed;
    flags |= abi::image_bitcode_zstd;
  }

  abi::image_header header{};
  std::memcpy(header.magic, abi::image_magic, sizeof(header.magic));
  header.version = abi::image_format_version;
  header.device_abi = abi::device_abi_version;
  header.flags = flags;
  header.kernel_count = static_cast<std::uint32_t>(kernel_table.size());
  header.leaf_count = static_cast<std::uint32_t>(leaf_table.size());
  header.import_count = static_cast<std::uint32_t>(import_table.size());
  header.export_count = static_cast<std::uint32_t>(export_table.size());
  header.constant_count = static_cast<std::uint32_t>(constant_table.size());
  header.call_count = static_cast<std::uint32_t>(call_table.size());
  std::vector<std::uint8_t> blob(sizeof(header));
  header.kernels_offset = append<abi::image_kernel>(blob, kernel_table);
  header.leaves_offset = append<abi::image_leaf>(blob, leaf_table);
  header.imports_offset = append<abi::image_import>(blob, import_table);
  header.exports_offset = append<abi::image_export>(blob, export_table);
  header.constants_offset = append<abi::image_constant>(blob, constant_table);
  header.calls_offset = append<abi::image_call>(blob, call_table);
  header.strings_offset = append<std::uint8_t>(
      blob, {reinterpret_cast<const std::uint8_t*>(strings.bytes().data()), strings.bytes().size()});
  header.strings_size = strings.bytes().size();
  header.bitcode_offset = append<std::uint8_t>(blob, stored);
  header.bitcode_size = stored.size();
  header.bitcode_raw_size = bitcode.size();
  blob.resize((blob.size() + 7) / 8 * 8);
  header.total_size = blob.size();
  const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::ArrayRef(blob).drop_front(sizeof(header)));
  header.hash_low = hash.low64;
  header.hash_high = hash.high64;
  std::memcpy(blob.data(), &header, sizeof(header));
  return blob;
}

void embed_image(llvm::Module& host, llvm::ArrayRef<std::uint8_t> blob, llvm::ArrayRef<image_entry> kernels,
                 llvm::ArrayRef<std::string> imports, llvm::ArrayRef<std::string> exports) {
  llvm::LLVMContext& context = host.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* int32 = llvm::Type::getInt32Ty(context);
  llvm::Type* int64 = llvm::Type::getInt64Ty(context);
  llvm::Constant* null = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(pointer));
  auto add_global = [&](llvm::Constant* value, bool constant, const char* name) {
    auto* global =
        new llvm::GlobalVariable(host, value->getType(), constant, llvm::GlobalValue::InternalLinkage, value, name);
    global->setAlignment(llvm::Align(8));
    return global;
  };

  llvm::GlobalVariable* image = add_global(llvm::ConstantDataArray::get(context, blob), true, "sinter.image");
  image->setSection(abi::image_section);
  // Tools and tests find images by their section, so the image must stay even if nothing refers to it.
  llvm::appendToCompilerUsed(host, {image});

  auto addresses_of = [&](llvm::ArrayRef<std::string> names) {
    llvm::SmallVector<llvm::Constant*, 8> addresses;
    for (const std::string& name : names) addresses.push_back(host.getNamedValue(name));
    return addresses;
  };
  llvm::SmallVector<llvm::Constant*, 8> descriptors;
  for (const image_entry& entry : kernels) descriptors.push_back(entry.kernel->descriptor);
  auto pointer_table = [&](llvm::ArrayRef<llvm::Constant*> entries, const char* name) -> llvm::Constant* {
    if (entries.empty()) return null;
    return add_global(llvm::ConstantArray::get(llvm::ArrayType::get(pointer, entries.size()), entries), true, name);
  };

  // The fields are those of abi::image_record, in the same order.
  llvm::Constant* record_value = llvm::ConstantStruct::getAnon(
      {llvm::ConstantInt::get(int32, abi::image_format_version), llvm::ConstantInt::get(int32, kernels.size()), image,
       llvm::ConstantInt::get(int64, blob.size()), pointer_table(addresses_of(imports), "sinter.image.imports"),
       pointer_table(addresses_of(exports), "sinter.image.exports"),
       pointer_table(descriptors, "sinter.image.descriptors"), null, null});
  llvm::GlobalVariable* record = add_global(record_value, false, "sinter.image.record");

  for (std::size_t i = 0; i < kernels.size(); ++i) {
    set_field(*kernels[i].kernel, abi::descriptor_image_field, record);
    set_field(*kernels[i].kernel, abi::descriptor_index_field, llvm::ConstantInt::get(int32, i));
  }

  auto add_hook = [&](const char* name, const char* callee) {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    auto* hook = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, host);
    hook->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", hook));
    builder.CreateCall(host.getOrInsertFunction(callee, llvm::Type::getVoidTy(context), pointer), {record});
    builder.CreateRetVoid();
    return hook;
  };
  // The hook runs before ordinary constructors, because ordinary constructors may already launch kernels.
  llvm::appendToGlobalCtors(host, add_hook("sinter.image.register", "__sinter_register_image"), 101);
  llvm::appendToGlobalDtors(host, add_hook("sinter.image.unregister", "__sinter_unregister_image"), 101);
}

void mark_refused(const captured_kernel& kernel) {
  llvm::Type* int32 = llvm::Type::getInt32Ty(kernel.descriptor->getContext());
  const std::uint32_t flags = descriptor_field(kernel, abi::descriptor_flags_field) | abi::descriptor_refused;
  set_field(kernel, abi::descriptor_flags_field, llvm::ConstantInt::get(int32, flags));
}

} // namespace sinter::capture
