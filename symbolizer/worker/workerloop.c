#include "symbolizer/worker/workerloop.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/array.h"
#include "record/linux.h"
#include "sandbox/instrumented.h"
#include "sandbox/syscall_filter.h"
#include "symbolizer/answers/programtext.h"
#include "symbolizer/answers/resolver.h"
#include "symbolizer/files/openfile.h"
#include "symbolizer/worker/wire.h"

/*
 * Closes descriptors that a process has inherited and does not want, as
 * closefrom(3), which glibc has since 2.34.  Called by processes with one
 * thread.
 */

/* Closes `first` and all above.  False: there may be some left, since neither
 * the kernel (5.9) nor /proc could be asked. */
static bool close_from(int first)
{
	DIR *all;
	const struct dirent *entry;

	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return true;
	all = opendir("/proc/self/fd");
	if (!all)
		return false;
	while ((entry = readdir(all)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd >= first && fd != dirfd(all))
			close(fd);
	}
	closedir(all);
	return true;
}

/*
 * What a process gives up before it reads strangers' files.  Called by the
 * symbolizer's worker when it has nothing left to open.  Promises that from
 * then on the process can compute, read what it has been handed and talk on
 * one socket, that it leaves no core, and that it does not outlive its
 * parent.
 */

/* Where the socket is afterwards. */
#define WORKER_SOCKET 0

/* For when the parent, who keeps the time of each question, is stopped. */
#define CPU_SECONDS 600

#define REFUSES(name) SYSCALL_REFUSES(name, SYSCALL_FAILS(EACCES))

static const struct syscall_rule rules[] = {
	SYSCALL_MAY(pread64),
	SYSCALL_MAY(read),
	SYSCALL_MAY(brk),
	SYSCALL_MAY(munmap),
	SYSCALL_MAY(mremap),
	SYSCALL_MAY(madvise),
	SYSCALL_MAY(close),
	SYSCALL_MAY(fstat),
	SYSCALL_MAY(lseek),
	SYSCALL_MAY(futex),
	SYSCALL_MAY(getpid),
	SYSCALL_MAY(gettid),
	SYSCALL_MAY(clock_gettime),
	SYSCALL_MAY(sysinfo), /* qsort() */
	SYSCALL_MAY(rt_sigprocmask),
	SYSCALL_MAY(rt_sigreturn),
	SYSCALL_MAY(exit),
	SYSCALL_MAY(exit_group),
	SYSCALL_MAY_IF(recvmsg, SYSCALL_IF(IS, 0, WORKER_SOCKET)),
	SYSCALL_MAY_IF(sendmsg, SYSCALL_IF(IS, 0, WORKER_SOCKET)),
	/* memory is not shared and holds no code */
	SYSCALL_MAY_IF(mmap, SYSCALL_IF(LACKS, 3, MAP_SHARED),
		SYSCALL_IF(LACKS, 2, PROT_EXEC)),
	SYSCALL_MAY_IF(mprotect, SYSCALL_IF(LACKS, 2, PROT_EXEC)),
	/* what libc does in passing, as abort() with its message */
	REFUSES(write),
	REFUSES(writev),
	REFUSES(getrandom),
	REFUSES(sched_getaffinity),
	REFUSES(openat),
	REFUSES(newfstatat),
	REFUSES(statx),
	REFUSES(faccessat),
	REFUSES(faccessat2),
	REFUSES(readlinkat),
	REFUSES(getcwd),
#ifdef SYS_open /* and others that younger processors do not have */
	REFUSES(open),
	REFUSES(stat),
	REFUSES(lstat),
	REFUSES(access),
	REFUSES(readlink),
#endif
};

#define COUNT(rules) (sizeof(rules) / sizeof((rules)[0]))

/* False with errno. */
static bool set_filter(void)
{
	/* abort() raises a signal in itself */
	const struct syscall_rule own =
		SYSCALL_MAY_IF(tgkill, SYSCALL_IF(IS, 0, (uint32_t)getpid()));
	struct syscall_filter filter;

	syscall_filter_begin(&filter);
	syscall_filter_add(&filter, rules, COUNT(rules));
	syscall_filter_add(&filter, &own, 1);
	return syscall_filter_set(&filter, SYSCALL_KILLS);
}

/* What the process takes already; it was forked from one of any size. */
static uint64_t bytes_in_use(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%llu", &pages) != 1)
		pages = 0;
	(void)fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The limit above stays: the parent may raise this one up to there. */
static bool limit(__rlimit_resource_t resource, uint64_t most)
{
	struct rlimit limits;

	if (getrlimit(resource, &limits) != 0)
		return false;
	limits.rlim_cur = most;
	if (limits.rlim_cur > limits.rlim_max)
		limits.rlim_cur = limits.rlim_max;
	return setrlimit(resource, &limits) == 0;
}

/* The keyboard's signals are for the parent, handlers too. */
static void leave_signals(void)
{
	static const int ignored[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
	sigset_t none;
	size_t i;
	int number;

	for (number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool keep_only(int socket)
{
	if (socket != WORKER_SOCKET && dup2(socket, WORKER_SOCKET) < 0)
		return false;
	close(STDOUT_FILENO);
	if (!instrumented())
		close(STDERR_FILENO);
	return close_from(STDERR_FILENO + 1);
}

static bool bind_to(pid_t parent)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

/*
 * Closes all descriptors but `socket`, which becomes WORKER_SOCKET.
 * `memory_bytes` is what it may take beyond what it has; the parent may raise
 * that with prlimit().  `parent` is the process that forked it.
 *
 * Every system call that is not needed ends the process with SIGSYS, but those
 * by which libraries look at the file system fail with EACCES.  Left out under
 * ThreadSanitizer, AddressSanitizer and valgrind, which make calls of their
 * own, take more memory and have something to say on standard error: the
 * filter, the limit of memory, the closing of standard error.  The filter
 * alone is left out by a kernel, or a container, that gives none.
 *
 * False when the parent is gone or the kernel refuses: then the process has to
 * end.
 */
static bool worker_sandbox_enter(
	int socket, uint64_t memory_bytes, pid_t parent)
{
	leave_signals();
	/* a core may be piped to a handler, which no limit of size prevents */
	if (prctl(PR_SET_DUMPABLE, 0) != 0 || !limit(RLIMIT_CORE, 0) ||
		!limit(RLIMIT_CPU, CPU_SECONDS) || !bind_to(parent) ||
		!keep_only(socket))
		return false;
	if (instrumented())
		return true;
	/* when memory is out, malloc() would try calls that are not allowed */
	mallopt(M_ARENA_MAX, 1);
	return limit(RLIMIT_AS, bytes_in_use() + memory_bytes) &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       (set_filter() || errno == EINVAL || errno == ENOSYS ||
		       errno == EPERM);
}

/* The process has one of these, and nothing of it is ever freed. */
struct loop {
	const struct symbolizer_options *options;
	struct resolver *resolver;
	struct wirenames_said *said; /* of each module */
	size_t modules;
	size_t module_room;
	struct programtext *program; /* null: none */
	const char *listed;	     /* path of the file whose calls are told */
	uint8_t question[WIRE_BYTES_MAX];
	uint8_t reply[WIRE_BYTES_MAX]; /* of the parent */
	struct wire_writer answers;
	struct wire_writer sent;
};

static _Noreturn void end(enum workerloop_exit how)
{
	_exit(how);
}

static void send_or_end(const struct wire_writer *packet)
{
	if (packet->full)
		end(WORKERLOOP_CONFUSED);
	if (!wire_send(WORKER_SOCKET, packet, -1, 0))
		end(WORKERLOOP_DONE);
}

/* Asks the parent for a file; its answer is of kind `expected`. */
static struct wire_reader ask_parent(struct loop *loop, enum wire_kind kind,
	const char *root, const char *path, int *descriptor)
{
	const enum wire_kind expected =
		kind == WIRE_OPEN ? WIRE_OPENED : WIRE_FOUND;
	struct wire_reader packet;

	wire_begin(&loop->sent, kind);
	wire_put_string(&loop->sent, root);
	wire_put_string(&loop->sent, path);
	send_or_end(&loop->sent);
	if (wire_receive(WORKER_SOCKET, loop->reply, &packet, descriptor, 0) !=
		expected)
		end(WORKERLOOP_DONE);
	return packet;
}

/* The parent would not believe them. */
static bool is_too_long(const char *root, const char *path)
{
	return strlen(path) >= PATH_MAX || (root && strlen(root) >= PATH_MAX);
}

static enum openfile_result open_by_parent(void *closure, struct openfile *file,
	const char *root, const char *path)
{
	struct wire_reader packet;
	uint32_t result;

	if (is_too_long(root, path))
		return OPENFILE_FAILED;
	packet = ask_parent(closure, WIRE_OPEN, root, path, &file->descriptor);
	result = wire_take_u32(&packet);
	file->bytes = wire_take_u64(&packet);
	file->bytes_on_disk = wire_take_u64(&packet);
	if (result >= OPENFILE_RESULTS ||
		(result == OPENFILE_FINE && file->descriptor < 0))
		return OPENFILE_FAILED;
	return result;
}

static char *find_by_parent(void *closure, const char *root, const char *path)
{
	struct wire_reader packet;
	const char *found;
	int descriptor;

	if (is_too_long(root, path))
		return NULL;
	packet = ask_parent(closure, WIRE_FIND, root, path, &descriptor);
	found = wire_take_string(&packet);
	return found ? strdup(found) : NULL;
}

static void tell_parent(void *closure, enum readlimit limit, const char *path)
{
	struct loop *loop = closure;

	wire_begin(&loop->sent, WIRE_LIMIT);
	wire_put_u32(&loop->sent, limit);
	wire_put_string(&loop->sent, path);
	send_or_end(&loop->sent);
}

/* Valid as long as the question. */
static struct symbolizer_module take_module(struct wire_reader *question)
{
	struct symbolizer_module module = {0};

	module.path = wire_take_string(question);
	module.build_id = wire_take_bytes(question, &module.build_id_bytes);
	module.file_bytes = wire_take_u64(question);
	module.content_hash = wire_take_u64(question);
	if (question->bad)
		end(WORKERLOOP_CONFUSED);
	return module;
}

static void open_module(struct loop *loop, struct wire_reader *question)
{
	const struct symbolizer_module module = take_module(question);
	const uint32_t sources = wire_take_u32(question);

	if (question->bad || sources > SYMTAB_TABLES)
		end(WORKERLOOP_CONFUSED);
	if (!array_reserve(loop->said, loop->module_room, loop->modules + 1) ||
		!resolver_open(loop->resolver, &module, sources))
		end(WORKERLOOP_NO_MEMORY);
	loop->said[loop->modules++] = (struct wirenames_said){0};
	wire_begin(&loop->sent, WIRE_READY);
	send_or_end(&loop->sent);
}

/* The number of the module that the question is about. */
static size_t take_number(struct loop *loop, struct wire_reader *question)
{
	size_t module = wire_take_u32(question);
	uint32_t heard = wire_take_u32(question);

	if (module >= loop->modules ||
		!wirenames_take_back(&loop->said[module], heard))
		end(WORKERLOOP_CONFUSED);
	return module;
}

static void put_name(struct wirenames_said *said, struct wire_writer *packet,
	const char *name)
{
	if (!wirenames_put(said, packet, name))
		end(WORKERLOOP_NO_MEMORY);
}

static void put_answer(struct wirenames_said *said, struct wire_writer *packet,
	const struct resolver_answer *answer)
{
	size_t i;

	wire_put_u32(packet, (uint32_t)answer->count);
	wire_put_string(packet, answer->sentence);
	for (i = 0; i < answer->count && !packet->full; i++) {
		const struct symbolizer_frame *frame = &answer->frames[i];

		put_name(said, packet, frame->function);
		put_name(said, packet, frame->file);
		wire_put_u32(packet, frame->line);
		wire_put_u32(packet, frame->column);
		wire_put_u64(packet, frame->offset);
		wire_put_u32(packet, frame->inlined);
		wire_put_u32(packet, frame->wrapper);
	}
}

_Static_assert(READLIMITS_NAMES_BYTES == WIRE_BYTES_MAX &&
		       READLIMITS_TEXT_BYTES < WIRE_BYTES_MAX,
	"they have to fit into a packet");

/* The answer to what would not fit into a packet of its own. */
static const struct symbolizer_frame no_frame;
static const struct resolver_answer too_long = {
	.frames = &no_frame,
	.count = 1,
	.sentence = "no names: those there have more than 64 KiB: build the "
		    "program with shorter ones",
};

/*
 * Takes back what did not fit after the first `before` bytes, and sends those.
 * False when there are none, so that another try is useless.
 */
static bool begin_again(
	struct wire_writer *packet, enum wire_kind kind, size_t before)
{
	packet->length = before;
	packet->full = false;
	if (before == sizeof(uint32_t))
		return false;
	send_or_end(packet);
	wire_begin(packet, kind);
	return true;
}

/* Adds to the packet that waits, or sends that one and begins another. */
static void give(
	struct loop *loop, size_t module, const struct resolver_answer *answer)
{
	struct wirenames_said *said = &loop->said[module];
	struct wire_writer *packet = &loop->answers;
	size_t before = packet->length;
	uint32_t names = said->count;

	put_answer(said, packet, answer);
	if (!packet->full)
		return;
	wirenames_take_back(said, names);
	if (begin_again(packet, WIRE_ANSWERS, before)) {
		give(loop, module, answer);
		return;
	}
	readlimits_note(READLIMIT_NAMES, resolver_name(loop->resolver, module));
	put_answer(said, packet, &too_long);
}

static void answer_all(struct loop *loop, struct wire_reader *question)
{
	size_t module = take_number(loop, question);
	struct resolver_answer answer;

	wire_begin(&loop->answers, WIRE_ANSWERS);
	while (question->left > 0) {
		if (!resolver_find(loop->resolver, module,
			    wire_take_u64(question), &answer))
			end(WORKERLOOP_NO_MEMORY);
		give(loop, module, &answer);
	}
	send_or_end(&loop->answers);
}

static void open_program(struct loop *loop, struct wire_reader *question)
{
	const struct symbolizer_module module = take_module(question);
	char *complaint = NULL;

	if (loop->program)
		end(WORKERLOOP_CONFUSED);
	loop->program = programtext_open(loop->options, &module, &complaint);
	wire_begin(&loop->sent, WIRE_PROGRAM_IS);
	wire_put_u32(&loop->sent, loop->program != NULL);
	wire_put_string(&loop->sent, complaint);
	free(complaint);
	send_or_end(&loop->sent);
}

/* One that is too long for a packet is not there. */
static void give_text(struct loop *loop, struct wire_reader *question)
{
	uint64_t address = wire_take_u64(question);
	bool is_string = wire_take_u32(question) != 0;
	size_t count = wire_take_u64(question);
	const uint8_t *bytes;

	if (!loop->program || question->bad)
		end(WORKERLOOP_CONFUSED);
	bytes = is_string ? programtext_string(loop->program, address, &count)
			  : programtext_bytes(loop->program, address, count);
	if (bytes && count > READLIMITS_TEXT_BYTES) {
		readlimits_note(
			READLIMIT_TEXT, programtext_path(loop->program));
		bytes = NULL;
	}
	wire_begin(&loop->sent, WIRE_TEXT_IS);
	if (bytes) {
		wire_put_u64(&loop->sent, count + 1);
		wire_put_raw(&loop->sent, bytes, count);
		wire_put_raw(&loop->sent, "", 1);
	} else {
		wire_put_u64(&loop->sent, 0);
	}
	send_or_end(&loop->sent);
}

static void put_call(
	struct wire_writer *packet, const struct symbolizer_call *call)
{
	size_t i;

	wire_put_u64(packet, call->address);
	wire_put_u64(packet, call->next);
	wire_put_string(packet, call->function);
	wire_put_u64(packet, call->target);
	wire_put_u32(packet, (call->more ? WIRE_CALL_MORE : 0u) |
				     (call->said ? WIRE_CALL_SAID : 0u));
	wire_put_u32(packet, (uint32_t)call->text_count);
	for (i = 0; i < call->text_count && !packet->full; i++) {
		wire_put_bytes(
			packet, call->texts[i].bytes, call->texts[i].count);
		wire_put_u32(packet, call->texts[i].wide);
		wire_put_u32(packet, call->texts[i].translated);
	}
}

/* Texts that do not fit are those "others that are not known". */
static void give_call(void *closure, const struct symbolizer_call *call)
{
	struct loop *loop = closure;
	struct wire_writer *packet = &loop->answers;
	struct symbolizer_call less = *call;
	size_t before = packet->length;

	put_call(packet, call);
	if (!packet->full)
		return;
	if (begin_again(packet, WIRE_CALLS, before)) {
		give_call(loop, call);
		return;
	}
	readlimits_note(READLIMIT_TEXT, loop->listed);
	less.text_count = 0;
	less.more = true;
	put_call(packet, &less);
}

static const char *list_file(struct loop *loop, const char *path)
{
	struct elffile file;
	const char *why = elffile_open(&file, path);

	if (why)
		return why;
	why = callsites_list(&file, give_call, loop);
	elffile_close(&file);
	return why;
}

static void answer_between_frames(
	struct loop *loop, struct wire_reader *question)
{
	size_t module = take_number(loop, question);
	struct resolver_answer answer;
	struct symbolizer_gap gap;

	gap.next = wire_take_u64(question);
	gap.inside = wire_take_u64(question);
	gap.name = wire_take_string(question);
	gap.argument = wire_take_u64(question);
	if (question->bad)
		end(WORKERLOOP_CONFUSED);
	if (!resolver_between(loop->resolver, module, &gap, &answer))
		end(WORKERLOOP_NO_MEMORY);
	wire_begin(&loop->answers, WIRE_ANSWERS);
	give(loop, module, &answer);
	send_or_end(&loop->answers);
}

static void answer_named(struct loop *loop, struct wire_reader *question)
{
	size_t module = take_number(loop, question);
	const char *function = wire_take_string(question);
	uint64_t offset = wire_take_u64(question);
	struct resolver_answer answer;

	if (question->bad || !function)
		end(WORKERLOOP_CONFUSED);
	if (!resolver_named(loop->resolver, module, function, offset, &answer))
		end(WORKERLOOP_NO_MEMORY);
	wire_begin(&loop->answers, WIRE_ANSWERS);
	give(loop, module, &answer);
	send_or_end(&loop->answers);
}

/* Of what is told of a text, beside it. */
#define HANDED_BYTES 96

/* What does not fit any more is left out: the most likely come first. */
static void give_handed(void *closure, const struct symbolizer_handed *handed)
{
	struct loop *loop = closure;
	struct wire_writer *packet = &loop->answers;
	size_t before = packet->length;

	wire_put_u64(packet, handed->call);
	wire_put_u64(packet, handed->begin);
	wire_put_u64(packet, handed->end);
	wire_put_u64(packet, handed->next);
	wire_put_u64(packet, handed->target);
	wire_put_u32(packet, handed->how);
	wire_put_u32(packet, handed->use);
	wire_put_u32(packet, handed->argument);
	wire_put_u32(packet, handed->more);
	wire_put_u32(packet, handed->takes_any);
	wire_put_string(packet, handed->bytes);
	if (packet->full)
		packet->length = before;
	packet->full = false;
}

static void answer_handed(struct loop *loop, struct wire_reader *question)
{
	uint64_t next = wire_take_u64(question);

	if (!loop->program || question->bad)
		end(WORKERLOOP_CONFUSED);
	wire_begin(&loop->answers, WIRE_HANDED_ARE);
	programtext_handed(loop->program, next, give_handed, loop);
	send_or_end(&loop->answers);
}

/* A text always fits into a packet of its own. */
static void give_statement(
	void *closure, const struct symbolizer_handed *handed)
{
	struct loop *loop = closure;

	if (sizeof(loop->answers.data) - loop->answers.length <
		handed->count + HANDED_BYTES) {
		send_or_end(&loop->answers);
		wire_begin(&loop->answers, WIRE_HANDED_ARE);
	}
	give_handed(loop, handed);
}

static void list_statements(struct loop *loop)
{
	if (!loop->program)
		end(WORKERLOOP_CONFUSED);
	wire_begin(&loop->answers, WIRE_HANDED_ARE);
	programtext_statements(loop->program, give_statement, loop);
	send_or_end(&loop->answers);
	wire_begin(&loop->sent, WIRE_LISTED);
	wire_put_string(&loop->sent, NULL);
	send_or_end(&loop->sent);
}

static void list_calls(struct loop *loop, struct wire_reader *question)
{
	const char *path = wire_take_string(question);
	const char *why;

	if (!path && !loop->program)
		end(WORKERLOOP_CONFUSED);
	wire_begin(&loop->answers, WIRE_CALLS);
	loop->listed = path ? path : programtext_path(loop->program);
	why = path ? list_file(loop, path)
		   : programtext_calls(loop->program, give_call, loop);
	send_or_end(&loop->answers);
	wire_begin(&loop->sent, WIRE_LISTED);
	wire_put_string(&loop->sent, why);
	send_or_end(&loop->sent);
}

static _Noreturn void serve(struct loop *loop)
{
	struct wire_reader question;
	int descriptor;

	for (;;) {
		switch (wire_receive(WORKER_SOCKET, loop->question, &question,
			&descriptor, 0)) {
		case WIRE_MODULE:
			open_module(loop, &question);
			break;
		case WIRE_ASK:
			answer_all(loop, &question);
			break;
		case WIRE_BETWEEN:
			answer_between_frames(loop, &question);
			break;
		case WIRE_NAMED:
			answer_named(loop, &question);
			break;
		case WIRE_PROGRAM:
			open_program(loop, &question);
			break;
		case WIRE_TEXT:
			give_text(loop, &question);
			break;
		case WIRE_HANDED:
			answer_handed(loop, &question);
			break;
		case WIRE_STATEMENTS:
			list_statements(loop);
			break;
		case WIRE_LIST:
			list_calls(loop, &question);
			break;
		default:
			end(WORKERLOOP_DONE);
		}
	}
}

_Noreturn void workerloop_run(
	const struct symbolizer_options *options, int socket, pid_t parent)
{
	struct loop *loop = calloc(1, sizeof(*loop));
	struct openfile_deputy deputy = {.open = open_by_parent,
		.real_path = find_by_parent,
		.closure = loop};

	if (!loop)
		end(WORKERLOOP_NO_MEMORY);
	loop->options = options;
	loop->resolver = resolver_new(options);
	if (!loop->resolver)
		end(WORKERLOOP_NO_MEMORY);
	if (!worker_sandbox_enter(socket, options->memory_bytes, parent))
		end(WORKERLOOP_NO_SANDBOX);
	openfile_delegate(&deputy);
	readlimits_delegate(tell_parent, loop);
	serve(loop);
}
