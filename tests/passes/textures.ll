; The CPU has no texture units. The query for texture units becomes false, and the calls that it guards are removed,
; also in functions that kernels call. Without this pass, entries would call functions that are not defined.
; RUN: %opt -passes='sinter-textures,verify' %s | FileCheck %s

declare i1 @__sinter_texture_units() memory(none)
declare <4 x i32> @__sinter_texture_sample(i64, i32, i32, float, float, float, i32) memory(read)
declare void @__sinter_texture_store(i64, i32, i32, i32, i32, i32, <4 x i32>)

; CHECK-LABEL: define i32 @read(
; CHECK-NOT: __sinter_texture
; CHECK: %plain = load i32
; CHECK: ret i32 %plain
define i32 @read(i64 %texture, ptr %texels) {
  %units = call i1 @__sinter_texture_units()
  %named = icmp ne i64 %texture, 0
  %both = and i1 %units, %named
  br i1 %both, label %sample, label %load

sample:
  %words = call <4 x i32> @__sinter_texture_sample(i64 %texture, i32 1, i32 0, float 0.0, float 0.0, float 0.0, i32 0)
  %sampled = extractelement <4 x i32> %words, i64 0
  br label %end

load:
  %plain = load i32, ptr %texels
  br label %end

end:
  %result = phi i32 [ %sampled, %sample ], [ %plain, %load ]
  ret i32 %result
}

; A call without a guard never runs, so it is removed.
; CHECK-LABEL: define void @kernel(
; CHECK-NOT: __sinter_texture_store(
; CHECK: ret void
define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  call void @__sinter_texture_store(i64 1, i32 1, i32 4, i32 0, i32 0, i32 0, <4 x i32> zeroinitializer)
  %value = call i32 @read(i64 7, ptr %block)
  store i32 %value, ptr %block
  ret void
}
