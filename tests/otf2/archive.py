# SPDX-License-Identifier: BSD-3-Clause
"""A small good archive as Python data, and how to write it through OTF2's Python bindings. Used by otf2_selftest.py."""
import _otf2

MASTER, WORKER = 0, 1 << 32
OPENMP = _otf2.PARADIGM_OPENMP
NONE = 0xFFFFFFFF
INITIAL, PARALLEL, TASK, CREATE, LOCK, ALLOC, FREE = range(7)  # regions; the last two allocate and free memory
SERIAL, TEAM = range(2)  # comms
REAL_TIME = 1700000000 * 10 ** 9


def good():
    """Two threads: one task runs where it was created, one elsewhere, one moves, with its region left and entered again."""
    strings = ["", "OpenMP", "machine", "node", "process", "Master thread", "OMP thread 1", "initial task", "parallel", "task",
               "create task", "omp_set_lock", "program", "iterations", "argument", "status", "state",
               "1=work 17=barrier 256=idle"]
    return {
        "properties": {"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE": True, "OTF2::THREAD_LOCK_EVENT_COMPLETE": True,
                       "OTTER::TRUNCATED": False},
        "clock": [1000, 10, 190, REAL_TIME],
        "strings": [[i, text] for i, text in enumerate(strings)],
        "attributes": [[0, 15, 0, _otf2.TYPE_STRING]],
        "nodes": [[0, 2, 3, NONE]],
        "location_groups": [[0, 4, _otf2.LOCATION_GROUP_TYPE_PROCESS, 0, NONE]],
        "locations": [[MASTER, 5, 0], [WORKER, 6, 0]],
        "counts": {},
        "regions": [[INITIAL, 7], [PARALLEL, 8], [TASK, 9], [CREATE, 10], [LOCK, 11]],
        "groups": [[0, _otf2.GROUP_TYPE_COMM_LOCATIONS, [MASTER, WORKER]], [1, _otf2.GROUP_TYPE_COMM_GROUP, [0]],
                   [2, _otf2.GROUP_TYPE_COMM_GROUP, [0, 1]]],
        "comms": [[SERIAL, 1, NONE], [TEAM, 2, SERIAL]],
        "parameters": [[0, 13, _otf2.PARAMETER_TYPE_UINT64]],
        "metric_members": [[0, 16, 17, _otf2.METRIC_ABSOLUTE_NEXT, _otf2.TYPE_UINT64]],
        "metric_classes": [[0, [0]]],
        "recorders": [[0, MASTER], [0, WORKER]],
        "patches": [],  # (file, bytes, bytes instead of them), once all is written
        "events": {
            MASTER: [
                ["ProgramBegin", 10, 12, [14]],
                ["Metric", 10, 0, 1],
                ["Enter", 11, INITIAL],
                ["ThreadFork", 20, OPENMP, 2],
                ["ThreadTeamBegin", 21, TEAM], ["Enter", 21, PARALLEL],
                ["Enter", 30, CREATE], ["ThreadTaskCreate", 30, TEAM, 0, 1], ["Leave", 30, CREATE],
                ["Enter", 31, CREATE], ["ThreadTaskCreate", 31, TEAM, 0, 2], ["Leave", 31, CREATE],
                ["Enter", 32, CREATE], ["ThreadTaskCreate", 32, TEAM, 0, 3], ["Leave", 32, CREATE],
                ["ThreadTaskSwitch", 40, TEAM, 0, 3], ["Enter", 40, TASK],
                ["Leave", 45, TASK], ["ThreadTaskSwitch", 45, TEAM, 0, 1], ["Enter", 45, TASK],
                ["Enter", 50, LOCK], ["ThreadAcquireLock", 51, OPENMP, 0, 1], ["Leave", 51, LOCK],
                ["Enter", 52, LOCK], ["ThreadAcquireLock", 53, OPENMP, 0, 1], ["Leave", 53, LOCK],
                ["Enter", 54, LOCK], ["ThreadReleaseLock", 54, OPENMP, 0, 1], ["Leave", 54, LOCK],
                ["Enter", 55, LOCK], ["ThreadReleaseLock", 55, OPENMP, 0, 1], ["Leave", 55, LOCK],
                ["ParameterUnsignedInt", 56, 0, 7],
                ["Leave", 60, TASK], ["ThreadTaskComplete", 60, TEAM, 0, 1], ["ThreadTaskSwitch", 60, TEAM, 0, 0],
                ["BufferFlush", 70, 75],
                ["Metric", 90, 0, 17],
                ["Leave", 100, PARALLEL], ["ThreadTeamEnd", 100, TEAM],
                ["Metric", 101, 0, 1],
                ["ThreadJoin", 101, OPENMP],
                ["MeasurementOnOff", 110, _otf2.MEASUREMENT_OFF], ["MeasurementOnOff", 120, _otf2.MEASUREMENT_ON],
                ["Leave", 190, INITIAL],
                ["ProgramEnd", 200, 0],
            ],
            WORKER: [
                ["Metric", 22, 0, 1],
                ["ThreadTeamBegin", 22, TEAM], ["Enter", 22, PARALLEL],
                ["ThreadTaskSwitch", 35, TEAM, 0, 2], ["Enter", 35, TASK],
                ["Leave", 40, TASK], ["ThreadTaskComplete", 40, TEAM, 0, 2], ["ThreadTaskSwitch", 40, TEAM, 1, 0],
                ["ThreadTaskSwitch", 60, TEAM, 0, 3], ["Enter", 60, TASK],
                ["Leave", 70, TASK], ["ThreadTaskComplete", 70, TEAM, 0, 3, "status"], ["ThreadTaskSwitch", 70, TEAM, 1, 0],
                ["Enter", 80, LOCK], ["ThreadAcquireLock", 81, OPENMP, 0, 2], ["Leave", 81, LOCK],
                ["Enter", 85, LOCK], ["ThreadReleaseLock", 85, OPENMP, 0, 2], ["Leave", 85, LOCK],
                ["Leave", 100, PARALLEL], ["ThreadTeamEnd", 100, TEAM],
                ["Metric", 100, 0, 256],
            ],
        },
    }


def allocate(archive):
    """Adds two regions to the archive: one that allocates memory of a device, and one that frees it."""
    n_strings = len(archive["strings"])
    archive["strings"] += [[n_strings + i, text] for i, text in enumerate(("alloc", "free", "ALLOCATION_SIZE", "RESULT_ADDRESS", "ARGUMENT_ADDRESS"))]
    archive["attributes"] += [[1 + i, n_strings + 2 + i, 0, _otf2.TYPE_UINT64] for i in range(3)]
    archive["regions"] += [[ALLOC, n_strings, _otf2.REGION_ROLE_ALLOCATE], [FREE, n_strings + 1, _otf2.REGION_ROLE_DEALLOCATE]]
    end = next(i for i, e in enumerate(archive["events"][MASTER]) if e[:2] == ["Leave", 190])
    archive["events"][MASTER][end:end] = [["Enter", 150, ALLOC, ((1, 64),)], ["Leave", 151, ALLOC, ((2, 4096),)],
                                          ["Enter", 160, FREE, ((3, 4096),)], ["Leave", 161, FREE]]
    return archive


def pre_flush(data, file_type, location, caller, final):
    return _otf2.FLUSH


def write_definitions(handle, archive):
    w = _otf2.Archive_GetGlobalDefWriter(handle)
    _otf2.GlobalDefWriter_WriteClockProperties(w, *archive["clock"])
    for string in archive["strings"]:
        _otf2.GlobalDefWriter_WriteString(w, *string)
    _otf2.GlobalDefWriter_WriteParadigm(w, OPENMP, 1, _otf2.PARADIGM_CLASS_THREAD_FORK_JOIN)
    for paradigm in archive.get("paradigms", ()):
        _otf2.GlobalDefWriter_WriteParadigm(w, *paradigm)
    for attribute in archive["attributes"]:
        _otf2.GlobalDefWriter_WriteAttribute(w, *attribute)
    for node in archive["nodes"]:
        _otf2.GlobalDefWriter_WriteSystemTreeNode(w, *node)
    for group in archive["location_groups"]:
        _otf2.GlobalDefWriter_WriteLocationGroup(w, *group)
    for ref, name, group in archive["locations"]:
        n_events = len(archive["events"].get(ref, ())) + archive["counts"].get(ref, 0)
        is_device = any(g[0] == group and g[2] == _otf2.LOCATION_GROUP_TYPE_ACCELERATOR for g in archive["location_groups"])
        kind = _otf2.LOCATION_TYPE_ACCELERATOR_STREAM if is_device else _otf2.LOCATION_TYPE_CPU_THREAD
        _otf2.GlobalDefWriter_WriteLocation(w, ref, name, archive.get("kinds", {}).get(ref, kind), n_events, group)
    for ref, name, *role in archive["regions"]:
        _otf2.GlobalDefWriter_WriteRegion(w, ref, name, name, 0, role[0] if role else _otf2.REGION_ROLE_CODE, OPENMP, _otf2.REGION_FLAG_NONE, 0, 0, 0)
    for ref, kind, members, *paradigm in archive["groups"]:
        _otf2.GlobalDefWriter_WriteGroup(w, ref, 0, kind, paradigm[0] if paradigm else OPENMP, _otf2.GROUP_FLAG_NONE, members)
    for ref, group, parent in archive["comms"]:
        _otf2.GlobalDefWriter_WriteComm(w, ref, 0, group, parent, _otf2.COMM_FLAG_NONE)
    for ref, name, comm in archive.get("windows", ()):
        _otf2.GlobalDefWriter_WriteRmaWin(w, ref, name, comm, _otf2.RMA_WIN_FLAG_NONE)
    for parameter in archive["parameters"]:
        _otf2.GlobalDefWriter_WriteParameter(w, *parameter)
    for ref, name, description, mode, kind in archive["metric_members"]:
        _otf2.GlobalDefWriter_WriteMetricMember(w, ref, name, description, _otf2.METRIC_TYPE_OTHER, mode, kind, _otf2.BASE_DECIMAL, 0, 0)
    for ref, members in archive["metric_classes"]:
        _otf2.GlobalDefWriter_WriteMetricClass(w, ref, members, _otf2.METRIC_ASYNCHRONOUS, _otf2.RECORDER_KIND_CPU)
    for recorder in archive["recorders"]:
        _otf2.GlobalDefWriter_WriteMetricClassRecorder(w, *recorder)
    _otf2.Archive_CloseGlobalDefWriter(handle, w)


def write_event(w, name, arguments):
    attributes = None
    if isinstance(arguments[-1], tuple) and arguments[-1][0] == "memory":  # an attribute, and a location group
        attributes = _otf2.AttributeList_New()
        _otf2.AttributeList_AddLocationGroupRef(attributes, *arguments.pop()[1:])
    elif isinstance(arguments[-1], tuple) and arguments[-1][0] == "location":
        attributes = _otf2.AttributeList_New()
        _otf2.AttributeList_AddLocationRef(attributes, *arguments.pop()[1:])
    elif isinstance(arguments[-1], tuple):  # numbers of attributes, and their values
        attributes = _otf2.AttributeList_New()
        for ref, value in arguments.pop():
            _otf2.AttributeList_AddUint64(attributes, ref, value)
    elif isinstance(arguments[-1], (str, float)):  # an attribute after the arguments: a string, or a number where a string should be
        attributes = _otf2.AttributeList_New()
        if isinstance(arguments.pop(), str):
            _otf2.AttributeList_AddStringRef(attributes, 0, 15)
        else:
            _otf2.AttributeList_AddUint64(attributes, 0, 15)
    if name == "Metric":  # (time, class, values ...): an int is written unsigned, a complex as a double
        time, ref, *values = arguments
        types = [_otf2.TYPE_DOUBLE if isinstance(value, complex) else _otf2.TYPE_UINT64 for value in values]
        arguments = [time, ref, types, [_otf2.MetricValue(unsigned_int=int(value.real)) for value in values]]
    getattr(_otf2, f"EvtWriter_{name}")(w, attributes, *arguments)


def write(archive, directory):
    handle = _otf2.Archive_Open(directory, "traces", _otf2.FILEMODE_WRITE, 262144, 262144, _otf2.SUBSTRATE_POSIX,
                                _otf2.COMPRESSION_NONE)
    callbacks = _otf2.FlushCallbacks(pre_flush=pre_flush, post_flush=None)
    _otf2.Archive_SetFlushCallbacks(handle, callbacks, None)
    _otf2.Archive_SetSerialCollectiveCallbacks(handle)
    for name, value in archive["properties"].items():
        _otf2.Archive_SetBoolProperty(handle, name, value, True)
    _otf2.Archive_OpenDefFiles(handle)
    _otf2.Archive_OpenEvtFiles(handle)
    for ref, events in archive["events"].items():
        w = _otf2.Archive_GetEvtWriter(handle, ref)
        for name, *arguments in sorted(events, key=lambda event: event[1]):  # OTF2 refuses times that go back
            write_event(w, name, arguments)
        _otf2.Archive_CloseEvtWriter(handle, w)
        _otf2.Archive_CloseDefWriter(handle, _otf2.Archive_GetDefWriter(handle, ref))
    _otf2.Archive_CloseEvtFiles(handle)
    _otf2.Archive_CloseDefFiles(handle)
    write_definitions(handle, archive)
    _otf2.Archive_Close(handle)
    for name, old, new in archive["patches"]:
        path = f"{directory}/{name}"
        with open(path, "rb") as file:
            data = file.read()
        if data.count(old) != 1:
            raise ValueError(f"{path}: {old} occurs {data.count(old)} times")
        with open(path, "wb") as file:
            file.write(data.replace(old, new))
