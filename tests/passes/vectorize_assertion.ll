; The first lane whose assertion fails ends the program, with its own id: the id of lane 0 plus the lane's number.
; Because of the assertion, even a kernel of plain operations gets lanes: LLVM can't vectorize such loops.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=8>' %s | FileCheck %s
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' %s | FileCheck %s --check-prefix=CHOSEN

; CHECK: define {{.*}} @kernel.work_item.wide(
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> {{.*}} to i8
; CHECK: [[ZEROS:%.*]] = call i8 @llvm.cttz.i8(i8 [[BITS]], i1 true)
; CHECK: [[FIRST:%.*]] = zext i8 [[ZEROS]] to i64
; CHECK: [[OFFSET:%.*]] = mul i64 [[FIRST]], 1
; CHECK: [[ID:%.*]] = add i64 %{{.*}}, [[OFFSET]]
; CHECK: call void @__sinter_assert_fail({{.*}}, i64 0, i64 0, i64 [[ID]], i64 0, i64 0, i64 0)
; CHECK-NEXT: br label
; CHOSEN: "sinter-lanes"="{{[0-9]+}} lanes:

@text = internal constant [2 x i8] c"x\00"

declare i64 @__sinter_global_id(i32)
declare void @__sinter_assert_fail(ptr, ptr, i32, ptr, i64, i64, i64, i64, i64, i64) #0

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  %old = load float, ptr %cell
  %good = fcmp olt float %old, 100.0
  br i1 %good, label %change, label %bad

change:
  %new = fadd float %old, 1.0
  store float %new, ptr %cell
  ret void

bad:
  call void @__sinter_assert_fail(ptr @text, ptr @text, i32 5, ptr @text, i64 0, i64 0, i64 %id, i64 0, i64 0, i64 0) #0
  unreachable
}

attributes #0 = { noreturn }
