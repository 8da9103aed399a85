; Memory accesses are checked. The check gets the base of the memory and one fact about the memory. For a local
; accessor, this fact is the number of the accessor's leaf. For private arrays, constant tables, the argument block and
; variables of the group, it is the size. For the other pointers of this test, the check gets only the pointer itself.
; Accesses that are surely inside of their object, and accesses to group scratch, get no check. A work-item reports its
; start and each time that it continues behind a barrier.
; RUN: %opt -passes=sinter-check-accesses,verify %s | FileCheck %s

; Fields of the constants that describe accesses: file, name, line, flags, leaf, bytes of the object. Flags: 1
; writes, 2 atomic, 4 private, 8 constant, 16 argument block, 32 local memory of the group.
; CHECK-DAG: [[LOCAL:@[a-z.0-9]+]] = private constant {{.*}} { ptr null, ptr null, i32 0, i32 1, i64 0, i64 0 }
; CHECK-DAG: [[PRIVATE:@[a-z.0-9]+]] = private constant {{.*}} { ptr null, ptr null, i32 0, i32 5, i64 -1, i64 16 }
; CHECK-DAG: [[TABLE:@[a-z.0-9]+]] = private constant {{.*}} { ptr null, ptr [[NAME:@[a-z.0-9]+]], i32 0, i32 8, i64 -1, i64 32 }
; CHECK-DAG: [[NAME]] = {{.*}}c"numbers\00"
; CHECK-DAG: [[ATOMIC:@[a-z.0-9]+]] = private constant {{.*}} { ptr null, ptr null, i32 0, i32 3, i64 -1, i64 0 }
; CHECK-DAG: [[CAPTURED:@[a-z.0-9]+]] = private constant {{.*}} { ptr null, ptr null, i32 0, i32 16, i64 -1, i64 64 }

; CHECK-DAG: [[SHARED:@[a-z.0-9]+]] = private constant {{.*}} { ptr null, ptr null, i32 0, i32 33, i64 -1, i64 40 }

; CHECK-LABEL: define void @kernel(
; CHECK: call void @__sinter_check_work_item(i64 {{.*}}, i64 {{.*}}, i64 {{.*}}, i64 {{.*}}, i64
; CHECK: [[BASE:%.*]] = call ptr @__sinter_local_base()
; CHECK: call void @__sinter_check_access(ptr [[LOCAL]], ptr [[BASE]], ptr %element, i64 4)
; CHECK-NEXT: store i32 1, ptr %element
; CHECK: call void @__sinter_check_access(ptr [[PRIVATE]], ptr %mine, ptr %chosen, i64 4)
; CHECK-NEXT: store i32 2, ptr %chosen
; CHECK-NOT: check_access
; CHECK: store i32 3, ptr %inside
; CHECK: call void @__sinter_barrier
; CHECK: call void @__sinter_check_resume(i64 {{.*}}, i64 {{.*}}, i64 {{.*}}, i64 {{.*}}, i32 2)
; CHECK: call void @__sinter_check_access(ptr [[TABLE]], ptr @numbers, ptr %number, i64 4)
; CHECK: call void @__sinter_check_access(ptr [[ATOMIC]], ptr %data, ptr %data, i64 4)
; CHECK-NEXT: atomicrmw
; CHECK: call void @__sinter_check_access(ptr [[CAPTURED]], ptr %block, ptr %captured, i64 4)
; CHECK-NOT: check_access
; CHECK: store i32 4, ptr %scratch
; CHECK: call void @__sinter_check_access(ptr [[SHARED]], ptr %shared, ptr %one, i64 4)
; CHECK: ret void

@numbers = internal constant [8 x i32] zeroinitializer

declare ptr @__sinter_local_base()
declare ptr @__sinter_group_scratch(i32)
declare ptr @__sinter_group_variable(ptr, i32, i32)
declare i64 @__sinter_local_id(i32)
declare void @__sinter_barrier(i32, i32)

define void @kernel(ptr %block) "sinter-kernel"="nd_range<1>" "sinter-local-accessors"="8:16" {
  %mine = alloca [4 x i32]
  %base = call ptr @__sinter_local_base()
  %id = call i64 @__sinter_local_id(i32 2)
  %offset_at = getelementptr i8, ptr %block, i64 8
  %offset = load i64, ptr %offset_at
  %start = getelementptr i8, ptr %base, i64 %offset
  %element = getelementptr i32, ptr %start, i64 %id
  store i32 1, ptr %element
  %chosen = getelementptr i32, ptr %mine, i64 %id
  store i32 2, ptr %chosen
  %inside = getelementptr i32, ptr %mine, i64 3
  store i32 3, ptr %inside
  call void @__sinter_barrier(i32 2, i32 2)
  %number = getelementptr i32, ptr @numbers, i64 %id
  %read = load i32, ptr %number
  %data = load ptr, ptr %block
  %old = atomicrmw add ptr %data, i32 %read monotonic
  %captured = getelementptr i32, ptr %block, i64 %id
  %value = load i32, ptr %captured
  %scratch = call ptr @__sinter_group_scratch(i32 4)
  store i32 4, ptr %scratch
  %shared = call ptr @__sinter_group_variable(ptr @numbers, i32 40, i32 4)
  %one = getelementptr i32, ptr %shared, i64 %id
  store i32 5, ptr %one
  ret void
}
