#pragma once
/// A region that is to become vectors: its function, and facts about the function's present state. Each fact is found
/// once, when it is first needed. After each change of the function, call changed(), which drops all facts.

#include <optional>

#include "lane_plan.hpp"

namespace sinter::passes {

class lane_region {
public:
  lane_region(llvm::Function& function, llvm::TargetMachine& machine, lane_facts facts)
      : m_function(function), m_machine(machine), m_facts(facts) {}

  llvm::Function& function() const { return m_function; }
  llvm::TargetMachine& machine() const { return m_machine; }
  lane_facts facts() const { return m_facts; }

  const lane_analyses& known() {
    if (!m_known) m_known.emplace(m_function, m_facts);
    return *m_known;
  }

  const lane_plan& plan() {
    if (!m_plan) m_plan.emplace(m_function, known(), m_machine);
    return *m_plan;
  }

  void changed() {
    m_plan.reset();
    m_known.reset();
  }

  void take(lane_facts facts) {
    if (facts == m_facts) return;
    changed();
    m_facts = facts;
  }

private:
  llvm::Function& m_function;
  llvm::TargetMachine& m_machine;
  lane_facts m_facts;
  std::optional<lane_analyses> m_known;
  std::optional<lane_plan> m_plan;
};

}  // namespace sinter::passes
