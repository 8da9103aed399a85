; Elements have one byte. Large ranges run a form whose stores bypass the caches, and LLVM's loop runs if the data fit
; the caches. The form has as many lanes as fill a register, like LLVM's loop. With fewer lanes, large ranges would take
; longer for each work-item than small ranges.
; RUN: %opt -passes='sinter-lower-cpu<lanes=0>' %s | FileCheck %s
; If the lanes' data are not consecutive, there is no such form, because LLVM's loop is better at reading such data.
; RUN: sed -e 's/; apart: //' -e 's/ptr %in, i64 %id/ptr %in, i64 %thrice/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' \
; RUN:   | FileCheck %s --check-prefix=APART
; If a kernel gathers from any addresses, its work-items become lanes in small ranges, too.
; RUN: sed -e 's/; unknown: //' -e 's/ptr %in, i64 %id/ptr %in, i64 %any/' %s | %opt -passes='sinter-lower-cpu<lanes=0>' \
; RUN:   | FileCheck %s --check-prefix=ANYWHERE

; CHECK-LABEL: define {{.*}}.wide{{[.0-9]*}}.streaming(
; CHECK: load <[[LANES:16|32|64]] x i8>
; CHECK: store <[[LANES]] x i8> {{.*}}, !nontemporal
; CHECK: define internal void @"sinter:kernel"(
; CHECK: icmp uge i64 {{%.*}}, 16777216

; APART-NOT: nontemporal

; ANYWHERE: call <16 x i8> @llvm.masked.gather
; ANYWHERE: store <16 x i8> {{.*}}, !nontemporal

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
  %in = load ptr, ptr %block
  %out.at = getelementptr i8, ptr %block, i64 8
  %out = load ptr, ptr %out.at
  %id = call i64 @__sinter_global_id(i32 2)
; apart:   %thrice = mul i64 %id, 3
; unknown:   %half = trunc i64 %id to i8
; unknown:   %any = zext i8 %half to i64
  %from = getelementptr i8, ptr %in, i64 %id
  %x = load i8, ptr %from
  %y = add i8 %x, 3
  %to = getelementptr i8, ptr %out, i64 %id
  store i8 %y, ptr %to
  ret void
}
