! SPDX-License-Identifier: BSD-3-Clause
!
! Each task depends on the one before it.
! limit: chain @link 1.7 2
! mended: none
program chain
  use omp_lib
  implicit none
  integer :: i, last
  double precision :: x(40)
  x = 0
  last = 0
  !$omp parallel
  !$omp single
  do i = 1, 40
#if MENDED
    !$omp task firstprivate(i)
#else
    !$omp task depend(inout: last) firstprivate(i) ! @link
#endif
    x(i) = turns(400000)
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (x(1) < 0) print *, x
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
end program chain
