/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints docs/events.md from the event table: events_md > docs/events.md. The tests compare the two.
 */
#include "common/event.h"
#include "common/format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const slot_names[] = {
	[SLOT_TIME] = "TIME",
	[SLOT_FLAGS] = "FLAGS",
	[SLOT_FLAGS_LO4] = "FLAGS_LO4",
	[SLOT_FLAGS_HI8] = "FLAGS_HI8",
	[SLOT_FLAGS_B_HI8] = "FLAGS_B_HI8",
	[SLOT_VALUE] = "VALUE",
	[SLOT_VALUE_LO32] = "VALUE_LO32",
	[SLOT_VALUE_HI12] = "VALUE_HI12",
	[SLOT_A] = "A",
	[SLOT_A_LO] = "A_LO",
	[SLOT_A_HI] = "A_HI",
	[SLOT_B] = "B",
	[SLOT_B_LO] = "B_LO",
	[SLOT_B_HI] = "B_HI",
	[SLOT_B_LO56] = "B_LO56",
};
static const char *const plain_types[] = {"UINT",   "ADDRESS",  "EIGHTH",     "TICKS",     "MONOTONIC", "TASK",
					  "REGION", "OWN_TASK", "OWN_REGION", "OPERATION", "DEVICE"};

static const char head[] =
	"# Records\n"
	"\n"
	"Generated from `common/events.def` by `tests/tools/events_md.c` (`make check` compares): do not edit. Format %s.\n"
	"\n"
	"A record is 32 bytes, four little-endian 64-bit words. [format.md](format.md) has its place in a dump.\n"
	"\n"
	"| slot | bits | holds |\n"
	"|---|---|---|\n"
	"| TIME | word 0 | the time stamp in raw ticks; payload in continuation records (kinds %d to %d) |\n"
	"| KIND | word 1, bits 0 to 7 | the number of the kind; 0 is never written |\n"
	"| FLAGS | word 1, bits 8 to 19 | an enumeration, flags or a small number; FLAGS_LO4 and FLAGS_HI8 are its lower 4 and upper 8 bits |\n"
	"| VALUE | word 1, bits 20 to 63 | 44 bits; VALUE_LO32 and VALUE_HI12 are its lower 32 and upper 12 bits |\n"
	"| A, B | words 2 and 3 | A_LO, A_HI, B_LO, B_HI are their 32-bit halves; B_LO56 are the lower 56 bits of B |\n"
	"| FLAGS_B_HI8 | word 1, bits 8 to 19; word 3, bits 56 to 63 | FLAGS, and above its 12 bits the top 8 bits of B |\n"
	"\n"
	"Types: TASK and REGION are ids, `counter << 20 | stream`; 0 is unknown. OWN_TASK and OWN_REGION are the counter alone: the stream is\n"
	"the record's own. OPERATION is an id of the same form, of a target region or of an operation in one, or a number that the runtime made.\n"
	"DEVICE is a device's number, signed. ADDRESS is an address in the traced process, EIGHTH one that is divided by 8. MONOTONIC is a time of CLOCK_MONOTONIC.\n"
	"UINT is a number. Any other type is an enumeration or a flag set, see below. A number is never used again for another kind, and fields are only added: slots without a field are 0 today.\n"
	"\n"
	"[runtimes.md](runtimes.md) explains the quirks (Q1, Q2, ...): what runtimes report differently.\n"
	"\n"
	"## Kinds\n";

static void print_notes(const struct event_note *notes, unsigned n_notes, unsigned kind, const char *what)
{
	const char *before = "\n";
	for (unsigned i = 0; i < n_notes; i++)
		if (notes[i].event == kind) {
			printf("%s- %s `%s`: %s\n", before, what, notes[i].name, notes[i].doc);
			before = "";
		}
}

static int is_plain(const char *type)
{
	for (size_t i = 0; i < sizeof plain_types / sizeof plain_types[0]; i++)
		if (strcmp(plain_types[i], type) == 0)
			return 1;
	return 0;
}

static void print_kind(const struct event_info *info)
{
	unsigned n;
	const struct event_field *fields = event_fields(info->number, &n);
	printf("\n### %u %s\n\n%c%s.", info->number, info->name, toupper((unsigned char)info->doc[0]), info->doc + 1);
	if (strcmp(info->callback, "-") != 0)
		printf(" Callback `%s`.", info->callback);
	if (strcmp(info->group, "-") != 0)
		printf(" Group `%s`.\n", info->group);
	else
		printf(" Always recorded.\n");
	if (n > 0)
		printf("\n| field | slot | type | unit | meaning |\n|---|---|---|---|---|\n");
	for (unsigned i = 0; i < n; i++)
		printf("| %s | %s | %s | %s | %s |\n", fields[i].name, slot_names[fields[i].slot], fields[i].type,
		       strcmp(fields[i].unit, "-") == 0 ? "" : fields[i].unit, fields[i].doc);
	print_notes(event_implicits, n_event_implicits, info->number, "implicit");
	print_notes(event_continuations, n_event_continuations, info->number, "continued by");
}

static void print_set(const char *set)
{
	int is_flags = event_type_is_flags(set);
	printf("\n### %s\n\n| %s | name |\n|---|---|\n", set, is_flags ? "bit" : "value");
	for (unsigned value = 0; value < 4096; value++) {
		const char *name = is_flags ? event_flag_name(set, value) : event_enum_name(set, value);
		if (name != NULL)
			printf("| %u | %s |\n", value, name);
	}
}

/* Every set that a field names, once, in the order of their first use. */
static void print_sets(int wants_flags)
{
	const char *seen[64];
	unsigned n_seen = 0;
	for (unsigned i = 0; i < n_event_infos; i++) {
		unsigned n;
		const struct event_field *fields = event_fields(event_infos[i].number, &n);
		for (unsigned k = 0; k < n; k++) {
			const char *type = fields[k].type;
			unsigned s = 0;
			while (s < n_seen && strcmp(seen[s], type) != 0)
				s++;
			if (s < n_seen || is_plain(type) || event_type_is_flags(type) != wants_flags)
				continue;
			seen[n_seen++] = type;
			print_set(type);
		}
	}
}

int main(void)
{
	printf(head, FORMAT_VERSION_STRING, EVENT_CONTINUATION_FIRST, EVENT_CONTINUATION_LAST);
	for (unsigned i = 0; i < n_event_infos; i++)
		print_kind(&event_infos[i]);
	printf("\n## Enumerations\n");
	print_sets(0);
	printf("\n## Flag sets\n");
	print_sets(1);
	return fflush(stdout) == 0 ? 0 : 1;
}
