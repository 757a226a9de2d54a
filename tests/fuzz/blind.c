/*
 * Gives a target mutations of its corpus without looking at what they reach,
 * for which libFuzzer takes most of its time: `blind_NAME SEED SECONDS MOST
 * DIRECTORY...`, MOST in bytes.  Prints the number of executions.  An input
 * that fails, or takes ten seconds, is kept in the working directory as
 * blind-NAME-SEED.  Built with sanitizers; see tests/fuzz/run.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define HANG_SECONDS 10u
/* Mutations of one input after another, before the next one is taken. */
#define ROUNDS 64u
#define STEPS_MAX 8u

struct input {
	uint8_t *bytes;
	size_t size;
};

void __sanitizer_set_death_callback(void (*callback)(void));

static struct input *corpus;
static size_t corpus_count;
static uint64_t state;
static uint8_t *now; /* the input */
static size_t now_size;
static char kept[256];
static volatile uint64_t executions;
static volatile sig_atomic_t seconds_left;
static uint64_t last_executions;
static unsigned quiet_seconds;

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift
 * generators", 2016) */
static uint64_t random_bits(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1du >> 16;
}

static size_t below(size_t limit)
{
	return limit > 0 ? (size_t)(random_bits() % limit) : 0;
}

/* ---- mutations: of `size` bytes, with room for `most`; the new size ---- */

static size_t set_byte(uint8_t *data, size_t size, size_t most)
{
	static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '%',
		'0', '9', '-', '"', '\\', '*', '$', 0xc1};

	(void)most;
	if (size > 0)
		data[below(size)] = below(2) ? (uint8_t)random_bits()
					     : edges[below(sizeof(edges))];
	return size;
}

static size_t flip_bit(uint8_t *data, size_t size, size_t most)
{
	(void)most;
	if (size > 0)
		data[below(size)] ^= (uint8_t)(1u << below(8));
	return size;
}

static size_t set_word(uint8_t *data, size_t size, size_t most)
{
	uint64_t word = UINT64_MAX >> below(64);
	size_t bytes = (size_t)1 << below(4);

	(void)most;
	word += below(3) - 1;
	if (size >= bytes)
		memcpy(data + below(size - bytes + 1), &word, bytes);
	return size;
}

static size_t erase(uint8_t *data, size_t size, size_t most)
{
	size_t at = below(size);
	size_t bytes = 1 + below(below(2) ? 4 : size - at);

	(void)most;
	if (size == 0 || bytes > size - at)
		return size;
	memmove(data + at, data + at + bytes, size - at - bytes);
	return size - bytes;
}

/* Makes room, and fills it. */
static size_t insert(uint8_t *data, size_t size, size_t most,
	const uint8_t *from, size_t from_size)
{
	size_t bytes = from_size;
	size_t at = below(size + 1);

	if (bytes > most - size)
		bytes = most - size;
	memmove(data + at + bytes, data + at, size - at);
	memcpy(data + at, from, bytes);
	return size + bytes;
}

static size_t insert_byte(uint8_t *data, size_t size, size_t most)
{
	uint8_t byte = (uint8_t)random_bits();

	return insert(data, size, most, &byte, 1);
}

static size_t repeat(uint8_t *data, size_t size, size_t most)
{
	uint8_t part[64];
	size_t at = below(size);
	size_t bytes = 1 + below(sizeof(part));

	if (bytes > size - at)
		bytes = size - at;
	memcpy(part, data + at, bytes);
	return insert(data, size, most, part, bytes);
}

static size_t take_other(uint8_t *data, size_t size, size_t most)
{
	const struct input *other = &corpus[below(corpus_count)];
	size_t at = below(other->size);

	return insert(data, size, most, other->bytes + at,
		below(other->size - at + 1));
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	static size_t (*const ways[])(uint8_t *, size_t, size_t) = {set_byte,
		flip_bit, set_word, erase, insert_byte, repeat, take_other};
	size_t steps = 1 + below(STEPS_MAX);

	for (; steps > 0; steps--)
		size = ways[below(sizeof(ways) / sizeof(ways[0]))](
			data, size, most);
	return size;
}

/* A target that knows better has its own. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	(void)seed;
	return LLVMFuzzerMutate(data, size, most);
}

__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

/* ---- the corpus ---- */

static void fail(const char *what)
{
	fprintf(stderr, "blind: %s\n", what);
	exit(2);
}

static void read_input(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	struct input input = {0};
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		fail("an input cannot be read");
	input.size = S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
	input.bytes = malloc(input.size + 1);
	corpus = reallocarray(corpus, corpus_count + 1, sizeof(*corpus));
	if (!input.bytes || !corpus ||
		read(fd, input.bytes, input.size) != (ssize_t)input.size)
		fail("an input cannot be read");
	close(fd);
	corpus[corpus_count++] = input;
}

static void read_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		fail("there is no such directory");
	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.')
			read_input(dirfd(directory), entry->d_name);
	closedir(directory);
}

/* ---- the run ---- */

static void keep(void)
{
	int fd = open(kept, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t written = fd >= 0 ? write(fd, now, now_size) : -1;

	fprintf(stderr, "blind: Test unit written to %s%s\n", kept,
		written == (ssize_t)now_size ? "" : ", in part");
}

static void abandon(int number)
{
	keep();
	signal(number, SIG_DFL); /* abort() raises it once more */
}

static void tick(int signal)
{
	(void)signal;
	quiet_seconds = executions == last_executions ? quiet_seconds + 1 : 0;
	last_executions = executions;
	if (quiet_seconds >= HANG_SECONDS) {
		fprintf(stderr, "blind: ERROR: an input takes too long\n");
		abort();
	}
	if (seconds_left > 0)
		seconds_left--;
	alarm(1);
}

/* Its end is memory's end, for what watches memory. */
static void execute(const uint8_t *data, size_t size)
{
	now = malloc(size > 0 ? size : 1);
	if (!now)
		fail("out of memory");
	memcpy(now, data, size);
	now_size = size;
	LLVMFuzzerTestOneInput(now, size);
	free(now);
	executions++;
}

static void run(size_t most)
{
	uint8_t *data = malloc(most + 1);

	if (!data)
		fail("out of memory");
	while (seconds_left > 0) {
		const struct input *from = &corpus[below(corpus_count)];
		size_t size = from->size < most ? from->size : most;
		unsigned rounds = 1 + (unsigned)below(ROUNDS);

		memcpy(data, from->bytes, size);
		for (; rounds > 0 && seconds_left > 0; rounds--) {
			size = LLVMFuzzerCustomMutator(
				data, size, most, (unsigned)random_bits());
			execute(data, size);
		}
	}
	free(data);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	int i;

	if (argc < 5)
		fail("usage: blind_NAME SEED SECONDS MOST DIRECTORY...");
	LLVMFuzzerInitialize(&argc, &argv);
	snprintf(kept, sizeof(kept), "%s-%s", name ? name + 1 : argv[0],
		argv[1]);
	state = strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15u | 1;
	seconds_left = atoi(argv[2]);
	for (i = 4; i < argc; i++)
		read_directory(argv[i]);
	if (corpus_count == 0)
		fail("there is no input to begin with");
	__sanitizer_set_death_callback(keep);
	signal(SIGABRT, abandon);
	signal(SIGALRM, tick);
	alarm(1);
	run(strtoull(argv[3], NULL, 0));
	printf("%llu executions\n", (unsigned long long)executions);
	fflush(stdout);
	_exit(0);
}
