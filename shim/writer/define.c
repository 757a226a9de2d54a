#include "shim/writer/define.h"

#include "record/hash.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/module.h"
#include "shim/host/sys.h"
#include "shim/streams/streams.h"
#include "shim/writer/pace.h"
#include "shim/writer/plan.h"

/*
 * Formats that a program makes: so many of a writer are defined when they are
 * met first, so many that are met again soon, and so many of all writers.
 */
#define MADE_FIRST 512u
#define MADE_AGAIN 4096u
#define MADE_ALL 16384u
#define MADE_SEEN 256u

/* From this size on, or when all writers have so many bytes of them, a table of
 * contexts is not made larger but begun anew: they are defined again. */
#define CONTEXTS_LARGE 32768u
#define CONTEXTS_SMALL 2048u
#define CONTEXTS_ALL_BYTES (8u << 20)

/* New stacks that a writer may unwind at once, and one more after each: what
 * comes faster has the place of its call only. */
#define STACKS_MOST 131072u
#define STACKS_EACH_NS 10000u

/* Of modules that are looked up once; others are defined repeatedly. */
#define RANGES_MAX 256u
/* Of strings, and of contexts, before they grow: on the page of the rest. */
#define ENTRIES_FIRST 32u

struct range {
	uintptr_t start;
	uintptr_t end;
	uint64_t identity;
	bool written;
};

struct define_tables {
	struct intern strings;
	struct intern contexts;
	uint32_t next_string;
	uint32_t next_context;
	uint32_t ranges_used;
	uint32_t made; /* formats of the program's */
	uint32_t stacks_left;
	uint64_t stacks_at;   /* ticks: when they were counted last */
	uint64_t stacks_each; /* ticks for one more */
	bool forgotten;	      /* once: libraries come and go here */
	uint64_t streams_defined[STREAMS_MAX / 64 + 1]; /* a bit for each */
	uint32_t seen[MADE_SEEN]; /* hashes of formats, met once */
	struct intern_entry string[ENTRIES_FIRST];
	struct intern_entry context[ENTRIES_FIRST];
	struct range range[RANGES_MAX];
};

struct define_tables *define_new(void)
{
	struct define_tables *tables = arena_take(sizeof(*tables));

	if (tables) {
		tables->strings.entry = tables->string;
		tables->strings.size = ENTRIES_FIRST;
		tables->contexts.entry = tables->context;
		tables->contexts.size = ENTRIES_FIRST;
		tables->next_string = 1;
		tables->stacks_left = STACKS_MOST;
		tables->next_context = BINLOG_CONTEXT_FIRST;
	}
	return tables;
}

/* Another string may be where one was that was recorded by its id. */
static void forget_constants(struct plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++)
		plan->argument[i].constant = NULL;
}

void define_forget(struct define_tables *tables)
{
	for (uint32_t i = 0; i < tables->strings.size; i++) {
		struct intern_entry *entry = &tables->strings.entry[i];

		if (!entry->id || !entry->plan)
			continue;
		/* Made when its directives meant something else; a call that a
		 * handler has interrupted may still use it. */
		if (plan_always_at_once && !entry->plan->at_once)
			entry->plan = NULL;
		else
			forget_constants(entry->plan);
	}
	tables->forgotten = true;
	tables->ranges_used = 0;
	for (unsigned i = 0; i <= STREAMS_MAX / 64; i++)
		tables->streams_defined[i] = 0;
}

void define_begin_anew(struct define_tables *tables)
{
	for (uint32_t i = 0; i < tables->strings.size; i++) {
		struct intern_entry *entry = &tables->strings.entry[i];

		if (entry->id && entry->plan)
			forget_constants(entry->plan);
	}
	intern_forget_ids(&tables->strings);
	intern_clear(&tables->contexts);
	tables->next_string = 1;
	tables->next_context = BINLOG_CONTEXT_FIRST;
	for (unsigned i = 0; i < RANGES_MAX; i++)
		tables->range[i].written = false;
	for (unsigned i = 0; i <= STREAMS_MAX / 64; i++)
		tables->streams_defined[i] = 0;
}

uint32_t define_strings(const struct define_tables *tables)
{
	return tables->next_string - 1;
}

uint32_t define_contexts(const struct define_tables *tables)
{
	return tables->next_context - BINLOG_CONTEXT_FIRST;
}

bool define_may_make(struct writer *w, uint64_t hash)
{
	static uint32_t made; /* by all writers */
	struct define_tables *tables = w->tables;
	uint32_t *seen = &tables->seen[hash >> 32 & (MADE_SEEN - 1)];
	const struct intern_entry *entry =
		intern_find(&tables->strings, hash | 1);

	if (entry && entry->id && entry->plan)
		return true;
	if (tables->made >= MADE_FIRST && *seen != (uint32_t)hash) {
		*seen = (uint32_t)hash;
		return false;
	}
	if (tables->made >= MADE_AGAIN || !writer_may_define() ||
		__atomic_load_n(&made, __ATOMIC_RELAXED) >= MADE_ALL)
		return false;
	tables->made++;
	__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
	return true;
}

unsigned define_depth(struct writer *w, unsigned depth)
{
	struct define_tables *tables = w->tables;
	uint64_t now, more;

	if (likely(tables->stacks_left > 0))
		return depth;
	now = clock_ticks();
	if (tables->stacks_each == 0) {
		tables->stacks_each = pace_ticks(STACKS_EACH_NS) + 1;
		tables->stacks_at = now;
	}
	more = (now - tables->stacks_at) / tables->stacks_each;
	if (now < tables->stacks_at || more == 0)
		return 1;
	tables->stacks_at = now;
	tables->stacks_left = more < STACKS_MOST ? (uint32_t)more : STACKS_MOST;
	return depth;
}

void define_walk(struct writer *w, const struct call *call, unsigned depth)
{
	const struct unwind_start start = {call->pc, call->sp, call->fp};

	bool whole = true;

	unwind_walk(&start, depth, w->unwind_cache, w->trace);
	w->coroutine = (struct coroutine){0};
	if (likely(coroutine_are_none()))
		return;
	if (w->trace->depth == depth && coroutine_may_be_gone(call->sp)) {
		/* All the words that it is found by, but no more frames. */
		unwind_walk(&start, UNWIND_FRAMES_MAX, w->unwind_cache,
			w->trace);
		whole = w->trace->depth < UNWIND_FRAMES_MAX;
		if (w->trace->depth > depth)
			w->trace->depth = (uint16_t)depth;
	}
	w->coroutine = coroutine_look(call->sp, w->trace, whole);
}

static bool write_string(
	struct writer *w, uint32_t id, const char *text, uint32_t length)
{
	struct binlog_string_record *record;

	if (length > DEFINE_STRING_MAX)
		length = DEFINE_STRING_MAX;
	record = writer_control(
		w, (uint32_t)sizeof(*record) + ((length + 3) & ~3u));
	if (!record)
		return false;
	record->id = id;
	record->bytes = length;
	record->address = (uintptr_t)text;
	bytes_copy(record + 1, text, length);
	writer_commit_control(w, BINLOG_STRING);
	return true;
}

struct intern_entry *define_string(
	struct writer *w, const char *text, uint32_t length)
{
	struct define_tables *tables = w->tables;
	uint64_t hash = binlog_hash(text, length) | 1;
	struct intern_entry *entry = intern_find(&tables->strings, hash);

	if (!entry || (entry->id && entry->id != INTERN_WITHOUT_ID))
		return entry;
	if (!write_string(w, tables->next_string, text, length))
		return NULL;
	if (entry->id)
		entry->id = tables->next_string++;
	else
		intern_take(&tables->strings, entry, tables->next_string++);
	return entry;
}

static uint64_t file_bytes(const char *path)
{
	struct stat st;

	return sys_failed(SYS4(newfstatat, AT_FDCWD, path, &st, 0))
		       ? 0
		       : (uint64_t)st.st_size;
}

static bool write_module(struct writer *w, const struct module *module)
{
	struct binlog_module_record *record;
	const char *path = *module->path ? module->path : process_executable();
	uint32_t path_bytes = (uint32_t)bytes_length_limited(path, 4096);
	uint32_t size = module->build_id_bytes + path_bytes;

	record = writer_control(
		w, (uint32_t)sizeof(*record) + ((size + 3) & ~3u));
	if (!record)
		return false;
	record->start = module->start;
	record->end = module->end;
	record->bias = module->bias;
	record->file_bytes = module->build_id_bytes ? 0 : file_bytes(path);
	record->content_hash = module->content_hash;
	record->build_id_bytes = module->build_id_bytes;
	record->path_bytes = path_bytes;
	bytes_copy(record + 1, module->build_id, module->build_id_bytes);
	bytes_copy((char *)(record + 1) + module->build_id_bytes, path,
		path_bytes);
	writer_commit_control(w, BINLOG_MODULE);
	return true;
}

/* Equal for a module that comes back to where it was. */
static uint64_t identity_of(const struct module *module)
{
	uint64_t hash = binlog_hash_word(3, module->start);

	hash = binlog_hash_word(hash, module->end);
	hash = binlog_hash_word(hash, module->bias);
	hash = binlog_hash_word(hash, module->content_hash);
	hash = binlog_hash_word(
		hash, binlog_hash(module->build_id, module->build_id_bytes));
	return binlog_hash_word(
		hash, binlog_hash(module->path, bytes_length(module->path)));
}

uint64_t define_identity(const uintptr_t *pc, unsigned count)
{
	struct module module;
	uint64_t hash = count;

	for (unsigned i = 0; i < count; i++)
		hash = binlog_hash_word(hash,
			module_find(pc[i], &module) ? identity_of(&module) : 0);
	return hash;
}

/* The range around an address, or null: generated code, or too many. */
static struct range *range_of(struct define_tables *tables, uintptr_t pc)
{
	struct module module;

	for (uint32_t i = 0; i < tables->ranges_used; i++)
		if (pc - tables->range[i].start <
			tables->range[i].end - tables->range[i].start)
			return &tables->range[i];
	if (tables->ranges_used == RANGES_MAX || !module_find(pc, &module))
		return NULL;
	tables->range[tables->ranges_used] = (struct range){
		.start = module.start,
		.end = module.end,
		.identity = identity_of(&module),
	};
	SIGNAL_FENCE();
	return &tables->range[tables->ranges_used++];
}

static bool define_module(struct writer *w, uintptr_t pc)
{
	struct range *range = range_of(w->tables, pc);
	struct module module;

	if (range && range->written)
		return true;
	if (!module_find(pc, &module))
		return true; /* nothing is known of it */
	if (!write_module(w, &module))
		return false;
	if (range)
		range->written = true;
	return true;
}

static bool define_stream(struct writer *w, unsigned stream)
{
	uint64_t *defined = &w->tables->streams_defined[stream / 64];
	const char *path = streams[stream].path;
	uint32_t path_bytes = path ? (uint32_t)bytes_length(path) : 0;
	struct binlog_stream_record *record;

	if (stream == 0 || *defined >> stream % 64 & 1)
		return true;
	if (stream == STREAM_FULL)
		return false;
	record = writer_control(
		w, (uint32_t)sizeof(*record) + ((path_bytes + 3) & ~3u));
	if (!record)
		return false;
	record->id = stream;
	record->flags =
		streams[stream].flags |
		(__atomic_load_n(&streams[stream].said, __ATOMIC_RELAXED) > 0
				? BINLOG_STREAM_USED
				: 0);
	record->fd = streams[stream].fd;
	record->mode = streams[stream].mode;
	record->device = streams[stream].device;
	record->inode = streams[stream].inode;
	record->file = (uintptr_t)streams[stream].file;
	record->position = streams[stream].position;
	record->buffering = streams[stream].buffering;
	record->order = streams[stream].order;
	record->buffer_bytes = streams[stream].buffer_bytes;
	record->path_bytes = path_bytes;
	record->description = streams[stream].description;
	bytes_copy(record + 1, path, path_bytes);
	writer_commit_control(w, BINLOG_STREAM);
	*defined |= (uint64_t)1 << stream % 64;
	return true;
}

/* With the level that a rule gave the call that is under way. */
static uint16_t flags_of(
	const struct writer *w, const struct define_context *context)
{
	return (uint16_t)(context->flags |
			  w->ruled_level << BINLOG_CONTEXT_LEVEL_SHIFT);
}

static bool write_context(struct writer *w, uint32_t function,
	const struct define_context *context)
{
	struct binlog_context_record *record;
	uint32_t frames = w->trace->depth * (uint32_t)sizeof(uint64_t);
	binlog_u64 *pc;

	record = writer_control(w, ((uint32_t)sizeof(*record) + frames +
					   context->kinds_count + 3) &
					   ~3u);
	if (!record)
		return false;
	record->id = w->tables->next_context;
	record->text = (uint16_t)context->text;
	record->flags = flags_of(w, context);
	record->format = context->format;
	record->function = function;
	record->stream = context->stream;
	record->depth = w->trace->depth;
	record->arguments = (uint16_t)context->kinds_count;
	pc = (binlog_u64 *)(record + 1);
	for (unsigned i = 0; i < w->trace->depth; i++)
		pc[i] = w->trace->pc[i] + (w->trace->exact >> i & 1);
	bytes_copy(pc + w->trace->depth, context->kinds, context->kinds_count);
	writer_commit_control(w, BINLOG_CONTEXT);
	return true;
}

/* What was at an address may be back at it, or not. */
static uint64_t add_modules(struct writer *w, uint64_t hash)
{
	for (unsigned i = 0; i < w->trace->depth; i++) {
		const struct range *range =
			range_of(w->tables, w->trace->pc[i]);

		hash = binlog_hash_word(hash, range ? range->identity : 0);
	}
	return hash;
}

/* In two parts, which a processor computes at the same time. */
static uint64_t hash_frames(const struct unwind_trace *trace)
{
	const uintptr_t *pc = trace->pc, *last = pc + trace->depth - 1;
	uint64_t one = 1, other = trace->depth;

	for (; pc < last; pc += 2) {
		one = binlog_hash_word(one, pc[0]);
		other = binlog_hash_word(other, pc[1]);
	}
	if (pc == last)
		one = binlog_hash_word(one, pc[0]);
	/* Not the same for both: they may be those of another stack, changed
	 * for each other. */
	return binlog_hash_word(binlog_hash_word(2, one), other);
}

/*
 * One context serves all coroutines that have the same stack one after the
 * other; which of them is said again when it is the next.  Not in a ring, whose
 * definitions stand apart from the calls: there each has its own.
 */
static uint64_t coroutine_key(const struct coroutine *coroutine)
{
	return ring_is_on() ? coroutine->number : coroutine->stack;
}

static uint64_t context_hash(struct writer *w, const struct call *call,
	const struct define_context *context)
{
	uint64_t hash = binlog_hash_word(2, (uintptr_t)call->function);

	hash = binlog_hash_word(hash, context->text |
					      flags_of(w, context) << 8 |
					      context->stream << 16 |
					      (uint64_t)context->format << 32);
	hash = binlog_hash_word(hash, streams[context->stream].serial);
	hash = binlog_hash_word(
		hash, binlog_hash(context->kinds, context->kinds_count));
	hash = binlog_hash_word(hash, hash_frames(w->trace));
	if (unlikely(w->coroutine.stack))
		hash = binlog_hash_word(hash, coroutine_key(&w->coroutine));
	if (unlikely(w->tables->forgotten))
		hash = add_modules(w, hash);
	return hash | 1;
}

/* Contexts are defined again when there are too many to be known. */
static struct intern_entry *find_context(struct intern *contexts, uint64_t hash)
{
	static uint32_t bytes; /* of all large tables */
	uint32_t more = contexts->size * 4 * (uint32_t)sizeof(*contexts->entry);

	if (likely(!intern_is_full(contexts)) ||
		contexts->size < CONTEXTS_SMALL)
		return intern_find(contexts, hash);
	if (contexts->size >= CONTEXTS_LARGE ||
		__atomic_load_n(&bytes, __ATOMIC_RELAXED) >= CONTEXTS_ALL_BYTES)
		intern_clear(contexts);
	else
		__atomic_fetch_add(&bytes, more, __ATOMIC_RELAXED);
	return intern_find(contexts, hash);
}

/* The context, once it is said whose it is. */
static uint32_t of_coroutine(struct writer *w, struct intern_entry *entry)
{
	uint32_t number = (uint32_t)w->coroutine.number;
	struct binlog_coroutine_record *record;

	if (likely(entry->coroutine == number))
		return entry->id;
	record = writer_control(w, sizeof(*record));
	if (!record)
		return 0;
	record->context = entry->id;
	record->reserved = 0;
	record->number = w->coroutine.number;
	writer_commit_control(w, BINLOG_COROUTINE);
	entry->coroutine = number;
	return entry->id;
}

static uint32_t define_new_context(struct writer *w, const struct call *call,
	const struct define_context *context, struct intern_entry *entry)
{
	struct define_tables *tables = w->tables;
	const struct intern_entry *function = NULL;

	if (call->function) {
		function = define_string(w, call->function,
			(uint32_t)bytes_length(call->function));
		if (!function)
			return 0;
	}
	if (!define_stream(w, context->stream))
		return 0;
	for (unsigned i = 0; i < w->trace->depth; i++)
		if (!define_module(w, w->trace->pc[i]))
			return 0;
	if (!write_context(w, function ? function->id : 0, context))
		return 0;
	entry->coroutine = 0;
	intern_take(&tables->contexts, entry, tables->next_context++);
	return of_coroutine(w, entry);
}

uint32_t define_context(struct writer *w, const struct call *call,
	const struct define_context *context)
{
	struct intern *contexts = &w->tables->contexts;
	uint64_t hash = context_hash(w, call, context);
	struct intern_entry *entry = find_context(contexts, hash);

	if (!entry || entry->id)
		return entry ? of_coroutine(w, entry) : 0;
	if (unlikely(w->coroutine.stack) && !writer_may_define()) {
		w->coroutine = (struct coroutine){0};
		return define_context(w, call, context);
	}
	if (w->trace->depth > 1) {
		if (w->tables->stacks_left > 0)
			w->tables->stacks_left--;
		/* All that it has in common with others is its place. */
		if (!writer_may_define()) {
			w->trace->depth = 1;
			return define_context(w, call, context);
		}
	}
	return define_new_context(w, call, context, entry);
}
