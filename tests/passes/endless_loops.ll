; Lanes never enter a loop that would run for ever without a visible effect. Such lanes continue behind the loop, with
; the other lanes. A loop with an atomic or a barrier stays, and so does a loop in a function without mustprogress.
; RUN: %opt -passes='sinter-endless-loops,function(simplifycfg)' %s | FileCheck %s

declare void @__sinter_barrier(i32, i32)

; CHECK-LABEL: define void @step_of_zero(
; CHECK-NOT: fadd
; CHECK-LABEL: define void @waits(
; CHECK: br label %again
; CHECK-LABEL: define void @meets(
; CHECK: br label %again
; CHECK-LABEL: define void @may_hang(
; CHECK: br label %again
define void @step_of_zero(ptr %data, i1 %zero) #0 {
  br i1 %zero, label %again, label %end
again:
  %x = load float, ptr %data
  %y = fadd float %x, 1.0
  store float %y, ptr %data
  br label %again
end:
  ret void
}

define void @waits(ptr %data, i1 %zero) #0 {
  br i1 %zero, label %again, label %end
again:
  %x = load atomic i32, ptr %data monotonic, align 4
  br label %again
end:
  ret void
}

define void @meets(ptr %data, i1 %zero) #0 {
  br i1 %zero, label %again, label %end
again:
  call void @__sinter_barrier(i32 2, i32 2)
  br label %again
end:
  ret void
}

define void @may_hang(ptr %data, i1 %zero) {
  br i1 %zero, label %again, label %end
again:
  store i32 1, ptr %data
  br label %again
end:
  ret void
}

attributes #0 = { mustprogress }
