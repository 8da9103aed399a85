; Debug records of the user's variables stand before a barrier and behind it. After the function has been cut at the
; barrier, each record must still belong to an instruction.
; RUN: %opt -passes='sinter-work-item-function,sinter-barrier-regions,verify' %s | FileCheck %s

; CHECK-LABEL: define internal i32 @kernel.work_item.region0(
; CHECK: ret i32 1
; CHECK-NEXT: }
; CHECK-LABEL: define internal i32 @kernel.work_item.region1(
; CHECK: #dbg_value(i32 2, [[AFTER:![0-9]+]],
; CHECK: store i32 2,
; CHECK: [[AFTER]] = !DILocalVariable(name: "after"

declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" !dbg !4 {
  %out = load ptr, ptr %block, !dbg !9
  store i32 1, ptr %out, !dbg !9
    #dbg_value(i32 1, !7, !DIExpression(), !9)
  call void @__sinter_barrier(i32 2, i32 2), !dbg !9
    #dbg_value(i32 2, !8, !DIExpression(), !9)
  store i32 2, ptr %out, !dbg !9
  br label %next, !dbg !9

next:
    #dbg_value(i32 3, !7, !DIExpression(), !9)
  call void @__sinter_barrier(i32 2, i32 2), !dbg !9
    #dbg_value(i32 4, !8, !DIExpression(), !9)
  br label %end, !dbg !9

end:
  ret void, !dbg !9
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "kernel.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "kernel", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition, retainedNodes: !6)
!5 = !DISubroutineType(types: !{null})
!6 = !{!7, !8}
!7 = !DILocalVariable(name: "before", scope: !4, file: !1, line: 2, type: !10)
!8 = !DILocalVariable(name: "after", scope: !4, file: !1, line: 3, type: !10)
!9 = !DILocation(line: 2, scope: !4)
!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
