#include "symbolizer/worker/worker.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "symbolizer/files/openfile.h"
#include "symbolizer/worker/workerloop.h"

/* A stop of this process shall not count as time that the worker took. */
#define SLICE_MS 1000
#define NS_PER_MS 1000000u

/* What a large file may cost in addition to the limits. */
#define BYTES_PER_BYTE_ON_DISK 4
#define BYTES_PER_MS ((uint64_t)32 << 10)
/* For whoever opens large files again and again. */
#define GRANTED_TIMES_MAX 16

struct worker {
	pid_t process;
	int socket;
	uint64_t memory_bytes;
	uint64_t limit_ns;	   /* of a question */
	uint64_t granted_ns;	   /* to the present one, for large files */
	uint64_t spent_ns;	   /* by it */
	uint64_t counted;	   /* until when */
	uint64_t handed_bytes;	   /* of the files that it has opened */
	uint32_t limits;	   /* met for this question alone */
	uint64_t granted_bytes;	   /* of memory, for large files */
	struct openedlist *opened; /* for this question; null: nobody asks */
	char epitaph[192];	   /* empty while it lives */
	const char *advice;	   /* what to do about it */
	struct wire_writer sent;
	uint8_t received[WIRE_BYTES_MAX];
};

static bool start(
	struct worker *worker, const struct symbolizer_options *options)
{
	pid_t parent = getpid();
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
		return false;
	worker->process = fork();
	if (worker->process == 0)
		workerloop_run(options, sockets[1], parent);
	close(sockets[1]);
	worker->socket = sockets[0];
	if (worker->process > 0)
		return true;
	close(sockets[0]);
	return false;
}

struct worker *worker_new(const struct symbolizer_options *options)
{
	struct symbolizer_options limited = *options;
	struct worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return NULL;
	if (limited.memory_bytes == 0)
		limited.memory_bytes = READLIMITS_MEMORY_BYTES;
	if (limited.seconds == 0)
		limited.seconds = READLIMITS_SECONDS;
	worker->memory_bytes = limited.memory_bytes;
	worker->advice = "if the file is not damaged, report it";
	worker->limit_ns = (uint64_t)limited.seconds * 1000 * NS_PER_MS;
	if (start(worker, &limited))
		return worker;
	free(worker);
	return NULL;
}

/*
 * How it ended, -1 when that cannot be known.  When it has ended already the
 * signal changes nothing.
 */
static int end(struct worker *worker)
{
	int status = -1;
	pid_t ended;

	if (worker->process <= 0)
		return -1;
	kill(worker->process, SIGKILL);
	close(worker->socket);
	do
		ended = waitpid(worker->process, &status, 0);
	while (ended < 0 && errno == EINTR);
	worker->process = 0;
	return ended > 0 ? status : -1;
}

void worker_free(struct worker *worker)
{
	if (!worker)
		return;
	end(worker);
	free(worker);
}

const char *worker_advice(const struct worker *worker)
{
	return worker->advice;
}

const char *worker_epitaph(const struct worker *worker)
{
	return worker->epitaph;
}

/* Ends it for a reason of ours; false, for the callers' convenience. */
static bool give_up(struct worker *worker, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool give_up(struct worker *worker, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(worker->epitaph, sizeof(worker->epitaph), format, arguments);
	va_end(arguments);
	end(worker);
	return false;
}

static bool give_up_memory(struct worker *worker)
{
	worker->advice = SYMBOLIZER_MORE("symbol-memory");
	return give_up(worker, "reading it takes more than %llu MiB of memory",
		(unsigned long long)worker->memory_bytes >> 20);
}

static bool give_up_time(struct worker *worker)
{
	uint64_t limit = worker->limit_ns + worker->granted_ns;

	worker->advice = SYMBOLIZER_MORE("symbol-seconds");
	return give_up(worker, "reading it takes more than %llu s",
		(unsigned long long)limit / NS_PER_MS / 1000);
}

/* It has let go of the socket, as it does when it ends, or pretends it. */
static bool bury(struct worker *worker)
{
	const char *name;
	int number;
	int status;

	status = end(worker);
	if (status == -1)
		return give_up(worker, "the process that read it has ended");
	if (WIFSIGNALED(status)) {
		number = WTERMSIG(status);
		name = strsignal(number);
		return give_up(worker,
			number == SIGSYS
				? "the process that read it made a system "
				  "call that it has no right to (signal %d, %s)"
				: "the process that read it was ended by "
				  "signal %d (%s)",
			number, name ? name : "unknown");
	}
	if (WEXITSTATUS(status) == WORKERLOOP_NO_MEMORY)
		return give_up_memory(worker);
	if (WEXITSTATUS(status) == WORKERLOOP_NO_SANDBOX)
		return give_up(worker,
			"the kernel does not confine the process that is to "
			"read it");
	return give_up(worker, "the process that read it ended with status %d",
		WEXITSTATUS(status));
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 * NS_PER_MS + (uint64_t)now.tv_nsec;
}

/* What is left of the time for the question, at most a slice. */
static int time_left_ms(struct worker *worker)
{
	const uint64_t slice = (uint64_t)SLICE_MS * NS_PER_MS;
	const uint64_t limit = worker->limit_ns + worker->granted_ns;
	uint64_t now = now_ns();
	uint64_t took = now - worker->counted;

	worker->counted = now;
	worker->spent_ns += took < slice ? took : slice;
	if (worker->spent_ns >= limit)
		return 0;
	if (limit - worker->spent_ns >= slice)
		return SLICE_MS;
	return (int)((limit - worker->spent_ns) / NS_PER_MS) + 1;
}

/* Waits for a packet; false when the time of the question is over. */
static bool wait_for_packet(struct worker *worker)
{
	struct pollfd socket = {.fd = worker->socket, .events = POLLIN};
	int left;

	while ((left = time_left_ms(worker)) > 0) {
		int ready = poll(&socket, 1, left);

		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR)
			return false;
	}
	return false;
}

/* A large file takes memory, and time for reading it from a disk. */
static void grant(struct worker *worker, const struct openfile *file)
{
	uint64_t bytes = file->bytes < file->bytes_on_disk
				 ? file->bytes
				 : file->bytes_on_disk;
	uint64_t memory = bytes * BYTES_PER_BYTE_ON_DISK;
	struct rlimit limits;

	worker->handed_bytes += bytes;
	worker->granted_ns += bytes / BYTES_PER_MS * NS_PER_MS;
	if (worker->granted_ns > worker->limit_ns * GRANTED_TIMES_MAX)
		worker->granted_ns = worker->limit_ns * GRANTED_TIMES_MAX;
	if (worker->granted_bytes + memory >
			worker->memory_bytes * GRANTED_TIMES_MAX ||
		prlimit(worker->process, RLIMIT_AS, NULL, &limits) != 0 ||
		limits.rlim_cur == RLIM_INFINITY)
		return;
	worker->granted_bytes += memory;
	limits.rlim_cur += memory;
	if (limits.rlim_cur > limits.rlim_max)
		limits.rlim_cur = limits.rlim_max;
	prlimit(worker->process, RLIMIT_AS, &limits, NULL);
}

/* It waits for nothing but this, so there is room in the socket. */
static bool reply(struct worker *worker, int descriptor)
{
	return wire_send(
		worker->socket, &worker->sent, descriptor, MSG_DONTWAIT);
}

/* Where it does not mark an answer, none is to be kept for another time. */
static void note_limit(struct worker *worker, enum readlimit limit)
{
	if (limit == READLIMIT_TAIL_ENTRIES || limit == READLIMIT_TAIL_CALLS)
		worker->limits |= 1u << limit;
	else if (worker->opened)
		worker->opened->incomplete = true;
}

static bool open_for(struct worker *worker, struct wire_reader *packet)
{
	const char *root = wire_take_string(packet);
	const char *path = wire_take_string(packet);
	struct openfile file = {.descriptor = -1};
	enum openfile_result result;
	bool sent;

	if (!path || strlen(path) >= PATH_MAX)
		return false;
	if (worker->opened)
		openedlist_add(worker->opened, root, path);
	result = openfile_open(&file, root, path);
	wire_begin(&worker->sent, WIRE_OPENED);
	wire_put_u32(&worker->sent, result);
	wire_put_u64(&worker->sent, file.bytes);
	wire_put_u64(&worker->sent, file.bytes_on_disk);
	if (result == OPENFILE_TOO_LARGE)
		note_limit(worker, READLIMIT_FILE);
	if (result != OPENFILE_FINE)
		return reply(worker, -1);
	grant(worker, &file);
	sent = reply(worker, file.descriptor);
	close(file.descriptor);
	return sent;
}

static bool find_for(struct worker *worker, struct wire_reader *packet)
{
	const char *root = wire_take_string(packet);
	const char *path = wire_take_string(packet);
	char *real;

	if (!path || strlen(path) >= PATH_MAX)
		return false;
	real = openfile_real_path(root, path);
	wire_begin(&worker->sent, WIRE_FOUND);
	wire_put_string(&worker->sent, real);
	free(real);
	return reply(worker, -1);
}

static bool take_limit(struct worker *worker, struct wire_reader *packet)
{
	uint32_t limit = wire_take_u32(packet);
	const char *path = wire_take_string(packet);

	if (limit >= READLIMIT_ROWS || !path || strlen(path) >= PATH_MAX)
		return false;
	readlimits_note(limit, path);
	note_limit(worker, limit);
	return true;
}

/* Ends it for a reply that is none; returns false. */
static bool worker_disbelieve(struct worker *worker)
{
	return give_up(worker, "the process that read it answers nonsense");
}

/* The kind of the next reply and the rest of it; 0 is false. */
static uint32_t worker_receive(
	struct worker *worker, struct wire_reader *packet)
{
	for (;;) {
		bool fine = true;
		uint32_t kind;

		if (!wait_for_packet(worker))
			return give_up_time(worker);
		kind = wire_receive(worker->socket, worker->received, packet,
			NULL, MSG_DONTWAIT);
		if (kind == WIRE_OPEN)
			fine = open_for(worker, packet);
		else if (kind == WIRE_FIND)
			fine = find_for(worker, packet);
		else if (kind == WIRE_LIMIT)
			fine = take_limit(worker, packet);
		else if (kind != 0)
			return kind;
		else if (errno != EAGAIN)
			return bury(worker);
		if (!fine)
			return worker_disbelieve(worker);
	}
}

/* Only a reply of this kind will do. */
static bool worker_receive_only(
	struct worker *worker, enum wire_kind kind, struct wire_reader *packet)
{
	uint32_t got = worker_receive(worker, packet);

	if (got == 0)
		return false;
	return got == kind || worker_disbelieve(worker);
}

/* Where the next question is made. */
static struct wire_writer *worker_packet(struct worker *worker)
{
	return &worker->sent;
}

/*
 * Sends it.  The files that are opened for it are added to `opened`, which is
 * null or has to stay.  From here on false means that there is an epitaph.
 */
static bool worker_send(struct worker *worker, struct openedlist *opened)
{
	worker->spent_ns = 0;
	worker->granted_ns = 0;
	worker->limits = 0;
	worker->opened = opened;
	worker->counted = now_ns();
	if (*worker->epitaph)
		return false;
	if (worker->sent.full)
		return give_up(worker, "its path is too long");
	/* it may have ended between two questions: it is told below of what */
	reply(worker, -1);
	return true;
}

/* The time of a question begins anew, since part of it is answered. */
static void worker_give_time(struct worker *worker)
{
	worker->spent_ns = 0;
}

/*
 * A bit for each readlimit that it has met for the last question and that
 * concerns no other.
 */
static uint32_t worker_limits(const struct worker *worker)
{
	return worker->limits;
}

/* What all files that it has opened occupy together. */
static uint64_t worker_handed_bytes(const struct worker *worker)
{
	return worker->handed_bytes;
}

/*
 * The questions that a worker is asked.  Called by the symbolizer.  Promises
 * to believe no answer further than that it is one: of texts and numbers.
 *
 * Each function returns false when the worker has ended, or had to be ended;
 * worker_epitaph() says of what.
 */

/* No call has more in one packet. */
#define TEXTS_MAX (WIRE_BYTES_MAX / 16)

/* A list of calls is far shorter than the code. */
#define LISTED_BYTES_PER_BYTE 16

static void put_module(
	struct wire_writer *packet, const struct symbolizer_module *module)
{
	wire_put_string(packet, module->path);
	wire_put_bytes(packet, module->build_id, module->build_id_bytes);
	wire_put_u64(packet, module->file_bytes);
	wire_put_u64(packet, module->content_hash);
}

bool workerquestion_open(struct worker *worker,
	const struct symbolizer_module *module, enum symtab_sources sources,
	struct openedlist *opened)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;

	wire_begin(question, WIRE_MODULE);
	put_module(question, module);
	wire_put_u32(question, sources);
	return worker_send(worker, opened) &&
	       worker_receive_only(worker, WIRE_READY, &reply);
}

static void begin_question(struct wire_writer *packet, enum wire_kind kind,
	const struct workerquestion_file *file)
{
	if (file->heard->lost)
		wirenames_forget(file->heard);
	wire_begin(packet, kind);
	wire_put_u32(packet, (uint32_t)file->number);
	wire_put_u32(packet, file->heard->count);
}

/* False when the packet does not hold an answer. */
static bool take_answer(struct wire_reader *packet, uint64_t address,
	const struct workerquestion_file *file)
{
	struct answerstore_frame frames[ANSWERSTORE_FRAMES_MAX];
	size_t count = wire_take_u32(packet);
	const char *sentence = wire_take_string(packet);
	uint32_t said;
	size_t i;

	if (count == 0 || count > ANSWERSTORE_FRAMES_MAX)
		return false;
	for (i = 0; i < count; i++) {
		frames[i].function =
			wirenames_take(file->heard, packet, file->answers);
		frames[i].file =
			wirenames_take(file->heard, packet, file->answers);
		frames[i].line = wire_take_u32(packet);
		frames[i].column = wire_take_u32(packet);
		frames[i].offset = wire_take_u64(packet);
		frames[i].inlined = wire_take_u32(packet) != 0;
		frames[i].wrapper = wire_take_u32(packet) != 0;
	}
	if (packet->bad)
		return false;
	if (!file->heard->lost &&
		answerstore_intern(file->answers, sentence, &said))
		answerstore_put(file->answers, address, frames, count, said);
	return true;
}

bool workerquestion_ask(struct worker *worker,
	const struct workerquestion_file *file, const uint64_t *addresses,
	size_t count)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;
	size_t taken = 0;
	size_t i;

	begin_question(question, WIRE_ASK, file);
	for (i = 0; i < count; i++)
		wire_put_u64(question, addresses[i]);
	if (!worker_send(worker, file->opened))
		return false;
	while (taken < count) {
		if (!worker_receive_only(worker, WIRE_ANSWERS, &reply))
			return false;
		worker_give_time(worker); /* for at least one answer */
		do
			if (!take_answer(&reply, addresses[taken], file))
				return worker_disbelieve(worker);
		while (++taken < count && reply.left > 0);
	}
	return true;
}

bool workerquestion_between(struct worker *worker,
	const struct workerquestion_file *file,
	const struct symbolizer_gap *gap, uint64_t key)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;

	begin_question(question, WIRE_BETWEEN, file);
	wire_put_u64(question, gap->next);
	wire_put_u64(question, gap->inside);
	wire_put_string(question, gap->name);
	wire_put_u64(question, gap->argument);
	if (!worker_send(worker, file->opened) ||
		!worker_receive_only(worker, WIRE_ANSWERS, &reply))
		return false;
	if (!take_answer(&reply, key, file))
		return worker_disbelieve(worker);
	answerstore_limit(file->answers, key, worker_limits(worker));
	return true;
}

bool workerquestion_named(struct worker *worker,
	const struct workerquestion_file *file, const char *function,
	uint64_t offset, uint64_t key)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;

	begin_question(question, WIRE_NAMED, file);
	wire_put_string(question, function);
	wire_put_u64(question, offset);
	if (!worker_send(worker, file->opened) ||
		!worker_receive_only(worker, WIRE_ANSWERS, &reply))
		return false;
	return take_answer(&reply, key, file) || worker_disbelieve(worker);
}

bool workerquestion_program(struct worker *worker,
	const struct symbolizer_module *module, struct openedlist *opened,
	const char **complaint)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;
	bool there;

	wire_begin(question, WIRE_PROGRAM);
	put_module(question, module);
	if (!worker_send(worker, opened) ||
		!worker_receive_only(worker, WIRE_PROGRAM_IS, &reply))
		return false;
	there = wire_take_u32(&reply) != 0;
	*complaint = wire_take_string(&reply);
	if (there)
		*complaint = NULL;
	else if (!*complaint)
		*complaint = "";
	return !reply.bad || worker_disbelieve(worker);
}

bool workerquestion_text(struct worker *worker, uint64_t address,
	bool is_string, const uint8_t **bytes, size_t *count)
{
	struct wire_writer *question = worker_packet(worker);
	struct wire_reader reply;
	size_t given;

	wire_begin(question, WIRE_TEXT);
	wire_put_u64(question, address);
	wire_put_u32(question, is_string);
	wire_put_u64(question, is_string ? 0 : *count);
	if (!worker_send(worker, NULL) ||
		!worker_receive_only(worker, WIRE_TEXT_IS, &reply))
		return false;
	*bytes = wire_take_bytes(&reply, &given);
	if (reply.bad)
		return worker_disbelieve(worker);
	if (!*bytes)
		return true;
	if ((*bytes)[given - 1] != '\0' || (!is_string && given - 1 != *count))
		return worker_disbelieve(worker);
	*count = given - 1;
	return true;
}

/* False when the packet does not hold a call. */
static bool take_call(struct wire_reader *packet, struct symbolizer_call *call,
	struct symbolizer_text texts[TEXTS_MAX])
{
	uint32_t flags;
	size_t i;

	call->address = wire_take_u64(packet);
	call->next = wire_take_u64(packet);
	call->function = wire_take_string(packet);
	call->target = wire_take_u64(packet);
	flags = wire_take_u32(packet);
	call->more = flags & WIRE_CALL_MORE;
	call->said = flags & WIRE_CALL_SAID;
	call->texts = texts;
	call->text_count = wire_take_u32(packet);
	if (call->text_count > TEXTS_MAX)
		return false;
	for (i = 0; i < call->text_count; i++) {
		texts[i].bytes = wire_take_bytes(packet, &texts[i].count);
		texts[i].wide = wire_take_u32(packet) != 0;
		texts[i].translated = wire_take_u32(packet) != 0;
	}
	return !packet->bad;
}

bool workerquestion_calls(struct worker *worker, const char *path,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure, const char **why)
{
	struct symbolizer_text texts[TEXTS_MAX];
	struct symbolizer_call call;
	struct wire_reader reply;
	uint64_t listed = 0;
	uint32_t kind;

	wire_begin(worker_packet(worker), WIRE_LIST);
	wire_put_string(worker_packet(worker), path);
	if (!worker_send(worker, NULL))
		return false;
	while ((kind = worker_receive(worker, &reply)) == WIRE_CALLS) {
		listed += reply.left;
		if (listed / LISTED_BYTES_PER_BYTE >
			worker_handed_bytes(worker))
			return worker_disbelieve(worker);
		while (reply.left > 0) {
			if (!take_call(&reply, &call, texts))
				return worker_disbelieve(worker);
			take(closure, &call);
		}
	}
	if (kind != WIRE_LISTED)
		return kind != 0 && worker_disbelieve(worker);
	*why = wire_take_string(&reply);
	return true;
}

/* False: it is no such answer. */
static bool take_handed(struct wire_reader *reply,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure)
{
	struct symbolizer_handed handed;
	uint32_t how, use, takes_any;

	while (reply->left > 0) {
		handed.call = wire_take_u64(reply);
		handed.begin = wire_take_u64(reply);
		handed.end = wire_take_u64(reply);
		handed.next = wire_take_u64(reply);
		handed.target = wire_take_u64(reply);
		how = wire_take_u32(reply);
		use = wire_take_u32(reply);
		handed.argument = (uint8_t)wire_take_u32(reply);
		handed.more = wire_take_u32(reply) != 0;
		takes_any = wire_take_u32(reply);
		handed.bytes = wire_take_string(reply);
		if (reply->bad || !handed.bytes || how >= SYMBOLIZER_HANDINGS ||
			use >= SYMBOLIZER_USES ||
			takes_any >= SYMBOLIZER_ANSWERS)
			return false;
		handed.how = how;
		handed.takes_any = takes_any;
		handed.use = use;
		handed.count = strlen(handed.bytes);
		take(closure, &handed);
	}
	return true;
}

bool workerquestion_handed(struct worker *worker, uint64_t next,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure)
{
	struct wire_reader reply;

	wire_begin(worker_packet(worker), WIRE_HANDED);
	wire_put_u64(worker_packet(worker), next);
	if (!worker_send(worker, NULL) ||
		!worker_receive_only(worker, WIRE_HANDED_ARE, &reply))
		return false;
	return take_handed(&reply, take, closure) || worker_disbelieve(worker);
}

bool workerquestion_statements(struct worker *worker,
	void (*take)(void *closure, const struct symbolizer_handed *handed),
	void *closure)
{
	struct wire_reader reply;
	uint64_t listed = 0;
	uint32_t kind;

	wire_begin(worker_packet(worker), WIRE_STATEMENTS);
	if (!worker_send(worker, NULL))
		return false;
	while ((kind = worker_receive(worker, &reply)) == WIRE_HANDED_ARE) {
		listed += reply.left;
		if (listed / LISTED_BYTES_PER_BYTE >
				worker_handed_bytes(worker) ||
			!take_handed(&reply, take, closure))
			return worker_disbelieve(worker);
	}
	return kind == WIRE_LISTED || (kind != 0 && worker_disbelieve(worker));
}
