; An array of variable length may be used between barriers. An array that lives across a barrier is refused with its
; name and line. A stack pointer that was saved before a barrier is not restored behind it, because other work-items
; have run in between.
; RUN: %opt -passes=sinter-work-item-function,sinter-dynamic-arrays %s | FileCheck %s
; RUN: sed 's/; ACROSS //' %s | not %opt -passes=sinter-work-item-function,sinter-dynamic-arrays 2>&1 | FileCheck %s --check-prefix=ACROSS
; RUN: sed 's/; STORED //' %s | not %opt -passes=sinter-work-item-function,sinter-dynamic-arrays 2>&1 | FileCheck %s --check-prefix=STORED
; RUN: sed 's/; LOOP //' %s | not %opt -passes=sinter-work-item-function,sinter-dynamic-arrays 2>&1 | FileCheck %s --check-prefix=LOOP

; CHECK-LABEL: define internal i32 @kernel.work_item(
; CHECK: call void @llvm.stackrestore.p0(ptr %inner)
; CHECK: call void @__sinter_barrier
; CHECK-NOT: call void @llvm.stackrestore.p0(ptr %outer)
; CHECK: ret i32 0

; ACROSS: LLVM ERROR: the array 'kept' of variable length (program.cpp:7) lives across a barrier
; STORED: LLVM ERROR: the array 'kept' of variable length (program.cpp:7) lives across a barrier
; LOOP: LLVM ERROR: the array of variable length lives across a barrier

declare void @__sinter_barrier(i32, i32)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" !dbg !5 {
entry:
  %n = load i64, ptr %block
  %data_at = getelementptr i8, ptr %block, i64 8
  %data = load ptr, ptr %data_at
  %outer = call ptr @llvm.stacksave.p0()
  %kept = alloca i32, i64 %n, !dbg !8
    #dbg_declare(ptr %kept, !7, !DIExpression(), !8)
  store i32 1, ptr %kept
  %inner = call ptr @llvm.stacksave.p0()
  %more = alloca i32, i64 %n
  store i32 2, ptr %more
  %x = load i32, ptr %more
  store i32 %x, ptr %data
  ; STORED store ptr %kept, ptr %data
  call void @llvm.stackrestore.p0(ptr %inner)
  call void @__sinter_barrier(i32 2, i32 2)
  ; ACROSS %y = load i32, ptr %kept
  ; ACROSS store i32 %y, ptr %data
  call void @llvm.stackrestore.p0(ptr %outer)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %again = alloca i32, i64 %n
  %where = getelementptr i32, ptr %again, i64 %k
  ; LOOP call void @__sinter_barrier(i32 2, i32 2)
  store i32 3, ptr %where
  %k1 = add i64 %k, 1
  %more_rounds = icmp ult i64 %k1, %n
  br i1 %more_rounds, label %loop, label %done

done:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "program.cpp", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!4 = !DISubroutineType(types: !6)
!5 = distinct !DISubprogram(name: "kernel", file: !1, line: 5, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!6 = !{null}
!7 = !DILocalVariable(name: "kept", scope: !5, file: !1, line: 7, type: !3)
!8 = !DILocation(line: 7, column: 3, scope: !5)
