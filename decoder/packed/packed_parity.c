#include "decoder/packed/packed_parity.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "decoder/packed/packed_pieces.h"
#include "record/packed.h"

/*
 * The frames behind a group: MARK, PARITY with the first rows, MARK, PARITY
 * with the others, MARK.  All numbers have a fixed size, so that what a damaged
 * frame was can be told from where it is.
 */

#define FIRST_ROWS 4u /* in the first PARITY */
#define MARKS 3u

#define SUM_BYTES 7u /* 0xc1, 0xce, the sum, 0xc1 */
#define MARK_RECORD 20u
#define MARK_BYTES (SUM_BYTES + 1 + MARK_RECORD)
/* A raw's head, the tag, a map of two, the first row, and the head of the rows.
 */
#define PARITY_HEAD (SUM_BYTES + 5 + 2 + 2 + 6)

struct packed_group {
	uint64_t begin; /* in the file */
	size_t bytes;
	size_t row;
};

static size_t parity_bytes(size_t row, size_t rows)
{
	return PARITY_HEAD + rows * row;
}

/* Where the mark with this number is, behind the group. */
static size_t mark_at(size_t row, size_t number)
{
	return number * MARK_BYTES +
	       (number > 0 ? parity_bytes(row, FIRST_ROWS) : 0) +
	       (number > 1 ? parity_bytes(row, PARITY_ROWS - FIRST_ROWS) : 0);
}

static size_t section_bytes(size_t row)
{
	return mark_at(row, MARKS - 1) + MARK_BYTES;
}

/* Where a row of the parity is, behind the group. */
static size_t row_at(size_t row, size_t number)
{
	const bool second = number >= FIRST_ROWS;

	return mark_at(row, second) + MARK_BYTES + PARITY_HEAD +
	       (number - (second ? FIRST_ROWS : 0)) * row;
}

static void put_number(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 24);
	at[1] = (uint8_t)(value >> 16);
	at[2] = (uint8_t)(value >> 8);
	at[3] = (uint8_t)value;
}

static size_t number_at(const uint8_t *at)
{
	return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 |
	       at[3];
}

static void put_sum(uint8_t *frame, const uint8_t *record, size_t bytes)
{
	frame[0] = frame[6] = 0xc1;
	frame[1] = 0xce;
	put_number(frame + 2, crc32(0, record, (uInt)bytes));
}

static void put_field(uint8_t *at, unsigned field, size_t value)
{
	at[0] = (uint8_t)field;
	at[1] = 0xce;
	put_number(at + 2, value);
}

static void put_mark(uint8_t *frame, size_t bytes, size_t row, size_t number)
{
	uint8_t *record = frame + SUM_BYTES + 1;

	frame[SUM_BYTES] = 0xa0 | MARK_RECORD;
	record[0] = PACKED_MARK;
	record[1] = 0x83;
	put_field(record + 2, PACKED_MARK_BYTES, bytes);
	put_field(record + 8, PACKED_MARK_ROW_BYTES, row);
	put_field(record + 14, PACKED_MARK_BACK, bytes + mark_at(row, number));
	put_sum(frame, record, MARK_RECORD);
}

/* Around the rows, which are there. */
static void put_parity(uint8_t *frame, size_t row, size_t first, size_t rows)
{
	uint8_t *record = frame + SUM_BYTES + 5;
	const size_t bytes = parity_bytes(row, rows) - SUM_BYTES - 5;

	frame[SUM_BYTES] = 0xdb;
	put_number(frame + SUM_BYTES + 1, bytes);
	record[0] = PACKED_PARITY;
	record[1] = 0x82;
	record[2] = PACKED_PARITY_FIRST;
	record[3] = (uint8_t)first;
	record[4] = PACKED_PARITY_ROWS;
	record[5] = 0xc6;
	put_number(record + 6, rows * row);
	put_sum(frame, record, bytes);
}

/* All but the rows. */
static void put_section(uint8_t *section, size_t bytes)
{
	const size_t row = parity_row_bytes(bytes);
	size_t i;

	for (i = 0; i < MARKS; i++)
		put_mark(section + mark_at(row, i), bytes, row, i);
	put_parity(section + MARK_BYTES, row, 0, FIRST_ROWS);
	put_parity(section + mark_at(row, 1) + MARK_BYTES, row, FIRST_ROWS,
		PARITY_ROWS - FIRST_ROWS);
}

static void put_rows(uint8_t *section, const uint8_t *parity, size_t row)
{
	size_t i;

	for (i = 0; i < PARITY_ROWS; i++)
		memcpy(section + row_at(row, i), parity + i * row, row);
}

bool packed_parity_put(struct render_buffer *out, parity_read *read,
	void *closure, size_t bytes)
{
	const size_t row = parity_row_bytes(bytes);
	uint8_t *parity = malloc(PARITY_ROWS * row);
	uint8_t *section = malloc(section_bytes(row));
	bool made =
		parity && section && parity_make(read, closure, bytes, parity);

	if (made) {
		put_rows(section, parity, row);
		put_section(section, bytes);
		render_buffer_put(out, section, section_bytes(row));
	}
	free(parity);
	free(section);
	return made && !out->failed;
}

/*
 * Which group a place of the file is in.
 */

/* A record at `offset`, as the packer writes it. */
static bool read_mark(const uint8_t *record, size_t bytes, uint64_t offset,
	struct packed_group *group)
{
	uint64_t back;
	size_t i;

	if (bytes != MARK_RECORD || record[0] != PACKED_MARK)
		return false;
	group->bytes = number_at(record + 4);
	group->row = number_at(record + 10);
	back = number_at(record + 16);
	if (group->bytes == 0 || group->bytes > PACKED_GROUP_MAX ||
		group->row != parity_row_bytes(group->bytes) || back > offset)
		return false;
	group->begin = offset - back;
	for (i = 0; i < MARKS; i++)
		if (back == group->bytes + mark_at(group->row, i))
			return true;
	return false;
}

static uint64_t end_of(const struct packed_group *group)
{
	return group->begin + group->bytes + section_bytes(group->row);
}

static bool is_in(const struct packed_group *group, uint64_t offset)
{
	return group->bytes > 0 && offset >= group->begin &&
	       offset < end_of(group);
}

bool packed_parity_note(struct packed_file *file, const uint8_t *record,
	size_t bytes, uint64_t offset)
{
	struct packed_group group;

	if (bytes == 0 ||
		(record[0] != PACKED_MARK && record[0] != PACKED_PARITY))
		return false;
	if (read_mark(record, bytes, offset, &group)) {
		file->group_begin = group.begin;
		file->group_bytes = group.bytes;
	}
	return true;
}

/* The stretch of a file in which the mark must be, if there is one. */
struct stretch {
	struct packed_file *file;
	uint64_t end; /* in the file */
};

static ssize_t read_stretch(
	void *closure, uint64_t offset, void *buffer, size_t size)
{
	const struct stretch *stretch = closure;

	if (offset >= stretch->end)
		return 0;
	if (size > stretch->end - offset)
		size = (size_t)(stretch->end - offset);
	return packed_file_read(stretch->file, offset, buffer, size);
}

/*
 * Of a mark all but the number of bytes before it is known, if it is known
 * where the group begins: so a damaged one is found by what is left of it.
 */
#define MARK_BITS_MAX (MARK_BYTES * 8 / 8) /* that are wrong; chance: half */
#define CHUNK_BYTES ((size_t)64 << 10)

static unsigned wrong_bits(const uint8_t *a, const uint8_t *b)
{
	unsigned bits = 0;
	size_t i;

	for (i = 0; i < MARK_BYTES; i++)
		bits += (unsigned)__builtin_popcount(a[i] ^ b[i]);
	return bits;
}

static bool is_like_mark(const uint8_t *seen, size_t bytes, size_t number)
{
	uint8_t mark[MARK_BYTES];

	put_mark(mark, bytes, parity_row_bytes(bytes), number);
	return wrong_bits(seen, mark) <= MARK_BITS_MAX;
}

/* Where the first mark of a group with this beginning is in these bytes, which
 * are so far behind it, from `at` on; `size`: nowhere. */
static size_t find_mark(
	const uint8_t *bytes, size_t at, size_t size, size_t behind)
{
	uint8_t mark[MARK_BYTES];

	put_mark(mark, 1, 1, 0);
	for (; at + MARK_BYTES <= size; at++) {
		const uint8_t *seen = bytes + at;
		const unsigned like =
			(seen[0] == mark[0]) + (seen[1] == mark[1]) +
			(seen[6] == mark[6]) +
			(seen[SUM_BYTES] == mark[SUM_BYTES]) +
			(seen[8] == mark[8]) + (seen[9] == mark[9]);

		if (like >= 3 && behind + at > 0 &&
			is_like_mark(seen, behind + at, 0))
			return at;
	}
	return size;
}

/* Many bytes look a little like a mark; not at three places. */
static bool has_marks(
	struct packed_file *file, const struct packed_group *group)
{
	uint8_t seen[MARK_BYTES];
	size_t i;

	for (i = 0; i < MARKS; i++)
		if (packed_file_read(file,
			    group->begin + group->bytes +
				    mark_at(group->row, i),
			    seen, MARK_BYTES) != MARK_BYTES ||
			!is_like_mark(seen, group->bytes, i))
			return false;
	return true;
}

/* Groups follow each other; the first one begins with the file. */
static bool guess_group(
	struct packed_file *file, uint64_t offset, struct packed_group *group)
{
	const struct packed_group last = {file->group_begin, file->group_bytes,
		parity_row_bytes(file->group_bytes)};
	const uint64_t begin = last.bytes > 0 ? end_of(&last) : 0;
	uint8_t *bytes = malloc(CHUNK_BYTES);
	uint64_t at = offset;
	bool found = false;

	while (bytes && !found && at >= begin &&
		at - begin <= PACKED_GROUP_MAX) {
		const ssize_t read =
			packed_file_read(file, at, bytes, CHUNK_BYTES);
		const size_t size = read > 0 ? (size_t)read : 0;
		size_t place = 0;

		if (size < MARK_BYTES)
			break;
		while (!found && (place = find_mark(bytes, place, size,
					  (size_t)(at - begin))) < size) {
			group->begin = begin;
			group->bytes = (size_t)(at - begin) + place++;
			group->row = parity_row_bytes(group->bytes);
			found = group->bytes <= PACKED_GROUP_MAX &&
				has_marks(file, group);
		}
		at += size - MARK_BYTES + 1;
	}
	free(bytes);
	return found;
}

/*
 * The first mark from there on says it.  False: there is none, or it is of
 * another group.  Groups have nothing in common: one that reaches back into
 * what was tried is none, or a file could ask for the same bytes for ever.
 */
static bool find_group(
	struct packed_file *file, uint64_t offset, struct packed_group *group)
{
	struct stretch stretch = {file,
		offset + PACKED_GROUP_MAX +
			section_bytes(parity_row_bytes(PACKED_GROUP_MAX))};
	struct frame_scan *scan;
	struct frame frame;
	bool found = false;

	*group = (struct packed_group){file->group_begin, file->group_bytes,
		parity_row_bytes(file->group_bytes)};
	if (is_in(group, offset))
		return group->begin >= file->tried;
	if (offset < file->unmarked)
		return false;
	scan = frame_scan_new(read_stretch, &stretch, offset);
	while (scan && !found) {
		frame = frame_scan_next(scan);
		if (frame.kind == FRAME_NONE || frame.system != 0)
			break;
		found = frame.kind == FRAME_WHOLE &&
			read_mark(frame.record, frame.record_bytes,
				frame.offset, group);
	}
	if (!found)
		found = guess_group(file, offset, group);
	file->unmarked = found	? group->begin
			 : scan ? frame_scan_offset(scan)
				: offset;
	frame_scan_free(scan);
	return found && is_in(group, offset) && group->begin >= file->tried;
}

/*
 * A group in memory.
 */

struct packed_region {
	struct packed_group group;
	uint8_t *bytes; /* the group and what is behind it */
	size_t size;
};

static ssize_t read_region(
	void *closure, uint64_t offset, void *buffer, size_t size)
{
	const struct packed_region *region = closure;

	if (offset >= region->size)
		return 0;
	if (size > region->size - offset)
		size = (size_t)(region->size - offset);
	memcpy(buffer, region->bytes + offset, size);
	return (ssize_t)size;
}

/* Is told of each stretch that is damaged. */
typedef void damaged(void *closure, size_t begin, size_t end);

/* Returns how many bytes are. */
static uint64_t find_damage(
	struct packed_region *region, damaged *tell, void *closure)
{
	struct frame_scan *scan = frame_scan_new(read_region, region, 0);
	struct frame frame = {.kind = FRAME_NONE};
	uint64_t lost = scan ? 0 : UINT64_MAX;

	while (scan && (frame = frame_scan_next(scan)).kind != FRAME_NONE) {
		if (frame.kind != FRAME_DAMAGED)
			continue;
		lost += frame.lost;
		if (tell)
			tell(closure, (size_t)frame.offset,
				(size_t)(frame.offset + frame.lost));
	}
	frame_scan_free(scan);
	return lost;
}

static bool load(struct packed_region *region, struct packed_file *file)
{
	size_t at = 0;

	region->size = region->group.bytes + section_bytes(region->group.row);
	region->bytes = calloc(1, region->size);
	while (region->bytes && at < region->size) {
		ssize_t n = packed_file_read(file, region->group.begin + at,
			region->bytes + at, region->size - at);

		if (n < 0)
			return false;
		if (n == 0)
			break; /* cut off: zeros */
		at += (size_t)n;
	}
	return region->bytes;
}

/* Rows that are within damage. */
struct suspects {
	const struct packed_group *group;
	size_t origin; /* of what it is told, */
	bool may[PARITY_ALL_ROWS];
};

/* The place of what is at `offset` of a region, or of what is next. */
static size_t place_of(const struct packed_group *group, size_t offset)
{
	size_t i;

	if (offset <= group->bytes)
		return offset;
	offset -= group->bytes;
	for (i = 0; i < PARITY_ROWS; i++) {
		const size_t begin = row_at(group->row, i);

		if (offset < begin + group->row)
			return group->bytes + i * group->row +
			       (offset > begin ? offset - begin : 0);
	}
	return group->bytes + PARITY_ROWS * group->row;
}

static void suspect(void *closure, size_t begin, size_t end)
{
	struct suspects *suspects = closure;
	const struct packed_group *group = suspects->group;
	const size_t last = place_of(group, suspects->origin + end);
	size_t at = place_of(group, suspects->origin + begin);

	for (; at < last; at += group->row - at % group->row)
		suspects->may[at / group->row] = true;
}

/* Of a batch only pieces may be damaged.  False: another record. */
static bool suspect_pieces(struct packed_region *region,
	struct suspects *suspects, struct packed_record *record,
	const struct frame *before, const struct frame *frame)
{
	struct suspects kept = *suspects;

	if (frame->record_bytes == 0 || frame->record[0] != PACKED_PIECES ||
		before->offset + before->lost != frame->offset ||
		!packed_record_read(record, frame->record, frame->record_bytes))
		return false;
	kept.origin = (size_t)before->offset;
	if (!packed_pieces_damaged(record, region->bytes + before->offset,
		    before->lost, suspect, &kept))
		return false;
	kept.origin = 0;
	*suspects = kept;
	return true;
}

/* False: no memory. */
static bool find_suspects(
	struct packed_region *region, struct suspects *suspects)
{
	struct frame_scan *scan = frame_scan_new(read_region, region, 0);
	struct packed_record record = {0};
	struct frame before = {.lost = 0};
	struct frame frame;

	if (!scan)
		return false;
	do {
		frame = frame_scan_next(scan);
		if (before.lost > 0 &&
			(frame.kind != FRAME_WHOLE ||
				!suspect_pieces(region, suspects, &record,
					&before, &frame)))
			suspect(suspects, (size_t)before.offset,
				(size_t)(before.offset + before.lost));
		before.lost = 0;
		if (frame.kind == FRAME_DAMAGED)
			before = frame;
	} while (frame.kind != FRAME_NONE);
	frame_scan_free(scan);
	packed_record_free(&record);
	return true;
}

/* What has become of a region. */
struct attempt {
	struct packed_region *region;
	const uint8_t *parity;
};

/* A parity_check. */
static bool is_mended(void *closure)
{
	const struct attempt *attempt = closure;
	struct packed_region *region = attempt->region;
	const struct packed_group *group = &region->group;
	uint8_t *section = region->bytes + group->bytes;

	put_rows(section, attempt->parity, group->row);
	put_section(section, group->bytes);
	return find_damage(region, NULL, NULL) == 0;
}

/* False: no memory. */
static bool mend_rows(struct packed_region *region)
{
	const struct packed_group *group = &region->group;
	uint8_t *section = region->bytes + group->bytes;
	struct suspects suspects = {.group = group};
	uint8_t *parity = malloc(PARITY_ROWS * group->row);
	bool mended = false;
	size_t i;

	if (parity && find_suspects(region, &suspects)) {
		struct attempt attempt = {region, parity};

		for (i = 0; i < PARITY_ROWS; i++)
			memcpy(parity + i * group->row,
				section + row_at(group->row, i), group->row);
		mended = parity_mend(region->bytes, group->bytes, parity,
				 suspects.may, is_mended, &attempt) != SIZE_MAX;
		put_rows(section, parity, group->row);
		put_section(section, group->bytes);
	}
	free(parity);
	return mended;
}

/*
 * What a file is read as instead.
 */

struct packed_patch {
	uint64_t offset;
	size_t size;
	struct packed_patch *next;
	uint8_t bytes[];
};

struct patching {
	struct packed_file *file;
	const struct packed_region *damaged, *mended;
	uint64_t changed; /* bytes */
};

static void patch(void *closure, size_t begin, size_t end)
{
	struct patching *patching = closure;
	const struct packed_region *mended = patching->mended;
	const uint8_t *from = patching->damaged->bytes;
	struct packed_patch *made = malloc(sizeof(*made) + (end - begin));
	size_t i;

	if (!made)
		return; /* it stays damaged */
	made->offset = mended->group.begin + begin;
	made->size = end - begin;
	memcpy(made->bytes, mended->bytes + begin, end - begin);
	for (i = begin; i < end; i++)
		patching->changed += from[i] != mended->bytes[i];
	made->next = patching->file->patches;
	patching->file->patches = made;
}

static void drop_patches(struct packed_file *file, uint64_t before)
{
	struct packed_patch **at = &file->patches;

	while (*at) {
		struct packed_patch *patch = *at;

		if (patch->offset + patch->size > before) {
			at = &patch->next;
			continue;
		}
		*at = patch->next;
		free(patch);
	}
}

void packed_parity_free(struct packed_file *file)
{
	drop_patches(file, UINT64_MAX);
}

/* Whether less of it is damaged then: a frame that is whole stays as it is. */
static bool exchange(struct packed_file *file, struct packed_region *region,
	uint64_t *mended)
{
	struct packed_region fixed = *region;
	struct patching patching = {
		.file = file, .damaged = region, .mended = &fixed};
	uint64_t before;

	fixed.bytes = malloc(fixed.size);
	if (!fixed.bytes)
		return false;
	memcpy(fixed.bytes, region->bytes, fixed.size);
	if (mend_rows(&fixed)) {
		before = find_damage(region, NULL, NULL);
		if (find_damage(&fixed, NULL, NULL) < before)
			find_damage(region, patch, &patching);
	}
	free(fixed.bytes);
	*mended = patching.changed;
	return patching.changed > 0;
}

/* The group at `offset`; *mended is how many bytes were wrong. */
static bool mend_group(
	struct packed_file *file, uint64_t offset, uint64_t *mended)
{
	struct packed_region region = {0};
	bool done = false;

	if (!file->regular || offset < file->tried)
		return false;
	drop_patches(file, offset);
	if (!find_group(file, offset, &region.group))
		return false;
	file->tried = end_of(&region.group);
	if (load(&region, file))
		done = exchange(file, &region, mended);
	free(region.bytes);
	return done;
}

bool packed_parity_mend(struct packed_file *file, const struct frame *frame,
	struct frame_scan **scan, struct error_list *errors)
{
	struct error error = {
		.code = ERROR_MENDED,
		.file = file->path,
		.offset = frame->offset,
	};
	struct frame_scan *again;

	/* a read that has failed is no damage */
	if (frame->system != 0 || frame->lost == 0 ||
		!mend_group(file, frame->offset, &error.number))
		return false;
	again = packed_file_scan(file, frame->offset);
	if (!again)
		return false;
	frame_scan_free(*scan);
	*scan = again;
	error_add(errors, &error);
	return true;
}

void packed_parity_patch(const struct packed_file *file, uint64_t offset,
	uint8_t *bytes, size_t size)
{
	const struct packed_patch *patch = file->patches;

	for (; patch; patch = patch->next) {
		const uint64_t begin =
			patch->offset > offset ? patch->offset : offset;
		const uint64_t patch_end = patch->offset + patch->size;
		const uint64_t end =
			patch_end < offset + size ? patch_end : offset + size;

		if (begin < end)
			memcpy(bytes + (begin - offset),
				patch->bytes + (begin - patch->offset),
				(size_t)(end - begin));
	}
}

uint64_t packed_parity_data(
	const struct packed_file *file, uint64_t offset, uint64_t data)
{
	const struct packed_patch *patch = file->patches;

	for (; patch; patch = patch->next)
		if (patch->offset + patch->size > offset &&
			patch->offset < data)
			data = patch->offset > offset ? patch->offset : offset;
	return data;
}
