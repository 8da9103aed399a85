; Work-items certainly end if all functions that they call return, and if each loop has few iterations, whatever the
; data are. Work-items may not end if the number of iterations comes from memory or is large, if a loop waits for memory
; to change, or if a call may never return.
; RUN: %opt -passes=sinter-work-item-function,sinter-bounded-work %s | FileCheck %s
; RUN: sed 's/ult i32 %k.next, 7/ult i32 %k.next, %limit/' %s \
; RUN:   | %opt -passes=sinter-work-item-function,sinter-bounded-work | FileCheck %s --check-prefix=NOT
; RUN: sed 's/ult i32 %k.next, 7/eq i32 %limit, 0/' %s \
; RUN:   | %opt -passes=sinter-work-item-function,sinter-bounded-work | FileCheck %s --check-prefix=NOT
; RUN: sed 's/ult i32 %k.next, 7/ult i32 %k.next, 10/' %s \
; RUN:   | %opt -passes=sinter-work-item-function,sinter-bounded-work | FileCheck %s --check-prefix=NOT
; RUN: sed 's/ willreturn//' %s \
; RUN:   | %opt -passes=sinter-work-item-function,sinter-bounded-work | FileCheck %s --check-prefix=NOT

; CHECK: define internal i32 @kernel.work_item({{.*}}) [[BOUNDED:#[0-9]+]]
; CHECK: attributes [[BOUNDED]] = { {{.*}}"sinter-bounded"
; NOT: define internal i32 @kernel.work_item(
; NOT-NOT: "sinter-bounded"

declare i64 @__sinter_global_id(i32)
declare float @__sinter_math_cbrt_f32(float) memory(none) willreturn nounwind

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr float, ptr %data, i64 %id
  br label %outer

outer:
  %i = phi i32 [ 0, %0 ], [ %i.next, %outer.end ]
  br label %inner

inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
  %old = load float, ptr %cell
  %limit = load atomic i32, ptr %data monotonic, align 4
  %root = call float @__sinter_math_cbrt_f32(float %old)
  store float %root, ptr %cell
  %k.next = add i32 %k, 1
  %again = icmp ult i32 %k.next, 7
  br i1 %again, label %inner, label %outer.end

outer.end:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 7
  br i1 %more, label %outer, label %end

end:
  ret void
}
