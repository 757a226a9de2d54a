#include "wrappers/borrowed_buffer.h"

#include <sys/mman.h>

#include "shim/host/host.h"
#include "shim/host/libio.h"
#include "shim/host/sys.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/formatted.h"
#include "wrappers/next.h"

/* FILEs with a borrowed buffer at the same time, in all threads. */
#define SLOTS 4
/* A longer text is written when the buffer is full. */
#define ROOM ((size_t)4 << 20)
/* From so much on the memory is given back to the kernel. */
#define KEPT ((size_t)64 << 10)
/* So often a FILE is tried that another thread keeps, every 100 us. */
#define TRIES 50u
#define TRIES_FOR_BORROWED 2000u
/* exit() has place for 32 handlers before it allocates. */
#define HANDLERS_MAX 8

/* struct _IO_FILE_plus of libio/libioP.h: what the macros do not see */
struct file {
	struct _IO_FILE visible;
	const void *operations;
};

struct slot {
	FILE *file; /* null: free */
	unsigned number;
	unsigned flags;
	pthread_t thread;
	uintptr_t sp; /* of the call */
	const char *function;
	struct file before;
	char *room; /* stays when it is given back */
	size_t size;
	char small[1024]; /* where no mapping is to be had */
};

static struct slot slots[SLOTS];
static unsigned borrowed;

static struct slot *find(const FILE *file)
{
	for (int i = 0; i < SLOTS; i++)
		if (__atomic_load_n(&slots[i].file, __ATOMIC_ACQUIRE) == file)
			return &slots[i];
	return NULL;
}

static struct slot *claim(FILE *file)
{
	for (int i = 0; i < SLOTS; i++) {
		FILE *expected = NULL;

		if (__atomic_compare_exchange_n(&slots[i].file, &expected, file,
			    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return &slots[i];
	}
	return NULL;
}

static void furnish(struct slot *slot)
{
	size_t size = sys_fair_share(ROOM, KEPT);
	long address;

	if (slot->room && slot->room != slot->small)
		return;
	address = SYS6(mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	slot->room = sys_failed(address) ? slot->small : (char *)address;
	slot->size = sys_failed(address) ? sizeof(slot->small) : size;
}

/* Text that is full of newlines must not be written at each of them. */
#define LENT_CLEAR LIBIO_LINE_BUFFERED
/* The buffer holds output, and is not libc's to free. */
#define LENT_SET (LIBIO_CURRENTLY_PUTTING | LIBIO_USER_BUFFER)

/*
 * A wide FILE keeps its text elsewhere: for that time it is not
 * one.  Its bytes are made wide again when they are said.
 */
static void install(struct slot *slot)
{
	FILE *file = slot->file;
	char *room = slot->room;

	file->_flags = (file->_flags & ~LENT_CLEAR) | LENT_SET;
	file->_IO_buf_base = room;
	file->_IO_buf_end = room + slot->size;
	file->_IO_read_base = file->_IO_read_ptr = file->_IO_read_end = room;
	file->_IO_write_base = file->_IO_write_ptr = room;
	file->_IO_write_end = file->_IO_buf_end;
	if (file->_mode > 0) {
		file->_mode = -1;
		((struct file *)file)->operations = host_file_jumps;
	}
}

/* False when it has got another buffer meanwhile, or none. */
static bool is_installed(const struct slot *slot)
{
	return slot->file->_IO_buf_base == slot->room;
}

static void restore(struct slot *slot)
{
	FILE *file = slot->file;
	const FILE *before = &slot->before.visible;
	int changed = LENT_CLEAR | LENT_SET;

	file->_flags = (file->_flags & ~changed) | (before->_flags & changed);
	file->_IO_buf_base = before->_IO_buf_base;
	file->_IO_buf_end = before->_IO_buf_end;
	file->_IO_read_base = before->_IO_read_base;
	file->_IO_read_ptr = before->_IO_read_ptr;
	file->_IO_read_end = before->_IO_read_end;
	file->_IO_write_base = before->_IO_write_base;
	file->_IO_write_ptr = before->_IO_write_ptr;
	file->_IO_write_end = before->_IO_write_end;
	if (before->_mode > 0) {
		file->_mode = before->_mode;
		((struct file *)file)->operations = slot->before.operations;
	}
}

/* What the program itself has printed meanwhile is recorded already. */
static bool is_partly_said(const struct slot *slot, unsigned stream)
{
	return slot->flags & BORROW_CALLS_BACK && streams[stream].tee &&
	       slot->before.visible._mode <= 0;
}

static void say(const struct call *call, struct slot *slot)
{
	FILE *file = slot->file;
	unsigned stream = streams_of_any_file(file);
	const char *text = file->_IO_write_base;
	size_t length = (size_t)(file->_IO_write_ptr - text);
	bool partly = is_partly_said(slot, stream);

	if (partly)
		stdio_buffer_drain(call, file, stream);
	restore(slot);
	if (partly) {
		next_fwrite(text, 1, length, file);
		stdio_buffer_settle(file);
	} else {
		formatted_say(call, file, text, length);
	}
	if (length > KEPT && slot->room != slot->small)
		SYS3(madvise, slot->room, slot->size, MADV_DONTNEED);
}

/* The buffer is given back; the FILE is locked. */
static void end(const struct call *call, struct slot *slot)
{
	FILE *file = slot->file;
	bool held = !(slot->flags & BORROW_WAITS);
	int kept = errno;

	if (is_installed(slot)) {
		int state = cancel_disable();

		say(call, slot);
		cancel_restore(state);
	}
	slot->number = 0;
	__atomic_store_n(&slot->file, NULL, __ATOMIC_RELEASE);
	if (held)
		host_funlockfile(file);
	errno = kept;
}

/*
 * The FILE has one.  If that is from a call of this thread that has been
 * jumped out of, it ends here; all others go on, and have what is printed now.
 */
static bool is_taken(const struct call *call, FILE *file)
{
	struct slot *slot = find(file);

	if (!slot)
		return false;
	if (slot->thread != host_pthread_self() || call->sp < slot->sp)
		return true;
	end(call, slot);
	return false;
}

static struct borrowed_buffer begin(
	const struct call *call, FILE *file, unsigned flags)
{
	struct borrowed_buffer buffer = {NULL, 0};
	struct slot *slot = is_taken(call, file) ? NULL : claim(file);

	if (!slot)
		return buffer;
	furnish(slot);
	stdio_buffer_drain(call, file, streams_of_any_file(file));
	/* Should the program end in the middle, it is drained. */
	stdio_buffer_remember(file);
	do
		slot->number =
			__atomic_add_fetch(&borrowed, 1, __ATOMIC_RELAXED);
	while (slot->number == 0);
	slot->flags = flags;
	slot->thread = host_pthread_self();
	slot->sp = call->sp;
	slot->function = call->function;
	slot->before = *(const struct file *)file;
	install(slot);
	buffer.file = file;
	buffer.number = slot->number;
	return buffer;
}

/*
 * Locks a FILE.  Who may print nothing at all shall not wait for a thread that
 * keeps the lock; but any other is given back soon.
 */
static bool lock(FILE *file, unsigned flags)
{
	const struct timespec pause = {.tv_nsec = 100000};

	if (!(flags & (BORROW_MAY_PRINT | BORROW_WAITS))) {
		host_flockfile(file);
		return true;
	}
	for (unsigned i = 0; i < (find(file) ? TRIES_FOR_BORROWED : TRIES);
		i++) {
		if (host_ftrylockfile(file) == 0)
			return true;
		SYS2(nanosleep, &pause, NULL);
	}
	return false;
}

struct borrowed_buffer borrow_buffer(
	const struct call *call, FILE *file, unsigned flags)
{
	struct borrowed_buffer buffer = {NULL, 0};
	unsigned stream = file ? streams_of_any_file(file) : STREAM_PASS;
	int kept = errno;

	if (stream == STREAM_PASS || stdio_buffer_is_native(call, file) ||
		(flags & BORROW_WAITS && streams[stream].tee) ||
		(file->_mode > 0 && !host_file_jumps))
		return buffer;
	if (!lock(file, flags))
		return buffer;
	buffer = begin(call, file, flags);
	if (!buffer.file || flags & BORROW_WAITS)
		host_funlockfile(file);
	errno = kept;
	return buffer;
}

void borrow_give_back(
	const struct call *call, const struct borrowed_buffer *buffer)
{
	struct slot *slot = buffer->file ? find(buffer->file) : NULL;
	bool waits = slot && slot->flags & BORROW_WAITS;

	/* It may have ended by itself. */
	if (!slot || slot->number != buffer->number)
		return;
	if (waits)
		host_flockfile(buffer->file);
	end(call, slot);
	if (waits)
		host_funlockfile(buffer->file);
}

/*
 * exit() is being called, perhaps from inside a call that has borrowed.  One of
 * another thread, or of a call that was jumped out of, is left to those who
 * drain the buffers at the end.
 */
static void end_all(int status, void *unused)
{
	(void)status;
	(void)unused;
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots[i];
		struct call_turn turn = {0};
		const struct call call = CAPTURE_CALL(slot->function, &turn);
		struct borrowed_buffer buffer = {slot->file, slot->number};

		if (!buffer.file || slot->thread != host_pthread_self() ||
			call.sp > slot->sp)
			continue;
		borrow_give_back(&call, &buffer);
		stdio_turn_end(&turn);
	}
}

void borrow_end_at_exit(void)
{
	static unsigned handlers;

	if (__atomic_fetch_add(&handlers, 1, __ATOMIC_RELAXED) < HANDLERS_MAX)
		host_on_exit(end_all, NULL);
}
