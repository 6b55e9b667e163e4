! SPDX-License-Identifier: BSD-3-Clause
! As constructs.c. labels.py compares.
program p
  use omp_lib
  implicit none
  integer :: i, x(100), a, s
  integer(omp_lock_kind) :: lk
  call omp_init_lock(lk)
  s = 0
!$omp parallel num_threads(2) ! parallel
  call work(1)
!$omp barrier ! barrier
  call work(1)
!$omp single ! single barrier
  call work(1)
!$omp task ! task
  call work(1)
  call work(1)
!$omp end task
  call work(2)
!$omp taskwait ! taskwait
  call work(2)
!$omp taskgroup ! taskgroup
  call work(2)
!$omp task if(.false.) ! task
  call work(3)
!$omp end task
  call work(2)
!$omp end taskgroup
  call work(2)
!$omp task depend(out: a) ! task
  call work(3)
!$omp end task
  call work(4)
!$omp end single
  call work(1)
!$omp do schedule(dynamic) ! loop barrier
  do i = 1, 16
     x(i) = i
  end do
!$omp end do
  call work(1)
!$omp do schedule(static) ! loop barrier
  do i = 1, 16
     x(i) = i
  end do
!$omp end do
  call work(1)
!$omp critical(foo) ! critical
  call work(1)
!$omp end critical(foo)
  call work(1)
!$omp masked ! masked
  call work(1)
!$omp end masked
  call work(1)
  call omp_set_lock(lk) ! lock
  call work(1)
  call omp_unset_lock(lk)
  call work(1)
!$omp sections ! sections loop barrier
!$omp section
  call work(1)
!$omp section
  call work(1)
!$omp end sections
  call work(1)
!$omp end parallel
  call work(1)
!$omp parallel do num_threads(2) ! parallel loop
  do i = 1, 16
     x(i) = i
  end do
!$omp end parallel do
  call work(1)
contains
  subroutine work(n)
    integer, intent(in) :: n
    s = s + n
  end subroutine
end program
