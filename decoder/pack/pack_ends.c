#include "decoder/pack/pack_ends.h"

#include <stdlib.h>

#include "decoder/capture/liveness.h"
#include "decoder/pack/pack_value.h"

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
	frame_write_end(frame);
}

bool pack_ends_capture(struct pack_define *define, struct recording *capture)
{
	const struct pack_entry *entry = pack_define_capture(define, capture);
	struct accounts accounts = {0};
	bool done = entry && collect(define, &accounts, capture);

	if (done)
		put_end(define, entry->id, capture, &accounts);
	free(accounts.all);
	return done;
}
