! SPDX-License-Identifier: BSD-3-Clause
! One thread of a team does the work, the others do not wait for it.
program shape_fortran
   use omp_lib
   implicit none
   integer :: num(20), k
   num = 0
   !$omp parallel num_threads(2)
   !$omp single
   do k = 1, 20
      num(k) = k
   end do
   !$omp end single nowait
   !$omp end parallel
   if (sum(num) /= 210) stop 99
end program
