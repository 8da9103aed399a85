; RUN: llc < %s -mtriple=x86_64-unknown-unknown -mcpu=x86-64-v4 | FileCheck %s

; A mask of signs that is moved to a general register has another reader: it has to be made.

declare <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr>, <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, <8 x i1>)

; The reader writes the mask as well.

; CHECK-LABEL: read_by_gather:
; CHECK: vpmovd2m
; CHECK: vpgatherdd
define <8 x i32> @read_by_gather(ptr %p, <8 x i32> %index, <8 x i32> %m, ptr %out) {
  %mask = icmp slt <8 x i32> %m, zeroinitializer
  %at = getelementptr inbounds i32, ptr %p, <8 x i32> %index
  %r = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %at, <8 x i1> %mask, <8 x i32> zeroinitializer)
  %bits = bitcast <8 x i1> %mask to i8
  %one = and i8 %bits, 1
  %off = icmp eq i8 %one, 0
  br i1 %off, label %store, label %done
store:
  store i32 1, ptr %out
  br label %done
done:
  ret <8 x i32> %r
}

; The reader is the next iteration.

; CHECK-LABEL: read_by_next_iteration:
; CHECK: vmovdqu32
; CHECK: vpmovd2m
define i32 @read_by_next_iteration(ptr %p, ptr %q, <8 x i1> %first) {
entry:
  br label %loop
loop:
  %mask = phi <8 x i1> [ %first, %entry ], [ %next, %loop ]
  %at = phi ptr [ %p, %entry ], [ %then, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 1), ptr %q, <8 x i1> %mask)
  %v = load <8 x i32>, ptr %at
  %w = add <8 x i32> %v, splat (i32 7)
  %next = icmp slt <8 x i32> %w, zeroinitializer
  %bits = bitcast <8 x i1> %next to i8
  %wide = zext i8 %bits to i32
  %more = add i32 %sum, %wide
  %then = getelementptr i8, ptr %at, i64 32
  %go = icmp ult i32 %more, 1000
  br i1 %go, label %loop, label %end
end:
  ret i32 %more
}
