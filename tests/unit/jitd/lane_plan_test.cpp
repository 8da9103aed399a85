/// The plan for the lanes of a kernel, and wrong plans, which the verifier of plans has to find.

#include <doctest/doctest.h>

#include <functional>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueSymbolTable.h"
#include "llvm/Support/SourceMgr.h"
#include "passes/device/work_item_function.hpp"
#include "passes/lanes/lane_plan_verifier.hpp"
#include "targets/cpu_target.hpp"

namespace {

using namespace sinter;
using passes::lane_action;
using passes::lane_plan;

constexpr const char* kernel = R"(
  declare i64 @__sinter_local_id(i32)
  define void @kernel(ptr %block) {
  entry:
    %data = load ptr, ptr %block
    %at.out = getelementptr i8, ptr %block, i64 8
    %out = load ptr, ptr %at.out
    %at.n = getelementptr i8, ptr %block, i64 16
    %n = load i32, ptr %at.n
    %id = call i64 @__sinter_local_id(i32 2)
    %cell = getelementptr i32, ptr %data, i64 %id
    %near = load i32, ptr %cell
    %partner = xor i64 %id, 2
    %partner.p = getelementptr i32, ptr %data, i64 %partner
    %swapped = load i32, ptr %partner.p
    %row = shl i64 %id, 2
    %p0 = getelementptr i32, ptr %data, i64 %row
    %p1 = getelementptr i8, ptr %p0, i64 4
    %p2 = getelementptr i8, ptr %p0, i64 8
    %p3 = getelementptr i8, ptr %p0, i64 12
    %a0 = load i32, ptr %p0
    %a1 = load i32, ptr %p1
    %a2 = load i32, ptr %p2
    %a3 = load i32, ptr %p3
    %s0 = add i32 %a0, %a1
    %s1 = add i32 %a2, %a3
    %s2 = add i32 %s0, %s1
    %place = zext i32 %near to i64
    %far.p = getelementptr i32, ptr %data, i64 %place
    %far = load i32, ptr %far.p
    %s3 = add i32 %s2, %far
    %sum = add i32 %s3, %swapped
    %unused = atomicrmw add ptr %out, i32 %near monotonic
    %large = icmp sgt i32 %near, 7
    br i1 %large, label %then, label %end
  then:
    %quotient = sdiv i32 100, %n
    store i32 %quotient, ptr %out
    store i32 %near, ptr %far.p
    br label %end
  end:
    store i32 %sum, ptr %cell
    ret void
  })";

/// A kernel as a function of one work-item, and analyses for 4 work-items.
struct planned_kernel {
  planned_kernel() {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(kernel, error, context);
    REQUIRE_MESSAGE(module, error.getMessage().str());
    auto made = jit::make_target_machine(/*optimise=*/true);
    REQUIRE(made);
    machine = std::move(*made);
    module->setDataLayout(machine->createDataLayout());
    function = passes::make_work_item_function(*module->getFunction("kernel")).function;
    known.emplace(*function, passes::lane_facts{4, /*aligned_local_id=*/true, /*prefix=*/false, false});
    ends.emplace(*function, passes::lane_facts{4, /*aligned_local_id=*/true, /*prefix=*/true, false});
    plan.emplace(*function, *known, *machine);
  }

  llvm::Value* named(const char* name) const { return function->getValueSymbolTable()->lookup(name); }
  const llvm::Instruction* find(const char* name) const { return llvm::cast<llvm::Instruction>(named(name)); }
  const llvm::BasicBlock* block(const char* name) const { return llvm::cast<llvm::BasicBlock>(named(name)); }

  const llvm::Instruction* store_to(const char* name) const {
    for (const llvm::User* user : named(name)->users()) {
      if (llvm::isa<llvm::StoreInst>(user)) return llvm::cast<llvm::Instruction>(user);
    }
    return nullptr;
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::Function* function;
  std::optional<passes::lane_analyses> known, ends;
  std::optional<lane_plan> plan;
};

}  // namespace

TEST_CASE("each instruction has its action, and each block its lanes") {
  const planned_kernel kernel;
  const auto action = [&](const llvm::Instruction* which) { return kernel.plan->of(*which).action; };
  CHECK(passes::fault_of(*kernel.plan) == "");
  CHECK(action(kernel.find("data")) == lane_action::once);
  CHECK(action(kernel.find("cell")) == lane_action::strided);
  CHECK(action(kernel.find("near")) == lane_action::consecutive);
  CHECK(action(kernel.find("swapped")) == lane_action::group);
  for (const char* name : {"a0", "a1", "a2", "a3"}) CHECK(action(kernel.find(name)) == lane_action::piece);
  CHECK(action(kernel.find("far")) == lane_action::gather);
  CHECK(action(kernel.find("sum")) == lane_action::elementwise);
  CHECK(action(kernel.find("unused")) == lane_action::reduce);
  CHECK(action(kernel.find("quotient")) == lane_action::once);
  CHECK(action(kernel.store_to("out")) == lane_action::last_lane);
  CHECK(action(kernel.store_to("far.p")) == lane_action::scatter);
  CHECK(action(kernel.store_to("cell")) == lane_action::consecutive);
  CHECK(kernel.plan->of(kernel.block("then")).mask == passes::lane_mask::partial);
  CHECK(kernel.plan->of(kernel.block("then")).jumped_over);
  CHECK(kernel.plan->of(kernel.block("end")).mask == passes::lane_mask::full);
}

TEST_CASE("where only the first lanes are, no whole vectors are accessed") {
  const planned_kernel kernel;
  const lane_plan plan(*kernel.function, *kernel.ends, *kernel.machine);
  CHECK(passes::fault_of(plan) == "");
  CHECK(plan.of(*kernel.find("swapped")).action == lane_action::gather);
  CHECK(plan.groups.empty());
}

TEST_CASE("planted errors in plans are found") {
  const planned_kernel kernel;
  const auto found = [&](const std::function<void(lane_plan&)>& plant) {
    lane_plan wrong = *kernel.plan;
    plant(wrong);
    return passes::fault_of(wrong);
  };
  const auto with = [&](const llvm::Instruction* which, lane_action action, unsigned number = 0,
                        passes::lane_orders::runs runs = {}) {
    return found([&](lane_plan& plan) { plan.steps[which] = {action, number, runs}; });
  };
  const auto contains = [](const std::string& text, const char* part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text, " is not about: ", part);
  };
  SUBCASE("one action for each instruction") {
    contains(found([&](lane_plan& plan) { plan.steps.erase(kernel.find("near")); }), "no action");
    llvm::UnreachableInst* stray = new llvm::UnreachableInst(kernel.module->getContext());
    contains(found([&](lane_plan& plan) { plan.steps[stray] = {lane_action::control}; }), "what is not there");
    stray->deleteValue();
  }
  SUBCASE("actions that fit the instruction") {
    contains(with(kernel.block("entry")->getTerminator(), lane_action::nothing), "not the action of such");
    contains(with(kernel.find("sum"), lane_action::merge), "not the action of such");
    contains(with(kernel.find("sum"), lane_action::nothing), "left out");
    contains(with(kernel.find("sum"), lane_action::consecutive), "no plain access");
    contains(with(kernel.find("sum"), lane_action::vector_call), "no such function");
    contains(with(kernel.find("far"), lane_action::reduce), "nothing that lanes do together");
    contains(with(kernel.find("unused"), lane_action::elementwise), "without a mask");
    contains(with(kernel.find("far"), lane_action::scatter), "not a store");
    contains(with(kernel.store_to("far.p"), lane_action::gather), "not a load");
  }
  SUBCASE("actions that fit how lanes differ") {
    contains(with(kernel.find("near"), lane_action::once), "one value for lanes that differ");
    contains(with(kernel.find("sum"), lane_action::strided), "one value for lanes that differ");
    contains(with(kernel.find("data"), lane_action::per_lane), "a vector for lanes that are regular");
    contains(with(kernel.find("cell"), lane_action::once), "operands differ");
    contains(with(kernel.find("data"), lane_action::strided), "no steps between lanes");
    contains(with(kernel.find("far"), lane_action::consecutive), "not side by side");
    contains(with(kernel.find("a0"), lane_action::consecutive), "not side by side");
    contains(with(kernel.store_to("out"), lane_action::consecutive), "one place");
    contains(with(kernel.store_to("far.p"), lane_action::last_lane), "different places");
    contains(with(kernel.store_to("far.p"), lane_action::once), "operands differ");
    contains(with(kernel.find("far"), lane_action::runs, 0, {3, false}), "no runs of lanes");
    contains(with(kernel.store_to("far.p"), lane_action::runs, 0, {2, false}), "stores of runs");
  }
  SUBCASE("accesses together are all there") {
    contains(with(kernel.find("swapped"), lane_action::gather), "group is made elsewhere");
    contains(with(kernel.find("near"), lane_action::group), "don't know of it");
    contains(with(kernel.find("far"), lane_action::group, 7), "no such accesses");
    contains(with(kernel.find("a1"), lane_action::gather), "piece is made elsewhere");
    contains(found([](lane_plan& plan) { plan.groups[0].elements[0] = plan.groups[0].elements[1]; }),
             "each element once");
    contains(found([](lane_plan& plan) { plan.groups[0].elements.pop_back(); }), "as many elements as lanes");
    contains(found([](lane_plan& plan) { plan.pieces[0].accesses.pop_back(); }), "don't know of it");
    const auto without = [&](std::initializer_list<const char*> last) {
      return found([&](lane_plan& plan) {
        for (const char* each : last) {
          plan.pieces[0].accesses.pop_back();
          plan.steps[kernel.find(each)] = {lane_action::gather};
        }
      });
    };
    CHECK(without({"a3"}) == "");  // a piece may have a gap of one element
    contains(without({"a3", "a2"}), "not all accesses");
    contains(found([](lane_plan& plan) { plan.pieces[0].start = 4; }), "starts elsewhere");
  }
  SUBCASE("masks where lanes may be off") {
    contains(found([&](lane_plan& plan) { plan.blocks[kernel.block("then")].mask = passes::lane_mask::full; }),
             "not the lanes that run it");
    contains(found([&](lane_plan& plan) { plan.blocks[kernel.block("end")].jumped_over = true; }), "sure to be there");
    contains(found([&](lane_plan& plan) { plan.blocks.erase(kernel.block("then")); }), "nothing is known");
    contains(found([&](lane_plan& plan) {
               plan.blocks[kernel.block("then")].jumped_over = plan.blocks[kernel.block("then")].has_lane = false;
             }),
             "perhaps no lane is on");
    lane_plan wrong(*kernel.function, *kernel.ends, *kernel.machine);
    wrong.groups = kernel.plan->groups;
    wrong.steps[kernel.find("swapped")] = {lane_action::group};
    contains(passes::fault_of(wrong), "some lanes may be off");
  }
}
