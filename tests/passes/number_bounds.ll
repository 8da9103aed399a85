; Bounds of a loop's counter come from conditions that have been tested before, not from how the counter changes. The
; index of the loads is below n * n, even if the computation of the index wraps when the condition is false.
; RUN: %opt -passes='sinter-lower-cpu<lanes=4>' %s | FileCheck %s
; Without a bound for the counter, the index is unknown.
; RUN: sed 's/icmp ult i32 %k, %n/icmp ne i32 %k, %n/' %s | %opt -passes='sinter-lower-cpu<lanes=4>' | FileCheck %s --check-prefix=NONE

; CHECK: define internal i1 @kernel.work_item.{{[0-9]+}}.is_usual(
; CHECK: [[N:%.*]] = sext i32 {{%.*}} to i64
; The condition gives bounds only if n is positive as a signed number.
; CHECK: [[POSITIVE:%.*]] = icmp sge i64 [[N]], 0
; CHECK: [[LAST:%.*]] = sub i64 [[N]], 1
; CHECK: select i1 [[POSITIVE]], i64 0, i64 -2147483648
; CHECK: select i1 [[POSITIVE]], i64 [[LAST]], i64 2147483647
; CHECK: ret i1
; CHECK: define {{.*}} @kernel.work_item.{{[0-9]+}}.wide(
; CHECK-NOT: gather
; CHECK: define internal void @"sinter:kernel.usual"(

; NONE-NOT: is_usual

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data.at = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %data.at
  %n = load i32, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %j = trunc i64 %id to i32
  br label %head

head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %goes_on = icmp ult i32 %k, %n
  br i1 %goes_on, label %body, label %end

body:
  %row = mul i32 %k, %n
  %place = add i32 %row, %j
  %index = zext i32 %place to i64
  %from = getelementptr i32, ptr %data, i64 %index
  %value = load i32, ptr %from
  %more = add i32 %sum, %value
  %next = add i32 %k, 1
  br label %head

end:
  %to = getelementptr i32, ptr %data, i64 %id
  store i32 %sum, ptr %to
  ret void
}
