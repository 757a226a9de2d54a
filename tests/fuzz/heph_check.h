/*
 * A strict walker of Heph's trace format: for the targets of what writes it.
 */
#ifndef TESTS_FUZZ_HEPH_CHECK_H
#define TESTS_FUZZ_HEPH_CHECK_H

#include "decoder/heph/heph_read.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/utf8_check.h"

struct heph_check {
	const uint8_t *at;
	const uint8_t *end;
};

static inline uint64_t heph_check_number(struct heph_check *heph, size_t bytes)
{
	uint64_t number = 0;

	FUZZ_CHECK(bytes <= (size_t)(heph->end - heph->at));
	while (bytes-- > 0)
		number = number << 8 | *heph->at++;
	return number;
}

static inline void heph_check_string(struct heph_check *heph)
{
	size_t bytes = heph_check_number(heph, 2);
	const uint8_t *end;

	FUZZ_CHECK(bytes <= (size_t)(heph->end - heph->at));
	for (end = heph->at + bytes; heph->at < end;)
		FUZZ_CHECK(utf8_check_next(&heph->at, end) != UINT32_MAX);
}

static inline void heph_check_attribute(struct heph_check *heph)
{
	uint64_t type, count = 1;

	heph_check_string(heph);
	type = heph_check_number(heph, 1);
	if (type & HEPH_ARRAY)
		count = heph_check_number(heph, 2);
	type &= ~(uint64_t)HEPH_ARRAY;
	FUZZ_CHECK(type >= HEPH_UNSIGNED && type <= HEPH_STRING);
	for (; count > 0; count--)
		if (type == HEPH_STRING)
			heph_check_string(heph);
		else
			heph_check_number(heph, 8);
}

/* All of it; how many events there are. */
static inline size_t heph_check(const uint8_t *bytes, size_t size)
{
	struct heph_check all = {bytes, size > 0 ? bytes + size : bytes};
	size_t events = 0;

	while (all.at < all.end) {
		uint64_t magic = heph_check_number(&all, 4);
		uint64_t packet = heph_check_number(&all, 4);
		struct heph_check body = {all.at, all.at};

		FUZZ_CHECK(
			packet >= HEPH_HEAD_BYTES &&
			packet - HEPH_HEAD_BYTES <= (size_t)(all.end - all.at));
		all.at = body.end = all.at + packet - HEPH_HEAD_BYTES;
		if (magic == HEPH_OPTION_MAGIC) {
			heph_check_string(&body);
			continue;
		}
		FUZZ_CHECK(magic == HEPH_EVENT_MAGIC);
		body.at += 32;
		heph_check_string(&body);
		while (body.at < body.end)
			heph_check_attribute(&body);
		events++;
	}
	return events;
}

#endif
