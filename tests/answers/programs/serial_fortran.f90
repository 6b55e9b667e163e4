! SPDX-License-Identifier: BSD-3-Clause
!
! One thread works between the regions.
! limit: serial @region 1.25 1.6
! mended: none
program serial
  use omp_lib
  implicit none
  integer :: r, i
  double precision :: s
  s = 0
  do r = 1, 5
#if !MENDED
    s = s + turns(4000000)
#endif
    !$omp parallel do schedule(static) reduction(+:s) ! @region
    do i = 1, 8
#if MENDED
      s = s + turns(1500000)
#else
      s = s + turns(1000000)
#endif
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
end program serial
