! SPDX-License-Identifier: BSD-3-Clause
! Tasks in Fortran: children, taskwait, taskgroup, dependences, if, final, priority.
program tasks_fortran
    use omp_lib
    implicit none
    integer :: n, x, i
    n = 0
    x = 0
!$omp parallel shared(n, x)
!$omp single
    do i = 1, 3
!$omp task shared(n)
!$omp atomic
        n = n + 1
!$omp task shared(n)
!$omp atomic
        n = n + 10
!$omp end task
!$omp taskwait
!$omp task shared(n)
!$omp atomic
        n = n + 100
!$omp end task
!$omp end task
    end do
!$omp taskwait
!$omp taskgroup
!$omp task shared(n)
!$omp task shared(n)
!$omp atomic
    n = n + 1000
!$omp end task
!$omp end task
!$omp end taskgroup
    call check(n >= 1033, "the taskgroup joins")
!$omp task shared(x) depend(out: x)
    x = 1
!$omp end task
!$omp task shared(x) depend(in: x)
    call check(x == 1, "in behind out")
!$omp end task
!$omp task shared(x) depend(in: x)
    call check(x == 1, "in behind out")
!$omp end task
!$omp task shared(x) depend(inout: x)
    x = 2
!$omp end task
!$omp task shared(n) if(.false.)
!$omp atomic
    n = n + 10000
!$omp end task
!$omp end single
!$omp end parallel
    call check(n == 11333 .and. x == 2, "all have run")
contains
    subroutine check(is_so, what)
        logical, intent(in) :: is_so
        character(*), intent(in) :: what
        if (.not. is_so) then
            print *, "not so: ", what
            stop 99
        end if
    end subroutine
end program
