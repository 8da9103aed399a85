#include "attribute_checks.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "aspect_table.hpp"
#include "attributes.hpp"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "diagnostics.hpp"

namespace sinter::capture {
namespace {

using numbers = std::vector<long>;

struct attribute_rule {
  const char* name;
  std::size_t least, most;  ///< how many arguments the attribute takes
  const char* wants;
};
constexpr attribute_rule rules[] = {
    {"reqd_work_group_size", 1, 3, "takes one to three constants that are larger than 0"},
    {"work_group_size_hint", 1, 3, "takes one to three constants that are larger than 0"},
    {"reqd_sub_group_size", 1, 1, "takes one constant that is larger than 0"},
    {"device_has", 0, 64, "takes constants of enum sycl::aspect"},
};

/// One object per thread suffices, for a thread compiles one file at a time.
struct seen_functions {
  std::vector<clang::FunctionDecl*> attributed;
  std::set<std::pair<clang::SourceLocation, std::string>> said;
};

seen_functions& seen() {
  static thread_local seen_functions instance;
  return instance;
}

bool is_allowed(const attribute_rule& rule, const numbers& arguments) {
  if (arguments.size() < rule.least || arguments.size() > rule.most) return false;
  if (llvm::StringRef(rule.name) != "device_has") {
    return std::all_of(arguments.begin(), arguments.end(), [](long each) { return each > 0; });
  }
  // A program may lack the enumeration sycl::aspect. In such a program, any number is accepted as an aspect.
  const auto& names = known_aspects().names;
  return names.empty() || std::all_of(arguments.begin(), arguments.end(), [&](long argument) {
           return std::any_of(names.begin(), names.end(),
                              [&](const auto& each) { return static_cast<long>(each.first) == argument; });
         });
}

class function_check {
public:
  function_check(clang::CompilerInstance& compiler, const clang::FunctionDecl& function)
      : m_compiler(compiler), m_function(function) {}

  void run(const attribute_rule& rule) {
    const std::string quoted = "'" + std::string(rule.name) + "'";
    const attribute_instance* first = nullptr;
    std::vector<std::vector<attribute_instance>> all;
    for (const clang::FunctionDecl* each : m_function.redecls()) {
      all.push_back(attribute_instances(m_compiler.getSema(), *each, rule.name));
    }
    // The list of redeclarations is in no fixed order, so it is sorted by place in the source.
    std::vector<const clang::FunctionDecl*> order(m_function.redecls_begin(), m_function.redecls_end());
    std::vector<std::size_t> by_place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) by_place[i] = i;
    const clang::SourceManager& files = m_compiler.getSourceManager();
    if (llvm::any_of(order, [](const clang::FunctionDecl* each) { return each->getLocation().isInvalid(); })) return;
    std::sort(by_place.begin(), by_place.end(), [&](std::size_t a, std::size_t b) {
      return files.isBeforeInTranslationUnit(order[a]->getLocation(), order[b]->getLocation());
    });
    for (std::size_t at = 0; at < by_place.size(); ++at) {
      for (const attribute_instance& each : all[by_place[at]]) {
        if (!each.arguments || !is_allowed(rule, *each.arguments)) {
          say(each.location, quoted + " " + rule.wants);
          continue;
        }
        if (!first) {
          first = &each;
          if (at != 0) {
            say(each.location, quoted +
                                   " has to stand at the first declaration of a function: callers may not see "
                                   "this one");
          }
          continue;
        }
        if (*each.arguments != *first->arguments) {
          say(each.location, quoted + " is already there with other arguments: " + text_of(*first->arguments) +
                                 ", here " + text_of(*each.arguments));
        }
      }
    }
  }

private:
  static std::string text_of(const numbers& arguments) {
    std::string text;
    for (const long each : arguments) text += (text.empty() ? "" : ",") + std::to_string(each);
    return "(" + text + ")";
  }

  void say(clang::SourceLocation location, const std::string& text) {
    // An attribute behind a lambda's parameters may have no source location.
    if (location.isInvalid()) location = m_function.getLocation();
    location = m_compiler.getSourceManager().getExpansionLoc(location);
    if (seen().said.insert({location, text}).second) warn(m_compiler, location, text);
  }

  clang::CompilerInstance& m_compiler;
  const clang::FunctionDecl& m_function;
};

}  // namespace

void forget_attributed() { seen() = {}; }

void note_attributed(clang::FunctionDecl& function) { seen().attributed.push_back(&function); }

void check_attributes(clang::CompilerInstance& compiler, const clang::FunctionDecl& function) {
  if (function.isDependentContext()) return;
  for (const attribute_rule& rule : rules) function_check(compiler, function).run(rule);
}

void check_attributes(clang::CompilerInstance& compiler) {
  std::set<const clang::FunctionDecl*> done;
  // The list is moved out of the global state before the loop, because looking at instances of templates may add more
  // functions to the global list.
  const std::vector<clang::FunctionDecl*> functions = std::move(seen().attributed);
  for (clang::FunctionDecl* function : functions) {
    if (function->isInvalidDecl()) continue;
    std::vector<clang::FunctionDecl*> instances{function};
    if (const clang::FunctionTemplateDecl* made_of = function->getDescribedFunctionTemplate()) {
      instances.assign(made_of->spec_begin(), made_of->spec_end());
    }
    for (const clang::FunctionDecl* each : instances) {
      if (done.insert(each->getCanonicalDecl()).second) check_attributes(compiler, *each->getCanonicalDecl());
    }
  }
  seen() = {};
}

}  // namespace sinter::capture
