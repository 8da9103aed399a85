; Failed assertions report their work-item's ids, which the code queries where the assertion fails. Functions that are
; not inlined get the ids from their callers, and recursive functions pass them on. Functions whose address is taken
; report unknown ids (-1). Each visited element of a reduction reports its own ids. If a block runs several groups in
; turns, each turn reports the ids of its group's work-item. Range kernels report no local ids.
; RUN: %opt -passes=sinter-failing-work-items %s | FileCheck %s
; RUN: sed 's/nd_range<2>/range<3>/' %s | %opt -passes=sinter-failing-work-items | FileCheck %s --check-prefix=RANGE
; RUN: sed 's/nd_range<2>/single_task/' %s | %opt -passes=sinter-failing-work-items | FileCheck %s --check-prefix=TASK

; CHECK-LABEL: define void @kernel(
; CHECK: [[G1:%.*]] = call i64 @__sinter_global_id(i32 1)
; CHECK: [[L1:%.*]] = call i64 @__sinter_local_id(i32 1)
; CHECK: [[G2:%.*]] = call i64 @__sinter_global_id(i32 2)
; CHECK: [[L2:%.*]] = call i64 @__sinter_local_id(i32 2)
; CHECK: call float @halves(float %x, i64 0, i64 [[G1]], i64 [[G2]], i64 0, i64 [[L1]], i64 [[L2]])
; CHECK: call float %any(float %x)
; CHECK: bad:
; CHECK: [[BAD1:%.*]] = call i64 @__sinter_global_id(i32 1)
; CHECK: call void @__sinter_assert_fail(ptr @text, ptr @text, i32 5, ptr @text, i64 0, i64 [[BAD1]], {{.*}}) #[[NORETURN:[0-9]+]]
; CHECK: visit:
; CHECK: call void @__sinter_assert_fail(ptr @text, ptr @text, i32 6, ptr @text, i64 0, i64 3, i64 %place, i64 0, i64 0, i64 0)
; CHECK: turns:
; CHECK: bad_turn:
; CHECK: [[OWN:%.*]] = call i64 @__sinter_global_id(i32 2)
; CHECK: call i64 @__sinter_turn_global_id(i64 [[OWN]], i64 %turn, i32 2)
; CHECK-LABEL: define internal float @halves(float %x, i64 %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5)
; CHECK: call float @halves(float %half, i64 %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5)
; CHECK: call void @__sinter_assert_fail(ptr @text, ptr @text, i32 7, ptr @text, i64 %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5)
; CHECK-LABEL: define internal float @by_address(float %x)
; CHECK: call void @__sinter_assert_fail(ptr @text, ptr @text, i32 8, ptr @text, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1, i64 -1)
; CHECK: attributes #[[NORETURN]] = { noreturn }

; RANGE-LABEL: define void @kernel(
; RANGE: [[R0:%.*]] = call i64 @__sinter_global_id(i32 0)
; RANGE: [[R1:%.*]] = call i64 @__sinter_global_id(i32 1)
; RANGE: [[R2:%.*]] = call i64 @__sinter_global_id(i32 2)
; RANGE: call float @halves(float %x, i64 [[R0]], i64 [[R1]], i64 [[R2]], i64 0, i64 0, i64 0)

; TASK-LABEL: define void @kernel(
; TASK: call float @halves(float %x, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0)

@text = internal constant [2 x i8] c"x\00"
@function = internal global ptr @by_address

declare void @__sinter_assert_fail(ptr, ptr, i32, ptr) #0
declare void @__sinter_element_begin(i64, i64, i64, i64, i64, i64)
declare void @__sinter_element_end(i64, i64, i64, i64, i64, i64)
declare i1 @__sinter_has_turn(i64)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<2>" {
  %x = load float, ptr %block
  %place = load i64, ptr %block
  %y = call float @halves(float %x)
  %any = load ptr, ptr @function
  %z = call float %any(float %x)
  %wrong = fcmp olt float %y, %z
  br i1 %wrong, label %bad, label %visit

bad:
  call void @__sinter_assert_fail(ptr @text, ptr @text, i32 5, ptr @text) #0
  unreachable

visit:
  call void @__sinter_element_begin(i64 0, i64 3, i64 %place, i64 1, i64 5, i64 9)
  br i1 %wrong, label %bad_element, label %good

bad_element:
  call void @__sinter_assert_fail(ptr @text, ptr @text, i32 6, ptr @text) #0
  unreachable

good:
  call void @__sinter_element_end(i64 0, i64 3, i64 %place, i64 1, i64 5, i64 9)
  br label %turns

turns:
  %turn = phi i64 [ 0, %good ], [ %next, %rest ]
  br i1 %wrong, label %bad_turn, label %rest

bad_turn:
  call void @__sinter_assert_fail(ptr @text, ptr @text, i32 9, ptr @text) #0
  unreachable

rest:
  %next = add i64 %turn, 1
  %more = call i1 @__sinter_has_turn(i64 %next)
  br i1 %more, label %turns, label %end

end:
  ret void
}

define internal float @halves(float %x) {
  %half = fmul float %x, 0.5
  %more = fcmp ogt float %half, 1.0
  br i1 %more, label %deeper, label %bad

deeper:
  %result = call float @halves(float %half)
  ret float %result

bad:
  call void @__sinter_assert_fail(ptr @text, ptr @text, i32 7, ptr @text) #0
  unreachable
}

define internal float @by_address(float %x) {
  call void @__sinter_assert_fail(ptr @text, ptr @text, i32 8, ptr @text) #0
  unreachable
}

attributes #0 = { noreturn }
