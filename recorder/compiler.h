/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the recorder needs from the compiler: branch hints, fences, ThreadSanitizer's annotations.
 *
 * Atomics: words that threads share are loaded, stored and changed by the compiler's __atomic builtins, on plain types.
 * The owner of such a word reads it by a plain load, which the types of <stdatomic.h> would turn into a sequentially
 * consistent one. Fences between relaxed accesses are CK's, ck_pr_fence_memory and the like: under ThreadSanitizer gcc
 * does not support its own (-Wtsan). CK is also used for the rings of handover.h, and for nothing else.
 */
#ifndef OTTER_RECORDER_COMPILER_H
#define OTTER_RECORDER_COMPILER_H

#include <ck_pr.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define NOINLINE    __attribute__((noinline, cold))
/* For functions that run for every event: the linker puts them together, and each begins a cache line. */
#define HOT __attribute__((hot, aligned(CACHE_LINE_BYTES)))

/* Leaves out the check of the stack at the end of a function. For functions whose stack has only a word or two that
 * other functions fill in. */
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define NO_CANARY __attribute__((no_stack_protector))
#endif
#endif
#ifndef NO_CANARY
#define NO_CANARY
#endif

/* For a variable that only this library uses, so that it is addressed directly (-fvisibility covers definitions, not
 * declarations). */
#define HIDDEN __attribute__((visibility("hidden")))

/* Orders memory accesses against a signal handler on the same thread. It is no instruction. */
#define signal_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#define CACHE_LINE_BYTES 64

/* ThreadSanitizer does not see CK's fences, which are inline assembly: these annotations say what they order. Others
 * make it ignore three accesses that may race: a consumer's read of a slot of a CK ring, whose value is thrown away if
 * the consumer's compare and swap fails, the sealing of a segment that the drain thread is writing, and the watch's
 * check whether a thread is inside of an append. */
#if defined(__SANITIZE_THREAD__)
#define OTTER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define OTTER_TSAN 1
#endif
#endif
#ifdef OTTER_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define tsan_acquire(address) __tsan_acquire(address)
#define tsan_release(address) __tsan_release(address)
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
#define tsan_reads_begin()  AnnotateIgnoreReadsBegin(__FILE__, __LINE__)
#define tsan_reads_end()    AnnotateIgnoreReadsEnd(__FILE__, __LINE__)
#define tsan_writes_begin() AnnotateIgnoreWritesBegin(__FILE__, __LINE__)
#define tsan_writes_end()   AnnotateIgnoreWritesEnd(__FILE__, __LINE__)
#else
#define tsan_writes_begin()   ((void)0)
#define tsan_writes_end()     ((void)0)
#define tsan_reads_begin()    ((void)0)
#define tsan_reads_end()      ((void)0)
#define tsan_acquire(address) ((void)(address))
#define tsan_release(address) ((void)(address))
#endif

#endif
