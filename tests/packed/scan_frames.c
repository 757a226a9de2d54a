/*
 * scan_frames cases FILE: which frames of each damaged log in FILE
 * (damage_cases.py) are found: a line of offset+bytes for each.
 * scan_frames cuts LOG ENDS STEP: cuts LOG before every STEPth byte, and at
 * every byte around the ends of frames; says where there are not as many as
 * ENDS tells: a line for each with its end.
 * Both give the bytes in pieces of many sizes, as a pipe does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/packed/frame_scan.h"

#define ENDS_MAX 100000u
#define AROUND 12u

struct input {
	const uint8_t *bytes;
	size_t size;
	uint32_t chance;
};

static ssize_t give(void *closure, uint64_t offset, void *buffer, size_t size)
{
	struct input *input = closure;
	size_t left = offset < input->size ? input->size - offset : 0;

	input->chance = input->chance * 1664525u + 1013904223u;
	if (size > 1 && input->chance >> 30 == 0)
		size = 1 + (input->chance >> 8) % size;
	if (size > left)
		size = left;
	memcpy(buffer, input->bytes + offset, size);
	return (ssize_t)size;
}

/* Of all frames that are whole; damage is of no interest. */
static size_t count_frames(const uint8_t *bytes, size_t size, FILE *out)
{
	struct input input = {
		.bytes = bytes, .size = size, .chance = (uint32_t)size};
	struct frame_scan *scan = frame_scan_new(give, &input, 0);
	struct frame frame;
	size_t count = 0;

	if (!scan)
		abort();
	while ((frame = frame_scan_next(scan)).kind != FRAME_NONE) {
		if (frame.kind != FRAME_WHOLE)
			continue;
		if (out)
			fprintf(out, "%s%llu+%zu", count ? " " : "",
				(unsigned long long)frame.offset, frame.bytes);
		count++;
	}
	frame_scan_free(scan);
	return count;
}

static int scan_cases(FILE *file)
{
	uint32_t size;

	while (fread(&size, sizeof(size), 1, file) == 1) {
		uint8_t *bytes = malloc(size ? size : 1);

		if (!bytes || fread(bytes, 1, size, file) != size)
			return 1;
		count_frames(bytes, size, stdout);
		putchar('\n');
		free(bytes);
	}
	return 0;
}

static size_t ends[ENDS_MAX], ends_count;

static int read_ends(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t messages;

	if (!file)
		return 1;
	while (ends_count < ENDS_MAX &&
		fscanf(file, "%zu %zu", &ends[ends_count], &messages) == 2)
		ends_count++;
	return fclose(file) || ends_count == 0;
}

static int cut_everywhere(FILE *file, size_t step)
{
	static uint8_t bytes[4u << 20];
	size_t size = fread(bytes, 1, sizeof(bytes), file);
	size_t before = 0, wrong = 0;

	for (size_t cut = 0; cut <= size; cut++) {
		uint8_t *exactly;
		size_t found;

		while (before < ends_count && ends[before] <= cut)
			before++;
		if (cut % step != 0 &&
			(before == 0 || cut - ends[before - 1] > AROUND) &&
			(before == ends_count || ends[before] - cut > AROUND))
			continue;
		/* So that what reads beyond it is seen by those who look. */
		exactly = malloc(cut ? cut : 1);
		if (!exactly)
			return 1;
		memcpy(exactly, bytes, cut);
		found = count_frames(exactly, cut, NULL);
		free(exactly);
		if (found != before && wrong++ < 5)
			printf("cut at %zu: %zu frames, not %zu\n", cut, found,
				before);
	}
	return wrong != 0;
}

int main(int argc, char **argv)
{
	FILE *file = argc > 2 ? fopen(argv[2], "rb") : NULL;

	if (!file)
		return 2;
	if (strcmp(argv[1], "cases") == 0)
		return scan_cases(file);
	if (argc < 5 || read_ends(argv[3]))
		return 2;
	return cut_everywhere(file, (size_t)atol(argv[4]));
}
