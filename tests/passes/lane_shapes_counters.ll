; The counters of these loops start at an id, and lanes leave the loops in different iterations. Lane 0 may have left
; the loop. The promise that the counter does not wrap then says nothing about lane 0. But any lane that is still in the
; loop has a larger counter, and the promise holds for it. So the counters of all lanes are consecutive numbers, and the
; accesses at these numbers are consecutive, too.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s
; Without nsw flags, counters of 32 bits may wrap between two lanes.
; RUN: sed -e 's/add nsw/add/' %s \
; RUN:   | %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' | FileCheck %s --check-prefix=WRAPS
; If counters go down, lane 0 is the first lane to wrap.
; RUN: sed -e 's/add nsw i32 %c, 256/add nsw i32 %c, -256/' %s \
; RUN:   | %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' | FileCheck %s --check-prefix=DOWN
; If each lane has a different step, the values are unknown.
; RUN: sed -e 's/add nsw i32 %c, 256/add nsw i32 %c, %step/' %s \
; RUN:   | %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' | FileCheck %s --check-prefix=OWN
; The comparison is unsigned, with a uniform number, so no counter is below zero.
; RUN: sed -e 's/add nsw i32 %c, 256/add nuw i32 %c, %count/' -e 's/sext/zext/' -e 's/slt/ult/' %s \
; RUN:   | %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' | FileCheck %s --check-prefix=UNSIGNED

declare i64 @__sinter_local_id(i32)

; for (int c = local id; c < count; c += 256) data[c] = 1;
; CHECK-LABEL: counts.work_item, 4 lanes
; CHECK: block loop: some lanes, which part here, and leave the loop one by one
; CHECK: %c: strided by 1, exact as signed, aligned; merge
; CHECK: %at: strided by 1
; CHECK: store: consecutive
; CHECK: %next: strided by 1, exact as signed, aligned
; WRAPS-LABEL: counts.work_item, 4 lanes
; WRAPS: %at: varying
; WRAPS: store: scatter
; DOWN-LABEL: counts.work_item, 4 lanes
; DOWN: %at: varying
; DOWN: store: scatter
; OWN-LABEL: counts.work_item, 4 lanes
; OWN: %c: varying
; OWN: store: scatter
; UNSIGNED-LABEL: counts.work_item, 4 lanes
; UNSIGNED: %c: strided by 1, exact as unsigned; merge
; UNSIGNED: %at: strided by 1
; UNSIGNED: store: consecutive
define void @counts(ptr %block) "sinter-kernel"="nd_range<1>" {
entry:
  %data = load ptr, ptr %block
  %count.place = getelementptr i8, ptr %block, i64 8
  %count = load i32, ptr %count.place
  %id = call i64 @__sinter_local_id(i32 2)
  %small = and i64 %id, 1023
  %first = trunc i64 %small to i32
  %own.place = getelementptr i32, ptr %data, i64 %small
  %own = load i32, ptr %own.place
  %step = and i32 %own, 255
  br label %loop
loop:
  %c = phi i32 [ %first, %entry ], [ %next, %body ]
  %more = icmp slt i32 %c, %count
  br i1 %more, label %body, label %end
body:
  %at = sext i32 %c to i64
  %to = getelementptr inbounds float, ptr %data, i64 %at
  store float 1.0, ptr %to
  %next = add nsw i32 %c, 256
  br label %loop
end:
  ret void
}
