; The number of lanes is limited, and so is the number of neighbouring work-items that run in one body: the caches have
; to hold a copy of the private arrays for each of these work-items. An explicit number of lanes is kept.
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' %s | FileCheck %s --check-prefix=FOUR
; RUN: sed 's/16384 x i32/262144 x i32/' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=0>' | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=8>' %s | FileCheck %s --check-prefix=EIGHT
; RUN: sed 's/16384 x i32/16777216 x i32/' %s | %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=8>' | FileCheck %s --check-prefix=HUGE
; RUN: %opt -passes='sinter-work-item-function,sinter-vectorize<lanes=4>,sinter-register-blocking<lanes=4;block=0>' %s \
; RUN:   | FileCheck %s --check-prefix=ALONE --implicit-check-not=.blocked

; FOUR: "sinter-lanes"="{{.*}}4 {{lanes|work-items}}
; NONE: "sinter-lanes"="scalar: private arrays of 1024 KiB"
; The lanes' copies of the array have padding between them, so that elements with the same index do not share a set of
; the cache.
; EIGHT: alloca [524800 x i8]
; EIGHT: "sinter-lanes"="8 lanes: {{.*}}"
; HUGE: "sinter-lanes"="scalar: private arrays of 65536 KiB"
; ALONE: alloca [262400 x i8]

declare i64 @__sinter_global_id(i32)

define void @kernel(ptr %block) "sinter-kernel"="range<1>" {
entry:
  %array = alloca [16384 x i32]
  %data = load ptr, ptr %block
  %id = call i64 @__sinter_global_id(i32 2)
  %cell = getelementptr i32, ptr %data, i64 %id
  %x = load i32, ptr %cell
  %limit = getelementptr i8, ptr %block, i64 8
  %n = load i64, ptr %limit
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi i32 [ %x, %entry ], [ %sum1, %loop ]
  %a = mul i32 %sum, %sum
  %b = xor i32 %a, %x
  %c = mul i32 %b, %a
  %d = xor i32 %c, %b
  %e = mul i32 %d, %c
  %f = xor i32 %e, %d
  %sum1 = mul i32 %f, %e
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %own = and i64 %id, 16383
  %there = getelementptr i32, ptr %array, i64 %own
  store i32 %sum1, ptr %there
  %low = and i32 %x, 15
  %index = zext i32 %low to i64
  %place = getelementptr i32, ptr %array, i64 %index
  %y = load i32, ptr %place
  store i32 %y, ptr %cell
  ret void
}
