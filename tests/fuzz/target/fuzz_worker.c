/*
 * Any packets as the answers of the process that reads strangers' files: each
 * question is answered, the same again without asking, or what has happened is
 * told in a sentence.  The input is the packets, each with a 16-bit number of
 * bytes before it; the first one says what is asked, and how the process ends.
 */
#include "symbolizer/answers/answerstore.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/worker/worker.h"
#include "tests/fuzz/hostile_worker.h"
#include "tests/fuzz/one_file.h"
#include "tests/fuzz/paged.h"
#include "tests/fuzz/utf8_check.h"

#define ADDRESSES 4u
#define EXPECTED 2u /* of them */
#define STRINGS 32u

static const struct symbolizer_module module = {.path = ONE_FILE_PATH};
static const uint64_t addresses[ADDRESSES] = {0x1139, 0x1160, 0x1000, 0x4010};
static size_t reports;

/* ---- mutations ---- */

static uint64_t number_at(const uint8_t *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return number;
}

/* Where there is a number of bytes, and then these, the last of them zero. */
static size_t find_strings(
	const uint8_t *packet, size_t size, size_t places[STRINGS])
{
	size_t count = 0;
	size_t at;

	for (at = 4; at + 8 < size && count < STRINGS; at++) {
		uint64_t bytes = number_at(packet + at);

		if (bytes > 0 && bytes <= size - at - 8 &&
			packet[at + 8 + bytes - 1] == '\0')
			places[count++] = at;
	}
	return count;
}

static size_t change_string(
	uint8_t *packet, size_t size, size_t most, size_t at)
{
	static uint8_t changed[PIECE_ROOM];
	size_t bytes = number_at(packet + at);
	uint8_t *string = packet + at + 8;
	size_t after = size - at - 8 - bytes;
	uint64_t now;

	memcpy(changed, string, bytes);
	now = LLVMFuzzerMutate(changed, bytes - 1, bytes + 32) + 1;
	changed[now - 1] = '\0';
	if (now > bytes && now - bytes > most - size)
		return size;
	memmove(string + now, string + bytes, after);
	memcpy(string, changed, now);
	memcpy(packet + at, &now, sizeof(now));
	return size - bytes + now;
}

static size_t change(uint8_t *packet, size_t size, size_t most, uint32_t *seed)
{
	size_t places[STRINGS];
	size_t strings = find_strings(packet, size, places);
	uint32_t small = pieces_random(seed) % 20;
	size_t words = size / 4;

	if (most > UINT16_MAX)
		most = UINT16_MAX;
	if (size < 8 || pieces_chance(seed, 25))
		return LLVMFuzzerMutate(packet, size, most);
	if (strings > 0 && pieces_chance(seed, 60))
		return change_string(packet, size, most,
			places[pieces_random(seed) % strings]);
	memcpy(packet + pieces_random(seed) % words * 4, &small, sizeof(small));
	return size;
}

static const struct piece_format packets = {
	.find = paged_find, .change = change, .frame = paged_frame};

PIECES_MUTATORS(packets)

/* ---- what is asked ---- */

struct told {
	size_t frames;
	size_t sum; /* of all that was told */
};

static size_t sum_of(const void *bytes, size_t count)
{
	const uint8_t *at = bytes;
	size_t sum = count;

	while (count-- > 0)
		sum = sum * 31 + at[count];
	return sum;
}

static size_t sum_of_string(const char *string)
{
	return string ? sum_of(string, strlen(string)) : 0;
}

static void take_frame(void *closure, const struct symbolizer_frame *frame)
{
	struct told *told = closure;

	told->frames++;
	told->sum = told->sum * 31 + sum_of_string(frame->function);
	told->sum = told->sum * 31 + sum_of_string(frame->file);
	told->sum = told->sum * 31 + frame->line + frame->column;
	told->sum = told->sum * 31 + frame->offset + frame->inlined;
}

/* What this process says itself names the file, and is harmless. */
static void take_report(void *closure, const char *sentence)
{
	(void)closure;
	FUZZ_CHECK(strncmp(sentence, ONE_FILE_PATH ": no ",
			   strlen(ONE_FILE_PATH ": no ")) == 0);
	FUZZ_CHECK(utf8_check_is_harmless(sentence, strlen(sentence)));
	reports++;
}

static struct told resolve(struct symbolizer *symbolizer, uint64_t address)
{
	struct told told = {0};
	const char *sentence = symbolizer_resolve(
		symbolizer, &module, address, take_frame, &told);

	FUZZ_CHECK(told.frames >= 1 && told.frames <= ANSWERSTORE_FRAMES_MAX);
	told.sum = told.sum * 31 + sum_of_string(sentence);
	return told;
}

static struct told between(struct symbolizer *symbolizer, uint64_t address)
{
	const struct symbolizer_gap gap = {.next = address, .name = "printf"};
	struct told told = {0};

	symbolizer_between(symbolizer, &module, &gap, take_frame, &told);
	FUZZ_CHECK(told.frames >= 1 && told.frames <= ANSWERSTORE_FRAMES_MAX);
	return told;
}

/* Again it is the same, and no more is taken from the process. */
static void ask_twice(struct symbolizer *symbolizer, uint64_t address,
	struct told (*ask)(struct symbolizer *symbolizer, uint64_t address))
{
	struct told told = ask(symbolizer, address);
	size_t before = hostile_worker.packets;
	struct told again = ask(symbolizer, address);

	FUZZ_CHECK(again.frames == told.frames && again.sum == told.sum);
	FUZZ_CHECK(hostile_worker.packets == before);
}

static void ask_for_names(void)
{
	const struct symbolizer_options options = {.report = take_report};
	struct symbolizer *symbolizer = symbolizer_new(&options);
	size_t i;

	FUZZ_CHECK(symbolizer);
	reports = 0;
	symbolizer_expect(symbolizer, &module, addresses, EXPECTED);
	for (i = 0; i < ADDRESSES; i++)
		ask_twice(symbolizer, addresses[i], resolve);
	ask_twice(symbolizer, addresses[0], between);
	FUZZ_CHECK(reports <= 1);
	symbolizer_free(symbolizer);
}

static void take_call(void *closure, const struct symbolizer_call *call)
{
	size_t *sum = closure;
	size_t i;

	*sum += sum_of_string(call->function);
	for (i = 0; i < call->text_count; i++)
		*sum += sum_of(call->texts[i].bytes, call->texts[i].count);
}

/* It ends, and is no longer than what it came in. */
static void check_sentence(const char *sentence)
{
	FUZZ_CHECK(!sentence || strlen(sentence) < WIRE_BYTES_MAX);
}

static void ask_for_calls(void)
{
	size_t sum = 0;

	check_sentence(symbolizer_calls(ONE_FILE_PATH, take_call, &sum));
}

static void ask_for_texts(struct symbolizer_program *program)
{
	size_t sum = 0;
	size_t i;

	for (i = 0; i < ADDRESSES; i++) {
		size_t count = 0;
		const char *string = symbolizer_program_string(
			program, addresses[i], &count);
		const char *bytes =
			symbolizer_program_bytes(program, addresses[i], 8);

		FUZZ_CHECK(!string || string[count] == '\0');
		sum += string ? sum_of(string, count) : 0;
		sum += bytes ? sum_of(bytes, 8) : 0;
		FUZZ_CHECK(symbolizer_program_string(
				   program, addresses[i], &count) == string ||
			   !string);
	}
	check_sentence(symbolizer_program_calls(program, take_call, &sum));
}

static void ask_for_program(void)
{
	static const struct symbolizer_options options;
	struct symbolizer_program *program;
	char *complaint;

	program = symbolizer_program_open(&options, &module, &complaint);
	if (program) {
		FUZZ_CHECK(!complaint);
		ask_for_texts(program);
		symbolizer_program_close(program);
	}
	check_sentence(complaint);
	free(complaint);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	/* as many calls are believed as code of this size may have */
	static const char file[4096] = "\177ELF";

	(void)argc;
	(void)argv;
	one_file_begin();
	one_file_set(file, sizeof(file));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const questions[])(void) = {
		ask_for_names, ask_for_program, ask_for_calls};
	struct piece first = paged_find(data, size);
	const uint8_t *said = data + first.head;

	if (first.size < first.head + 3)
		return -1;
	hostile_worker_begin(&packets, data + first.size, size - first.size,
		said[1] << 8 | (said[2] & 0x7f));
	questions[said[0] % 3]();
	hostile_worker_end();
	return 0;
}
