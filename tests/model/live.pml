/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dump of a process that still runs: the owner of a stream reuses its segments while the builder copies them, on a machine that
 * orders nothing but what a release, an acquire or a fence asks for.
 *
 * Every word keeps all values it ever had. All its writers are one after the other (owners pass the stream on by T1 and T2, segments by
 * H1 and H2: ring.pml), so stores have one order, and a store tells of all those up to a number: its own place for a release, that of
 * the last store fence for any other. The reader may find any value of a word that is neither older than the one it read there before nor
 * older than what it was told of, by an acquire at once, by other loads at its next acquire fence. The writer is through before the reader
 * begins: as old values can be read, that is every moment at once.
 */
#define NSEG 2
#define NREC 2
#ifndef LAST
#define LAST 4 /* sequences */
#endif
#define MANY 16 /* values of a word */

#define POSITION      0
#define SEQUENCE(i)   (1 + (i))
#define REST(i)       (1 + NSEG + (i)) /* of the header, with its checksum: the sequence that it was made for */
#define CLOSED(i)     (1 + 2 * NSEG + (i))
#define RECORD(i, k)  (1 + 3 * NSEG + (i) * NREC + (k))
#define WORDS         (1 + 3 * NSEG + NSEG * NREC)
#define AT(s, offset) ((s) * (NREC + 2) + (offset)) /* a position */

byte found[WORDS * MANY];
byte place[WORDS * MANY]; /* in the order of all stores */
byte tells[WORDS * MANY]; /* of all stores up to this */
byte n_values[WORDS];
byte now = 0, fenced = 0;
byte first[LAST + 2]; /* number of a sequence's first record; first[s + 1] - first[s] records were published in it */
bool is_written = false;

byte known = 0, told = 0, heard = 0; /* the reader: has been told of all stores up to; will have been, after an acquire fence */
byte seen[WORDS];

hidden byte believed_is_whole, believed_is_all;

inline store(word, v, is_release)
{
	now++;
	found[word * MANY + n_values[word]] = v;
	place[word * MANY + n_values[word]] = now;
	tells[word * MANY + n_values[word]] = (is_release -> (now) : fenced);
	n_values[word]++
}
#ifdef MUT_R1_RELAXED
#define R1 false
#else
#define R1 true
#endif
#ifdef MUT_O2_RELAXED
#define O2 false
#else
#define O2 true
#endif

active proctype owner()
{
	byte s = 1, i = 0, k = 0, next = 1, before = NSEG, to;
	d_step {
		for (k : 0 .. WORDS - 1) {
			store(k, 0, false)
		}
		k = 0;
		to = AT(1, 0);
		store(POSITION, to, true)
	};
	do
	:: s <= LAST ->
		if /* an empty segment: any but the last one */
		:: before != 0 -> i = 0
		:: before != 1 -> i = 1
		fi;
		d_step { /* open_segment */
#ifndef MUT_NO_O1
			store(SEQUENCE(i), 0, false); /* O1 */
#endif
#ifndef MUT_NO_O1_FENCE
			fenced = now;
#endif
			store(CLOSED(i), 0, false);
			store(REST(i), s, false);
			store(SEQUENCE(i), s, O2); /* O2 */
			to = AT(s, 1);
			store(POSITION, to, R1);
			first[s] = next;
			k = 0
		};
		do
		:: k < NREC ->
			d_step { /* ring_append */
#ifdef MUT_R1_EARLY
				to = (k + 1 == NREC -> AT(s + 1, 0) : AT(s, k + 2));
				store(POSITION, to, R1);
				store(RECORD(i, k), next, false);
#else
				store(RECORD(i, k), next, false);
				to = (k + 1 == NREC -> AT(s + 1, 0) : AT(s, k + 2));
				store(POSITION, to, R1);
#endif
				next++;
				k++
			}
		:: k < NREC -> /* segment_flush, or the stream's seal */
			d_step {
				store(CLOSED(i), k + 1, false);
				to = AT(s + 1, 0);
				store(POSITION, to, R1)
			};
			break
		:: k == NREC ->
			d_step { store(CLOSED(i), k + 1, false) };
			break
		od;
		s++;
		d_step { before = i; k = 0; first[s] = next }
	:: else -> break
	od;
	s = 0;
	d_step { i = 0; k = 0; next = 0; before = 0; to = 0; is_written = true }
}

/* A load of `word` into `v`: any value that may be found. */
inline load(word, v)
{
	m = n_values[word] - 1;
	do
	:: m > seen[word] && place[word * MANY + m] > known -> m-- /* an older one */
	:: break
	od;
	v = found[word * MANY + m];
	d_step {
		seen[word] = m;
		told = tells[word * MANY + m];
		heard = (tells[word * MANY + m] > heard -> tells[word * MANY + m] : heard);
		m = 0
	}
}
inline acquire_load() /* the last load was one: what its own store told */
{
	known = (told > known -> told : known)
}
inline acquire_fence()
{
	known = (heard > known -> heard : known)
}

active proctype builder()
{
	byte m, position, i, sequence, closed, n, copied_sequence, copied_rest, again, k;
	byte copied[NREC];
	is_written;
	load(POSITION, position); /* read_control: A1 */
#ifndef MUT_A1_RELAXED
	acquire_load();
#endif
	if
	:: i = 0
	:: i = 1
	fi;
	load(SEQUENCE(i), sequence); /* take_segment: the first look, A2 */
#ifndef MUT_A2_RELAXED
	acquire_load();
#endif
	if
	:: sequence == 0 -> goto end
	:: else
	fi;
	load(CLOSED(i), closed); /* published_bytes */
	if
	:: sequence < position / (NREC + 2) -> n = (closed -> closed - 1 : NREC)
	:: sequence == position / (NREC + 2) && position % (NREC + 2) > 0 -> n = position % (NREC + 2) - 1
	:: else -> goto end
	fi;
	/* reader_copy_live */
	load(SEQUENCE(i), copied_sequence);
	load(REST(i), copied_rest);
	for (k : 0 .. n - 1) {
		load(RECORD(i, k), copied[k])
	}
#ifndef MUT_NO_A2_FENCE
	acquire_fence(); /* A2 */
#endif
#ifdef MUT_NO_SECOND_LOOK
	again = sequence;
#else
	load(SEQUENCE(i), again);
#endif
	if
	:: copied_sequence == sequence && again == sequence && copied_rest == sequence ->
		d_step {
			for (k : 0 .. n - 1) {
				believed_is_whole = copied[k] == first[sequence] + k;
				assert(believed_is_whole)
			}
			believed_is_all = sequence == position / (NREC + 2) || n == first[sequence + 1] - first[sequence];
			assert(believed_is_all)
		}
	:: else
	fi;
end:	skip
}
