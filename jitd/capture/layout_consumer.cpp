#include "layout_consumer.hpp"

#include <limits>
#include "aspect_table.hpp"
#include "attribute_checks.hpp"
#include "attributes.hpp"
#include "captures.hpp"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang_versions.hpp"
#include "code_split.hpp"
#include "device_macros.hpp"
#include "diagnostics.hpp"
#include "fixed_targets.hpp"
#include "kernel_layout.hpp"
#include "llvm/Support/Path.h"

namespace sinter::capture {
namespace {

// At most this many leaves are listed; the rest of the block is described as plain bytes.
constexpr std::size_t max_leaves = 4096;

class leaf_collector {
public:
  explicit leaf_collector(clang::ASTContext& context) : m_context(context) {}

  std::vector<abi::image_leaf> collect(clang::QualType type) {
    visit(type, 0);
    return std::move(m_leaves);
  }

private:
  std::uint32_t size_of(clang::QualType type) const {
    return static_cast<std::uint32_t>(m_context.getTypeSizeInChars(type).getQuantity());
  }

  void add(abi::leaf_kind kind, std::uint64_t offset, std::uint32_t size, unsigned dimensions = 0, unsigned mode = 0,
           std::uint32_t element_size = 0) {
    m_leaves.push_back({static_cast<std::uint32_t>(offset), size, kind, static_cast<std::uint8_t>(dimensions),
                        static_cast<std::uint8_t>(mode), element_size});
  }

  void visit(clang::QualType type, std::uint64_t offset) {
    type = m_context.getCanonicalType(type);
    if (type->isReferenceType()) return add(abi::leaf_kind::global_pointer, offset, 8);
    if (type->isPointerType()) {
      const bool is_table = is_constants_table(type->getPointeeType());
      return add(is_table ? abi::leaf_kind::constants : abi::leaf_kind::global_pointer, offset, size_of(type));
    }
    if (const auto* array = m_context.getAsConstantArrayType(type)) return visit_array(array, offset);
    if (const auto* record = type->getAsCXXRecordDecl()) return visit_record(record, type, offset);
    if (type->isArithmeticType() || type->isEnumeralType() || type->isNullPtrType()) {
      return add(abi::leaf_kind::scalar, offset, size_of(type));
    }
    add(abi::leaf_kind::opaque_bytes, offset, size_of(type));
  }

  void visit_array(const clang::ConstantArrayType* array, std::uint64_t offset) {
    const std::uint64_t count = array->getSize().getZExtValue();
    const std::uint32_t stride = size_of(array->getElementType());
    if (count == 0 || stride == 0) return;
    if (count > max_leaves || m_leaves.size() + count > max_leaves) {
      return add(abi::leaf_kind::opaque_bytes, offset, static_cast<std::uint32_t>(count * stride));
    }
    for (std::uint64_t i = 0; i < count; ++i) visit(array->getElementType(), offset + i * stride);
  }

  void visit_record(const clang::CXXRecordDecl* record, clang::QualType type, std::uint64_t offset) {
    if (visit_sycl_class(record, type, offset)) return;
    if (record->isUnion() || !record->hasDefinition()) {
      return add(abi::leaf_kind::opaque_bytes, offset, size_of(type));
    }
    record = record->getDefinition();
    if (record->isEmpty()) return;
    const clang::ASTRecordLayout& layout = m_context.getASTRecordLayout(record);
    if (record->isDynamicClass()) return add(abi::leaf_kind::opaque_bytes, offset, size_of(type));
    for (const clang::CXXBaseSpecifier& base : record->bases()) {
      const auto* base_record = base.getType()->getAsCXXRecordDecl();
      visit(base.getType(), offset + static_cast<std::uint64_t>(layout.getBaseClassOffset(base_record).getQuantity()));
    }
    std::uint64_t bit_field_end = 0;
    for (const clang::FieldDecl* field : record->fields()) {
      const std::uint64_t bit = layout.getFieldOffset(field->getFieldIndex());
      if (!field->isBitField()) {
        visit(field->getType(), offset + bit / 8);
        continue;
      }
      // Neighbouring bit-fields share bytes, but each byte is listed once.
      std::uint64_t first = std::max<std::uint64_t>(bit / 8, bit_field_end);
      std::uint64_t last = (bit + bit_width(*field, m_context) + 7) / 8;
      if (first < last) {
        add(abi::leaf_kind::opaque_bytes, offset + first, static_cast<std::uint32_t>(last - first));
        bit_field_end = last;
      }
    }
  }

  /// Whether the type is a pointer to sinter::abi::specialization_table, which the headers' own function objects have.
  static bool is_constants_table(clang::QualType type) {
    const auto* record = type->getAsCXXRecordDecl();
    return record && record->getIdentifier() &&
           record->getQualifiedNameAsString() == "sinter::abi::specialization_table";
  }

  /// Whether the record is the class `name` of the namespace `inner` in sycl.
  static bool is_named(const clang::CXXRecordDecl& record, llvm::StringRef inner, llvm::StringRef name) {
    const auto* scope = llvm::dyn_cast<clang::NamespaceDecl>(record.getDeclContext());
    return record.getIdentifier() && record.getName() == name && scope && scope->getName() == inner &&
           is_namespace_sycl(*scope->getDeclContext());
  }

  /// Whether the object's value becomes part of the code: experimental::spec_constant, an image's format with its
  /// sampler, or a sampler alone.
  static bool is_specialized(const clang::CXXRecordDecl& record) {
    return is_named(record, "experimental", "spec_constant") || is_named(record, "detail", "image_traits") ||
           (record.getIdentifier() && record.getName() == "sampler" && is_in_sycl(record));
  }

  /// Visits SYCL classes that are one leaf each, however many members they have.
  bool visit_sycl_class(const clang::CXXRecordDecl* record, clang::QualType type, std::uint64_t offset) {
    if (is_specialized(*record)) return add(abi::leaf_kind::specialized, offset, size_of(type)), true;
    if (!is_in_sycl(*record) || !record->getIdentifier()) return false;
    const llvm::StringRef name = record->getName();
    const std::uint32_t size = size_of(type);
    if (name == "stream") return add(abi::leaf_kind::stream, offset, size), true;
    const bool local = name == "local_accessor";
    if (!local && name != "accessor") return false;
    const auto* specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
    if (!specialization) return false;
    const clang::TemplateArgumentList& arguments = specialization->getTemplateArgs();
    if (arguments.size() < 2 || arguments[0].getKind() != clang::TemplateArgument::Type) return false;
    auto integer = [&](unsigned i) {
      return i < arguments.size() && arguments[i].getKind() == clang::TemplateArgument::Integral
                 ? static_cast<unsigned>(arguments[i].getAsIntegral().getZExtValue())
                 : 0u;
    };
    // The old names of accessors for local memory, the host and images (from target::local on) are recognised by their
    // bases.
    if (!local && integer(3) >= 3) return false;
    add(local ? abi::leaf_kind::local_accessor : abi::leaf_kind::accessor, offset, size, integer(1),
        local ? 0u : integer(2), size_of(arguments[0].getAsType()));
    return true;
  }

  clang::ASTContext& m_context;
  std::vector<abi::image_leaf> m_leaves;
};

class layout_consumer : public clang::ASTConsumer {
public:
  explicit layout_consumer(clang::CompilerInstance& compiler) : m_compiler(compiler) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (m_compiler.getDiagnostics().hasErrorOccurred()) return;
    find_aspect_uses(m_compiler, context);
    annotate_kernels(context);
    check_attributes(m_compiler);
    if (m_has_kernels) warn_of_device_macros(m_compiler);
  }

private:
  void annotate_kernels(clang::ASTContext& context) {
    const clang::DeclContext* scope = context.getTranslationUnitDecl();
    for (const char* name : {"sycl", "detail"}) {
      scope = find_namespace(context, scope, name);
      if (!scope) return;
    }
    for (clang::NamedDecl* found : scope->lookup(&context.Idents.get("kernel_body"))) {
      auto* kernel_body = llvm::dyn_cast<clang::FunctionTemplateDecl>(found);
      if (!kernel_body) continue;
      for (clang::FunctionDecl* kernel : kernel_body->specializations()) annotate(context, kernel);
    }
  }

  static const clang::DeclContext* find_namespace(clang::ASTContext& context, const clang::DeclContext* scope,
                                                  const char* name) {
    for (clang::NamedDecl* found : scope->lookup(&context.Idents.get(name))) {
      if (const auto* result = llvm::dyn_cast<clang::NamespaceDecl>(found)) return result;
    }
    return nullptr;
  }

  void annotate(clang::ASTContext& context, clang::FunctionDecl* kernel) {
    const clang::TemplateArgumentList* arguments = kernel->getTemplateSpecializationArgs();
    if (!arguments || arguments->size() < 2) return;
    if ((*arguments)[1].getKind() != clang::TemplateArgument::Type) return;
    const clang::QualType function = (*arguments)[1].getAsType();
    const clang::CXXRecordDecl* record = function->getAsCXXRecordDecl();
    if (function->isDependentType() || !record || !record->hasDefinition()) return;

    kernel_layout layout;
    const clang::CXXRecordDecl* const user = user_function(context, record);
    const clang::SourceLocation location = user->getLocation();
    const clang::PresumedLoc position = context.getSourceManager().getPresumedLoc(location);
    if (position.isValid()) {
      layout.source_position = std::string(position.getFilename()) + ":" + std::to_string(position.getLine()) + ":" +
                               std::to_string(position.getColumn());
    }
    layout.display_name = display_name(context, (*arguments)[0], *user, position);
    layout.location_id = remember_location(m_compiler, location);
    layout.fixed_targets = fixed_targets();
    layout.code_split = static_cast<std::uint32_t>(chosen_code_split());
    layout.leaves = leaf_collector(context).collect(function);
    layout.captures = captured_names(*user);
    read_requirements(context, record, layout);
    judge_captures(m_compiler, *user, layout.display_name);
    kernel->addAttr(clang::AnnotateAttr::CreateImplicit(context, to_annotation(layout), nullptr, 0));
    m_has_kernels = true;
  }

  /// The class behind a member alias, or null if there is no such alias.
  static const clang::CXXRecordDecl* aliased(clang::ASTContext& context, const clang::CXXRecordDecl* record,
                                             const char* name) {
    for (const clang::NamedDecl* found : record->lookup(&context.Idents.get(name))) {
      const auto* alias = llvm::dyn_cast<clang::TypedefNameDecl>(found);
      const clang::CXXRecordDecl* inner = alias ? alias->getUnderlyingType()->getAsCXXRecordDecl() : nullptr;
      if (inner && inner->hasDefinition()) return inner;
    }
    return nullptr;
  }

  static bool has_alias(clang::ASTContext& context, const clang::CXXRecordDecl* record, const char* name) {
    return !record->lookup(&context.Idents.get(name)).empty();
  }

  /// The function that has the kernel's attributes. In wrappers whose call operator is a template, this function is
  /// `sinter_attributes`.
  static const clang::FunctionDecl* attributed(clang::ASTContext& context, const clang::CXXRecordDecl* record) {
    if (record->isLambda()) return record->getLambdaCallOperator();
    const clang::DeclarationName call = context.DeclarationNames.getCXXOperatorName(clang::OO_Call);
    const clang::DeclarationName attributes = &context.Idents.get("sinter_attributes");
    for (const clang::DeclarationName& name : {attributes, call}) {
      for (const clang::NamedDecl* found : record->lookup(name)) {
        if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(found)) return function;
      }
    }
    return nullptr;
  }

  /// The user's function object, inside of the headers' wrappers.
  static const clang::CXXRecordDecl* user_function(clang::ASTContext& context, const clang::CXXRecordDecl* record) {
    for (;;) {
      const clang::CXXRecordDecl* inner = aliased(context, record, "sinter_inner_function");
      if (!inner) inner = aliased(context, record, "sinter_user_function");
      if (!inner) return record;
      record = inner;
    }
  }

  /// Reads the requirements of the user's function object, which may be inside wrappers of the headers. A wrapper names
  /// the object inside by `sinter_user_function`, or by `sinter_inner_function` if the object's groups are not the
  /// launch's groups.
  void read_requirements(clang::ASTContext& context, const clang::CXXRecordDecl* record, kernel_layout& layout) {
    bool groups_of_launch = true;
    std::optional<std::vector<long>> group_size, sub_group_size;
    while (record) {
      if (const clang::FunctionDecl* operation = attributed(context, record)) {
        check_attributes(m_compiler, *operation);
        if (groups_of_launch) {
          compare_with_properties(*operation, "reqd_work_group_size", group_size);
          compare_with_properties(*operation, "reqd_sub_group_size", sub_group_size);
        }
        if (read_sizes(*operation, layout)) layout.own_groups = !groups_of_launch;
        read_aspects(*operation, layout);
      }
      layout.sizes_for_cpu |= has_alias(context, record, "sinter_sizes_for_cpu");
      const clang::CXXRecordDecl* inner = aliased(context, record, "sinter_inner_function");
      if (inner) groups_of_launch = false;
      record = inner ? inner : aliased(context, record, "sinter_user_function");
    }
  }

  /// `known` has the requirements that the headers' wrappers take from the properties of the launch.
  void compare_with_properties(const clang::FunctionDecl& function, const char* name,
                               std::optional<std::vector<long>>& known) {
    auto its = attribute_arguments(m_compiler.getSema(), function, name);
    if (!its) return;
    if (known && *known != *its) {
      warn(m_compiler, function.getLocation(),
           "'" + std::string(name) + "' has other arguments than the property of its kernel");
    }
    known = std::move(its);
  }

  void read_aspects(const clang::FunctionDecl& function, kernel_layout& layout) {
    if (auto aspects = attribute_arguments(m_compiler.getSema(), function, "device_has")) {
      layout.declares_aspects = true;
      for (long aspect : *aspects) layout.required_aspects |= abi::aspect_bit(static_cast<std::uint64_t>(aspect));
    }
  }

  /// Reads sizes in SYCL's order, padded in front: a single size is that of the fastest dimension. Returns whether a
  /// size of work-groups is required.
  bool read_sizes(const clang::FunctionDecl& function, kernel_layout& layout) {
    const auto sizes = attribute_arguments(m_compiler.getSema(), function, "reqd_work_group_size");
    const bool has_group_size = sizes && !sizes->empty() && sizes->size() <= 3 &&
                                llvm::all_of(*sizes, [](long each) { return each > 0; });
    if (has_group_size) {
      layout.required_work_group_size = {1, 1, 1};
      layout.group_dimensions = static_cast<std::uint32_t>(sizes->size());
      for (std::size_t i = 0; i < sizes->size(); ++i) {
        layout.required_work_group_size[3 - sizes->size() + i] = saturated((*sizes)[i]);
      }
    }
    // The wrapper's own sub-group size takes precedence.
    if (auto size = attribute_arguments(m_compiler.getSema(), function, "reqd_sub_group_size");
        size && size->size() == 1 && layout.required_sub_group_size == 0) {
      layout.required_sub_group_size = saturated(size->front());
    }
    return has_group_size;
  }
  /// Converts a size to 32 bits. A size that does not fit becomes the largest number. No device supports a size as
  /// large as this number.
  static std::uint32_t saturated(long size) noexcept {
    return static_cast<std::uint32_t>(std::clamp<long>(size, 0, std::numeric_limits<std::uint32_t>::max()));
  }

  static std::string display_name(clang::ASTContext& context, const clang::TemplateArgument& name,
                                  const clang::CXXRecordDecl& user, const clang::PresumedLoc& position) {
    clang::PrintingPolicy policy = context.getPrintingPolicy();
    policy.SuppressTagKeyword = true;
    policy.SuppressScope = false;
    // Wrappers of the headers have the name that the user gave to the kernel, or none.
    const bool named = name.getKind() == clang::TemplateArgument::Type && !name.getAsType()->isVoidType();
    const clang::CXXRecordDecl* record = named ? name.getAsType()->getAsCXXRecordDecl() : nullptr;
    const bool is_function = record && record->hasDefinition() && user_function(context, record) == &user;
    if (named && (!is_function || !user.isLambda())) {
      return one_line(name.getAsType().getCanonicalType().getAsString(policy));
    }
    if (position.isInvalid()) return "lambda";
    return "lambda at " + llvm::sys::path::filename(position.getFilename()).str() + ":" +
           std::to_string(position.getLine()) + ":" + std::to_string(position.getColumn());
  }

  static std::string one_line(std::string text) {
    for (char& c : text) {
      if (c == '\n') c = ' ';
    }
    return text;
  }

  clang::CompilerInstance& m_compiler;
  bool m_has_kernels = false;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> make_layout_consumer(clang::CompilerInstance& compiler) {
  return std::make_unique<layout_consumer>(compiler);
}

} // namespace sinter::capture
