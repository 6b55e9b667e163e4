! SPDX-License-Identifier: BSD-3-Clause
! A league of two, and a region in each of its teams.
program fortran_teams
   use omp_lib
   implicit none
   integer :: n
   n = 0
   !$omp teams num_teams(2) thread_limit(2)
   !$omp atomic
   n = n + 1
   !$omp parallel num_threads(2)
   !$omp atomic
   n = n + 10
   !$omp end parallel
   !$omp end teams
   if (n /= 42) stop 99
end program fortran_teams
