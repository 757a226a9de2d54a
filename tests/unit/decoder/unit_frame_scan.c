#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <zlib.h>

#include "decoder/packed/frame_scan.h"
#include "record/packed.h"
#include "tests/unit/world/inject_faults.h"

#define FRAMES 48u

/* What is scanned: bytes, given out in pieces; or one pattern again and
 * again, and then the bytes. */
struct input {
	const uint8_t *bytes;
	size_t size;
	size_t piece; /* 0: as many as are asked for */
	const uint8_t *pattern;
	size_t pattern_bytes;
	uint64_t repeated; /* bytes of it */
};

struct log {
	uint8_t bytes[FRAMES * 1100];
	size_t size;
	size_t ends[FRAMES];
	uint32_t seed;
};

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static ssize_t read_input(
	void *closure, uint64_t offset, void *buffer, size_t size)
{
	const struct input *input = closure;
	uint8_t *to = buffer;
	size_t i;

	if (input->piece && size > input->piece)
		size = input->piece;
	if (offset < input->repeated) {
		if (size > input->repeated - offset)
			size = (size_t)(input->repeated - offset);
		for (i = 0; i < size; i++)
			to[i] = input->pattern[(offset + i) %
					       input->pattern_bytes];
		return (ssize_t)size;
	}
	offset -= input->repeated;
	if (size > input->size - offset)
		size = input->size - (size_t)offset;
	memcpy(buffer, input->bytes + offset, size);
	return (ssize_t)size;
}

static size_t put_frame(uint8_t *to, const void *record, size_t size)
{
	uint32_t sum = (uint32_t)crc32(0, record, (uInt)size);
	size_t head = size < 32 ? 8 : 10;

	to[0] = to[6] = 0xc1;
	to[1] = 0xce;
	to[2] = (uint8_t)(sum >> 24);
	to[3] = (uint8_t)(sum >> 16);
	to[4] = (uint8_t)(sum >> 8);
	to[5] = (uint8_t)sum;
	to[7] = size < 32 ? (uint8_t)(0xa0 | size) : 0xda;
	if (size >= 32) {
		to[8] = (uint8_t)(size >> 8);
		to[9] = (uint8_t)size;
	}
	memmove(to + head, record, size);
	return head + size;
}

static void make_log(struct log *log, uint32_t seed)
{
	uint8_t record[1024];
	size_t i, k;

	log->seed = seed;
	log->size = 0;
	for (i = 0; i < FRAMES; i++) {
		size_t size =
			next_random(&log->seed) % (i % 3 ? 40 : sizeof(record));

		for (k = 0; k < size; k++)
			record[k] = (uint8_t)next_random(&log->seed);
		log->size += put_frame(log->bytes + log->size, record, size);
		log->ends[i] = log->size;
	}
}

struct found {
	size_t whole;
	size_t damages;
	uint64_t lost;
	enum error_code code; /* of the last damage */
	uint64_t ends[FRAMES];
};

static void scan(struct input *input, struct found *found)
{
	struct frame_scan *scanner = frame_scan_new(read_input, input, 0);
	struct frame frame;

	memset(found, 0, sizeof(*found));
	assert_non_null(scanner);
	while ((frame = frame_scan_next(scanner)).kind != FRAME_NONE) {
		if (frame.kind == FRAME_DAMAGED) {
			found->damages++;
			found->lost += frame.lost;
			found->code = frame.code;
			continue;
		}
		if (found->whole < FRAMES)
			found->ends[found->whole] = frame.offset + frame.bytes;
		found->whole++;
	}
	frame_scan_free(scanner);
}

static void a_log_that_is_cut_has_its_whole_frames(void **state)
{
	static struct log log;
	struct found found;
	size_t size, whole;

	(void)state;
	make_log(&log, 1);
	for (size = whole = 0; size <= log.size; size++) {
		struct input input = {.bytes = log.bytes, .size = size};
		size_t before = whole ? log.ends[whole - 1] : 0;

		while (whole < FRAMES && log.ends[whole] <= size)
			before = log.ends[whole++];
		scan(&input, &found);
		assert_int_equal(found.whole, whole);
		assert_int_equal(found.damages, size > before);
		assert_int_equal(found.lost, size - before);
		if (size > before)
			assert_int_equal(found.code, ERROR_FRAME_CUT);
	}
}

static void flipped_bits_cost_the_frames_that_they_are_in(void **state)
{
	static struct log log;
	bool hurt[FRAMES];
	struct found found;
	uint32_t seed;
	size_t i, k;

	(void)state;
	for (seed = 1; seed <= 3000; seed++) {
		struct input input = {.bytes = log.bytes};
		size_t flips = 1 + seed % 50;
		size_t expected = 0;

		make_log(&log, seed);
		input.size = log.size;
		memset(hurt, 0, sizeof(hurt));
		for (i = 0; i < flips; i++) {
			size_t bit = next_random(&log.seed) % (log.size * 8);

			for (k = 0; log.ends[k] <= bit / 8; k++)
				;
			if (hurt[k])
				continue; /* or it might be healed */
			hurt[k] = true;
			log.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		scan(&input, &found);
		for (k = 0; k < FRAMES; k++)
			if (!hurt[k])
				assert_int_equal(
					found.ends[expected++], log.ends[k]);
		assert_int_equal(found.whole, expected);
	}
}

static void pieces_of_any_size_make_no_difference(void **state)
{
	static struct log log;
	struct found whole, pieces;
	size_t piece;

	(void)state;
	make_log(&log, 7);
	log.bytes[log.ends[20] + 5] ^= 1;
	for (piece = 1; piece < 70; piece++) {
		struct input input = {.bytes = log.bytes, .size = log.size};

		scan(&input, &whole);
		input.piece = piece;
		scan(&input, &pieces);
		assert_memory_equal(&whole, &pieces, sizeof(whole));
		assert_int_equal(whole.whole, FRAMES - 1);
	}
}

static void an_intact_frame_hides_those_in_it(void **state)
{
	uint8_t inner[64], outer[128];
	size_t size = put_frame(inner, "\x0c\x80", 2);
	struct input input = {.bytes = outer};
	struct found found;

	(void)state;
	memset(inner + size, 'x', sizeof(inner) - size);
	input.size = put_frame(outer, inner, sizeof(inner));
	scan(&input, &found);
	assert_int_equal(found.whole, 1);
	assert_int_equal(found.ends[0], input.size);
	outer[input.size - 1] ^= 1;
	scan(&input, &found);
	assert_int_equal(found.whole, 1);
	assert_int_equal(found.ends[0], 10 + size);
}

static void damage_has_its_cause(void **state)
{
	static struct log log;
	struct input input = {.bytes = log.bytes};
	struct found found;

	(void)state;
	make_log(&log, 3);
	input.size = log.size;
	log.bytes[0] = 'x';
	scan(&input, &found);
	assert_int_equal(found.code, ERROR_FRAME);
	make_log(&log, 3);
	log.bytes[2] ^= 1;
	scan(&input, &found);
	assert_int_equal(found.code, ERROR_FRAME_SUM);
	make_log(&log, 3);
	memcpy(log.bytes + 7, "\xdb\xff\xff\xff\xff", 5);
	scan(&input, &found);
	assert_int_equal(found.code, ERROR_FRAME_LENGTH);
}

static void sums_of_stretches_are_those_of_zlib(void **state)
{
	static uint8_t bytes[1u << 20];
	struct frame_sums sums = {0};
	uint32_t seed = 1;
	uint32_t sum;
	size_t at, i;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)next_random(&seed);
	for (at = FRAME_SUMS_STEP; at < sizeof(bytes);
		at += next_random(&seed) % 5000) {
		/* Half of them are short. */
		size_t most = next_random(&seed) % 2 ? 40 : sizeof(bytes);
		size_t size = next_random(&seed) % most % (sizeof(bytes) - at);

		assert_true(frame_sums_find(
			&sums, bytes + at, at + 77, size, &sum));
		assert_int_equal(sum, crc32(0, bytes + at, (uInt)size));
	}
	frame_sums_free(&sums);
}

/* As large as a record may be, and no larger. */
static void the_largest_record_is_read(void **state)
{
	struct input input = {0};
	struct found found;
	uint8_t *bytes = calloc(1, 12 + PACKED_RECORD_MAX + 1);
	uint32_t sum = (uint32_t)crc32(0, bytes + 12, PACKED_RECORD_MAX);
	size_t i;

	(void)state;
	memcpy(bytes, "\xc1\xce\0\0\0\0\xc1\xdb", 8);
	for (i = 0; i < 4; i++) {
		bytes[2 + i] = (uint8_t)(sum >> 8 * (3 - i));
		bytes[8 + i] = (uint8_t)(PACKED_RECORD_MAX >> 8 * (3 - i));
	}
	input.bytes = bytes;
	input.size = 12 + PACKED_RECORD_MAX;
	scan(&input, &found);
	assert_int_equal(found.whole, 1);
	assert_int_equal(found.damages, 0);
	bytes[11]++;
	input.size++;
	scan(&input, &found);
	assert_int_equal(found.whole, 0);
	assert_int_equal(found.code, ERROR_FRAME_LENGTH);
	free(bytes);
}

/* Its memory is given back only where nothing in it is needed any more. */
static void what_was_found_is_there_after_a_rest(void **state)
{
	uint8_t bytes[32] = "xx";
	size_t size = 2 + put_frame(bytes + 2, "\x0c\x80", 2);
	struct input input = {.bytes = bytes, .size = size};
	struct frame_scan *scanner = frame_scan_new(read_input, &input, 0);

	(void)state;
	assert_int_equal(frame_scan_next(scanner).kind, FRAME_DAMAGED);
	frame_scan_rest(scanner);
	assert_int_equal(frame_scan_next(scanner).kind, FRAME_WHOLE);
	frame_scan_rest(scanner);
	assert_int_equal(frame_scan_next(scanner).kind, FRAME_NONE);
	frame_scan_rest(scanner);
	assert_int_equal(frame_scan_next(scanner).kind, FRAME_NONE);
	frame_scan_free(scanner);
}

/* Many candidates, for which sums are kept. */
static void without_memory_a_scan_says_so(void **state)
{
	static const char pattern[] =
		"\xc1\xce\0\0\0\0\xc1\xdb\0\x07\xff\xff\x09\x81";
	static struct log log;
	struct input input = {
		.bytes = log.bytes,
		.pattern = (const uint8_t *)pattern,
		.pattern_bytes = sizeof(pattern) - 1,
		.repeated = (sizeof(pattern) - 1) * 50000,
	};
	unsigned long k = 1;
	struct found found;

	(void)state;
	make_log(&log, 5);
	input.size = log.size;
	do {
		inject_begin(INJECT_MEMORY, k++, true);
		scan(&input, &found);
		inject_end();
		assert_int_equal(inject.blocks, 0);
		if (inject.happened)
			assert_int_equal(found.code, ERROR_MEMORY);
	} while (inject.happened);
	assert_true(found.whole >= FRAMES - 1);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 0xc1 and nothing else; and heads that lie, with and without a record. */
static void heads_that_lie_cost_little_and_hide_nothing(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} patterns[] = {
		{"\xc1", 1},
		{"\xc1\xce\0\0\0\0\xc1\xbf", 8},
		{"\xc1\xce\0\0\0\0\xc1\xda\xff\xff", 10},
		{"\xc1\xce\0\0\0\0\xc1\xdb\0\x07\xff\xff", 12},
		{"\xc1\xce\0\0\0\0\xc1\xdb\0\x07\xff\xff\x09\x81", 14},
		{"\xc1\xce\0\0\0\0\xc1\xdb\0\x07\xff\xff\x09\xde", 14},
		{"\xc1\xce\0\0\0\0\xc1\xdb\0\x07\xff\xff\x09\xdf", 14},
		{"\xc1\xce\0\0\0\0\xc1\xdb\0\x07\xff\xff\x09\x90", 14},
		{"\xc1\xce\0\0\0\0\xc1\xdb\0\x07\xff\xff\x09\x7f", 14},
	};
	static struct log log;
	struct found found;
	size_t i;

	(void)state;
	make_log(&log, 5);
	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct input input = {
			.bytes = log.bytes,
			.size = log.size,
			.pattern = (const uint8_t *)patterns[i].bytes,
			.pattern_bytes = patterns[i].size,
			.repeated = patterns[i].size *
				    ((2u << 20) / patterns[i].size),
		};
		double before = seconds();

		scan(&input, &found);
		assert_true(seconds() - before < 2);
		assert_in_range(found.whole, FRAMES - 1, FRAMES);
		assert_int_equal(found.damages, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_that_is_cut_has_its_whole_frames),
		cmocka_unit_test(flipped_bits_cost_the_frames_that_they_are_in),
		cmocka_unit_test(pieces_of_any_size_make_no_difference),
		cmocka_unit_test(an_intact_frame_hides_those_in_it),
		cmocka_unit_test(damage_has_its_cause),
		cmocka_unit_test(sums_of_stretches_are_those_of_zlib),
		cmocka_unit_test(the_largest_record_is_read),
		cmocka_unit_test(what_was_found_is_there_after_a_rest),
		cmocka_unit_test(without_memory_a_scan_says_so),
		cmocka_unit_test(heads_that_lie_cost_little_and_hide_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
