! SPDX-License-Identifier: BSD-3-Clause
! Regions, nested and one after the other; masked and master, single with copyprivate and nowait, critical, atomic, locks, barriers.
module fortran_team_own
   implicit none
   integer :: own
   !$omp threadprivate(own)
end module fortran_team_own

program fortran_team
   use omp_lib
   use fortran_team_own
   implicit none
   integer(omp_lock_kind) :: lock
   integer :: sum, n, value, locked
   call omp_set_max_active_levels(2)
   call omp_init_lock(lock)
   own = 3
   sum = 0
   locked = 0
   n = 0
   !$omp parallel num_threads(2) copyin(own)
   !$omp masked
   n = n + 1
   !$omp end masked
   !$omp masked filter(1)
   sum = sum + own
   !$omp end masked
   !$omp barrier
   !$omp critical
   sum = sum + 1
   !$omp end critical
   !$omp critical (named)
   n = n + 1
   !$omp end critical (named)
   call omp_set_lock(lock)
   locked = locked + own
   call omp_unset_lock(lock)
   !$omp end parallel
   if (sum /= 5 .or. locked /= 6 .or. n /= 3) stop 99
   sum = 0
   !$omp parallel num_threads(3) private(value)
   !$omp single
   value = 7
   !$omp end single copyprivate(value)
   !$omp atomic
   sum = sum + value
   !$omp single
   !$omp atomic
   n = n + 1
   !$omp end single nowait
   !$omp single
   !$omp atomic
   n = n + 1
   !$omp end single
   !$omp end parallel
   if (sum /= 21 .or. n /= 5) stop 98
   !$omp parallel num_threads(2)
   !$omp parallel num_threads(2)
   !$omp atomic
   n = n + 1
   !$omp end parallel
   !$omp end parallel
   if (n /= 9) stop 97
   !$omp parallel if (.false.)
   n = n + 1
   !$omp end parallel
   if (n /= 10) stop 96
   call omp_destroy_lock(lock)
end program fortran_team
