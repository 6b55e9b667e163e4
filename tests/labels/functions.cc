/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructs in functions of all kinds: each line with one has its function's name, as it was written, in a comment.
 */
namespace inner
{
template <typename T> void twice(T *value)
{
#pragma omp parallel for /* inner::twice<int> */
	for (int i = 0; i < 2; i++)
		__atomic_fetch_add(value, (T)1, __ATOMIC_RELAXED);
}
} // namespace inner

struct Counter {
	int n = 0;
	void count();
};

void Counter::count()
{
#pragma omp parallel /* Counter::count */
#pragma omp single
	{
#pragma omp task /* Counter::count */
		{
#pragma omp task /* Counter::count */
			{
#pragma omp task /* Counter::count */
				__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
			}
#pragma omp taskwait /* Counter::count */
		}
	}
}

static void plain(int *value)
{
#pragma omp parallel /* plain */
#pragma omp critical /* plain */
	*value += 1;
}

int main()
{
	Counter counter;
	counter.count();
	inner::twice(&counter.n);
	plain(&counter.n);
	return counter.n < 4;
}
