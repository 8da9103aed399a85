; The pass is for devices on which each work-item does only the work of its own group. The loop over turns is removed,
; together with the values that it carried from turn to turn.
; RUN: %opt -passes=sinter-select-kernel,sinter-turns %s | FileCheck %s

; CHECK-LABEL: define void @kernel(
; CHECK-NOT: __sinter_has_turn
; CHECK-NOT: __sinter_turn
; CHECK-NOT: phi
; CHECK: %group = call i64 @__sinter_group_id(i32 2)
; CHECK: %global = call i64 @__sinter_global_id(i32 2)
; CHECK: %both = add i64 %global, %group
; CHECK-NEXT: %all = add i64 %both, 77
; CHECK-NEXT: store i64 %all, ptr %block
; CHECK-NEXT: ret void

declare i64 @__sinter_group_id(i32) #1
declare i64 @__sinter_global_id(i32) #1
declare i1 @__sinter_has_turn(i64) #1
declare i64 @__sinter_turn_group_id(i64, i64, i32) #1
declare i64 @__sinter_turn_global_id(i64, i64, i32) #1
declare i64 @__sinter_groups_of_turns(i64) #1

define void @kernel(ptr %block) #0 {
  %group = call i64 @__sinter_group_id(i32 2)
  %global = call i64 @__sinter_global_id(i32 2)
  br label %turns

turns:
  %turn = phi i64 [ 0, %0 ], [ %next, %turns ]
  %before = phi i64 [ 0, %0 ], [ %sum, %turns ]
  %mine = call i64 @__sinter_turn_group_id(i64 %group, i64 %turn, i32 2)
  %here = call i64 @__sinter_turn_global_id(i64 %global, i64 %turn, i32 2)
  %both = add i64 %here, %mine
  %sum = add i64 %both, %before
  %next = add i64 %turn, 1
  %more = call i1 @__sinter_has_turn(i64 %next)
  br i1 %more, label %turns, label %done

done:
  %groups = call i64 @__sinter_groups_of_turns(i64 77)
  %all = add i64 %sum, %groups
  store i64 %all, ptr %block
  ret void
}

attributes #0 = { "sinter-kernel"="nd_range<1>" }
attributes #1 = { nounwind willreturn memory(none) }
