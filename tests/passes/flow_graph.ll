; Tests the order of blocks in wide code, and the lanes that run each block.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s

declare i64 @__sinter_global_id(i32)

; Lanes that take different branches meet again behind both branches. The blocks of the two branches follow each other.
; CHECK-LABEL: ways.work_item, 4 lanes
; CHECK: block entry: all lanes, which part here, to [[A:left|right]] [[B:left|right]]
; CHECK: block {{left|right}}: some lanes, perhaps none, to end
; CHECK: block {{left|right}}: some lanes, perhaps none, to end
; CHECK: block end: all lanes, to
; CHECK: %which: varying
define void @ways(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %odd = and i64 %id, 1
  %is.odd = icmp ne i64 %odd, 0
  br i1 %is.odd, label %left, label %right
left:
  br label %end
right:
  br label %end
end:
  %which = phi i64 [ 1, %left ], [ 2, %right ]
  %address = getelementptr i64, ptr %data, i64 %id
  store i64 %which, ptr %address
  ret void
}
