; Vectors begin at multiples of their length in the group. So the number of the vector and its products are uniform,
; also if LLVM has turned division and multiplication into a shift and a mask. Comparisons with multiples of the
; vector's length are uniform as well. Without this, sub-groups that compute their row from get_group_linear_id
; would gather from one address.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s

declare i64 @__sinter_local_id(i32)

; CHECK-LABEL: bits.work_item, 4 lanes
; l is the local id, and there are 4 lanes. %number is (l / 4) * 2, which is uniform. %one.bit keeps a bit of l % 4, so
; it is varying.
; CHECK: %half: varying
; CHECK: %number: uniform
; CHECK: %one.bit: varying
; %block is (l / 4) * 32, which is uniform. %pair is (l % 16) * 2, which is strided. %part loses a bit of l % 4, so it
; is varying.
; CHECK: %eightfold: strided by 8
; CHECK: %block: uniform
; CHECK: %twice: strided by 2
; CHECK: %pair: strided by 2
; CHECK: %part: varying
; CHECK: block loop:
; CHECK-NOT: part here
; A loop goes through the group. The step of the loop is a multiple of the number of lanes.
; CHECK: %i: strided by 1{{.*}}aligned
; CHECK: %more: uniform
; CHECK: %row: uniform
; CHECK: %column: strided by 1
; CHECK: %up.to: uniform
; CHECK: %odd.end: varying
define void @bits(ptr %data) "sinter-kernel"="nd_range<1>" {
entry:
  %id = call i64 @__sinter_local_id(i32 2)
  %half = lshr i64 %id, 1
  %number = and i64 %half, 1022
  %one.bit = and i64 %half, 1023
  %eightfold = shl i64 %id, 3
  %block = and i64 %eightfold, 8160
  %twice = shl i64 %id, 1
  %pair = and i64 %twice, 30
  %part = and i64 %twice, 28
  br label %loop
loop:
  %i = phi i64 [ %id, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, 256
  br i1 %more, label %body, label %end
body:
  %row = lshr i64 %i, 4
  %column = and i64 %i, 15
  %up.to = icmp ugt i64 %i, 7
  %odd.end = icmp ult i64 %i, 7
  %both = select i1 %odd.end, i1 %up.to, i1 true
  %sum = add i64 %row, %column
  %sum1 = add i64 %sum, %number
  %sum2 = add i64 %sum1, %block
  %sum3 = add i64 %sum2, %pair
  %sum4 = add i64 %sum3, %part
  %sum5 = add i64 %sum4, %one.bit
  %place = getelementptr float, ptr %data, i64 %sum5
  %value = select i1 %both, float 1.0, float 2.0
  store float %value, ptr %place
  %next = add nuw nsw i64 %i, 16
  br label %loop
end:
  ret void
}
