! SPDX-License-Identifier: BSD-3-Clause
!
! Most of each iteration is in a critical section.
! limit: exclusion @critical 1.4 2
! mended: none
program exclusion
  use omp_lib
  implicit none
  integer :: i
  double precision :: s, x
  s = 0
  !$omp parallel do schedule(static) private(x)
  do i = 1, 60
    x = turns(200000)
#if MENDED
    x = x + turns(1000000)
    !$omp atomic
    s = s + x
#else
    !$omp critical ! @critical
    s = s + x + turns(1000000)
    !$omp end critical
#endif
  end do
  !$omp end parallel do
  if (s < 0) print *, s
contains
  function turns(n) result(y)
    integer, intent(in) :: n
    double precision :: y
    integer :: j
    y = 0
    do j = 1, n
      y = y + sqrt(dble(j) + y)
    end do
  end function turns
end program exclusion
