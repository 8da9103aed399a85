; Behind a branch, stores to local memory of which the work-item knows what was there are made always. Not those to other
; memory, which other threads may write, nor those of which it does not, or no longer.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>' %s | FileCheck %s

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[BEFORE:%.*]] = load <4 x i32>, ptr [[NEAR:%.*]], align 4
; CHECK: [[VALUE:%.*]] = select <4 x i1> {{.*}}, <4 x i32> [[BEFORE]], <4 x i32> splat (i32 7)
; CHECK-NEXT: store <4 x i32> [[VALUE]], ptr [[NEAR]], align 4
; CHECK: call void @llvm.masked.store.v4i32.p0(<4 x i32> splat (i32 8), ptr align 4 [[NEAR]],
; CHECK: call void @llvm.masked.store.v4i32.p0(<4 x i32> splat (i32 9), ptr
; CHECK: ret i32 0

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i64 @__sinter_local_id(i32)
declare ptr @__sinter_local_base()

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block
  %local = call ptr @__sinter_local_base()
  %id = call i64 @__sinter_local_id(i32 2)
  %near = getelementptr i32, ptr %local, i64 %id
  %far = getelementptr i32, ptr %data, i64 %id
  %a = load i32, ptr %near
  %odd.bit = and i32 %a, 1
  %odd = icmp ne i32 %odd.bit, 0
  br i1 %odd, label %known, label %second

known:
  store i32 7, ptr %near
  br label %second

second:
  %b = load i32, ptr %far
  %small = icmp slt i32 %b, 100
  br i1 %small, label %forgotten, label %third

forgotten:
  store i32 8, ptr %near
  br label %third

third:
  %c = load i32, ptr %far
  %large = icmp sgt i32 %c, 1000
  br i1 %large, label %global, label %done

global:
  store i32 9, ptr %far
  br label %done

done:
  ret void
}
