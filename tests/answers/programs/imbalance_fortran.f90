! SPDX-License-Identifier: BSD-3-Clause
!
! A static loop whose iterations become longer.
! limit: imbalance @loop 1.25 1.6
! mended: none
program imbalance
  use omp_lib
  implicit none
  integer :: r, i
  double precision :: s
  s = 0
  !$omp parallel private(r) reduction(+:s)
  do r = 1, 3
#if MENDED
    !$omp do schedule(static, 1)
#else
    !$omp do schedule(static) ! @loop
#endif
    do i = 1, 40
      s = s + turns(20000 * i)
    end do
    !$omp end do
  end do
  !$omp end parallel
  if (s < 0) print *, s
contains
  function turns(n) result(x)
    integer, intent(in) :: n
    double precision :: x
    integer :: k
    x = 0
    do k = 1, n
      x = x + sqrt(dble(k) + x)
    end do
  end function turns
end program imbalance
