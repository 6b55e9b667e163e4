! SPDX-License-Identifier: BSD-3-Clause
! Tasks: waited for by taskwait, taskgroup and barrier; with dependences; undeferred and final. flang notes a task's first statement.
program fortran_tasks
   implicit none
   integer :: i, x, y, z, n
   x = 0
   y = 0
   z = 0
   n = 0
   !$omp parallel num_threads(2)
   !$omp single
   !$omp task shared(x) depend(out: x)
   x = 1 ! @first
   !$omp end task
   !$omp task shared(x, y) depend(in: x) depend(out: y)
   y = x + 1 ! @second
   !$omp end task
   !$omp task shared(x, z) depend(in: x)
   z = x + 2 ! @third
   !$omp end task
   !$omp task shared(x, y, z) depend(inout: x)
   x = 10 ! @fourth
   !$omp end task
   !$omp taskwait
   if (x /= 10 .or. y /= 2 .or. z /= 3) stop 99
   !$omp taskgroup ! @group
   !$omp task shared(n, y)
   n = n + 1 ! @member
   !$omp task shared(n)
   n = n + 1 ! @descendant
   !$omp end task
   y = 3 ! without it, the call that creates the task would be a jump, and its return address nobody's
   !$omp end task
   !$omp end taskgroup
   if (n /= 2) stop 98
   !$omp task if (.false.) shared(n)
   n = n + 1 ! @now
   !$omp end task
   if (n /= 3) stop 97
   !$omp taskyield
   !$omp task final(.true.) shared(n)
   n = n + 1 ! @final
   !$omp end task
   !$omp end single
   if (n /= 4) stop 96
   !$omp barrier
   !$omp do
   do i = 1, 6
      !$omp task shared(n)
      call add(n, 1) ! @left
      !$omp end task
   end do
   !$omp end do nowait
   !$omp end parallel
   if (n /= 10) stop 95
contains
   subroutine add(n, i)
      integer :: n, i
      !$omp atomic
      n = n + i
   end subroutine add
end program fortran_tasks
