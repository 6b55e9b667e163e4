/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/archive_text.h"

#include <check.h>
#include <otf2/otf2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char archive_text[2][4096];
uint64_t archive_times[2][256];
unsigned archive_n_events[2], archive_n_fragments;
uint64_t archive_clock_first, archive_clock_length, archive_trace_id;

static unsigned n_defined[2]; /* by location: how many events its definition says */
static char *strings[256];
static uint32_t region_names[64];

static OTF2_CallbackCode add(OTF2_LocationRef location, OTF2_TimeStamp time, const char *format, ...)
{
	unsigned i = (unsigned)(location >> 32);
	size_t n = strlen(archive_text[i]);
	va_list arguments;
	va_start(arguments, format);
	n += (size_t)snprintf(archive_text[i] + n, sizeof archive_text[i] - n, n > 0 ? " " : "");
	vsnprintf(archive_text[i] + n, sizeof archive_text[i] - n, format, arguments);
	va_end(arguments);
	archive_times[i][archive_n_events[i]++] = time;
	return OTF2_CALLBACK_SUCCESS;
}

#define EVENT_ARGUMENTS OTF2_LocationRef l, OTF2_TimeStamp t, uint64_t position, void *user, OTF2_AttributeList *attributes
#define UNUSED          (void)position, (void)user, (void)attributes

/* The kind alone: "create task@0x3000" is "create task". */
static OTF2_CallbackCode on_region(OTF2_LocationRef l, OTF2_TimeStamp t, char sign, OTF2_RegionRef region)
{
	const char *name = strings[region_names[region]];
	return add(l, t, "%c%.*s", sign, (int)strcspn(name, "@"), name);
}

static OTF2_CallbackCode on_enter(EVENT_ARGUMENTS, OTF2_RegionRef region)
{
	UNUSED;
	archive_n_fragments += OTF2_AttributeList_GetNumberOfElements(attributes);
	return on_region(l, t, '<', region);
}

static OTF2_CallbackCode on_leave(EVENT_ARGUMENTS, OTF2_RegionRef region)
{
	UNUSED;
	return on_region(l, t, '>', region);
}

static OTF2_CallbackCode on_fork(EVENT_ARGUMENTS, OTF2_Paradigm model, uint32_t requested)
{
	UNUSED, (void)model;
	return add(l, t, "F%u", requested);
}

static OTF2_CallbackCode on_join(EVENT_ARGUMENTS, OTF2_Paradigm model)
{
	UNUSED, (void)model;
	return add(l, t, "J");
}

static OTF2_CallbackCode on_team_begin(EVENT_ARGUMENTS, OTF2_CommRef comm)
{
	UNUSED, (void)comm;
	return add(l, t, "T");
}

static OTF2_CallbackCode on_team_end(EVENT_ARGUMENTS, OTF2_CommRef comm)
{
	UNUSED, (void)comm;
	return add(l, t, "t");
}

static OTF2_CallbackCode on_create(EVENT_ARGUMENTS, OTF2_CommRef comm, uint32_t thread, uint32_t generation)
{
	UNUSED, (void)comm;
	return add(l, t, "C%u.%u", thread, generation);
}

static OTF2_CallbackCode on_switch(EVENT_ARGUMENTS, OTF2_CommRef comm, uint32_t thread, uint32_t generation)
{
	UNUSED, (void)comm;
	return add(l, t, "S%u.%u", thread, generation);
}

static OTF2_CallbackCode on_complete(EVENT_ARGUMENTS, OTF2_CommRef comm, uint32_t thread, uint32_t generation)
{
	UNUSED, (void)comm;
	OTF2_StringRef status;
	bool has_status = OTF2_AttributeList_GetNumberOfElements(attributes) == 1 &&
			  OTF2_AttributeList_GetStringRef(attributes, 1, &status) == OTF2_SUCCESS;
	return add(l, t, "D%u.%u%s%s", thread, generation, has_status ? ":" : "", has_status ? strings[status] : "");
}

static OTF2_CallbackCode on_acquire(EVENT_ARGUMENTS, OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
	UNUSED, (void)model, (void)lock;
	return add(l, t, "A%u", order);
}

static OTF2_CallbackCode on_release(EVENT_ARGUMENTS, OTF2_Paradigm model, uint32_t lock, uint32_t order)
{
	UNUSED, (void)model, (void)lock;
	return add(l, t, "R%u", order);
}

static OTF2_CallbackCode on_measurement(EVENT_ARGUMENTS, OTF2_MeasurementMode mode)
{
	UNUSED;
	return add(l, t, mode == OTF2_MEASUREMENT_ON ? "on" : "off");
}

static OTF2_CallbackCode on_flush(EVENT_ARGUMENTS, OTF2_TimeStamp stop)
{
	UNUSED, (void)stop;
	return add(l, t, "flush");
}

static OTF2_CallbackCode on_program_begin(EVENT_ARGUMENTS, OTF2_StringRef name, uint32_t n, const OTF2_StringRef *arguments)
{
	UNUSED, (void)name, (void)n, (void)arguments;
	return add(l, t, "B");
}

static OTF2_CallbackCode on_program_end(EVENT_ARGUMENTS, int64_t status)
{
	UNUSED, (void)status;
	return add(l, t, "E");
}

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime)
{
	(void)user, (void)resolution, (void)realtime;
	archive_clock_first = offset;
	archive_clock_length = length;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string)
{
	(void)user;
	strings[self] = strdup(string);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region_def(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
				       OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
				       OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin_line, uint32_t end_line)
{
	(void)user, (void)canonical, (void)description, (void)role, (void)paradigm, (void)flags, (void)file, (void)begin_line,
		(void)end_line;
	region_names[self] = name;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, uint64_t n,
				     OTF2_LocationGroupRef group)
{
	(void)user, (void)name, (void)type, (void)group;
	n_defined[self >> 32] = (unsigned)n;
	return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(OTF2_Reader *reader)
{
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region_def);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
	OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL);
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	uint64_t n;
	ck_assert_int_eq(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n), OTF2_SUCCESS);
}

/* What maps the location's own numbers to the archive's: OTF2 applies it to all events that are read afterwards. */
static void read_local_definitions(OTF2_Reader *reader, OTF2_LocationRef location)
{
	OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
	uint64_t n;
	ck_assert_ptr_nonnull(definitions);
	ck_assert_int_eq(OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &n), OTF2_SUCCESS);
	OTF2_Reader_CloseDefReader(reader, definitions);
}

static void read_events(OTF2_Reader *reader, OTF2_LocationRef location)
{
	OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
	OTF2_EvtReaderCallbacks_SetThreadForkCallback(callbacks, on_fork);
	OTF2_EvtReaderCallbacks_SetThreadJoinCallback(callbacks, on_join);
	OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(callbacks, on_team_begin);
	OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(callbacks, on_team_end);
	OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(callbacks, on_create);
	OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(callbacks, on_switch);
	OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(callbacks, on_complete);
	OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(callbacks, on_acquire);
	OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, on_release);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
	OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, on_flush);
	OTF2_EvtReaderCallbacks_SetProgramBeginCallback(callbacks, on_program_begin);
	OTF2_EvtReaderCallbacks_SetProgramEndCallback(callbacks, on_program_end);
	OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, NULL);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	uint64_t n;
	ck_assert_int_eq(OTF2_Reader_ReadAllLocalEvents(reader, events, &n), OTF2_SUCCESS);
	ck_assert_uint_eq(n, n_defined[location >> 32]);
	OTF2_Reader_CloseEvtReader(reader, events);
}

void archive_read(const char *directory, size_t n_locations)
{
	char anchor[160];
	snprintf(anchor, sizeof anchor, "%s/traces.otf2", directory);
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);
	ck_assert_ptr_nonnull(reader);
	OTF2_Reader_SetSerialCollectiveCallbacks(reader);
	ck_assert_int_eq(OTF2_Reader_GetTraceId(reader, &archive_trace_id), OTF2_SUCCESS);
	read_definitions(reader);
	for (size_t i = 0; i < n_locations; i++)
		OTF2_Reader_SelectLocation(reader, (uint64_t)i << 32);
	OTF2_Reader_OpenDefFiles(reader);
	for (size_t i = 0; i < n_locations; i++)
		read_local_definitions(reader, (uint64_t)i << 32);
	OTF2_Reader_CloseDefFiles(reader);
	OTF2_Reader_OpenEvtFiles(reader);
	for (size_t i = 0; i < n_locations; i++)
		read_events(reader, (uint64_t)i << 32);
	OTF2_Reader_CloseEvtFiles(reader);
	OTF2_Reader_Close(reader);
}
