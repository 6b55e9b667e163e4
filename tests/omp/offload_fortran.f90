! SPDX-License-Identifier: BSD-3-Clause
! Target constructs in Fortran: data that stays on the device, updates both ways, a region that uses it, and one that brings its own.
program offload_fortran
  implicit none
  integer, parameter :: n = 100
  integer :: a(n), b(n), i ! @declaration
  do i = 1, n
    a(i) = i
  end do
  !$omp target enter data map(to: a)
  !$omp target map(tofrom: a)
  do i = 1, n
    a(i) = a(i) + 1
  end do
  !$omp end target
  if (a(1) /= 1) stop 1
  !$omp target update from(a)
  if (a(1) /= 2 .or. a(n) /= n + 1) stop 2
  a = 7
  !$omp target update to(a)
  a = 0
  !$omp target exit data map(from: a)
  if (any(a /= 7)) stop 3
  b = 3
  !$omp target data map(tofrom: b)
  b = 4
  !$omp end target data
  if (any(b /= 3)) stop 4
  !$omp target map(tofrom: b)
  do i = 1, n
    b(i) = i
  end do
  !$omp end target
  if (b(1) /= 1 .or. b(n) /= n) stop 5
end program
