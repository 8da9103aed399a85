; Lanes are a sub-group, so exchanges become vector instructions, with known or unknown lane numbers. In the code for
; the rest of a row, only lanes that exist take part.
; RUN: %opt -passes='sinter-work-item-function<sub-group=8>,sinter-vectorize<sub-group=8>' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function<sub-group=8>,sinter-vectorize<sub-group=8>' %s \
; RUN:   | FileCheck %s --check-prefix=TAIL

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK-NOT: call {{.*}}__sinter_
; CHECK: [[X:%.*]] = load <8 x i32>
; A fixed permutation:
; CHECK: [[SWAPPED:%.*]] = shufflevector <8 x i32> [[X]], <8 x i32> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
; All lanes read the same lane:
; CHECK: [[FIRST:%.*]] = extractelement <8 x i32> [[X]], i64 2
; Each lane reads any lane, in a form that the code generator recognises:
; CHECK: [[NAMED:%.*]] = and <8 x i32> [[SWAPPED]], splat (i32 7)
; CHECK: [[ONE:%.*]] = extractelement <8 x i32> [[NAMED]], i64 0
; CHECK-NEXT: extractelement <8 x i32> [[X]], i32 [[ONE]]
; Votes are masks:
; CHECK: [[HOLDS:%.*]] = icmp sgt <8 x i32> [[X]], splat (i32 5)
; CHECK-NEXT: bitcast <8 x i1> [[HOLDS]] to i8
; All lanes exist:
; CHECK: add <8 x i32> {{.*}}, splat (i32 8)
; CHECK: [[SPLAT:%.*]] = insertelement <8 x i32> poison, i32 [[FIRST]], i64 0
; CHECK-NEXT: shufflevector <8 x i32> [[SPLAT]], <8 x i32> poison, <8 x i32> zeroinitializer
; CHECK: ret i32

; TAIL: define {{.*}} @kernel.work_item.tail(
; TAIL: [[THERE:%.*]] = icmp ult <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; TAIL-NOT: call {{.*}}__sinter_
; TAIL: [[ALL:%.*]] = icmp sgt <8 x i32>
; TAIL-NEXT: [[VOTES:%.*]] = select <8 x i1> [[THERE]], <8 x i1> [[ALL]], <8 x i1> zeroinitializer
; TAIL-NEXT: bitcast <8 x i1> [[VOTES]] to i8
; TAIL: ret i32

declare i64 @__sinter_global_id(i32)
declare void @__sinter_barrier(i32, i32) #1
declare i32 @__sinter_sub_group_local_id()
declare i32 @__sinter_sub_group_local_range()
declare i32 @__sinter_sub_group_shuffle_32(i32, i32) #0
declare i64 @__sinter_sub_group_ballot(i1 zeroext) #0

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %place = getelementptr i32, ptr %data, i64 %id
  %x = load i32, ptr %place
  %lane = call i32 @__sinter_sub_group_local_id()
  %there = call i32 @__sinter_sub_group_local_range()
  %other = xor i32 %lane, 1
  %swapped = call i32 @__sinter_sub_group_shuffle_32(i32 %x, i32 %other) #0
  %first = call i32 @__sinter_sub_group_shuffle_32(i32 %x, i32 2) #0
  %any = call i32 @__sinter_sub_group_shuffle_32(i32 %x, i32 %swapped) #0
  %holds = icmp sgt i32 %x, 5
  %votes = call i64 @__sinter_sub_group_ballot(i1 zeroext %holds) #0
  call void @__sinter_barrier(i32 1, i32 1) #1
  %low = trunc i64 %votes to i32
  %a = add i32 %swapped, %any
  %b = add i32 %a, %there
  %c = add i32 %b, %first
  %d = add i32 %c, %low
  store i32 %d, ptr %place
  ret void
}
attributes #0 = { convergent nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
