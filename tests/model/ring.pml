/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One stream's ring from hand to hand: its owner, the drain thread, a second thread that takes the stream over or ends the session, a signal
 * handler of the first, and at every instant a kill with the post-mortem reader after it. Every store and every load that another of
 * these can see is a step of its own; comments name the function, and the label of docs/design.md where it has one.
 *
 * Memory is one for all here (a killed thread's stores all reach it). What the fences must order between threads is checked as happens-before:
 * each segment, and the stream's private fields, know who has not yet been told of their last write, and of whose reads; an access
 * by one who was not told is a race. The hand-over's entries and the stream's owner are what tells. Stores that a fence must not let wait
 * are in sleep.pml, the reader of a process that still runs in live.pml.
 *
 * What is asserted has a name; run.sh knows which name each mutation (-DMUT_...) must break.
 */
#ifndef NSEG
#define NSEG 2 /* segments of the ring */
#endif
#ifndef NREC
#define NREC 2 /* records of a segment */
#endif
#ifndef FIRST
#define FIRST 5 /* records of the first owner */
#endif
#ifndef SECOND
#define SECOND 1 /* of the second */
#endif
#ifndef NSEQ
#define NSEQ 8 /* sequences there may be, and one more */
#endif
#define SLOTS 4 /* of a hand-over ring: a power of two above NSEG */
#define NONE  15

#define THREAD_0 0
#define THREAD_1 1
#define DRAIN    2
#define ENTRY    3 /* what the segment's entry in a hand-over ring tells */
#define OWNER    4 /* what the word `owner` tells */
#define ALL      31
#define STREAM   NSEG /* the private fields of struct stream, as an object of happens-before */

/* ---- Shared memory: the ring file ---- */
byte position_sequence = 1; /* one 64-bit word: both are written in one step */
byte position_offset = 0;   /* 0: not open; 1: the header; 1 + n: n records */
byte h_sequence[NSEG];
byte h_rest[NSEG];   /* the sequence that the rest of the header, checksum included, was made for */
byte h_closed[NSEG]; /* 0 or 1 + n records */
bool h_sealed[NSEG];
byte word_a[NSEG * NREC]; /* a record is two words: its number in both */
byte word_b[NSEG * NREC];
bool is_ring_there = true;

/* ---- Files: records in the copy of each sequence, plus one ---- */
#define OWN_FILE   0
#define DRAIN_FILE NSEQ
byte in_file[2 * NSEQ];
bool is_sealed_in_file[NSEQ];

/* ---- struct stream ---- */
byte current = NONE;
byte n_used = 0;
byte written[NSEG];
byte full_head = 0, full_tail = 0, empty_head = 0, empty_tail = 0;
byte full_slot[SLOTS];
byte empty_slot[SLOTS];
#define FREE   10
#define SEALED 11
byte owner = THREAD_0;

bool is_ended = false;
bool is_busy = false;    /* tls_stream of thread 0 holds the sentinel */
bool in_handler = false; /* it runs on thread 0, which stands still */
byte n_threads = 2;      /* that are not through */

/* ---- What the properties need ---- */
byte committed = 0; /* records published */
byte first[NSEQ];   /* number of each sequence's first record */
byte taken[NSEQ];   /* how often a sequence was taken from `full` */
byte dirty[NSEG + 1];             /* who does not know of the last write */
byte unread[(NSEG + 1) * 3];      /* who does not know of this thread's last read */

hidden byte no_record_is_lost, nothing_unfinished_is_believed, header_is_whole, one_taker_only, no_race, writer_sees_its_segment;
hidden byte producer_never_waits, ended_is_sealed, seal_is_said, ring_has_room;
hidden byte q, s, k, n, best, next_record, r;

inline touch_write(t, o)
{
	no_race = (dirty[o] & (1 << t)) == 0 && (t == 0 || (unread[o * 3] & (1 << t)) == 0) &&
		  (t == 1 || (unread[o * 3 + 1] & (1 << t)) == 0) && (t == 2 || (unread[o * 3 + 2] & (1 << t)) == 0);
	assert(no_race);
	dirty[o] = ALL & ~(1 << t);
	unread[o * 3] = 0;
	unread[o * 3 + 1] = 0;
	unread[o * 3 + 2] = 0
}
inline touch_read(t, o)
{
	no_race = (dirty[o] & (1 << t)) == 0;
	assert(no_race);
	unread[o * 3 + t] = ALL & ~(1 << t)
}
/* What `from` knows of the object, `to` knows now as well. */
inline tell(from, to, o)
{
	if
	:: (dirty[o] & (1 << from)) == 0 -> dirty[o] = dirty[o] & ~(1 << to)
	:: else
	fi;
	for (r : 0 .. 2) {
		if
		:: (unread[o * 3 + r] & (1 << from)) == 0 -> unread[o * 3 + r] = unread[o * 3 + r] & ~(1 << to)
		:: else
		fi
	}
	r = 0
}
inline tell_all(from, to)
{
	for (s : 0 .. NSEG) {
		tell(from, to, s)
	}
	s = 0
}

/* ---- handover.h: ck_ring's own steps ---- */
inline full_put(i)
{
#ifdef MUT_TAIL_FIRST
	full_tail++;
#define PUT_AT (full_tail - 1)
#else
#define PUT_AT full_tail
#endif
	d_step { /* handover_put: H1, then the slot */
#ifndef MUT_NO_H1
		tell(t, ENTRY, i);
#endif
#ifndef MUT_TAIL_FIRST
		ring_has_room = ((full_tail + 1) % SLOTS) != (full_head % SLOTS);
		assert(ring_has_room);
#endif
		full_slot[(PUT_AT) % SLOTS] = i
	};
#ifndef MUT_TAIL_FIRST
	full_tail++
#endif
}
inline empty_put(i)
{
	d_step {
#ifndef MUT_NO_H1_BACK
		tell(t, ENTRY, i);
#endif
		ring_has_room = ((empty_tail + 1) % SLOTS) != (empty_head % SLOTS);
		assert(ring_has_room);
		empty_slot[empty_tail % SLOTS] = i
	};
	empty_tail++
}
/* handover_take_any: c_head, p_tail, slot, compare and swap. `i`: NONE where there is none. */
inline full_take(i)
{
	at_head = full_head;
	do
	:: at_head == full_tail -> i = NONE; at_head = 0; break
	:: else ->
		i = full_slot[at_head % SLOTS];
		if
#ifndef MUT_NO_CAS
		:: d_step { full_head == at_head -> full_head++; at_head = 0 }
#else
		:: d_step { true -> full_head = at_head + 1; at_head = 0 }
#endif
			d_step { /* H2 */
#ifndef MUT_NO_H2
				tell(ENTRY, t, i);
#endif
				taken[h_sequence[i]]++;
				one_taker_only = taken[h_sequence[i]] == 1;
				assert(one_taker_only)
			};
			break
#ifndef MUT_NO_CAS
		:: else -> at_head = full_head
#endif
		fi
	od
}
inline empty_take(i)
{
	if
	:: empty_head == empty_tail -> i = NONE
	:: else ->
		d_step {
			i = empty_slot[empty_head % SLOTS];
			empty_head++;
			tell(ENTRY, t, i)
		}
	fi
}

/* ---- segment.c ---- */
/* output_segment: what is read must be the segment's own, and be read by one who knows of its writing. */
inline copy_to_file(i, file, upto)
{
	d_step {
		touch_read(t, i);
		for (k : 0 .. upto - 1) {
			writer_sees_its_segment = h_sequence[i] == sequence && word_a[i * NREC + k] == first[sequence] + k &&
						  word_b[i * NREC + k] == first[sequence] + k;
			assert(writer_sees_its_segment)
		}
		k = 0;
		in_file[file + sequence] = (in_file[file + sequence] < upto + 1 -> upto + 1 : in_file[file + sequence])
	}
}
inline say_sealed(i)
{
	d_step {
		if
		:: h_sealed[i] -> is_sealed_in_file[sequence] = true
		:: else
		fi
	}
}
inline segment_write(i, file)
{
	d_step { sequence = h_sequence[i]; used = h_closed[i] - 1 };
#ifdef MUT_W1_EARLY
	written[i] = sequence;
#endif
	if
	:: used > 1 -> copy_to_file(i, file, 1) /* a write may be cut by the kill */
	:: else
	fi;
	d_step { say_sealed(i) };
	copy_to_file(i, file, used);
	written[i] = sequence; /* W1 */
	d_step { sequence = 0; used = 0 }
}
inline publish(to_sequence, to_offset) /* R1: ring_publish */
{
	position_sequence = to_sequence;
	position_offset = to_offset
}
inline segment_close(seal)
{
	d_step {
		h_closed[current] = (position_offset == 0 -> NREC + 1 : position_offset);
		h_sealed[current] = seal
	};
	if
	:: position_offset != 0 -> d_step { publish(position_sequence + 1, 0) }
	:: else
	fi
}
inline hand_over()
{
	full_put(current);
	d_step { touch_write(t, STREAM); current = NONE }
}
inline take_segment(i)
{
	tries = 0;
	do
	:: true ->
		empty_take(i);
		if
		:: i != NONE -> break
		:: else
		fi;
#ifdef NO_DRAIN /* the segment just filled is written and used again */
		full_take(i);
		if
		:: i != NONE -> segment_write(i, OWN_FILE); break
		:: else
		fi;
#endif
#ifdef AWAY /* the same while the drain thread is away, which it may be at any time */
		if
		:: full_take(i)
		:: skip
		fi;
		if
		:: i != NONE -> segment_write(i, OWN_FILE); break
		:: else
		fi;
#endif
		if
		:: n_used < NSEG -> d_step { i = n_used; n_used++; dirty[i] = ALL & ~(1 << t) }; break
		:: else
		fi;
#ifdef MUT_WAIT
		skip; /* does not write its own */
#else
		full_take(i); /* write_oldest */
		if
		:: i != NONE -> segment_write(i, OWN_FILE); break
		:: else
		fi;
#endif
		d_step {
			tries++;
			producer_never_waits = tries <= NSEG;
			assert(producer_never_waits)
		}
	od;
	tries = 0
}
inline open_segment(i)
{
	d_step {
		touch_write(t, i);
#ifndef MUT_NO_O1
		h_sequence[i] = 0 /* O1 */
#endif
	};
	d_step {
		first[position_sequence] = committed + 1;
#ifdef MUT_O2_EARLY
		h_sequence[i] = position_sequence
#else
		h_rest[i] = position_sequence
#endif
	};
	d_step { h_closed[i] = 0; h_sealed[i] = false };
#ifdef MUT_O2_EARLY
	h_rest[i] = position_sequence;
#else
	h_sequence[i] = position_sequence; /* O2 */
#endif
	d_step { touch_write(t, STREAM); current = i };
	d_step { publish(position_sequence, 1) }
}
inline segment_next()
{
	if
	:: current != NONE -> segment_close(false); hand_over()
	:: else
	fi;
	take_segment(index);
	open_segment(index);
	index = 0
}

/* ---- ring.h: ring_append, between record_enter and record_leave ---- */
inline ring_append()
{
	d_step { touch_read(t, STREAM) };
	if
	:: position_offset == 0 -> segment_next()
	:: else
	fi;
	d_step {
		number = committed + 1;
		at = current * NREC + position_offset - 1;
		touch_write(t, current);
		word_a[at] = number
	};
#ifndef MUT_R1_EARLY
	word_b[at] = number;
#endif
	d_step { /* R1 */
		committed++;
		if
		:: position_offset == NREC -> publish(position_sequence + 1, 0)
		:: else -> publish(position_sequence, position_offset + 1)
		fi
	};
#ifdef MUT_R1_EARLY
	word_b[at] = number;
#endif
	d_step { number = 0; at = 0 }
}
inline segment_flush()
{
	if
	:: current != NONE ->
		segment_close(false);
		hand_over();
#ifdef NO_DRAIN
		full_take(index);
		if
		:: index != NONE -> segment_write(index, OWN_FILE); empty_put(index)
		:: else
		fi;
		index = 0
#endif
	:: else
	fi
}

/* ---- stream.c ---- */
inline stream_seal()
{
	do /* the drain thread need not write what is written here */
	:: true ->
		full_take(index);
		if
		:: index == NONE -> break
		:: else
		fi
	od;
	must = 0;
	d_step { touch_read(t, STREAM); last = position_sequence - 1 };
	if
	:: current != NONE ->
		segment_close(true);
		d_step { touch_write(t, STREAM); current = NONE; last = position_sequence - 1 }
	:: else ->
		for (i : 0 .. NSEG - 1) {
			if
			:: i < n_used && h_sequence[i] == last ->
				h_sealed[i] = true;
#ifdef MUT_SEAL_BY_WRITTEN
				written[i] = 0
#else
				must = last
#endif
			:: else
			fi
		}
		i = 0
	fi;
	from = 1;
	do /* write_rest */
	:: true ->
		index = NONE;
		for (i : 0 .. NSEG - 1) { /* next_unwritten: W2 */
			if
			:: i < n_used && h_sequence[i] >= from && (index == NONE || h_sequence[i] < h_sequence[index]) &&
#ifdef MUT_NO_REWRITE
				taken[h_sequence[i]] == 0 &&
#endif
				(written[i] != h_sequence[i] || h_sequence[i] == must) -> index = i
			:: else
			fi
		}
		i = 0;
		if
		:: index == NONE -> break
		:: else -> from = h_sequence[index] + 1; segment_write(index, OWN_FILE)
		fi
	od;
	from = 0;
	d_step { /* unlink */
		is_ring_there = false;
		seal_is_said = last == 0 || is_sealed_in_file[last];
		assert(seal_is_said);
		index = 0;
		last = 0;
		must = 0
	};
	owner = SEALED
}
#ifdef MUT_NO_T
#define TELL_OWNER(from, to) skip
#else
#define TELL_OWNER(from, to) tell_all(from, to)
#endif
inline stream_release() /* T2, then F2 */
{
	d_step { TELL_OWNER(t, OWNER); owner = FREE };
#ifndef MUT_NO_F2
	if
	:: is_ended ->
		if
		:: atomic { owner == FREE -> owner = t; d_step { TELL_OWNER(OWNER, t) } } stream_seal()
		:: else
		fi
	:: else
	fi
#endif
}
inline session_end() /* F1 */
{
	is_ended = true;
	if
	:: owner == t -> stream_seal()
	:: atomic { owner == FREE -> owner = t; d_step { TELL_OWNER(OWNER, t) } } stream_seal()
	:: else
	fi
}

#define LOCALS                                                                                                                     \
	byte sequence, used, at_head, index, i, tries, number, at, from, last, must, todo

active proctype thread_0()
#ifdef HANDLER
provided (!in_handler)
#endif
{
	LOCALS;
	byte t = THREAD_0;
	todo = FIRST;
	do
	:: todo > 0 ->
#ifndef MUT_NO_BUSY
		is_busy = true; /* record_enter */
#endif
		ring_append();
		is_busy = false; /* record_leave */
		todo--;
#ifdef FLUSHES
		if
		:: todo == FIRST / 2 || todo == 0 -> is_busy = true; segment_flush(); is_busy = false /* record_gate */
		:: skip
		fi
#endif
	:: else -> break
	od;
	is_busy = true;
	if
	:: stream_release()
	:: session_end()
#ifdef HANDLER
	:: skip /* lives on */
#endif
	fi;
	n_threads--
}

active proctype thread_1()
{
	LOCALS;
	byte t = THREAD_1;
#if SECOND > 0
	if
	:: atomic { owner == FREE && !is_ended -> owner = t; d_step { TELL_OWNER(OWNER, t) } } /* T1: stream_claim */
		todo = SECOND;
		do
		:: todo > 0 -> ring_append(); todo--
		:: else -> break
		od;
		if
		:: stream_release()
		:: skip
		fi
	:: skip
	fi;
#endif
	session_end();
	n_threads--
}

#ifndef NO_DRAIN
/* drain_round: it may stand still for ever between any two steps. */
bool is_starved = false;
active proctype drain()
{
	LOCALS;
	byte t = DRAIN;
#ifdef HOLDS_TWO
	byte second, most;
#endif
	{
end:		do
#ifdef HOLDS_TWO /* take_full: both are written, then both are given back */
		:: full_head != full_tail ->
#ifdef MUT_HOLDS_ALL
			most = 2;
#else
			most = (n_used > 2 -> 2 : 1);
#endif
			second = NONE;
			full_take(index);
			if
			:: index != NONE && most == 2 -> full_take(second)
			:: else
			fi;
			if
			:: index != NONE -> segment_write(index, DRAIN_FILE)
			:: else
			fi;
			if
			:: second != NONE -> segment_write(second, DRAIN_FILE)
			:: else
			fi;
			if
			:: index != NONE -> empty_put(index)
			:: else
			fi;
			if
			:: second != NONE -> empty_put(second)
			:: else
			fi;
			index = 0;
			second = 0
#else
		:: full_head != full_tail ->
			full_take(index);
			if
			:: index != NONE ->
#ifdef MUT_BACK_EARLY
				d_step { sequence = h_sequence[index]; used = h_closed[index] - 1 };
				empty_put(index);
				copy_to_file(index, DRAIN_FILE, used)
#else
				segment_write(index, DRAIN_FILE);
				empty_put(index)
#endif
			:: else
			fi;
			index = 0
#endif
		od
	} unless { is_starved }
}
active proctype starve()
{
	is_starved = true
}
#endif

#ifdef HANDLER
active [HANDLER] proctype handler()
{
	LOCALS;
	byte t = THREAD_0;
end:	atomic { !in_handler && owner == THREAD_0 && n_threads == 2 -> in_handler = true };
	if
	:: is_busy /* record_enter_slow: counted and left */
	:: else -> is_busy = true; ring_append(); is_busy = false
	fi;
	in_handler = false
}
#endif

#ifndef NO_KILL
/* The builder on the dump of a process killed now. Nothing of the state changes. */
active proctype killed()
{
end:	do
	:: d_step {
		next_record = 1;
		q = 1;
		do
		:: q < NSEQ ->
			best = 0;
			s = 0;
			do
			:: s < NSEG && is_ring_there ->
				if
				:: h_sequence[s] == q -> /* take_segment of reader_ring.c */
					header_is_whole = h_rest[s] == q;
					assert(header_is_whole);
					n = 0;
					if /* published_bytes */
					:: q < position_sequence -> n = (h_closed[s] -> h_closed[s] - 1 : NREC)
					:: q == position_sequence && position_offset > 0 -> n = position_offset - 1
					:: else
					fi;
					k = 0;
					do
					:: k < n ->
						nothing_unfinished_is_believed = word_a[s * NREC + k] == next_record + k &&
										 word_b[s * NREC + k] == next_record + k;
						assert(nothing_unfinished_is_believed);
						k++
					:: else -> break
					od;
					best = (n > best -> n : best)
				:: else
				fi;
				s++
			:: else -> break
			od;
			best = (in_file[OWN_FILE + q] > best + 1 -> in_file[OWN_FILE + q] - 1 : best);
			best = (in_file[DRAIN_FILE + q] > best + 1 -> in_file[DRAIN_FILE + q] - 1 : best);
			next_record = next_record + best;
			q++
		:: else -> break
		od;
		no_record_is_lost = next_record == committed + 1;
		assert(no_record_is_lost);
		q = 0; s = 0; k = 0; n = 0; best = 0; next_record = 0
	}
	:: n_threads == 0 -> ended_is_sealed = owner != FREE; assert(ended_is_sealed); break
	od
}
#endif
