#include "decoder/packed/packed_define.h"

#include <string.h>

#include "base/limits.h"
#include "base/msgpack_check.h"
#include "decoder/packed/packed_log.h"

/*
 * The names of addresses in a packed log, out of its SYMBOL records.  Called
 * by the reader for each; what makes no sense is left out.
 */

#define INLINED 1u
#define WRAPPER 2u

/* Strings of a record have no NUL. */
struct names {
	char text[LIMITS_ADDRESS_NAMES];
	size_t used;
};

/* Null: there is none, or no room for it. */
static const char *name_of(struct names *names, struct packed_bytes bytes)
{
	char *name = names->text + names->used;

	if (bytes.size == 0 || memchr(bytes.data, '\0', bytes.size) ||
		limits_reached(LIMIT_ADDRESS_NAMES, names->used + bytes.size))
		return NULL;
	memcpy(name, bytes.data, bytes.size);
	name[bytes.size] = '\0';
	names->used += bytes.size + 1;
	return name;
}

/* Element `i` of a list that may be missing or shorter. */
static const msgpack_object *element(
	const struct packed_record *record, enum packed_field field, size_t i)
{
	const msgpack_object_array *list = packed_record_list(record, field);

	return list && i < list->size ? &list->ptr[i] : NULL;
}

static struct symbolizer_frame frame_at(
	const struct packed_record *record, struct names *names, size_t i)
{
	uint64_t flags =
		packed_object_number(element(record, PACKED_SYMBOL_FLAGS, i));

	return (struct symbolizer_frame){
		.function = name_of(names,
			packed_object_bytes(
				element(record, PACKED_SYMBOL_FUNCTIONS, i))),
		.file = name_of(names, packed_object_bytes(element(record,
					       PACKED_SYMBOL_FILES, i))),
		.line = packed_object_id(
			element(record, PACKED_SYMBOL_LINES, i)),
		.column = packed_object_id(
			element(record, PACKED_SYMBOL_COLUMNS, i)),
		.offset = packed_object_number(
			element(record, PACKED_SYMBOL_OFFSETS, i)),
		.inlined = flags & INLINED,
		.wrapper = flags & WRAPPER,
	};
}

/* False: it makes no sense. */
static bool packed_symbol_take(
	struct packed_log *log, const struct packed_record *record)
{
	const msgpack_object_array *functions =
		packed_record_list(record, PACKED_SYMBOL_FUNCTIONS);
	struct symbolizer_frame frames[LIMITS_INLINED];
	struct names names = {.used = 0};
	struct symbol_question question = {
		.module = id_map_find(&log->modules,
			packed_record_id(record, PACKED_SYMBOL_MODULE)),
		.address = packed_record_number(record, PACKED_SYMBOL_OFFSET),
		.between = packed_record_number(record, PACKED_SYMBOL_BETWEEN),
		.inside = packed_record_number(record, PACKED_SYMBOL_INSIDE),
		.argument =
			packed_record_number(record, PACKED_SYMBOL_ARGUMENT),
		.name = name_of(&names,
			packed_record_bytes(record, PACKED_SYMBOL_NAME)),
	};
	size_t i;

	if (!functions || functions->size > LIMITS_INLINED)
		return false;
	if (!question.module) /* its definition is lost */
		return true;
	for (i = 0; i < functions->size; i++)
		frames[i] = frame_at(record, &names, i);
	symbol_answers_add(
		&log->all_captures->names, &question, frames, functions->size);
	return true;
}

/*
 * What calls hand on, out of HANDED records.
 */

#define PARTS 2u     /* texts, and calls */
#define CALL_HEAD 2u /* numbers of a call before those of its texts, */
#define CALL_TEXT 5u /* and of each of them */
#define ZONE_CHUNK 8192u

/* False: it makes no sense. */
static bool handed_of(const msgpack_object *texts, size_t text_count,
	const msgpack_object *told, uint64_t next,
	struct symbolizer_handed *handed)
{
	uint64_t place = packed_object_number(&told[0]);
	uint64_t how = packed_object_number(&told[1]);
	struct packed_bytes text;

	if (place >= text_count ||
		how >= SYMBOLIZER_HANDINGS * SYMBOLIZER_ANSWERS)
		return false;
	text = packed_object_bytes(&texts[place]);
	if (text.size == 0 || memchr(text.data, '\0', text.size))
		return false;
	*handed = (struct symbolizer_handed){
		.bytes = (const char *)text.data,
		.count = text.size,
		.how = (enum symbolizer_handing)(how % SYMBOLIZER_HANDINGS),
		.takes_any =
			(enum symbolizer_answer)(how / SYMBOLIZER_HANDINGS),
	};
	handed->call = next - packed_object_number(&told[2]);
	handed->begin = handed->call - packed_object_number(&told[3]);
	handed->end = handed->call + packed_object_number(&told[4]);
	return true;
}

static bool take_call(struct packed_log *log, const msgpack_object *texts,
	size_t text_count, const msgpack_object *object)
{
	struct symbolizer_handed all[LIMITS_HANDED];
	const struct program_module *module;
	size_t count;
	const msgpack_object *told =
		packed_object_elements(object, CALL_HEAD, &count);
	uint64_t next;
	size_t i;

	if (!told || (count - CALL_HEAD) % CALL_TEXT != 0 ||
		(count - CALL_HEAD) / CALL_TEXT > LIMITS_HANDED)
		return false;
	count = (count - CALL_HEAD) / CALL_TEXT;
	next = packed_object_number(&told[1]);
	for (i = 0; i < count; i++)
		if (!handed_of(texts, text_count,
			    told + CALL_HEAD + i * CALL_TEXT, next, &all[i]))
			return false;
	module = id_map_find(&log->modules, packed_object_id(&told[0]));
	if (module) /* else its definition is lost */
		handed_texts_add(
			&log->all_captures->handed, module, next, all, count);
	return true;
}

static bool take_calls(struct packed_log *log, const msgpack_object *all)
{
	size_t text_count, count, i, parts;
	const msgpack_object *part = packed_object_elements(all, PARTS, &parts);
	const msgpack_object *texts =
		part ? packed_object_elements(&part[0], 0, &text_count) : NULL;
	const msgpack_object *calls =
		part ? packed_object_elements(&part[1], 0, &count) : NULL;

	if (!texts || !calls)
		return false;
	for (i = 0; i < count; i++)
		if (!take_call(log, texts, text_count, &calls[i]))
			return false;
	return true;
}

/* False: it makes no sense. */
static bool packed_handed_take(
	struct packed_log *log, const struct packed_record *record)
{
	struct packed_captures *shared = log->all_captures;
	uint64_t size = packed_record_number(record, PACKED_HANDED_BYTES);
	msgpack_object all;
	msgpack_zone *zone;
	size_t at = 0;
	size_t used;
	bool taken;

	if (!packed_inflate(&shared->inflate,
		    packed_record_number(record, PACKED_HANDED_COMPRESSION),
		    packed_record_bytes(record, PACKED_HANDED_CALLS), size,
		    PACKED_HANDED_MAX, &shared->inflated))
		return false;
	used = msgpack_check(
		shared->inflated.data, (size_t)size, 1, LIMITS_INDEX_OBJECTS);
	if (used == 0)
		return false;
	zone = msgpack_zone_new(ZONE_CHUNK);
	if (!zone)
		return true;
	taken = msgpack_unpack((const char *)shared->inflated.data, used, &at,
			zone, &all) >= 0 &&
		take_calls(log, &all);
	msgpack_zone_free(zone);
	return taken;
}

static struct program_module executable_of(const struct packed_record *record)
{
	struct packed_bytes path =
		packed_record_bytes(record, PACKED_PREAMBLE_EXECUTABLE);
	struct packed_bytes build_id =
		packed_record_bytes(record, PACKED_PREAMBLE_BUILD_ID);

	return (struct program_module){
		.file_bytes = packed_record_number(
			record, PACKED_PREAMBLE_FILE_BYTES),
		.content_hash = packed_record_number(
			record, PACKED_PREAMBLE_CONTENT_HASH),
		.path = (const char *)path.data,
		.path_bytes = path.size,
		.build_id = build_id.data,
		.build_id_bytes = build_id.size,
	};
}

static void define_capture(
	struct packed_log *log, uint32_t id, const struct packed_record *record)
{
	struct recording *known = packed_log_capture(log, id);
	const struct program_module executable = executable_of(record);

	packed_log_executable(log, &executable);
	if (!known) {
		known = packed_capture_find(log->all_captures, record);
		if (known)
			id_map_set(&log->captures, id, known);
	} else if (known->header.nonce == 0) {
		packed_capture_describe(log->all_captures, known, record);
	}
	if (known) {
		known->has_owner = log->has_owner;
		known->owner = log->owner;
	}
}

static void define_module(
	struct packed_log *log, uint32_t id, const struct packed_record *record)
{
	struct packed_bytes path =
		packed_record_bytes(record, PACKED_MODULE_PATH);
	struct packed_bytes build_id =
		packed_record_bytes(record, PACKED_MODULE_BUILD_ID);
	const struct program_module file = {
		.file_bytes =
			packed_record_number(record, PACKED_MODULE_FILE_BYTES),
		.content_hash = packed_record_number(
			record, PACKED_MODULE_CONTENT_HASH),
		.path = (const char *)path.data,
		.path_bytes = path.size,
		.build_id = build_id.data,
		.build_id_bytes = build_id.size,
	};

	packed_log_module(log, id, &file);
}

static void describe_process(struct packed_log *log,
	struct packed_process *process, const struct packed_record *record)
{
	const struct packed_process *parent = id_map_find(&log->processes,
		packed_record_id(record, PACKED_PROCESS_PARENT));
	struct packed_bytes executable =
		packed_record_bytes(record, PACKED_PROCESS_EXECUTABLE);
	struct packed_bytes directory =
		packed_record_bytes(record, PACKED_PROCESS_DIRECTORY);
	struct packed_bytes arguments =
		packed_record_bytes(record, PACKED_PROCESS_ARGUMENTS);
	struct packed_bytes host =
		packed_record_bytes(record, PACKED_PROCESS_HOST);
	struct packed_bytes environment =
		packed_record_bytes(record, PACKED_PROCESS_ENVIRONMENT);
	const msgpack_object_array *start =
		packed_record_list(record, PACKED_PROCESS_START);
	const struct program_description description = {
		.ppid = packed_record_id(record, PACKED_PROCESS_PPID),
		.uid = packed_record_id(record, PACKED_PROCESS_UID),
		.fork = packed_record_number(record, PACKED_PROCESS_FORK),
		.parent = parent && parent != process ? parent->program : NULL,
		.executable = (const char *)executable.data,
		.executable_bytes = executable.size,
		.directory = (const char *)directory.data,
		.directory_bytes = directory.size,
		.arguments = (const char *)arguments.data,
		.argument_bytes = arguments.size,
		.host = (const char *)host.data,
		.host_bytes = host.size,
		.environment = (const char *)environment.data,
		.environment_bytes = environment.size,
	};

	if (description.parent)
		process->parent = parent;
	if (!process->program->executable)
		program_set(&process->capture->programs, process->program,
			&description);
	if (start && start->size >= 2) {
		process->program->started =
			packed_object_number(&start->ptr[0]);
		process->program->boottime =
			packed_object_number(&start->ptr[1]);
	}
}

static void define_process(
	struct packed_log *log, uint32_t id, const struct packed_record *record)
{
	struct packed_process *process = id_map_find(&log->processes, id);
	uint32_t pid = packed_record_id(record, PACKED_PROCESS_PID);
	uint32_t capture = packed_record_id(record, PACKED_PROCESS_CAPTURE);

	if (!process)
		process = packed_log_make_process(log, id, capture, pid,
			packed_record_id(record, PACKED_PROCESS_NUMBER));
	if (!process || process->described)
		return;
	process->described =
		packed_record_has(record, PACKED_PROCESS_EXECUTABLE);
	describe_process(log, process, record);
}

static void define_mapping(
	struct packed_log *log, const struct packed_record *record)
{
	struct packed_process *process = id_map_find(&log->processes,
		packed_record_id(record, PACKED_MAPPING_PROCESS));
	const struct program_module *module = id_map_find(
		&log->modules, packed_record_id(record, PACKED_MAPPING_MODULE));

	if (process && module)
		packed_log_map(log, process, module,
			packed_record_number(record, PACKED_MAPPING_START),
			packed_record_number(record, PACKED_MAPPING_END),
			packed_record_number(record, PACKED_MAPPING_BIAS));
}

static void take_creator(
	const struct packed_record *record, struct packed_thread *thread)
{
	struct message_origin *origin = &thread->origin;
	size_t i = origin->count++;
	struct message_creator *creator = &origin->by[i];
	struct packed_bytes name =
		packed_object_bytes(element(record, PACKED_THREAD_NAMES, i));

	*creator = (struct message_creator){
		.pid = packed_object_id(element(record, PACKED_THREAD_PIDS, i)),
		.tid = packed_object_id(element(record, PACKED_THREAD_TIDS, i)),
	};
	if (name.size >= sizeof(creator->name))
		name.size = sizeof(creator->name) - 1;
	if (name.size > 0)
		memcpy(creator->name, name.data, name.size);
	thread->origin_sites[i] =
		packed_object_id(element(record, PACKED_THREAD_SITES, i));
}

/* Without memory for it, it is not known. */
static void take_origin(struct packed_log *log,
	const struct packed_record *record, struct packed_thread *thread)
{
	const msgpack_object_array *sites =
		packed_record_list(record, PACKED_THREAD_SITES);
	size_t count = sites ? sites->size : 0;

	if (count > BINLOG_ORIGIN_GENERATIONS)
		count = BINLOG_ORIGIN_GENERATIONS;
	if (count == 0)
		return;
	thread->origin.by =
		packed_log_take(log, count * sizeof(*thread->origin.by));
	thread->origin_sites =
		packed_log_take(log, count * sizeof(*thread->origin_sites));
	if (!thread->origin.by || !thread->origin_sites)
		return;
	while (thread->origin.count < count)
		take_creator(record, thread);
}

static void define_thread(
	struct packed_log *log, uint32_t id, const struct packed_record *record)
{
	struct packed_thread *thread = packed_log_thread(log, id);

	if (!thread) {
		thread = packed_log_take(log, sizeof(*thread));
		if (!thread)
			return;
		*thread = (struct packed_thread){
			.tid = packed_record_id(record, PACKED_THREAD_TID),
			.name = packed_log_copy(
				log, packed_record_bytes(
					     record, PACKED_THREAD_NAME)),
			.coroutine = packed_record_number(
				record, PACKED_THREAD_COROUTINE),
		};
		if (!thread->name)
			return;
		take_origin(log, record, thread);
		id_map_set(&log->threads, id, thread);
	}
	if (!thread->process)
		thread->process = id_map_find(&log->processes,
			packed_record_id(record, PACKED_THREAD_PROCESS));
}

static void define_string(
	struct packed_log *log, uint32_t id, const struct packed_record *record)
{
	struct packed_string *string = id_map_find(&log->strings, id);
	uint32_t module = packed_record_id(record, PACKED_STRING_MODULE);
	struct packed_bytes text =
		packed_record_bytes(record, PACKED_STRING_TEXT);

	if (!string) {
		string = packed_log_take(log, sizeof(*string));
		if (!string)
			return;
		*string = (struct packed_string){
			.string = {text.data ? packed_log_copy(log, text)
					     : NULL,
				text.size,
				packed_record_number(
					record, PACKED_STRING_OFFSET)},
		};
		id_map_set(&log->strings, id, string);
	}
	if (string->whole)
		return;
	string->module = id_map_find(&log->modules, module);
	string->whole = module == 0 || string->module;
}

/* Those that the one like it has outermost, behind those in the record. */
static void share_frames(
	struct packed_trace *trace, const struct packed_trace *like, size_t own)
{
	size_t from = like->depth - (trace->depth - own);
	size_t i;

	for (i = own; i < trace->depth; i++, from++) {
		trace->modules[i] = like->modules[from];
		trace->offsets[i] = like->offsets[from];
	}
	trace->whole &= like->whole;
}

static void fill_trace(struct packed_log *log, struct packed_trace *trace,
	const msgpack_object_array *modules,
	const msgpack_object_array *offsets, size_t own)
{
	size_t i;

	trace->whole = true;
	for (i = 0; i < own; i++) {
		uint32_t id = packed_object_id(&modules->ptr[i]);

		trace->modules[i] = id_map_find(&log->modules, id);
		trace->offsets[i] = packed_object_number(&offsets->ptr[i]);
		trace->whole &= id == 0 || trace->modules[i];
	}
}

/* Its frames are behind it: there may be very many of it. */
static struct packed_trace *make_trace(struct packed_log *log, size_t depth)
{
	struct packed_trace *trace = packed_log_take(
		log, sizeof(*trace) + depth * (sizeof(*trace->modules) +
						      sizeof(*trace->offsets)));

	if (!trace)
		return NULL;
	*trace = (struct packed_trace){
		.depth = depth,
		.offsets = (void *)(trace + 1),
	};
	trace->modules = (void *)(trace->offsets + depth);
	return trace;
}

static bool define_trace(
	struct packed_log *log, uint32_t id, const struct packed_record *record)
{
	const msgpack_object_array *modules =
		packed_record_list(record, PACKED_BACKTRACE_MODULES);
	const msgpack_object_array *offsets =
		packed_record_list(record, PACKED_BACKTRACE_OFFSETS);
	uint64_t shared = packed_record_number(record, PACKED_BACKTRACE_SHARED);
	const struct packed_trace *like = id_map_find(
		&log->traces, packed_record_id(record, PACKED_BACKTRACE_LIKE));
	struct packed_trace *trace = id_map_find(&log->traces, id);
	size_t own = modules ? modules->size : 0;

	if ((trace && trace->whole) || (shared > 0 && !like))
		return true;
	if (own != (offsets ? offsets->size : 0) || own > LIMITS_DEPTH ||
		(like && shared > like->depth) || shared > LIMITS_DEPTH - own)
		return false;
	trace = make_trace(log, own + (size_t)shared);
	if (!trace)
		return true;
	fill_trace(log, trace, modules, offsets, own);
	if (shared > 0)
		share_frames(trace, like, own);
	id_map_set(&log->traces, id, trace);
	return true;
}

static void define_stream(
	struct packed_log *log, uint32_t id, const struct packed_record *record)
{
	struct definition_stream *stream = id_map_find(&log->streams, id);
	struct packed_bytes path =
		packed_record_bytes(record, PACKED_STREAM_PATH);

	if (stream)
		return;
	stream = packed_log_take(log, sizeof(*stream));
	if (!stream)
		return;
	*stream = (struct definition_stream){
		.id = packed_record_id(record, PACKED_STREAM_NUMBER),
		.flags = packed_record_id(record, PACKED_STREAM_FLAGS),
		.fd = (int32_t)packed_record_number(record, PACKED_STREAM_FD),
		.mode = packed_record_id(record, PACKED_STREAM_MODE),
		.device = packed_record_number(record, PACKED_STREAM_DEVICE),
		.inode = packed_record_number(record, PACKED_STREAM_INODE),
		.file = packed_record_number(record, PACKED_STREAM_FILE),
		.position =
			packed_record_number(record, PACKED_STREAM_POSITION),
		.buffering = (uint16_t)packed_record_id(
			record, PACKED_STREAM_BUFFERING),
		.order =
			(uint16_t)packed_record_id(record, PACKED_STREAM_ORDER),
		.buffer_bytes =
			packed_record_id(record, PACKED_STREAM_BUFFER_BYTES),
		.description =
			packed_record_id(record, PACKED_STREAM_DESCRIPTION),
	};
	if (path.size > 0)
		stream->path = packed_log_copy(log, path);
	id_map_set(&log->streams, id, stream);
}

/* True: it refers to nothing, or to what is found. */
static bool refer(const struct id_map *map, const struct packed_record *record,
	enum packed_field field, const void **found)
{
	uint32_t id = packed_record_id(record, field);

	*found = id ? id_map_find(map, id) : NULL;
	return id == 0 || *found;
}

static bool define_call(
	struct packed_log *log, uint32_t id, const struct packed_record *record)
{
	struct packed_call *call = id_map_find(&log->calls, id);
	struct packed_bytes kinds =
		packed_record_bytes(record, PACKED_SITE_KINDS);
	const void *format, *function, *stream, *trace;
	struct packed_call made;

	if (call && call->whole)
		return true;
	if (kinds.size > FORMAT_KINDS_MAX)
		return false;
	made = (struct packed_call){
		.text = (uint16_t)packed_record_id(record, PACKED_SITE_TEXT),
		.flags = (uint16_t)packed_record_id(record, PACKED_SITE_FLAGS),
		.has_format = packed_record_id(record, PACKED_SITE_FORMAT),
		.arguments = kinds.size,
		.version = call ? call->version + 1 : 1,
		.whole = true,
	};
	made.whole &= refer(&log->strings, record, PACKED_SITE_FORMAT, &format);
	made.whole &=
		refer(&log->strings, record, PACKED_SITE_FUNCTION, &function);
	made.whole &= refer(&log->streams, record, PACKED_SITE_STREAM, &stream);
	made.whole &=
		refer(&log->traces, record, PACKED_SITE_BACKTRACE, &trace);
	made.format = format;
	made.function = function;
	made.stream = stream;
	made.trace = trace;
	made.whole &= !made.format || made.format->whole;
	made.whole &= !made.trace || made.trace->whole;
	made.kinds = call && call->arguments == kinds.size
			     ? call->kinds
			     : (const uint8_t *)packed_log_copy(log, kinds);
	if (!call)
		call = packed_log_take(log, sizeof(*call));
	if (!call || !made.kinds)
		return true;
	*call = made;
	id_map_set(&log->calls, id, call);
	return true;
}

static void finish_capture(
	struct packed_log *log, const struct packed_record *record)
{
	struct recording *capture = packed_log_capture(
		log, packed_record_id(record, PACKED_CAPTURE_END_CAPTURE));
	const msgpack_object_array *ids =
		packed_record_list(record, PACKED_CAPTURE_END_PROCESSES);
	const msgpack_object_array *passed =
		packed_record_list(record, PACKED_CAPTURE_END_OF_PASSED);
	const msgpack_object_array *dropped =
		packed_record_list(record, PACKED_CAPTURE_END_OF_DROPPED);
	size_t i;

	if (!capture)
		return;
	packed_capture_finish(capture, record);
	for (i = 0; ids && passed && dropped && i < ids->size &&
		    i < passed->size && i < dropped->size;
		i++) {
		const struct packed_process *process = id_map_find(
			&log->processes, packed_object_id(&ids->ptr[i]));

		if (!process)
			continue;
		process->program->passed =
			packed_object_number(&passed->ptr[i]);
		process->program->dropped =
			packed_object_number(&dropped->ptr[i]);
	}
}

bool packed_define(struct packed_log *log, const struct packed_record *record)
{
	/* The same field in all that have an id. */
	uint32_t id = packed_record_id(record, PACKED_STRING_ID);

	switch (record->tag) {
	case PACKED_MAPPING:
		define_mapping(log, record);
		return true;
	case PACKED_LOSS:
		packed_capture_lose(log->all_captures, log->path,
			packed_log_capture(log,
				packed_record_id(record, PACKED_LOSS_CAPTURE)),
			record);
		return true;
	case PACKED_CAPTURE_END:
		finish_capture(log, record);
		return true;
	case PACKED_SYMBOL:
		return packed_symbol_take(log, record);
	case PACKED_HANDED:
		return packed_handed_take(log, record);
	}
	if (id == 0)
		return record->tag > PACKED_SITE;
	switch (record->tag) {
	case PACKED_PREAMBLE:
		define_capture(log, id, record);
		break;
	case PACKED_STRING:
		define_string(log, id, record);
		break;
	case PACKED_BACKTRACE:
		return define_trace(log, id, record);
	case PACKED_MODULE:
		define_module(log, id, record);
		break;
	case PACKED_PROCESS:
		define_process(log, id, record);
		break;
	case PACKED_THREAD:
		define_thread(log, id, record);
		break;
	case PACKED_STREAM:
		define_stream(log, id, record);
		break;
	case PACKED_SITE:
		return define_call(log, id, record);
	}
	return true;
}
