; The distance of pairs may be computed before a guard, and may be poison if the guard does not hold. So the choice
; of the form uses a frozen value. Copies of the block have their own alias scopes.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[STRIDE:%.*]] = shl i64
; CHECK-NEXT: [[KNOWN:%.*]] = freeze i64 [[STRIDE]]
; CHECK-NEXT: [[MASK:%.*]] = add i64 [[KNOWN]], -1
; CHECK-NEXT: [[LOW:%.*]] = and i64 [[MASK]], 3
; CHECK-NEXT: icmp eq i64 [[LOW]], 3
; CHECK-NEXT: br i1
; CHECK: load <4 x i32>, ptr {{.*}}, !alias.scope [[SCOPE:![0-9]+]]
; CHECK: call void @llvm.experimental.noalias.scope.decl(
; CHECK-NOT: !alias.scope [[SCOPE]]{{$}}
; CHECK: "sinter-lanes"="4 lanes: {{[0-9]+}} uniform, 4 consecutive, 8 rearranged, 2 gathered, 6 scattered"
; CHECK-DAG: !"pair"}
; CHECK-DAG: !"pair:copy"}

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()
declare void @llvm.experimental.noalias.scope.decl(metadata)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
start:
  %near = call ptr @__sinter_local_base()
  %id = call i64 @__sinter_local_id(i32 2)
  %length = load i64, ptr %block
  %at.shift = getelementptr i8, ptr %block, i64 8
  %shift = load i64, ptr %at.shift
  %stride = shl i64 %length, %shift
  %mask = add i64 %stride, -1
  %low = and i64 %mask, %id
  %square = mul i64 %id, %id
  %r = getelementptr i32, ptr %near, i64 %square
  %value = trunc i64 %low to i32
  store i32 %value, ptr %r
  %fits = icmp ult i64 %shift, 32
  br i1 %fits, label %exchange, label %done

exchange:
  %twice = shl i64 %id, 1
  %i = sub i64 %twice, %low
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  %p = getelementptr i32, ptr %near, i64 %i
  %j = add i64 %i, %stride
  %q = getelementptr i32, ptr %near, i64 %j
  %a = load i32, ptr %p, !noalias !2
  %b = load i32, ptr %q, !alias.scope !2
  store i32 %b, ptr %p, !noalias !2
  store i32 %a, ptr %q, !alias.scope !2
  br label %done

done:
  ret void
}

!0 = distinct !{!0}
!1 = distinct !{!1, !0, !"pair"}
!2 = !{!1}
