; Group functions have code for short sub-groups and code for wide ones. Where the size is known, only one of them is
; left, because the other one would have barriers and exchanges of its own.
; RUN: %opt -passes='sinter-work-item-function<sub-group=16>' %s | FileCheck %s --check-prefix=SHORT
; RUN: %opt -passes='sinter-work-item-function<sub-group=32>' %s | FileCheck %s --check-prefix=WIDE

; SHORT: store i32 1,
; SHORT-NOT: @__sinter_barrier
; SHORT-NOT: store i32 2,
; SHORT: store i32 16,
; SHORT: {{^}}}

; WIDE-NOT: store i32 1,
; WIDE: @__sinter_barrier
; WIDE: store i32 2,
; WIDE: store i32 32,
; WIDE: {{^}}}

declare i32 @__sinter_sub_group_size()
declare void @__sinter_barrier(i32, i32) convergent

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" {
  %data = load ptr, ptr %block
  %size = call i32 @__sinter_sub_group_size()
  %again = call i32 @__sinter_sub_group_size()
  %is.short = icmp ule i32 %size, 16
  br i1 %is.short, label %short, label %wide

short:
  store i32 1, ptr %data
  br label %end

wide:
  call void @__sinter_barrier(i32 2, i32 2)
  store i32 2, ptr %data
  br label %end

end:
  %sum = phi i32 [ %size, %short ], [ %again, %wide ]
  %at = getelementptr i32, ptr %data, i64 1
  store i32 %sum, ptr %at
  ret void
}
