! SPDX-License-Identifier: BSD-3-Clause
!
! Tasks sleep in a function of C.
! limit: blocked @task 1.4 1.9
! mended: none
program blocked
  use iso_c_binding
  implicit none
  interface
    function usleep(us) bind(c) result(status)
      use iso_c_binding
      integer(c_int), value :: us
      integer(c_int) :: status
    end function usleep
  end interface
  integer :: i
  double precision :: x(40)
  x = 0
  !$omp parallel
  !$omp single
  do i = 1, 40
    !$omp task firstprivate(i) ! @task
#if !MENDED
    if (usleep(4000_c_int) /= 0) stop 1
#endif
    x(i) = turns(1000000)
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
end program blocked
