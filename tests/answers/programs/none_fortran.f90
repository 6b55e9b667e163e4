! SPDX-License-Identifier: BSD-3-Clause
!
! A loop that is shared out evenly.
! limit: none
program none
  use omp_lib
  implicit none
  integer :: r, i
  double precision :: s
  s = 0
  do r = 1, 4
    !$omp parallel do schedule(static) reduction(+:s)
    do i = 1, 20
      s = s + turns(1000000)
    end do
    !$omp end parallel do
  end do
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
end program none
