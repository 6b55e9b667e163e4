/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The two places where both sides store and then look, of whom at least one must see the other: the drain thread that goes to sleep and
 * whoever has work for it (D1, D2), and the end of the session and a stream given back (F1, F2). A store waits in its thread's buffer, for
 * as long as it likes, unless a fence or a read-modify-write comes after it.
 */
bool work = false, has_work_waiting = false;         /* the producer's, in memory and in the buffer */
bool sleeps = false, has_sleeps_waiting = false;     /* the drain thread's */
bool is_ended = false, has_ended_waiting = false;    /* the finalizer's */
bool is_free = false, has_free_waiting = false;      /* the releasing thread's */
bool is_sealed = false;
bool is_asleep = false;

hidden byte nobody_sleeps_over_work, ended_is_sealed;

inline fence(waiting, word)
{
	d_step {
		if
		:: waiting -> waiting = false; word = true
		:: else
		fi
	}
}

active proctype producer() /* handover_put, drain_wake */
{
	byte n = 2;
	do
	:: n > 0 ->
		has_work_waiting = true;
#ifndef MUT_NO_D2
		fence(has_work_waiting, work);
#endif
		if
		:: sleeps ->
			d_step { /* wake: an exchange, which lets no store wait */
				if
				:: has_work_waiting -> has_work_waiting = false; work = true
				:: else
				fi;
				sleeps = false
			}
		:: else
		fi;
		n--
	:: else -> break
	od
}

active proctype drain() /* drain_main, sleep_until_woken */
{
	do
	:: work -> work = false /* drain_round */
	:: !work ->
		has_sleeps_waiting = true;
#ifndef MUT_NO_D1
		fence(has_sleeps_waiting, sleeps);
#endif
		if
		:: work -> d_step { has_sleeps_waiting = false; sleeps = false }
		:: else ->
			is_asleep = true;
end:			!sleeps && !has_sleeps_waiting; /* futex */
			is_asleep = false
		fi
	od
}

active proctype finalizer() /* session_end */
{
	has_ended_waiting = true;
#ifndef MUT_NO_F1
	fence(has_ended_waiting, is_ended);
#endif
	atomic {
		if
		:: is_free -> is_free = false; is_sealed = true
		:: else
		fi
	}
}

active proctype releaser() /* stream_release */
{
	has_free_waiting = true;
#ifndef MUT_NO_F2
	fence(has_free_waiting, is_free);
#endif
	if
	:: is_ended ->
		atomic {
			if
			:: has_free_waiting -> has_free_waiting = false; is_sealed = true
			:: !has_free_waiting && is_free -> is_free = false; is_sealed = true
			:: else
			fi
		}
	:: else
	fi
}

active proctype buffers()
{
end:	do
	:: d_step { has_work_waiting -> has_work_waiting = false; work = true }
	:: d_step { has_sleeps_waiting -> has_sleeps_waiting = false; sleeps = true }
	:: d_step { has_ended_waiting -> has_ended_waiting = false; is_ended = true }
	:: d_step { has_free_waiting -> has_free_waiting = false; is_free = true }
	od
}

active proctype quiet()
{
	timeout;
	nobody_sleeps_over_work = !(work && is_asleep);
	assert(nobody_sleeps_over_work);
	ended_is_sealed = is_sealed;
	assert(ended_is_sealed)
}
