; Nothing is changed where LLVM can't split edges: its pass for loops with several entries crashes there.
; RUN: %opt -passes=sinter-one-entry %s | FileCheck %s

; CHECK-LABEL: define i32 @jumps(
; CHECK: indirectbr ptr %first, [label %a, label %b]
define i32 @jumps(ptr %first, ptr %second, i32 %n) {
entry:
  indirectbr ptr %first, [label %a, label %b]
a:
  %na = phi i32 [ %n, %entry ], [ %nb1, %b ]
  %na1 = add i32 %na, -1
  indirectbr ptr %second, [label %b, label %done]
b:
  %nb = phi i32 [ %n, %entry ], [ %na1, %a ]
  %nb1 = add i32 %nb, -1
  %more = icmp sgt i32 %nb1, 0
  br i1 %more, label %a, label %done
done:
  %last = phi i32 [ %na1, %a ], [ %nb1, %b ]
  ret i32 %last
}
