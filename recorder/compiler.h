/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the recorder needs from the compiler: branch hints, the fence against signal handlers, ThreadSanitizer's
 * annotations. Included everywhere in the recorder.
 */
#ifndef OTTER_RECORDER_COMPILER_H
#define OTTER_RECORDER_COMPILER_H

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define NOINLINE    __attribute__((noinline, cold))
/* For functions that run for every event: they lie together, and each begins a cache line. */
#define HOT __attribute__((hot, aligned(CACHE_LINE_BYTES)))

/* Leaves out the check of the stack at the end of a function. For functions whose stack holds only a word or two for
 * others to fill in. */
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

/* ThreadSanitizer does not see CK's fences, which are inline assembly, so it is told what they order. It is also told
 * to ignore three accesses that may race: a consumer's read of a slot of a CK ring, whose value is thrown away if the
 * consumer's compare and swap fails, the sealing of a segment that the drain thread is writing, and the watch's look
 * whether a thread is inside of an append. */
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
