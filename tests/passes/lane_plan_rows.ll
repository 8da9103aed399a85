; Each work-item stores along its own row, so all lanes together would touch a cache line per lane in every iteration.
; If work-items run one by one, they fill one line after the other, and LLVM vectorizes the loop. So vectors of
; work-items are not worthwhile.
; RUN: %opt -disable-output -passes='sinter-work-item-function,function(loop-simplify,lcssa),sinter-print-lanes<lanes=16>' %s 2>&1 | FileCheck %s --check-prefixes=CHECK,ALONE
; LLVM does not vectorize this loop, because LLVM keeps the order of sums. But the lanes' stores are still far apart.
; RUN: sed -e 's/;SUM//' -e 's/store float %value/store float %sum/' %s \
; RUN:   | %opt -disable-output -passes='sinter-work-item-function,function(loop-simplify,lcssa),sinter-print-lanes<lanes=16>' 2>&1 | FileCheck %s --check-prefixes=CHECK,SUM
; Without the store, vectors are worthwhile: the lanes share the loop, and each lane reads its row.
; RUN: sed -e 's/;SUM//' -e 's/store float %value, ptr %to/store float 0.0, ptr %data/' %s \
; RUN:   | %opt -disable-output -passes='sinter-work-item-function,function(loop-simplify,lcssa),sinter-print-lanes<lanes=16>' 2>&1 | FileCheck %s --check-prefix=WIDE

; CHECK: store: scatter
; ALONE: vectors would cost {{[0-9]+}} for 16 work-items, one alone 2{{[0-9]$}}
; SUM: vectors would cost {{[0-9]+}} for 16 work-items, one alone {{[6-9][0-9]$}}
; WIDE-NOT: scatter
; WIDE: cost: {{.*}}: wide

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %data = load ptr, ptr %block
  %result.at = getelementptr i8, ptr %block, i64 8
  %result = load ptr, ptr %result.at
  %width.at = getelementptr i8, ptr %block, i64 16
  %width = load i64, ptr %width.at
  %id = call i64 @__sinter_global_id(i32 2)
  %begin = mul i64 %id, %width
  %row = getelementptr float, ptr %data, i64 %begin
  %line = getelementptr float, ptr %result, i64 %begin
  br label %loop

loop:
  %column = phi i64 [ 0, %entry ], [ %next, %loop ]
  ;SUM %before = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %from = getelementptr float, ptr %row, i64 %column
  %loaded = load float, ptr %from
  %value = fmul float %loaded, 2.0
  ;SUM %sum = fadd float %before, %value
  %to = getelementptr float, ptr %line, i64 %column
  store float %value, ptr %to
  %next = add nuw i64 %column, 1
  %goes_on = icmp ult i64 %next, %width
  br i1 %goes_on, label %loop, label %end

end:
  ret void
}
