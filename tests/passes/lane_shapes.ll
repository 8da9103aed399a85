; Tests the analysis that finds out how values differ between lanes.
; RUN: %opt -disable-output -passes='sinter-work-item-function,sinter-print-lanes<lanes=4>' %s | FileCheck %s

declare i64 @__sinter_global_id(i32)

; Ids along the last dimension grow by one from lane to lane, other ids are uniform. The kernel computes other values
; from ids, and the analysis derives how these values differ between lanes.
; CHECK-LABEL: shapes.work_item, 4 lanes
; CHECK: block entry: all lanes, which part here, to
; CHECK: %data: uniform
; CHECK: %row.twice: uniform
; CHECK: %narrow: strided by 1
; CHECK: %triple: strided by 3
; CHECK: %address: strided by 4
; CHECK: %value: varying
; The analysis knows nothing about a quotient, or about a product of two values that differ between lanes.
; CHECK: %square: varying
; CHECK: %third: varying
; CHECK: %large: varying
define void @shapes(ptr %block) "sinter-kernel"="range<2>" {
entry:
  %data = load ptr, ptr %block
  %row = call i64 @__sinter_global_id(i32 1)
  %id = call i64 @__sinter_global_id(i32 2)
  %row.twice = shl i64 %row, 1
  %narrow = trunc i64 %id to i32
  %triple = mul i64 %id, 3
  %address = getelementptr inbounds float, ptr %data, i64 %id
  %value = load float, ptr %address
  %square = mul i64 %id, %id
  %third = udiv i64 %id, 3
  %large = fcmp ogt float %value, 1.0
  br i1 %large, label %then, label %end
then:
  %other = getelementptr inbounds float, ptr %data, i64 %square
  store float 0.0, ptr %other
  br label %end
end:
  ret void
}
