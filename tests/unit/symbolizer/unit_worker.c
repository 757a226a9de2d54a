#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/symbolizer.h"
#include "symbolizer/worker/wire.h"
#include "symbolizer/worker/workerloop.h"

/*
 * The function that hashes a file's code is the caller's and is called in the
 * worker: here it does there what a hostile file might bring the worker to.
 */
#define SELF "/proc/self/exe"
#define WANTED 0x1234

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

static const char *const no_directories[] = {NULL};
static const struct symbolizer_module good = {.path = SELF};
static const struct symbolizer_module bad = {
	.path = SELF, .content_hash = WANTED};
static uint64_t (*action)(void);
static char reported[512];
static int reports;

static uint64_t hash(const void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	return action();
}

static void report(void *closure, const char *sentence)
{
	(void)closure;
	snprintf(reported, sizeof(reported), "%s", sentence);
	reports++;
}

static struct symbolizer *new_symbolizer(uint64_t memory, unsigned seconds)
{
	const struct symbolizer_options options = {
		.debug_directories = no_directories,
		.hash = hash,
		.memory_bytes = memory,
		.seconds = seconds,
		.report = report,
	};
	struct symbolizer *symbolizer = symbolizer_new(&options);

	assert_non_null(symbolizer);
	reported[0] = '\0';
	reports = 0;
	return symbolizer;
}

static void take(void *closure, const struct symbolizer_frame *frame)
{
	char *name = closure;

	snprintf(name, 64, "%s", frame->function ? frame->function : "");
}

static int take_bias(struct dl_phdr_info *info, size_t bytes, void *closure)
{
	(void)bytes;
	*(uint64_t *)closure = info->dlpi_addr; /* the program comes first */
	return 1;
}

/* An address of this function as in the file. */
static uint64_t here(void)
{
	uint64_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	return (uintptr_t)here - bias;
}

static void assert_named(struct symbolizer *symbolizer)
{
	char name[64] = "";
	const char *sentence =
		symbolizer_resolve(symbolizer, &good, here(), take, name);

	if (sentence)
		fail_msg("%s", sentence);
	assert_string_equal(name, "here");
}

/* The action costs the names of its own file and of no other. */
static void assert_death(struct symbolizer *symbolizer, const char *words)
{
	char name[64] = "";
	const char *sentence;
	int turn;

	assert_named(symbolizer);
	for (turn = 0; turn < 2; turn++) {
		sentence = symbolizer_resolve(
			symbolizer, &bad, here(), take, name);
		assert_string_equal(name, "");
		assert_non_null(sentence);
		if (!strstr(sentence, words))
			fail_msg("%s", sentence);
		assert_non_null(strstr(sentence, SELF ": no names: "));
		assert_null(strchr(sentence, '\n'));
		assert_string_equal(sentence, reported);
	}
	assert_int_equal(reports, 1);
	assert_named(symbolizer);
}

/* Of the processor: what others do meanwhile does not count. */
static time_t seconds_of_children(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
}

static void assert_deadly(uint64_t (*what)(void), const char *words)
{
	struct symbolizer *symbolizer = new_symbolizer(0, 1);
	time_t before = seconds_of_children();

	action = what;
	assert_death(symbolizer, words);
	symbolizer_free(symbolizer);
	assert_true(seconds_of_children() - before <= 4);
}

static uint64_t crash(void)
{
	raise(SIGSEGV);
	return 0;
}

static void a_crash_costs_the_names_of_one_file(void **state)
{
	(void)state;
	assert_deadly(crash, "signal 11 (Segmentation fault)");
}

static uint64_t call_abort(void)
{
	abort();
}

static void what_libc_detects_is_told_as_such(void **state)
{
	(void)state;
	assert_deadly(call_abort, "signal 6 (Aborted)");
}

static uint64_t loop(void)
{
	while (action)
		__asm__ volatile("" ::: "memory");
	return 0;
}

static void an_endless_loop_ends(void **state)
{
	(void)state;
	assert_deadly(loop, "more than 1 s");
}

static uint64_t make_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? WANTED : 0;
}

static uint64_t make_process(void)
{
	return fork() < 0 ? WANTED : 0;
}

static uint64_t make_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
		       ? WANTED
		       : 0;
}

static uint64_t make_signal(void)
{
	return kill(getppid(), 0) == 0 ? WANTED : 0;
}

static void what_it_has_no_right_to_ends_it(void **state)
{
	(void)state;
	if (SANITIZED)
		skip();
	assert_deadly(make_socket, "no right to");
	assert_deadly(make_process, "no right to");
	assert_deadly(make_code, "no right to");
	assert_deadly(make_signal, "no right to");
}

/* The right answer is given when all that it may not look at is refused. */
static uint64_t look_around(void)
{
	struct stat status;
	char link[64];
	int descriptor;

	for (descriptor = 1; descriptor < 1024; descriptor++)
		if (write(descriptor, "x", 1) >= 0)
			return 0;
	if (open("/etc/passwd", O_RDONLY) >= 0 ||
		open("/tmp/unit_worker", O_WRONLY | O_CREAT, 0600) >= 0 ||
		stat("/etc/passwd", &status) == 0 ||
		readlink("/proc/self/exe", link, sizeof(link)) >= 0 ||
		access("/", R_OK) == 0)
		return 0;
	return errno == EACCES ? WANTED : 0;
}

static void there_are_no_files_for_it(void **state)
{
	struct symbolizer *symbolizer;
	char name[64] = "";

	(void)state;
	if (SANITIZED)
		skip();
	symbolizer = new_symbolizer(0, 1);
	action = look_around;
	assert_null(symbolizer_resolve(symbolizer, &bad, here(), take, name));
	assert_string_equal(name, "here");
	symbolizer_free(symbolizer);
}

static uint64_t take_memory(void)
{
	const size_t piece = (size_t)1 << 20;
	size_t pieces = 0;
	size_t i;
	void *taken[512];

	while (pieces < 512 && (taken[pieces] = malloc(piece)) != NULL)
		pieces++;
	for (i = 0; i < pieces; i++)
		free(taken[i]);
	return pieces > 32 && pieces <= 96 ? WANTED : 0;
}

/* What a file may take is more for a large one, and this one is small. */
static void memory_is_limited(void **state)
{
	struct symbolizer *symbolizer;
	char name[64] = "";

	(void)state;
	if (SANITIZED)
		skip();
	action = take_memory;
	symbolizer = new_symbolizer((uint64_t)64 << 20, 0);
	assert_null(symbolizer_resolve(symbolizer, &bad, here(), take, name));
	assert_string_equal(name, "here");
	symbolizer_free(symbolizer);
}

static uint64_t end_without_memory(void)
{
	_exit(WORKERLOOP_NO_MEMORY);
}

static void without_memory_it_ends(void **state)
{
	(void)state;
	assert_deadly(end_without_memory, "more than 1024 MiB of memory");
}

static uint64_t speak_nonsense(void)
{
	struct wire_writer *packet = calloc(1, sizeof(*packet));

	wire_begin(packet, WIRE_READY);
	wire_send(0, packet, -1, 0);
	wire_begin(packet, WIRE_ANSWERS);
	wire_put_u32(packet, 3);
	wire_put_u64(packet, UINT64_MAX);
	wire_put_u64(packet, UINT64_MAX);
	wire_send(0, packet, -1, 0);
	return 0;
}

static uint64_t say_nothing(void)
{
	struct wire_writer *packet = calloc(1, sizeof(*packet));

	packet->length = 0;
	wire_send(0, packet, -1, 0);
	return loop();
}

static void nonsense_is_not_believed(void **state)
{
	(void)state;
	assert_deadly(speak_nonsense, "nonsense");
	assert_deadly(say_nothing, "signal 9");
}

/* It takes no reply, so that whoever waits for room would wait for ever. */
static uint64_t flood(void)
{
	struct wire_writer *packet = calloc(1, sizeof(*packet));

	wire_begin(packet, WIRE_FIND);
	wire_put_string(packet, NULL);
	wire_put_string(packet, "/nonexistent/file");
	while (action)
		wire_send(0, packet, -1, 0);
	return 0;
}

/* The same, but taking the replies: each one comes at once. */
static uint64_t chat(void)
{
	struct wire_writer *packet = calloc(1, sizeof(*packet));
	void *room = malloc(WIRE_BYTES_MAX);
	struct wire_reader reply;

	wire_begin(packet, WIRE_FIND);
	wire_put_string(packet, NULL);
	wire_put_string(packet, "/nonexistent/file");
	while (action) {
		wire_send(0, packet, -1, 0);
		wire_receive(0, room, &reply, NULL, 0);
	}
	return 0;
}

static void a_flood_of_requests_ends(void **state)
{
	(void)state;
	assert_deadly(flood, "nonsense");
	assert_deadly(chat, "more than 1 s");
}

static void processes_are_not_started_for_ever(void **state)
{
	struct symbolizer *symbolizer = new_symbolizer(0, 1);
	struct symbolizer_module module = bad;
	const char *sentence = NULL;
	char name[64];
	int turn;

	(void)state;
	action = crash;
	for (turn = 0; turn < 12; turn++) {
		module.content_hash++;
		sentence = symbolizer_resolve(
			symbolizer, &module, here(), take, name);
		assert_non_null(strstr(sentence,
			turn < 8 ? "Segmentation" : "too many other files"));
	}
	symbolizer_free(symbolizer);
}

/* The only child of this process. */
static pid_t child(void)
{
	char path[64];
	int pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	file = fopen(path, "re");
	assert_non_null(file);
	if (fscanf(file, "%d", &pid) != 1)
		pid = 0;
	fclose(file);
	return pid;
}

static void a_worker_that_dies_between_questions_is_missed(void **state)
{
	struct symbolizer *symbolizer = new_symbolizer(0, 1);
	const char *sentence;
	char name[64];

	(void)state;
	assert_named(symbolizer);
	assert_true(child() > 0);
	assert_int_equal(kill(child(), SIGKILL), 0);
	sentence =
		symbolizer_resolve(symbolizer, &good, here() + 1, take, name);
	assert_non_null(strstr(sentence, "signal 9 (Killed)"));
	symbolizer_free(symbolizer);
	assert_int_equal(child(), 0);
}

/* Then nobody can say how a child ended, nor that it has. */
static void children_may_be_ignored(void **state)
{
	struct symbolizer *symbolizer = new_symbolizer(0, 1);

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	action = crash;
	assert_death(symbolizer, "has ended");
	symbolizer_free(symbolizer);
	signal(SIGCHLD, SIG_DFL);
}

static bool has_ended(pid_t pid)
{
	int turns = 0;

	while (kill(pid, 0) == 0 && turns++ < 500)
		usleep(10000);
	return kill(pid, 0) != 0;
}

/* The worker loops and looks at nothing; here its parent is a child of ours. */
static void it_does_not_outlive_its_parent(void **state)
{
	struct symbolizer *symbolizer;
	char name[64];
	pid_t parent;
	pid_t worker = 0;

	(void)state;
	action = loop;
	parent = fork();
	if (parent == 0) {
		symbolizer = new_symbolizer(0, 60);
		symbolizer_resolve(symbolizer, &bad, here(), take, name);
		_exit(0);
	}
	while (worker == 0) {
		char path[64];
		FILE *file;

		usleep(10000);
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
			(int)parent, (int)parent);
		file = fopen(path, "re");
		assert_non_null(file);
		if (fscanf(file, "%d", &worker) != 1)
			worker = 0;
		fclose(file);
	}
	usleep(100000);
	assert_int_equal(kill(parent, SIGKILL), 0);
	waitpid(parent, NULL, 0);
	assert_true(has_ended(worker));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crash_costs_the_names_of_one_file),
		cmocka_unit_test(what_libc_detects_is_told_as_such),
		cmocka_unit_test(an_endless_loop_ends),
		cmocka_unit_test(what_it_has_no_right_to_ends_it),
		cmocka_unit_test(there_are_no_files_for_it),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(without_memory_it_ends),
		cmocka_unit_test(nonsense_is_not_believed),
		cmocka_unit_test(a_flood_of_requests_ends),
		cmocka_unit_test(processes_are_not_started_for_ever),
		cmocka_unit_test(
			a_worker_that_dies_between_questions_is_missed),
		cmocka_unit_test(children_may_be_ignored),
		cmocka_unit_test(it_does_not_outlive_its_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
