/*
 * Any bytes as a file of kept answers: they are refused, or all that they say
 * is there to be read; and what is written is read back, unless a byte of it
 * is another one.  The input is pieces with a 16-bit number of bytes before
 * each; the first one says what the others are: a file, its tables, or answers
 * to be written.
 */
#include "base/bytehash.h"
#include "symbolizer/worker/cachefile.h"
#include "tests/fuzz/paged.h"

#define KEY "key"
#define FILE_MAX ((size_t)1 << 16)

/* ---- mutations ---- */

/* Tables are of small numbers. */
static size_t change(uint8_t *inside, size_t size, size_t most, uint32_t *seed)
{
	uint32_t small = pieces_random(seed) % 24;

	if (most > UINT16_MAX)
		most = UINT16_MAX;
	if (size < 8 || pieces_chance(seed, 50))
		return LLVMFuzzerMutate(inside, size, most);
	memcpy(inside + pieces_random(seed) % (size / 4) * 4, &small,
		sizeof(small));
	return size;
}

static const struct piece_format pieces = {
	.find = paged_find, .change = change, .frame = paged_frame};

PIECES_MUTATORS(pieces)

struct part {
	const uint8_t *bytes;
	size_t size;
};

/* The next piece of what is left. */
static struct part take(struct part *left)
{
	struct piece piece = paged_find(left->bytes, left->size);
	struct part part = {left->bytes + piece.head, piece.size - piece.head};

	left->bytes += piece.size;
	left->size -= piece.size;
	return part;
}

/* ---- files ---- */

/* All that is read without a check, because the file was not refused. */
static void check_answers(const struct answerstore *store)
{
	size_t i;
	size_t k;

	for (i = 0; i < store->answer_count; i++) {
		const struct answerstore_answer *found =
			answerstore_find(store, store->answers[i].address);
		const char *sentence;
		size_t bytes = 0;

		FUZZ_CHECK(found && found->count >= 1);
		FUZZ_CHECK(found->address == store->answers[i].address);
		sentence = answerstore_sentence(store, found);
		bytes += sentence ? strlen(sentence) : 0;
		for (k = 0; k < found->count && k < 4; k++) {
			const struct symbolizer_frame frame = answerstore_frame(
				store, found, found->count - 1 - k);

			bytes += frame.function ? strlen(frame.function) : 0;
			bytes += frame.file ? strlen(frame.file) : 0;
		}
		FUZZ_CHECK(bytes <= 9 * store->string_bytes);
	}
}

static bool read_file(
	const uint8_t *bytes, size_t size, struct askedmodule *module)
{
	FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "r");
	bool fine;

	FUZZ_CHECK(file);
	*module = (struct askedmodule){0};
	fine = cachefile_read(file, size, KEY, module);
	fclose(file);
	if (fine)
		check_answers(&module->answers);
	else
		FUZZ_CHECK(!module->answers.answers && !module->opened.files);
	return fine;
}

static void forget(struct askedmodule *module)
{
	answerstore_free(&module->answers);
	openedlist_free(&module->opened);
}

static void read_any(struct part left)
{
	struct askedmodule module;

	if (left.size == 0)
		return;
	read_file(left.bytes, left.size, &module);
	forget(&module);
}

/* ---- tables ---- */

struct made {
	uint8_t bytes[FILE_MAX];
	size_t size;
	uint64_t sum;
};

static void put(struct made *made, const void *bytes, size_t size)
{
	if (size == 0)
		return;
	memcpy(made->bytes + made->size, bytes, size);
	made->size += size;
	made->sum = bytehash(bytes, size, made->sum);
}

static void put_counted(struct made *made, const void *bytes, size_t size)
{
	const uint64_t count = size;

	put(made, &count, sizeof(count));
	put(made, bytes, size);
}

/* A file whose sum is right, but for the files that were opened. */
static void read_tables(struct part left)
{
	static struct made made;
	struct askedmodule module;
	const uint64_t none = 0;
	uint64_t head[3];
	size_t tables;

	if (left.size > FILE_MAX / 2)
		return;
	memcpy(head, "binname2", sizeof(head[0]));
	made.size = sizeof(head);
	made.sum = 0;
	put_counted(&made, KEY, sizeof(KEY));
	put(&made, &none, sizeof(none));
	for (tables = 0; tables < 3; tables++) {
		struct part table = take(&left);

		put_counted(&made, table.bytes, table.size);
	}
	head[1] = made.size - sizeof(head);
	head[2] = made.sum;
	memcpy(made.bytes, head, sizeof(head));
	read_file(made.bytes, made.size, &module);
	forget(&module);
}

/* ---- answers ---- */

/* The rest of the names from there on, or null. */
static const char *name_at(const char *names, size_t size, uint8_t at)
{
	return at % 8 == 0 ? NULL : names + at % size;
}

/* Of 8 bytes each. */
static void fill(struct answerstore *store, struct part answers,
	const char *names, size_t size)
{
	struct symbolizer_frame frames[3];
	size_t i;

	for (; answers.size >= 8; answers.bytes += 8, answers.size -= 8) {
		const uint8_t *at = answers.bytes;
		uint64_t address = at[0] * (uint64_t)0x10204081;
		const struct resolver_answer answer = {
			.frames = frames,
			.count = 1 + at[1] % 3,
			.sentence = name_at(names, size, at[2]),
		};

		for (i = 0; i < answer.count; i++)
			frames[i] = (struct symbolizer_frame){
				.function = name_at(names, size, at[3 + i]),
				.file = name_at(names, size, at[4 + i]),
				.line = at[5],
				.offset = (uint64_t)at[6] << 33,
				.inlined = i == 0 && at[7] & 1,
			};
		if (!answerstore_find(store, address))
			FUZZ_CHECK(answerstore_add(store, address, &answer));
	}
}

static void check_same(
	const struct askedmodule *one, const struct askedmodule *other)
{
	const struct answerstore *a = &one->answers, *b = &other->answers;

	FUZZ_CHECK(a->answer_count == b->answer_count);
	FUZZ_CHECK(a->frame_count == b->frame_count);
	FUZZ_CHECK(a->string_bytes == b->string_bytes);
	FUZZ_CHECK(a->answer_count == 0 ||
		   memcmp(a->answers, b->answers,
			   a->answer_count * sizeof(*a->answers)) == 0);
	FUZZ_CHECK(a->frame_count == 0 ||
		   memcmp(a->frames, b->frames,
			   a->frame_count * sizeof(*a->frames)) == 0);
	FUZZ_CHECK(a->string_bytes == 0 ||
		   memcmp(a->strings, b->strings, a->string_bytes) == 0);
	FUZZ_CHECK(other->opened.count == one->opened.count);
}

static size_t write_file(uint8_t *bytes, const struct askedmodule *module)
{
	FILE *file = fmemopen(bytes, FILE_MAX, "w");
	uint64_t head[3];

	FUZZ_CHECK(file && cachefile_write(file, KEY, module));
	FUZZ_CHECK(fclose(file) == 0);
	memcpy(head, bytes, sizeof(head));
	return sizeof(head) + head[1];
}

/* One byte of the file is changed to another. */
static void damage(uint8_t *bytes, size_t size, struct part how)
{
	uint16_t at;

	memcpy(&at, how.bytes, sizeof(at));
	bytes[at % size] ^= how.bytes[2];
}

static void write_and_read(struct part left)
{
	static const struct openfile_identity nothing;
	static uint8_t bytes[FILE_MAX];
	struct askedmodule written = {0};
	struct askedmodule read;
	struct part how = take(&left);
	struct part answers = take(&left);
	char names[64] = "";
	size_t size;

	if (left.size > 512 || answers.size > 512)
		return;
	size = left.size < sizeof(names) - 1 ? left.size : sizeof(names) - 1;
	memcpy(names, left.bytes, size);
	FUZZ_CHECK(openedlist_put(&written.opened, NULL, "/none/x", &nothing));
	fill(&written.answers, answers, names, size + 1);
	size = write_file(bytes, &written);
	FUZZ_CHECK(read_file(bytes, size, &read));
	check_same(&written, &read);
	forget(&read);
	if (how.size >= 3 && how.bytes[2] != 0) {
		damage(bytes, size, how);
		FUZZ_CHECK(!read_file(bytes, size, &read));
	}
	forget(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readings[])(struct part left) = {
		read_any, read_tables, write_and_read};
	struct part left = {data, size};
	struct part first;

	if (size == 0)
		return -1;
	first = take(&left);
	if (first.size == 0)
		return -1;
	readings[first.bytes[0] % 3](left);
	return 0;
}
