! SPDX-License-Identifier: BSD-3-Clause
! Worksharing: do with each schedule, with ordered, reduction and nowait; sections; workshare.
program fortran_loops
   implicit none
   integer :: i, sum, parts(3), a(12), b(12)
   sum = 0
   !$omp parallel num_threads(2)
   !$omp do schedule(dynamic, 3)
   do i = 1, 12
      a(i) = i
   end do
   !$omp end do
   !$omp do schedule(guided)
   do i = 1, 12
      b(i) = a(i)
   end do
   !$omp end do
   !$omp do schedule(static) ordered
   do i = 1, 12
      !$omp ordered
      sum = sum + b(i)
      !$omp end ordered
   end do
   !$omp end do nowait
   !$omp end parallel
   if (sum /= 78) stop 99
   sum = 0
   !$omp parallel num_threads(2)
   !$omp do reduction(+: sum)
   do i = 1, 12
      sum = sum + a(i)
   end do
   !$omp end do
   !$omp end parallel
   if (sum /= 78) stop 98
   !$omp parallel num_threads(2)
   !$omp sections
   !$omp section
   parts(1) = 1
   !$omp section
   parts(2) = 2
   !$omp section
   parts(3) = 3
   !$omp end sections
   !$omp workshare
   a = b + 1
   !$omp end workshare
   !$omp end parallel
   if (parts(1) + parts(2) + parts(3) /= 6 .or. a(12) /= 13) stop 97
end program fortran_loops
