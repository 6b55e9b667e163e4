/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stream's packing buffer (recorder/drain/packer.c): its owner packs full segments into parts, uses the segments again, and closes parts that are
 * full; the drain thread writes them, or the owner does; at the end the owner seals. At every instant there may be a kill, with the reader
 * after it. A part has room for two packed segments. How full segments come from hand to hand is in ring.pml.
 *
 * Memory is one for all here. What the orders must tell the other thread is checked as happens-before: a part knows whether the drain thread
 * was told of the last write to it, and the owner of the last read (Q1 to Q4).
 */
#define NSEG 2
#define PARTS 2
#define ROOM 2 /* packed segments in a part */
#ifndef LAST
#define LAST 7 /* sequences */
#endif
#define NONE  15
#define EMPTY 0
#define FULL  1
#define TAKEN 2

byte raw[NSEG];             /* the sequence that a segment of the ring has, 0: its header is invalid */
byte packed[PARTS * ROOM];  /* the sequence of a packed copy, 0: not whole */
byte used[PARTS];
byte state[PARTS];
bool is_buffer_there = true, is_ring_there = true;
bool in_file[LAST + 1];
byte committed = 0;
bool is_sealed = false;

/* Happens-before: who was told of what, by the thread or by the word `state`. */
bool drain_is_told[PARTS], word_tells_drain[PARTS], owner_is_told[PARTS], word_tells_owner[PARTS];

hidden byte no_record_is_lost, no_race, taker_sees_the_part;
hidden byte q, k, n;

#ifdef MUT_Q1_RELAXED
#define Q1(p) skip
#else
#define Q1(p) word_tells_drain[p] = true
#endif
#ifdef MUT_Q2_RELAXED
#define Q2(p) skip
#else
#define Q2(p) drain_is_told[p] = word_tells_drain[p]
#endif
#ifdef MUT_Q3_RELAXED
#define Q3(p) skip
#else
#define Q3(p) word_tells_owner[p] = true
#endif
#ifdef MUT_Q4_RELAXED
#define Q4(p) skip
#else
#define Q4(p) owner_is_told[p] = word_tells_owner[p]
#endif

inline part_touch_write(p)
{
	no_race = owner_is_told[p];
	assert(no_race);
	drain_is_told[p] = false;
	word_tells_drain[p] = false
}
inline packer_open()
{
	open = NONE;
	if
#ifdef MUT_OPEN_ANY
	:: true -> skip;
#else
	:: state[0] == EMPTY -> skip;
#endif
		d_step { Q4(0); open = 0; used[0] = 0 }
	:: state[0] != EMPTY && state[1] == EMPTY -> d_step { Q4(1); open = 1; used[1] = 0 }
	:: state[0] != EMPTY && state[1] != EMPTY
	fi
}
inline packer_close()
{
	d_step { Q1(open); state[open] = FULL; open = NONE }
}
inline own_part() /* the owner writes a part that is closed */
{
	if
	:: atomic { state[0] == FULL -> state[0] = TAKEN; part = 0 }
	:: atomic { state[0] != FULL && state[1] == FULL -> state[1] = TAKEN; part = 1 }
	:: else -> part = NONE
	fi;
	if
	:: part != NONE ->
		m = 0;
		do
		:: m < used[part] -> d_step { in_file[packed[part * ROOM + m]] = true; m++ }
		:: else -> break
		od;
		skip;
		d_step { m = 0; word_tells_owner[part] = true; state[part] = EMPTY; part = NONE }
	:: else
	fi
}
inline write_or_pack(i) /* pack, or output_segment */
{
	if
	:: open == NONE -> packer_open()
	:: else
	fi;
	if
	:: open == NONE && state[0] != TAKEN -> own_part()
	:: open == NONE -> in_file[raw[i]] = true
	:: open != NONE -> skip;
		d_step { part_touch_write(open); packed[open * ROOM + used[open]] = 0 };
#ifdef MUT_REUSE_EARLY
		d_step { m = raw[i]; raw[i] = 0 };
		d_step { packed[open * ROOM + used[open]] = m; used[open]++; m = 0 };
#else
		d_step { packed[open * ROOM + used[open]] = raw[i]; used[open]++ };
#endif
		if
		:: used[open] == ROOM -> packer_close()
		:: else
		fi
	fi
}

active proctype owner()
{
	byte s = 1, i = 0, open = NONE, part = NONE, m = 0;
	bool is_put_away;
	d_step { owner_is_told[0] = true; owner_is_told[1] = true; word_tells_owner[0] = true; word_tells_owner[1] = true };
	do
	:: s <= LAST ->
		raw[i] = 0; /* O1 */
		d_step { raw[i] = s; committed = s }; /* filled */
		if
		:: s % 2 == 0 || s == LAST -> skip /* both segments are full */
		:: else -> i = 1; s++; raw[i] = 0; d_step { raw[i] = s; committed = s }
		fi;
		i = 0;
		do /* until both are away */
		:: i < NSEG && raw[i] != 0 ->
			is_put_away = in_file[raw[i]];
			for (m : 0 .. PARTS * ROOM - 1) {
				is_put_away = is_put_away || (packed[m] == raw[i])
			}
			m = 0;
			if
			:: is_put_away -> i++
			:: else -> write_or_pack(i)
			fi
		:: else -> break
		od;
		i = 0;
		s++
	:: else -> break
	od;
	/* stream_seal: write_packed */
	if
	:: open != NONE -> packer_close()
	:: else
	fi;
	i = 0;
	do
	:: i < PARTS ->
		if
		:: atomic { state[i] == FULL -> state[i] = TAKEN }; part = i
		:: state[i] == TAKEN ->
#ifdef MUT_SEAL_TRUSTS
			part = NONE
#else
			part = i
#endif
		:: state[i] == EMPTY -> part = NONE
		fi;
		if
		:: part != NONE ->
			m = 0;
			do
			:: m < used[part] -> d_step { in_file[packed[part * ROOM + m]] = true; m++ }
			:: else -> break
			od;
			m = 0
		:: else
		fi;
		i++
	:: else -> break
	od;
	is_buffer_there = false;
	is_ring_there = false;
	is_sealed = true
}

/* drain_parts: it may stand still for ever between any two steps. */
bool is_starved = false;
active proctype drain()
{
	byte part = NONE, m = 0, expected = 0;
	{
end:		do
		:: atomic { part == NONE && state[0] == FULL -> state[0] = TAKEN; Q2(0); part = 0; expected = packed[0] }
		:: atomic { part == NONE && state[1] == FULL -> state[1] = TAKEN; Q2(1); part = 1; expected = packed[ROOM] }
		:: part != NONE ->
#ifdef MUT_BACK_EARLY
			skip;
			d_step { m = packed[part * ROOM]; Q3(part); state[part] = EMPTY };
			in_file[m] = true;
			d_step { m = 0; part = NONE }
#else
			m = 0;
			do
			:: m < used[part] ->
				d_step {
					no_race = drain_is_told[part];
					assert(no_race);
					taker_sees_the_part = packed[part * ROOM] == expected;
					assert(taker_sees_the_part);
					owner_is_told[part] = false;
					word_tells_owner[part] = false;
					in_file[packed[part * ROOM + m]] = true;
					m++
				}
			:: else -> break
			od;
			skip;
			d_step { m = 0; expected = 0; Q3(part); state[part] = EMPTY; part = NONE }
#endif
		od
	} unless { is_starved }
}
active proctype starve()
{
	is_starved = true
}

/* The builder on the dump of a process killed now. Nothing of the state changes. */
active proctype killed()
{
end:	do
	:: d_step {
		q = 1;
		do
		:: q <= committed ->
			n = in_file[q] || (is_ring_there && (raw[0] == q || raw[1] == q));
			k = 0;
			do
			:: k < PARTS * ROOM && is_buffer_there ->
				n = n || packed[k] == q;
				k++
			:: else -> break
			od;
			no_record_is_lost = n;
			assert(no_record_is_lost);
			q++
		:: else -> break
		od;
		q = 0;
		k = 0;
		n = 0
	}
	:: is_sealed -> break
	od
}
