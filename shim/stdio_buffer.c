#include "shim/stdio_buffer.h"

#include "shim/host.h"
#include "shim/streams.h"

#define FILES_MAX 32

/* libio.h: the buffer holds output, not input */
#define CURRENTLY_PUTTING 0x800

static FILE *files[FILES_MAX];

static bool record(const struct call *call, const FILE *file, unsigned stream)
{
	struct call by_macro = *call;

	by_macro.function = "putc_unlocked";
	return capture_bytes(&by_macro, stream, BINLOG_TEXT_BYTES,
		file->_IO_write_base,
		(size_t)(file->_IO_write_ptr - file->_IO_write_base));
}

COLD void stdio_buffer_drain(
	const struct call *call, FILE *file, unsigned stream)
{
	if (streams[stream].tee || host_ftrylockfile(file) != 0)
		return; /* another thread's: it will come here itself */
	if (file->_flags & CURRENTLY_PUTTING && file->_mode <= 0 &&
		file->_IO_write_ptr > file->_IO_write_base &&
		record(call, file, stream))
		file->_IO_write_ptr = file->_IO_write_base;
	host_funlockfile(file);
}

static void drain_if_recorded(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_file(file);

	if (stream != STREAM_PASS)
		stdio_buffer_drain(call, file, stream);
}

void stdio_buffer_drain_all(const struct call *call)
{
	for (int i = 0; i < FILES_MAX; i++) {
		FILE *file = __atomic_load_n(&files[i], __ATOMIC_ACQUIRE);

		if (file)
			drain_if_recorded(call, file);
	}
}

void stdio_buffer_remember(FILE *file)
{
	for (int i = 0; i < FILES_MAX; i++)
		if (__atomic_load_n(&files[i], __ATOMIC_ACQUIRE) == file)
			return;
	for (int i = 0; i < FILES_MAX; i++) {
		FILE *expected = NULL;

		if (__atomic_compare_exchange_n(&files[i], &expected, file,
			    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return;
	}
}

void stdio_buffer_forget(const FILE *file)
{
	for (int i = 0; i < FILES_MAX; i++)
		if (__atomic_load_n(&files[i], __ATOMIC_ACQUIRE) == file)
			__atomic_store_n(&files[i], NULL, __ATOMIC_RELEASE);
}
