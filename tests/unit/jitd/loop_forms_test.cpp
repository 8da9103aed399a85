/// Loops that start at an id, and fusion decisions about kernels with such loops.

#include <doctest/doctest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <cstring>
#include <passes/fusion/access_analysis.hpp>
#include <passes/fusion/fusion_decision.hpp>

namespace {

using namespace sinter::passes;

constexpr std::uint64_t group_size = 64;

fusion_range groups_of(std::uint64_t items) {
  fusion_range range;
  range.global[2] = items;
  range.local[0] = range.local[1] = 1;
  range.local[2] = group_size;
  return range;
}

/// Analyses a kernel whose arguments are a pointer at byte 0 and the number 1000 at byte 8.
access_summary summary_of(const std::string& body, const fusion_range& range, unsigned sub_group_size = 0) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::string text = R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare i64 @__sinter_global_id(i32) memory(none)
declare i64 @__sinter_global_range(i32) memory(none)
declare i32 @__sinter_sub_group_local_id() memory(none)
declare i32 @__sinter_sub_group_local_range() memory(none)
define void @kernel(ptr %block) {
  %leaf = load ptr, ptr %block
  %at = getelementptr i8, ptr %block, i64 8
  %thousand = load i64, ptr %at
  %id = call i64 @__sinter_global_id(i32 2)
  %range = call i64 @__sinter_global_range(i32 2)
)" + body + "}\n";
  const auto module = llvm::parseAssemblyString(text, error, context);
  REQUIRE_MESSAGE(module, error.getMessage().str() << " in\n" << text);
  std::string block(16, '\0');
  const std::uint64_t thousand = 1000;
  std::memcpy(block.data() + 8, &thousand, sizeof(thousand));
  return analyse_accesses(*module->getFunction("kernel"), range, block, sub_group_size);
}

/// Writes the loop for (i = id; `more`; i += range) with `operation` on %cell. The loop is rotated, so `more`
/// compares %next.
std::string strided(const std::string& operation, const std::string& more) {
  return "  %any = icmp ult i64 %id, %thousand\n  br i1 %any, label %body, label %end\nbody:\n"
         "  %i = phi i64 [ %id, %0 ], [ %next, %body ]\n  %cell = getelementptr i32, ptr %leaf, i64 %i\n" +
         operation + "  %next = add i64 %i, %range\n" + more +
         "  br i1 %more, label %body, label %end\nend:\n  ret void\n";
}
const std::string store = "  store i32 0, ptr %cell\n", load = "  %value = load i32, ptr %cell\n";
const std::string below_thousand = "  %more = icmp ult i64 %next, %thousand\n";
const std::string below_loaded = "  %end_of = load i64, ptr %leaf\n  %more = icmp ult i64 %next, %end_of\n";

fusion_decision decide(const access_summary& first, const access_summary& second, const fusion_range& range,
                       const fusion_range& of_second, bool only_proved = false, bool trusted = true) {
  decision_request request;
  request.range = range;
  request.trusted = trusted;
  request.only_proved = only_proved;
  request.members = {{"first", range, first}, {"second", of_second, second}};
  for (unsigned member : {0u, 1u}) {
    request.pointers.push_back(
        {{member, 0}, "t of " + request.members[member].name, 1, 0, promotion::none, false, 0, 0});
  }
  return decide_fusion(request);
}

}  // namespace

TEST_CASE("a loop from the id on has a guard for its end, and turns as often as the first work-item") {
  const access_summary summary = summary_of(strided(store, below_thousand), groups_of(128));
  REQUIRE(summary.accesses.size() == 1);
  const memory_access& access = summary.accesses[0];
  CHECK(access.known);
  CHECK(access.certain);
  CHECK(access.turns == std::array<std::uint64_t, loop_depth>{8, 1, 1});
  CHECK(access.offset.coefficients[variable_global + 2] == 4);
  CHECK(access.offset.coefficients[variable_loop] == 512);
  REQUIRE(!access.guards.empty());
  CHECK(access.guards.back().constant == 999);
}

TEST_CASE("a loop whose end nobody knows may come to all its elements, and need not") {
  const memory_access access = summary_of(strided(store, below_loaded), groups_of(128)).accesses[0];
  CHECK(access.known);
  CHECK(!access.certain);
  CHECK(access.turns[0] > 1u << 30);
}

TEST_CASE("ways out in the middle of a turn make it uncertain") {
  const memory_access access = summary_of(R"(
  br label %body
body:
  %i = phi i64 [ 0, %0 ], [ %next, %latch ]
  %cell = getelementptr i32, ptr %leaf, i64 %i
  %value = load i32, ptr %cell
  %found = icmp eq i32 %value, 7
  br i1 %found, label %end, label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 10
  br i1 %more, label %body, label %end
end:
  ret void
)",
                                          groups_of(128))
                                   .accesses[0];
  CHECK(access.known);
  CHECK(!access.certain);
  CHECK(access.turns[0] == 10);
}

TEST_CASE("what is computed from a counter is one, as long as the loop ends before it leaves its bits") {
  const auto access_of = [](const std::string& step, const std::string& more) {
    return summary_of(R"(
  %g = trunc i64 %id to i32
  %all = trunc i64 %range to i32
  %m = trunc i64 %thousand to i32
  br label %head
head:
  %k = phi i32 [ 0, %0 ], [ %k.next, %body ]
  %j = phi i32 [ %g, %0 ], [ %next, %body ]
  %more = )" + more + R"(
  br i1 %more, label %body, label %end
body:
  %i = sext i32 %j to i64
  %cell = getelementptr i32, ptr %leaf, i64 %i
  store i32 0, ptr %cell
  %k.next = add i32 %k, 1
)" + step + "  br label %head\nend:\n  ret void\n",
                      groups_of(128))
        .accesses.back();
  };
  const std::string anew = "  %far = mul i32 %k.next, %all\n  %next = add i32 %far, %g\n";
  const std::string widened =
      "  %wide = sext i32 %j to i64\n  %sum = add i64 %wide, %range\n"
      "  %next = trunc i64 %sum to i32\n";
  for (const std::string& step : {anew, widened}) {
    const memory_access access = access_of(step, "icmp slt i32 %j, %m");
    CHECK(access.known);
    CHECK(access.certain);
    CHECK(access.turns[0] == 8);
    CHECK(access.offset.coefficients[variable_loop] == 512);
  }
  // The counter may wrap around, or the step differs from iteration to iteration.
  CHECK(!access_of(anew, "icmp ne i32 %j, %m").known);
  CHECK(!access_of("  %far = mul i32 %k.next, %k.next\n  %next = add i32 %far, %g\n", "icmp slt i32 %j, %m").known);
}

TEST_CASE("a counter that passes zero downwards is a large number") {
  const auto access_of = [](const std::string& type) {
    return summary_of(
               "  %g = trunc i64 %id to i32\n  %m = trunc i64 %thousand to i32\n"
               "  %begin = sub i32 999, %g\n  br label %head\nhead:\n"
               "  %j = phi i32 [ %begin, %0 ], [ %next, %body ]\n  %more = icmp " +
                   type +
                   " i32 %j, %m\n  br i1 %more, label %body, label %end\nbody:\n"
                   "  %i = zext i32 %j to i64\n  %cell = getelementptr i32, ptr %leaf, i64 %i\n"
                   "  store i32 0, ptr %cell\n  %next = sub i32 %j, 128\n  br label %head\nend:\n  ret void\n",
               groups_of(128))
        .accesses.back();
  };
  CHECK(access_of("ult").known);
  CHECK(access_of("ult").certain);
  CHECK(access_of("ult").turns[0] == 8);
  CHECK(access_of("ule").turns[0] == 8);
  CHECK(!access_of("slt").known);
}

TEST_CASE("what is another one of two values in each turn is no step and no end") {
  const auto access_of = [](const std::string& condition) {
    return summary_of(
               "  %of.id = icmp ult i64 %id, 8\n  br label %body\nbody:\n"
               "  %i = phi i64 [ %id, %0 ], [ %next, %body ]\n  %cell = getelementptr i32, ptr %leaf, i64 %i\n"
               "  store i32 0, ptr %cell\n  %bit = and i64 %i, 128\n  %odd = icmp ne i64 %bit, 0\n"
               "  %step = select i1 " +
                   condition +
                   ", i64 64, i64 192\n  %next = add i64 %i, %step\n  %more = icmp ult i64 %next, %thousand\n"
                   "  br i1 %more, label %body, label %end\nend:\n  ret void\n",
               groups_of(128))
        .accesses.front();
  };
  CHECK(!access_of("%odd").known);
  CHECK(access_of("%of.id").known);
}

TEST_CASE("quotients are exact, what only has bounds is not") {
  const auto access_at = [](const std::string& index) {
    return summary_of(index + "  %cell = getelementptr i32, ptr %leaf, i64 %x\n  store i32 0, ptr %cell\n  ret void\n",
                      groups_of(128))
        .accesses.back();
  };
  const memory_access quarter = access_at("  %x = udiv i64 %id, 4\n"), turned = access_at("  %x = xor i64 %id, 3\n");
  CHECK(quarter.certain);
  CHECK(quarter.turns[0] == group_size / 4);
  CHECK(turned.certain);
  const memory_access masked = access_at("  %any = load i64, ptr %leaf\n  %x = and i64 %any, 31\n");
  const memory_access lane =
      access_at("  %lane = call i32 @__sinter_sub_group_local_id()\n  %x = zext i32 %lane to i64\n");
  for (const memory_access& each : {masked, lane}) {
    CHECK(!each.certain);
    CHECK(each.known);
    CHECK(each.turns[0] > 1);
    CHECK(each.turns[0] <= 64);
  }
}

TEST_CASE("lanes of sub-groups are work-items, and as many as sub-groups are long") {
  // The text is the loop for (i = lane; i < 192; i += lanes), which loads element i.
  const std::string strides = R"(
  %lane = call i32 @__sinter_sub_group_local_id()
  %lanes = call i32 @__sinter_sub_group_local_range()
  br label %head
head:
  %i = phi i32 [ %lane, %0 ], [ %next, %body ]
  %more = icmp ult i32 %i, 192
  br i1 %more, label %body, label %end
body:
  %wide = zext i32 %i to i64
  %cell = getelementptr i32, ptr %leaf, i64 %wide
  %value = load i32, ptr %cell
  %next = add i32 %i, %lanes
  br label %head
end:
  ret void
)";
  const auto accesses_of = [&](unsigned size, std::uint64_t group) {
    fusion_range range = groups_of(group * 3);
    range.local[2] = group;
    return summary_of(strides, range, size).accesses;
  };
  const std::vector<memory_access> whole = accesses_of(16, 64);
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].known);
  CHECK(whole[0].certain);
  CHECK(whole[0].turns[0] == 12);
  // The last sub-group has only eight work-items, so its stride is eight.
  const std::vector<memory_access> both = accesses_of(16, 24);
  REQUIRE(both.size() == 2);
  for (const memory_access& each : both) CHECK(each.known);
  CHECK(both[0].offset.coefficients[variable_loop] == 4 * 16);
  CHECK(both[1].offset.coefficients[variable_loop] == 4 * 8);
  CHECK(accesses_of(16, 8).front().offset.coefficients[variable_local + 2] == 4);
  CHECK(!accesses_of(0, 64).front().known);
}

TEST_CASE("values from two ways are those of the way that is taken") {
  const auto accesses_of = [](const std::string& condition) {
    return summary_of("  %first = " + condition +
                          "\n  br i1 %first, label %left, label %right\nleft:\n  %far = add i64 %id, 64\n"
                          "  br label %end\nright:\n  br label %end\nend:\n"
                          "  %x = phi i64 [ %far, %left ], [ %id, %right ]\n"
                          "  %cell = getelementptr i32, ptr %leaf, i64 %x\n  store i32 0, ptr %cell\n  ret void\n",
                      groups_of(128))
        .accesses;
  };
  const std::vector<memory_access> both = accesses_of("icmp ult i64 %id, 64");
  REQUIRE(both.size() == 2);
  for (const memory_access& each : both) {
    CHECK(each.known);
    CHECK(each.certain);
    CHECK(each.guards.size() == 1);
  }
  CHECK(both[0].offset.constant == 256);
  CHECK(both[1].offset.constant == 0);
  // The other branch is never taken.
  CHECK(accesses_of("icmp ult i64 %id, 128").size() == 1);
}

TEST_CASE("equal strides are proved, for any end and for large ranges") {
  for (const std::uint64_t items : {std::uint64_t{128}, std::uint64_t{1} << 22}) {
    const fusion_range range = groups_of(items);
    for (const std::string& end : {below_thousand, below_loaded}) {
      // The end of the loop comes from memory, and is the same for all work-items.
      const access_summary written = summary_of(strided(store, end), range),
                           read = summary_of(strided(load, end), range);
      const fusion_decision decision = decide(written, read, range, range);
      CHECK(decision.refused.empty());
      CHECK((decision.legality == verdict::proved) == (end == below_thousand));
      CHECK(decision.unproved.empty() == (end == below_thousand));
    }
  }
}

TEST_CASE("strides of fewer work-items are refused with those that meet") {
  const fusion_range all = groups_of(1024), few = groups_of(128);
  const access_summary each =
      summary_of("  %cell = getelementptr i32, ptr %leaf, i64 %id\n  store i32 0, ptr %cell\n  ret void\n", all);
  const fusion_decision decision = decide(each, summary_of(strided(load, below_thousand), few), all, few);
  CHECK(decision.legality == verdict::disproved);
  CHECK(decision.refused.find("'second' reads t of second where another work-group of 'first' writes it: work-item ") ==
        0);
}

TEST_CASE("partners in a group need a barrier, in as many groups as there may be") {
  const auto index = [](const std::string& x, const std::string& operation) {
    return x + "  %cell = getelementptr i32, ptr %leaf, i64 %x\n" + operation + "  ret void\n";
  };
  for (const std::uint64_t items : {std::uint64_t{128}, std::uint64_t{1} << 24}) {
    const fusion_range range = groups_of(items);
    const access_summary written = summary_of(index("  %x = add i64 %id, 0\n", store), range);
    const auto with = [&](const std::string& x) {
      return decide(written, summary_of(index(x, load), range), range, range, true);
    };
    for (const char* x : {"  %x = xor i64 %id, 1\n", "  %x = xor i64 %id, 63\n"}) {
      const fusion_decision decision = with(x);
      CHECK(decision.refused.empty());
      CHECK(decision.barriers == std::vector{1u});
    }
    CHECK(with("  %x = xor i64 %id, 64\n").legality == verdict::disproved);
  }
}

TEST_CASE("what is not proved is named once for each pair of arguments, and trusted where the program promises it") {
  const fusion_range range = groups_of(128);
  const std::string gathers =
      "  %any = load i64, ptr %at\n  %p = getelementptr i64, ptr %leaf, i64 %id\n  %x = load i64, ptr %p\n"
      "  %cell = getelementptr i32, ptr %leaf, i64 %x\n" +
      load + "  ret void\n";
  const access_summary written =
      summary_of("  %cell = getelementptr i64, ptr %leaf, i64 %id\n  store i64 0, ptr %cell\n  ret void\n", range);
  const fusion_decision decision = decide(written, summary_of(gathers, range), range, range);
  CHECK(decision.legality == verdict::unknown);
  CHECK(decision.refused.empty());
  CHECK(decision.unproved == std::vector<std::string>{"'second' reads t of second, 'first' writes t of first"});
  CHECK(decide(written, summary_of(gathers, range), range, range, false, false).refused.find(
            "it is not proved that no work-item needs what another one did: 'second' reads t of second, 'first' writes "
            "t of first; end the fusion between them") == 0);
  CHECK(decide(written, summary_of(gathers, range), range, range, true).refused ==
        "not proved to be equal to the unfused kernels");
}
