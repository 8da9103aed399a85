; A vector that one iteration stores and the next one loads becomes a phi under three conditions. The vector is the last
; value that is stored at its address, both before the loop and in the loop. The address is the same in each iteration.
; No other store in between may write to it. There are at most as many such phis as registers (four here).
; RUN: %opt -passes=sinter-carried-values %s | FileCheck %s

; CHECK-LABEL: @carried(
; CHECK: next:
; CHECK-NEXT: %carried = phi <4 x float> [ %value, %entry ], [ %twice, %next ]
; CHECK-NOT: load
; CHECK: %twice = fadd <4 x float> %carried, %carried
; CHECK: store <4 x float> %twice, ptr %place
define void @carried(ptr noalias %place, ptr noalias %other, i64 %count, <4 x float> %value) "sinter-blocked" {
entry:
  store <4 x float> %value, ptr %place
  store <4 x float> %value, ptr %other
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %more, %next ]
  %old = load <4 x float>, ptr %place
  %twice = fadd <4 x float> %old, %old
  store <4 x float> %twice, ptr %place
  store <4 x float> %value, ptr %other
  %more = add i64 %i, 1
  %again = icmp ult i64 %more, %count
  br i1 %again, label %next, label %done
done:
  ret void
}

; The last store overwrites only a part of the loaded vector.
; CHECK-LABEL: @overlap(
; CHECK-NOT: %carried
; CHECK: %old = load <4 x float>, ptr %place
define void @overlap(ptr noalias %place, i64 %count, <4 x float> %value) "sinter-blocked" {
entry:
  store <4 x float> %value, ptr %place
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %more, %next ]
  %old = load <4 x float>, ptr %place
  %twice = fadd <4 x float> %old, %old
  store <4 x float> %twice, ptr %place
  %part = getelementptr i8, ptr %place, i64 4
  store float 0.0, ptr %part
  %more = add i64 %i, 1
  %again = icmp ult i64 %more, %count
  br i1 %again, label %next, label %done
done:
  ret void
}

; Another store may write to the same address before the load.
; CHECK-LABEL: @written(
; CHECK-NOT: %carried
; CHECK: %old = load <4 x float>, ptr %place
define void @written(ptr %place, ptr %anywhere, i64 %count, <4 x float> %value) "sinter-blocked" {
entry:
  store <4 x float> %value, ptr %place
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %more, %next ]
  store float 0.0, ptr %anywhere
  %old = load <4 x float>, ptr %place
  %twice = fadd <4 x float> %old, %old
  store <4 x float> %twice, ptr %place
  %more = add i64 %i, 1
  %again = icmp ult i64 %more, %count
  br i1 %again, label %next, label %done
done:
  ret void
}

; Not changed: a value that only one path stores, a load of another type, and an address that changes.
; CHECK-LABEL: @others(
; CHECK-NOT: %carried
; CHECK: %a = load <4 x float>, ptr %one_way
; CHECK: %b = load <4 x float>, ptr %integers
; CHECK: %c = load <4 x float>, ptr %moves
define void @others(ptr noalias %one_way, ptr noalias %integers, ptr noalias %rows, i64 %count, <4 x float> %value,
                    <4 x i32> %numbers) "sinter-blocked" {
entry:
  store <4 x i32> %numbers, ptr %integers
  store <4 x float> %value, ptr %rows
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %more, %next ]
  %moves = getelementptr <4 x float>, ptr %rows, i64 %i
  %a = load <4 x float>, ptr %one_way
  %b = load <4 x float>, ptr %integers
  %c = load <4 x float>, ptr %moves
  %ab = fadd <4 x float> %a, %b
  %abc = fadd <4 x float> %ab, %c
  store <4 x float> %abc, ptr %one_way
  store <4 x i32> %numbers, ptr %integers
  store <4 x float> %abc, ptr %moves
  %more = add i64 %i, 1
  %again = icmp ult i64 %more, %count
  br i1 %again, label %next, label %done
done:
  ret void
}

; Three sums already occupy registers.
; CHECK-LABEL: @registers(
; CHECK-COUNT-1: %carried
; CHECK: load <4 x float>, ptr %second
define void @registers(ptr noalias %first, ptr noalias %second, i64 %count, <4 x float> %value) "sinter-blocked" {
entry:
  store <4 x float> %value, ptr %first
  store <4 x float> %value, ptr %second
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %more, %next ]
  %x = phi <4 x float> [ %value, %entry ], [ %x1, %next ]
  %y = phi <4 x float> [ %value, %entry ], [ %y1, %next ]
  %z = phi <4 x float> [ %value, %entry ], [ %z1, %next ]
  %a = load <4 x float>, ptr %first
  %b = load <4 x float>, ptr %second
  %x1 = fadd <4 x float> %x, %a
  %y1 = fadd <4 x float> %y, %b
  %z1 = fadd <4 x float> %z, %x1
  store <4 x float> %x1, ptr %first
  store <4 x float> %y1, ptr %second
  %more = add i64 %i, 1
  %again = icmp ult i64 %more, %count
  br i1 %again, label %next, label %done
done:
  store <4 x float> %z1, ptr %first
  ret void
}
