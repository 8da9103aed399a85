; The form for work-items away from borders is simplified, which leaves a block without predecessors. The pass must not
; ask for the cost of this block.
; RUN: %opt -passes='sinter-lower-cpu<lanes=8>,verify' %s | FileCheck %s

; CHECK: define {{.*}} @"sinter:kernel"(

declare i64 @__sinter_global_id(i32)
declare i32 @llvm.fptosi.sat.i32.f64(double)

define void @kernel(ptr %0) "sinter-kernel"="range<2>" {
  %2 = call i64 @__sinter_global_id(i32 0)
  %3 = trunc i64 %2 to i32
  %4 = getelementptr i8, ptr %0, i64 48
  %5 = load i32, ptr %4, align 4
  %6 = and i32 %3, 7
  %7 = xor i32 %6, 0
  br label %8

8:                                                ; preds = %22, %1
  %.03 = phi i32 [ 0, %1 ], [ %23, %22 ]
  %.0 = phi double [ 0.000000e+00, %1 ], [ %.1, %22 ]
  %9 = icmp ult i32 %.03, %7
  br i1 %9, label %10, label %12

10:                                               ; preds = %8
  %11 = icmp ult i32 %5, 1
  br i1 %11, label %15, label %22

12:                                               ; preds = %8
  %13 = mul i32 %3, 1
  %14 = and i32 %13, 1
  %cond = icmp eq i32 %14, 0
  br i1 %cond, label %24, label %common.ret

15:                                               ; preds = %10
  %16 = getelementptr i8, ptr %0, i64 56
  %17 = load ptr, ptr %16, align 8
  %18 = load double, ptr %17, align 8
  %19 = fmul double %.0, 0.000000e+00
  %20 = fmul double %19, 0.000000e+00
  %21 = fmul double %18, %20
  br label %22

22:                                               ; preds = %15, %10
  %.1 = phi double [ %21, %15 ], [ 0.000000e+00, %10 ]
  %23 = add i32 %.03, 1
  br label %8

common.ret:                                       ; preds = %24, %12
  ret void

24:                                               ; preds = %12
  %25 = call i32 @llvm.fptosi.sat.i32.f64(double %.0)
  %26 = trunc i32 %25 to i8
  %27 = sub i8 0, %26
  store i8 %27, ptr inttoptr (i64 8 to ptr), align 1
  br label %common.ret
}
