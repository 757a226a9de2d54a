#include "decoder/pack/pack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "decoder/capture/recording.h"
#include "decoder/pack/pack_batch.h"
#include "decoder/pack/pack_content.h"
#include "decoder/pack/pack_define.h"
#include "decoder/pack/pack_frames.h"
#include "decoder/pack/pack_handed.h"
#include "decoder/pack/pack_value.h"
#include "decoder/packed/packed_parity.h"
#include "record/layout.h"

/*
 * The last of a capture in a packed log: how its process ended, and what was
 * not recorded.  Called by pack.c when it is about to be closed.
 */

/* Calls of one process that are not in the capture. */
struct account {
	uint32_t process; /* id */
	uint64_t passed;
	uint64_t dropped;
};

/* Those of all processes, by id - 1. */
struct accounts {
	struct account *all;
	size_t room;
	size_t count; /* that are not zeros */
};

static bool make_room(struct accounts *accounts, uint32_t id)
{
	size_t room = accounts->room ? accounts->room : 16;
	struct account *all;

	while (room < id)
		room *= 2;
	if (room == accounts->room)
		return true;
	all = realloc(accounts->all, room * sizeof(*all));
	if (!all)
		return false;
	for (; accounts->room < room; accounts->room++)
		all[accounts->room] = (struct account){0};
	accounts->all = all;
	return true;
}

static bool add(struct accounts *accounts, uint32_t process, uint64_t passed,
	uint64_t dropped)
{
	struct account *account;

	if (!make_room(accounts, process))
		return false;
	account = &accounts->all[process - 1];
	if (account->process == 0 && (passed > 0 || dropped > 0)) {
		account->process = process;
		accounts->count++;
	}
	account->passed += passed;
	account->dropped += dropped;
	return true;
}

static bool add_process(struct pack_define *define, struct accounts *accounts,
	struct recording *capture, uint32_t pid, uint32_t number,
	uint64_t passed, uint64_t dropped)
{
	const struct program *program =
		program_find(&capture->programs, pid, number);
	const struct pack_entry *process =
		program ? pack_define_process(define, capture, program) : NULL;

	return process && add(accounts, process->id, passed, dropped);
}

/* What the header page says is of the process that has made the file. */
static bool collect(struct pack_define *define, struct accounts *accounts,
	struct recording *capture)
{
	size_t i;

	if (!add_process(define, accounts, capture, capture->header.pid, 0,
		    capture->header.passed, capture->header.dropped))
		return false;
	for (i = 0; i < capture->block_count; i++) {
		const struct recording_block *block = &capture->blocks[i];
		struct binlog_block head;

		if (recording_read(capture, block->offset, &head,
			    sizeof(head)) < sizeof(head))
			continue;
		if (!add_process(define, accounts, capture, block->pid,
			    block->process, head.passed, head.dropped))
			return false;
	}
	return true;
}

static void put_list(struct frame_write *frame, unsigned field,
	const struct accounts *accounts,
	uint64_t (*value)(const struct account *account))
{
	struct render_buffer *list =
		frame_write_list(frame, field, accounts->count);
	size_t i;

	for (i = 0; i < accounts->room; i++)
		if (accounts->all[i].process != 0)
			pack_value_uint(list, value(&accounts->all[i]));
}

static uint64_t process_of(const struct account *account)
{
	return account->process;
}

static uint64_t passed_of(const struct account *account)
{
	return account->passed;
}

static uint64_t dropped_of(const struct account *account)
{
	return account->dropped;
}

static void put_end(struct pack_define *define, uint32_t id,
	struct recording *capture, const struct accounts *accounts)
{
	const struct binlog_founder founder = liveness_founder(capture);
	struct frame_write *frame = define->frame;

	frame_write_begin(frame, PACKED_CAPTURE_END);
	frame_write_uint(frame, PACKED_CAPTURE_END_CAPTURE, id);
	frame_write_some(frame, PACKED_CAPTURE_END_PASSED, capture->passed);
	frame_write_some(frame, PACKED_CAPTURE_END_DROPPED, capture->dropped);
	frame_write_some(frame, PACKED_CAPTURE_END_END, founder.end);
	frame_write_some(
		frame, PACKED_CAPTURE_END_END_VALUE, founder.end_value);
	if (accounts->count > 0) {
		put_list(frame, PACKED_CAPTURE_END_PROCESSES, accounts,
			process_of);
		put_list(frame, PACKED_CAPTURE_END_OF_PASSED, accounts,
			passed_of);
		put_list(frame, PACKED_CAPTURE_END_OF_DROPPED, accounts,
			dropped_of);
	}
	frame_write_some(frame, PACKED_CAPTURE_END_FILE_BYTES, capture->size);
	frame_write_some(frame, PACKED_CAPTURE_END_LEFT, capture->spill.left);
	frame_write_end(frame);
}

/* Appends the frame, and those of processes that are not in this part yet.
 * False: out of memory. */
static bool pack_ends_capture(
	struct pack_define *define, struct recording *capture)
{
	const struct pack_entry *entry = pack_define_capture(define, capture);
	struct accounts accounts = {0};
	bool done = entry && collect(define, &accounts, capture);

	if (done)
		put_end(define, entry->id, capture, &accounts);
	free(accounts.all);
	return done;
}

/*
 * A message in a frame of its own, which any reader of MessagePack
 * understands.  Called by pack.c where no batches are wanted.
 */

static void put_argument(
	struct frame_write *frame, const struct render_argument *argument)
{
	struct render_buffer *out = &frame->fields;

	switch (argument->kind) {
	case BINLOG_ARG_I32:
		pack_value_int(out, argument->i32);
		break;
	case BINLOG_ARG_I64:
		pack_value_int(out, argument->i64);
		break;
	case BINLOG_ARG_F64:
		pack_value_double(out, argument->f64);
		break;
	case BINLOG_ARG_LONG_DOUBLE:
		frame_write_item_binary(frame, argument->data, 16);
		break;
	case BINLOG_ARG_STRING:
		if (argument->null)
			pack_value_nil(out);
		else
			frame_write_item_text(
				frame, argument->data, argument->bytes);
		break;
	default:
		if (argument->null)
			pack_value_nil(out);
		else
			frame_write_item_binary(
				frame, argument->data, argument->bytes);
	}
}

static void put_arguments(
	struct frame_write *frame, const struct message *message)
{
	size_t i;

	if (message->count == 0)
		return;
	frame_write_list(frame, PACKED_DATA_ARGUMENTS, message->count);
	for (i = 0; i < message->count; i++)
		put_argument(frame, &message->arguments[i]);
}

/* In a module that is named; 0 is none: in memory. */
static void put_place(struct frame_write *frame,
	const struct pack_define *define, uint64_t module, uint64_t offset,
	unsigned magic_field, unsigned offset_field)
{
	if (module != 0)
		frame_write_uint(frame, magic_field,
			pack_frames_magic(pack_table_entry(
				&define->modules, (uint32_t)module)));
	frame_write_some(frame, offset_field, offset);
}

/* Which executable has the format, and where. */
static void put_format(struct frame_write *frame,
	const struct pack_define *define, const struct pack_site_content *site)
{
	const struct pack_string_content *format;

	if (site->format == 0)
		return;
	format = pack_content(pack_table_entry(&define->strings, site->format));
	put_place(frame, define, format->module, format->offset,
		PACKED_DATA_MAGIC, PACKED_DATA_OFFSET);
}

/* What is needed of the site when that is lost. */
static void put_site(struct frame_write *frame,
	const struct pack_define *define, const struct pack_site_content *site)
{
	const struct pack_stream_content *stream;
	const struct pack_frame_content *call;

	frame_write_uint(frame, PACKED_DATA_TEXT, site->text);
	frame_write_some(frame, PACKED_DATA_FLAGS, site->flags);
	if (site->stream != 0) {
		stream = pack_content(
			pack_table_entry(&define->streams, site->stream));
		frame_write_some(frame, PACKED_DATA_STREAM, stream->flags);
	}
	if (site->arguments > 0)
		frame_write_binary(
			frame, PACKED_DATA_KINDS, site + 1, site->arguments);
	if (site->backtrace != 0) {
		call = pack_content(
			pack_table_entry(&define->backtraces, site->backtrace));
		put_place(frame, define, call->module, call->offset,
			PACKED_DATA_CALL_MAGIC, PACKED_DATA_CALL_OFFSET);
	}
}

/* Appends the frame; its definitions are written. */
static void pack_data_write(struct pack_define *define,
	const struct message *message, const struct pack_entry *site,
	const struct pack_entry *thread, uint64_t number)
{
	struct frame_write *frame = define->frame;

	frame_write_begin(frame, PACKED_DATA);
	frame_write_some(frame, PACKED_DATA_NUMBER, number);
	frame_write_uint(frame, PACKED_DATA_SITE, site->id);
	frame_write_uint(frame, PACKED_DATA_THREAD, thread->id);
	frame_write_some(frame, PACKED_DATA_TICKS, message->ticks);
	frame_write_some(frame, PACKED_DATA_TIME, message->wall);
	put_arguments(frame, message);
	frame_write_some(frame, PACKED_DATA_CONTINUES, message->continues);
	put_format(frame, define, pack_content(site));
	frame_write_some(frame, PACKED_DATA_PID, message->pid);
	frame_write_some(frame, PACKED_DATA_TID, message->tid);
	put_site(frame, define, pack_content(site));
	frame_write_end(frame);
}

/* More memory for definitions, and a new log begins. */
#define DEFINITIONS_MAX ((size_t)24 << 20)
#define THREADS_KNOWN 256u
/* What is defined in a part is one byte of so many of its batches. */
#define DEFINED_SHARE 64u
#define OUTPUT_BYTES ((size_t)64 << 10)
/* Bytes that are kept until their parity is made. */
#define GROUP_KEPT_MAX ((size_t)4 << 20)

/* A thread that was met, with the coroutine that it runs, and their entry; so
 * that messages find it at once. */
struct known_thread {
	const struct program *program;
	uint32_t tid;
	uint32_t capture; /* id */
	char name[16];
	uint64_t origin;	  /* a hash of who has created it, or 0 */
	uint64_t coroutine;
	struct pack_entry *entry; /* null: free */
};

struct pack {
	struct pack_options options;
	pack_take *take;
	void *closure;
	struct frame_write frame;
	pack_give_back *give_back;
	/* What was given out since the last parity; null: it is given back. */
	uint8_t *group;
	size_t group_bytes, group_max;
	struct render_buffer parity; /* the next one */
	struct pack_define define;
	struct pack_symbols symbols;
	struct pack_handed handed;
	struct pack_batch batch;
	struct known_thread threads[THREADS_KNOWN];
	uint64_t messages; /* all, without events */
	bool any;	   /* message or event */
	uint64_t number;   /* of the next message in the log */
	uint64_t written;  /* of it those in whole batches */
	uint64_t part_messages;
	uint64_t part_bytes;  /* of all that was given out of the part, */
	uint64_t batch_bytes; /* of its batches */
	uint64_t left_out;    /* strings */
	bool failed;
};

/* The log gets a number of its own, and its ids begin anew. */
static void begin_log(struct pack *pack)
{
	uint64_t log = 0;

	if (getrandom(&log, sizeof(log), 0) != sizeof(log) || log == 0)
		log = 1;
	pack->frame.log = log;
	pack->frame.part = 0;
	pack->number = pack->written = pack->part_messages = 0;
	pack->part_bytes = pack->batch_bytes = 0;
	memset(pack->threads, 0, sizeof(pack->threads));
	pack->batch.stamp++;
	pack_define_begin(&pack->define, &pack->frame);
	pack_symbols_forget(&pack->symbols);
	if (pack->options.locations)
		pack->define.symbols = &pack->symbols;
	pack_handed_forget(&pack->handed);
	if (pack->options.programs)
		pack->define.handed = &pack->handed;
}

struct pack *pack_new(
	const struct pack_options *options, pack_take *take, void *closure)
{
	struct pack *pack = calloc(1, sizeof(*pack));

	if (!pack)
		return NULL;
	pack->options = *options;
	pack->symbols.locations = options->locations;
	pack->symbols.define = &pack->define;
	pack->handed.restore = options->programs;
	pack->handed.matters = options->programs_matter;
	pack->handed.plain = options->plain;
	pack->handed.define = &pack->define;
	pack->take = take;
	pack->closure = closure;
	pack->group_max = GROUP_KEPT_MAX;
	if (!pack_batch_begin(&pack->batch, options->level)) {
		pack_free(pack);
		return NULL;
	}
	begin_log(pack);
	return pack;
}

/* A parity_read. */
static bool read_group(
	void *closure, size_t offset, uint8_t *bytes, size_t size)
{
	const struct pack *pack = closure;

	if (pack->give_back)
		return pack->give_back(
			pack->closure, pack->group_bytes - offset, bytes, size);
	memcpy(bytes, pack->group + offset, size);
	return true;
}

/* Gives out what brings it back if it is damaged. */
static void end_group(struct pack *pack)
{
	struct render_buffer *parity = &pack->parity;

	parity->length = 0;
	if (pack->group_bytes >= PACKED_GROUP_MIN &&
		(!packed_parity_put(
			 parity, read_group, pack, pack->group_bytes) ||
			!pack->take(
				pack->closure, parity->data, parity->length)))
		pack->failed = true;
	pack->group_bytes = 0;
}

/* It is whole frames. */
static void add_to_group(struct pack *pack, const char *bytes, size_t size)
{
	if (size > pack->group_max)
		return; /* the group begins behind it */
	/* at once: the kernel gives only the pages that are written to */
	if (!pack->give_back && !pack->group)
		pack->group = malloc(pack->group_max);
	if (pack->group)
		memcpy(pack->group + pack->group_bytes, bytes, size);
	pack->failed |= !pack->group && !pack->give_back;
	pack->group_bytes += size;
}

void pack_use_back(struct pack *pack, pack_give_back *give_back)
{
	pack->group_max = PACKED_GROUP_MAX;
	pack->give_back = give_back;
}

static bool give_out(struct pack *pack)
{
	struct render_buffer *out = &pack->frame.out;

	if (out->failed || pack->define.failed || pack->batch.failed)
		pack->failed = true;
	if (!pack->failed && pack->group_bytes + out->length > pack->group_max)
		end_group(pack);
	if (!pack->failed && out->length > 0 &&
		!pack->take(pack->closure, out->data, out->length))
		pack->failed = true;
	if (!pack->failed && out->length > 0)
		add_to_group(pack, out->data, out->length);
	pack->part_bytes += out->length;
	out->length = 0;
	return !pack->failed;
}

/* All processes of the batch have their latest mappings before it. */
static bool write_mappings(struct pack *pack)
{
	uint32_t last = 0;
	uint32_t i;

	for (i = 0; i < pack->batch.count; i++) {
		uint32_t thread = pack->batch.rows[i].thread;

		if (thread == last)
			continue;
		last = thread;
		if (!pack_define_mappings(&pack->define,
			    pack_table_entry(&pack->define.threads, thread)))
			return false;
	}
	return true;
}

static bool write_batch(struct pack *pack)
{
	uint32_t count = pack->batch.count;
	size_t before;

	if (count == 0)
		return true;
	pack_handed_write(&pack->handed);
	if (!write_mappings(pack))
		pack->failed = true;
	before = pack->frame.out.length;
	if (!pack_batch_write(&pack->batch, &pack->define, pack->written))
		pack->failed = true;
	pack->batch_bytes += pack->frame.out.length - before;
	pack->written += count;
	return give_out(pack);
}

static void begin_part(struct pack *pack)
{
	pack->frame.part++;
	pack->part_messages = 0;
	pack->part_bytes = pack->batch_bytes = 0;
	pack->batch.stamp++;
	pack_define_part(&pack->define);
}

static void write_end(struct pack *pack)
{
	struct frame_write *frame = &pack->frame;

	frame_write_begin(frame, PACKED_END);
	frame_write_uint(frame, PACKED_END_MESSAGES, pack->number);
	frame_write_end(frame);
}

/* Definitions are given again where that is little beside the messages. */
static bool part_is_over(const struct pack *pack)
{
	uint64_t defined = pack->part_bytes - pack->batch_bytes;

	return pack->part_messages > PACKED_PART_MESSAGES ||
	       (pack->part_messages > PACKED_PART_MESSAGES / 4 &&
		       pack->batch_bytes / DEFINED_SHARE >= defined);
}

/* Before the first message of a batch. */
static void begin_batch(struct pack *pack)
{
	size_t bytes = pack_define_bytes(&pack->define) +
		       pack->symbols.questions.bytes +
		       pack_handed_bytes(&pack->handed);

	if (bytes > DEFINITIONS_MAX) {
		write_end(pack);
		pack_define_free(&pack->define);
		begin_log(pack);
	} else if (part_is_over(pack)) {
		begin_part(pack);
	}
}

static size_t slot_of(const struct message *message)
{
	return ((uintptr_t)message->program / 64 + message->tid +
		       message->coroutine) %
	       THREADS_KNOWN;
}

static void know_thread(struct pack *pack, struct known_thread *known,
	const struct message *message)
{
	struct pack_entry *entry = pack_define_thread(&pack->define, message);

	*known = (struct known_thread){0};
	if (!entry)
		return;
	known->program = message->program;
	known->tid = message->tid;
	memcpy(known->name, message->thread,
		strnlen(message->thread, sizeof(known->name)));
	known->origin = message->origin ? message->origin->hash : 0;
	known->coroutine = message->coroutine;
	known->capture = pack_define_capture_of(&pack->define, entry);
	known->entry = entry;
}

/* Null: out of memory. */
static struct known_thread *thread_of(
	struct pack *pack, const struct message *message)
{
	struct known_thread *known = &pack->threads[slot_of(message)];

	if (!known->entry || known->program != message->program ||
		known->tid != message->tid ||
		known->origin !=
			(message->origin ? message->origin->hash : 0) ||
		known->coroutine != message->coroutine ||
		strncmp(known->name, message->thread, sizeof(known->name)) != 0)
		know_thread(pack, known, message);
	if (!known->entry)
		return NULL;
	if (known->entry->batch != pack->batch.stamp) {
		if (!pack_define_again_thread(
			    &pack->define, known->entry, message))
			return NULL;
		known->entry->batch = pack->batch.stamp;
	}
	return known;
}

/* Null: out of memory. */
static struct pack_entry *site_of(
	struct pack *pack, const struct message *message)
{
	uint64_t packed = message->context->packed;
	struct pack_entry *site;

	if (packed >> 32 == pack->define.serial) {
		site = pack_table_entry(&pack->define.sites, (uint32_t)packed);
		if (site->batch == pack->batch.stamp)
			return site;
	}
	site = pack_define_site(&pack->define, message);
	if (site)
		site->batch = pack->batch.stamp;
	return site;
}

static bool report_cut(
	struct pack *pack, const struct message *message, size_t strings)
{
	const struct error error = {
		.code = ERROR_STRING,
		.offset = message->offset,
		.number = strings,
	};

	pack->left_out += strings;
	return pack_loss(pack, message->capture, &error);
}

static bool fail(struct pack *pack)
{
	pack->failed = true;
	return false;
}

static bool settle(struct pack *pack)
{
	return pack->frame.out.length < OUTPUT_BYTES || give_out(pack);
}

/* Strings that a frame has no room for, as in a batch; how many. */
static size_t leave_out(struct message *message, struct render_argument *kept)
{
	size_t room = PACK_BATCH_STRINGS_MAX;
	size_t cut = 0;
	size_t i;

	if (message->count > 0)
		memcpy(kept, message->arguments,
			message->count * sizeof(*kept));
	for (i = 0; i < message->count; i++) {
		if (kept[i].kind != BINLOG_ARG_STRING &&
			kept[i].kind != BINLOG_ARG_WIDE)
			continue;
		if (!kept[i].null && kept[i].bytes > room) {
			kept[i].null = true;
			cut++;
		}
		room -= kept[i].null ? 0 : kept[i].bytes;
	}
	message->arguments = kept;
	return cut;
}

static bool write_plain(struct pack *pack, const struct message *given,
	const struct pack_entry *site, const struct pack_entry *thread)
{
	struct render_argument kept[FORMAT_KINDS_MAX];
	struct message message = *given;
	size_t cut = 0;

	if (message.count <= FORMAT_KINDS_MAX)
		cut = leave_out(&message, kept);
	pack_handed_write(&pack->handed);
	if (!pack_define_mappings(&pack->define, thread))
		return fail(pack);
	pack_data_write(&pack->define, &message, site, thread, pack->number++);
	return (cut == 0 || report_cut(pack, given, cut)) && settle(pack);
}

bool pack_message(struct pack *pack, const struct message *message)
{
	struct pack_batch *batch = &pack->batch;
	struct known_thread *thread;
	struct pack_entry *site;
	size_t cut;

	if (pack->failed)
		return false;
	if (pack_batch_full(batch) &&
		(!message->continues || pack_batch_over(batch)) &&
		!write_batch(pack))
		return false;
	if (batch->count == 0 && !message->continues)
		begin_batch(pack);
	site = site_of(pack, message);
	thread = site ? thread_of(pack, message) : NULL;
	if (!thread)
		return fail(pack);
	if (pack->options.locations)
		pack_symbols_pointers(&pack->symbols, message);
	pack->messages += !message->partial && !message_is_event(message);
	pack->any = true;
	pack->part_messages++;
	if (pack->options.plain)
		return write_plain(pack, message, site, thread->entry);
	pack->number++;
	cut = pack_batch_add(batch, message, site->id, thread->entry->id,
		thread->capture,
		&pack->define.capture_states[thread->capture - 1]);
	return cut == 0 || report_cut(pack, message, cut);
}

bool pack_flush(struct pack *pack)
{
	return !pack->failed && write_batch(pack) && give_out(pack);
}

size_t pack_pending(const struct pack *pack)
{
	return pack->batch.count;
}

uint64_t pack_messages(const struct pack *pack)
{
	return pack->messages;
}

bool pack_has_any(const struct pack *pack)
{
	return pack->any;
}

uint64_t pack_left_out(const struct pack *pack)
{
	return pack->left_out;
}

struct frame_write *pack_frame(struct pack *pack)
{
	return &pack->frame;
}

bool pack_loss(
	struct pack *pack, struct recording *capture, const struct error *error)
{
	struct frame_write *frame = &pack->frame;
	struct pack_entry *entry = NULL;

	if (pack->failed)
		return false;
	if (capture) {
		entry = pack_define_capture(&pack->define, capture);
		if (!entry)
			return fail(pack);
	}
	frame_write_begin(frame, PACKED_LOSS);
	if (entry)
		frame_write_uint(frame, PACKED_LOSS_CAPTURE, entry->id);
	frame_write_uint(frame, PACKED_LOSS_CODE, error->code);
	frame_write_some(frame, PACKED_LOSS_OFFSET, error->offset);
	frame_write_some(frame, PACKED_LOSS_VALUE, error->number);
	frame_write_end(frame);
	return settle(pack);
}

bool pack_loss_of_more(struct pack *pack, const struct error_list *errors)
{
	struct error more = {.code = ERROR_MORE};

	if (errors->count <= ERROR_KEPT_MAX)
		return true;
	more.number = errors->count - ERROR_KEPT_MAX;
	return pack_loss(pack, NULL, &more);
}

bool pack_capture_end(struct pack *pack, struct recording *capture)
{
	if (!pack_flush(pack) || !pack_ends_capture(&pack->define, capture))
		return fail(pack);
	pack_define_forget(&pack->define, capture);
	memset(pack->threads, 0, sizeof(pack->threads));
	return settle(pack);
}

bool pack_end(struct pack *pack)
{
	if (!pack_flush(pack))
		return false;
	write_end(pack);
	if (!give_out(pack))
		return false;
	end_group(pack);
	return !pack->failed;
}

void pack_free(struct pack *pack)
{
	if (!pack)
		return;
	pack_batch_end(&pack->batch);
	pack_symbols_free(&pack->symbols);
	pack_handed_free(&pack->handed);
	pack_define_free(&pack->define);
	frame_write_free(&pack->frame);
	free(pack->group);
	render_buffer_free(&pack->parity);
	free(pack);
}
