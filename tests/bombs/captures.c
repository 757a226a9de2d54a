/*
 * captures DIR: captures that are small and would cost a careless reader
 * seconds, gigabytes or its life.  DIR/NAME.binlog is one; most have a single
 * call, with a hostile format.
 */
#include <float.h>
#include <stdio.h>

#include "tests/support/make_capture.h"

#define BLOCK BINLOG_BLOCK_MAX
#define MILLION 1000000u

static const char *directory;

static void write_out(struct make_capture *capture, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.binlog", directory, name);
	make_file(capture, path);
	make_free(capture);
}

static struct make_block begin(
	struct make_capture *capture, const char *format, const char *kinds)
{
	const struct make_context context = {.id = 16,
		.text = BINLOG_TEXT_FORMAT,
		.format = 1,
		.stream = 1,
		.kinds = kinds};
	struct make_block block;

	*capture = make_capture();
	block = make_block(capture, 0, 0, BLOCK, 1);
	make_stream(&block, 1, BINLOG_STREAM_STDOUT, 1);
	make_string(&block, 1, format);
	make_context(&block, &context);
	return block;
}

/* One call; `values` is what each argument begins with, in its own size. */
static void call(const char *name, const char *format, const char *kinds,
	const void *const *values)
{
	static const char wide[] = "w\0\0\0\x41\0\x11\0\xff\xff\xff\xff";
	struct make_capture capture;
	struct make_block block = begin(&capture, format, kinds);
	size_t i;

	make_message(&block, 16, 2);
	for (i = 0; kinds[i]; i++)
		switch (kinds[i]) {
		case BINLOG_ARG_I32:
			make_bytes(&block, values[i], 4);
			break;
		case BINLOG_ARG_I64:
		case BINLOG_ARG_F64:
			make_bytes(&block, values[i], 8);
			break;
		case BINLOG_ARG_LONG_DOUBLE:
			make_bytes(&block, values[i], 16);
			break;
		case BINLOG_ARG_STRING:
			make_text(&block, values[i]);
			break;
		case BINLOG_ARG_WIDE:
			make_u32(&block, sizeof(wide) - 1);
			make_bytes(&block, wide, sizeof(wide) - 1);
			break;
		}
	write_out(&capture, name);
}

/* `times` times the same in one format. */
static char *repeated(const char *text, size_t times)
{
	size_t length = strlen(text);
	char *all = malloc(length * times + 1);
	size_t i;

	assert(all);
	for (i = 0; i < times; i++)
		memcpy(all + i * length, text, length);
	all[length * times] = '\0';
	return all;
}

static void many(const char *name, const char *directive, size_t bytes,
	const char *kinds, const void *const *values)
{
	char *format = repeated(directive, bytes / strlen(directive));

	call(name, format, kinds, values);
	free(format);
}

#define KINDS_I "\1"
#define KINDS_L "\2"
#define KINDS_F "\3"
#define KINDS_LD "\4"
#define KINDS_S "\5"
#define KINDS_W "\6"

static void formats(void)
{
	static const double largest = DBL_MAX;
	static const double pi = 3.14159;
	static const int32_t most = INT32_MAX;
	static const int32_t least = INT32_MIN;
	static const int64_t anywhere = 0x4141414141414141;
	static const long double widest = LDBL_MAX;
	const void *const number[] = {&most, &most, &most};
	const void *const fraction[] = {&pi};
	const void *const large[] = {&largest};
	const void *const pointer[] = {&anywhere};
	const void *const stars[] = {&most, &most, &largest};
	const void *const left[] = {&least, &most};
	const void *const precise[] = {&widest};
	const void *text[1];
	char *string = repeated("abcdefgh", 8000);

	call("positional", "%99999999$f", KINDS_F, fraction);
	call("precision", "%.500000000f", KINDS_F, fraction);
	call("width", "%2147483640f", KINDS_F, fraction);
	call("precision_most", "%.2147483640f", KINDS_F, fraction);
	call("written", "%n", KINDS_L, pointer);
	call("anywhere", "%s", KINDS_L, pointer);
	call("star", "%*d", KINDS_I KINDS_I, number);
	call("star_left", "%*d", KINDS_I KINDS_I, left);
	call("left", "%-2147483647d", KINDS_I, number);
	call("stars", "%0*.*f", KINDS_I KINDS_I KINDS_F, stars);
	call("wide", "%2147483647ls", KINDS_W, number);
	call("grouped", "%'.0Lf%'.2147483640Lf", KINDS_LD KINDS_LD,
		(const void *const[]){&widest, &widest});
	call("exponent", "%.2147483640Le", KINDS_LD, precise);
	call("hexadecimal", "%.2147483640La", KINDS_LD, precise);
	call("beyond", "%99999999999999999999d", KINDS_I, number);
	many("many_widths", "%1$999999d", 64 << 10, KINDS_I, number);
	many("many_doubles", "%1$f", 64 << 10, KINDS_F, large);
	many("many_long_doubles", "%1$.0Lf", 64 << 10, KINDS_LD, precise);
	many("many_precise", "%1$.9999Lf", 64 << 10, KINDS_LD, precise);
	many("many_exponents", "%1$Le", 64 << 10, KINDS_LD, precise);
	many("many_shortest", "%1$g", 64 << 10, KINDS_F, large);
	many("many_hexadecimal", "%1$.9999La", 64 << 10, KINDS_LD, precise);
	many("many_percents", "%%", 64 << 10, "", NULL);
	many("many_unknown", "%!", 64 << 10, "", NULL);
	many("many_modifiers", "%hhhhhhhhll", 64 << 10, "", NULL);
	many("many_flags", "%-+ 0#'I", 64 << 10, "", NULL);
	many("one_directive", "-", 64 << 10, "", NULL);
	text[0] = string;
	many("again", "%1$s", 64 << 10, KINDS_S, text);
	free(string);
}

/* Blocks whose heads lie. */
static void blocks(void)
{
	static const uint32_t sizes[] = {0, 1, sizeof(struct binlog_block),
		sizeof(struct binlog_block) + 1, 4096, BLOCK - 1, BLOCK,
		BLOCK + 1, INT32_MAX, UINT32_MAX};
	struct make_capture capture = make_capture();
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct make_block block =
			make_block(&capture, (uint32_t)i, 0, 4096, i + 1);

		make_block_head(&block)->size = sizes[i];
	}
	make_header(&capture)->published = UINT64_MAX;
	make_header(&capture)->next = UINT64_MAX;
	write_out(&capture, "block_sizes");
}

/* Control records of every kind whose lengths lie. */
static void controls(void)
{
	static const uint32_t sizes[] = {
		0, 4, 8, 12, 64, 4096, INT32_MAX, UINT32_MAX - 7, UINT32_MAX};
	struct make_capture capture = make_capture();
	uint32_t writer = 0;
	uint32_t kind;
	size_t i;

	for (kind = 0; kind < 32; kind++)
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct make_block block = make_block(
				&capture, writer, 0, 4096, writer + 1);

			writer++;
			make_u32(&block, kind);
			make_u32(&block, sizes[i]);
			while (block.at < block.end)
				make_u32(&block, UINT32_MAX);
		}
	write_out(&capture, "control_sizes");
}

/* Strings that say they are longer than all there is. */
static void strings(void)
{
	static const uint32_t sizes[] = {
		4096, BLOCK, INT32_MAX, UINT32_MAX - 3, UINT32_MAX};
	struct make_capture capture;
	struct make_block block = begin(&capture, "%s\n", KINDS_S);
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const struct make_context context = {
			.id = 16, .text = BINLOG_TEXT_BYTES, .kinds = KINDS_S};

		block = make_block(&capture, (uint32_t)i + 1, 0, 4096, 1);
		make_context(&block, &context);
		make_message(&block, 16, 2);
		make_u32(&block, sizes[i]);
	}
	write_out(&capture, "string_sizes");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	directory = argv[1];
	formats();
	blocks();
	controls();
	strings();
	return 0;
}
