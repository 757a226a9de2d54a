#include "decoder/capture/lost_page.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decoder/capture/block_scan.h"

/* So many pages without a block are looked at, holes not counted. */
#define PAGES_MAX 16384

/* No process has a larger number: PID_MAX_LIMIT of Linux. */
#define PID_MOST (1u << 22)

/* No machine is up for longer, nanoseconds: nine years. */
#define UPTIME_MOST ((uint64_t)1 << 58)

/* Clocks that are read one after another: no more apart. */
#define READ_NS 10000000u

/* Clocks and ends that others may have; more is damage. */
#define NUMBER_MOST 255u

#define LIBC_LEAST 2000u
#define LIBC_MOST 2999u

static uint64_t round_up(uint64_t offset)
{
	return (offset + BINLOG_PAGE - 1) & ~(uint64_t)(BINLOG_PAGE - 1);
}

static bool is_any_block(const struct binlog_block *head)
{
	struct block_search search = {.nonce = head->nonce};

	return block_is(&search, head);
}

bool lost_page_begins(const void *bytes, size_t size)
{
	struct binlog_block head;
	size_t at;

	for (at = 0; at < size && size - at >= sizeof(head);
		at += BINLOG_PAGE) {
		memcpy(&head, (const char *)bytes + at, sizeof(head));
		if (is_any_block(&head))
			return true;
	}
	return false;
}

/*
 * The first block at `*offset` or behind it, which becomes its own; `pages`
 * bounds how many others are looked at.  False: there is none.
 */
static bool next_block(struct recording *capture, uint64_t *offset,
	size_t pages, struct binlog_block *head)
{
	for (; *offset < capture->size && pages > 0; pages--) {
		uint64_t after = *offset + BINLOG_PAGE;

		if (recording_read(capture, *offset, head, sizeof(*head)) <
			sizeof(*head))
			return false;
		if (is_any_block(head))
			return true;
		*offset = recording_skip_hole(capture, after) &
			  ~(uint64_t)(BINLOG_PAGE - 1);
	}
	return false;
}

bool lost_page_has_blocks(struct recording *capture)
{
	struct binlog_block head;
	uint64_t offset = 0;

	return next_block(capture, &offset, PAGES_MAX, &head);
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left;
	const uint64_t *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* The one that is there most often; if there are several the first of all, if
 * it is one of them: who follows the capture takes that. */
static uint64_t most_frequent(uint64_t *numbers, size_t count)
{
	const uint64_t begin = numbers[0];
	size_t longest = 0;
	size_t first = 0;
	uint64_t found = 0;
	size_t i;

	qsort(numbers, count, sizeof(*numbers), compare);
	for (i = 1; i <= count; i++) {
		if (i < count && numbers[i] == numbers[first])
			continue;
		if (i - first > longest ||
			(i - first == longest && numbers[first] == begin)) {
			longest = i - first;
			found = numbers[first];
		}
		first = i;
	}
	return found;
}

bool lost_page_nonce(struct recording *capture, uint64_t *nonce)
{
	uint64_t *nonces = NULL;
	size_t count = 0;
	size_t room = 0;
	struct binlog_block head;
	uint64_t offset = 0;

	while (next_block(
		capture, &offset, count ? SIZE_MAX : PAGES_MAX, &head)) {
		if (!array_reserve(nonces, room, count + 1)) {
			free(nonces);
			return false;
		}
		nonces[count++] = head.nonce;
		offset = round_up(offset + head.size);
	}
	if (count > 0)
		*nonce = most_frequent(nonces, count);
	free(nonces);
	return count > 0;
}

/* What the blocks say of it. */
struct witness {
	uint64_t nonce;
	uint32_t pid;		    /* 0: nobody says */
	enum binlog_clock clock;    /* as anchors look */
	struct binlog_anchor first; /* by time since the boot */
	bool at_begin; /* the first of them is where the page should be */
};

static bool is_nanoseconds(const struct binlog_anchor *anchor)
{
	return anchor->ticks - anchor->monotonic < READ_NS;
}

static bool ask_blocks(struct recording *capture, struct witness *witness)
{
	struct binlog_block head;
	uint64_t offset = 0;
	size_t nanoseconds = 0;
	size_t count = 0;
	uint64_t founded = UINT64_MAX;

	*witness = (struct witness){0};
	if (!lost_page_nonce(capture, &witness->nonce))
		return false;
	while (next_block(capture, &offset, SIZE_MAX, &head)) {
		uint64_t at = offset;

		offset = round_up(offset + head.size);
		if (head.nonce != witness->nonce)
			continue;
		if (count++ == 0 ||
			head.anchor.boottime < witness->first.boottime)
			witness->first = head.anchor;
		witness->at_begin |= at == 0;
		nanoseconds += is_nanoseconds(&head.anchor);
		if (head.process == 0 && head.pid != 0 &&
			head.anchor.boottime < founded) {
			founded = head.anchor.boottime;
			witness->pid = head.pid;
		}
	}
	witness->clock = nanoseconds > count / 2 ? BINLOG_CLOCK_MONOTONIC
						 : BINLOG_CLOCK_TSC;
	return true;
}

static bool is_clock(uint32_t clock)
{
	return clock != 0 && clock <= NUMBER_MOST;
}

static bool is_pid(uint32_t pid)
{
	return pid != 0 && pid <= PID_MOST;
}

/* In a time namespace each of the two has an offset of its own. */
static bool is_anchor(const struct binlog_anchor *anchor)
{
	static const struct binlog_anchor zeros;

	return memcmp(anchor, &zeros, sizeof(zeros)) != 0 &&
	       anchor->boottime < UPTIME_MOST &&
	       anchor->monotonic < UPTIME_MOST;
}

static bool is_libc(uint32_t libc)
{
	return libc >= LIBC_LEAST && libc <= LIBC_MOST;
}

/* What is behind the header, zeros if the file is cut off there. */
static struct binlog_founder read_founder(struct recording *capture)
{
	struct binlog_founder founder;

	if (recording_read(capture, capture->header_at + BINLOG_FOUNDER_OFFSET,
		    &founder, sizeof(founder)) < sizeof(founder))
		return (struct binlog_founder){0};
	return founder;
}

uint32_t lost_page_libc(struct recording *capture)
{
	struct binlog_founder founder = read_founder(capture);

	return is_libc(founder.libc) ? founder.libc : 0;
}

/* Zeros are as good as any other account. */
static bool is_founder(struct recording *capture)
{
	struct binlog_founder founder = read_founder(capture);

	return founder.ppid <= PID_MOST && founder.ancestor <= PID_MOST &&
	       founder.end <= NUMBER_MOST &&
	       (founder.libc == 0 || is_libc(founder.libc));
}

bool lost_page_is_doubtful(struct recording *capture)
{
	const struct binlog_header *header = &capture->header;

	return !is_clock(header->clock) || !is_pid(header->pid) ||
	       !is_anchor(&header->start) || !is_founder(capture);
}

/* Nothing of it is believed, but a number that hardly anything else is. */
static void replace(struct recording *capture, const struct witness *witness)
{
	uint32_t machine = capture->header.machine;

	if (machine != EM_X86_64 && machine != EM_AARCH64)
		machine = EM_NONE;
	capture->page_lost = true;
	capture->blocks_at = witness->at_begin ? 0 : BINLOG_PAGE;
	capture->header = (struct binlog_header){
		.version = BINLOG_VERSION,
		.byte_order = BINLOG_BYTE_ORDER,
		.nonce = witness->nonce,
		.clock = witness->clock,
		.start = witness->first,
		.pid = witness->pid,
		.machine = machine,
	};
	recording_report(capture, ERROR_PAGE_LOST, 0, 0);
}

bool lost_page_mend(struct recording *capture, bool foreign)
{
	struct binlog_header *header = &capture->header;
	struct witness witness;
	bool clock, pid, start, founder;

	if (!ask_blocks(capture, &witness))
		return false;
	clock = !is_clock(header->clock);
	pid = !is_pid(header->pid);
	start = !is_anchor(&header->start) ||
		header->start.boottime > witness.first.boottime + READ_NS;
	founder = !is_founder(capture);
	if (witness.at_begin || (header->nonce != witness.nonce) + foreign +
						clock + pid + start + founder >
					1) {
		replace(capture, &witness);
		return true;
	}
	if (clock)
		header->clock = witness.clock;
	if (pid)
		header->pid = witness.pid;
	if (start)
		header->start = witness.first;
	capture->page_lost = founder;
	recording_report(capture, ERROR_PAGE_MENDED, 0, 0);
	return true;
}
