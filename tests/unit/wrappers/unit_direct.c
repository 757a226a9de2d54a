/*
 * What libc writes to a descriptor by itself, beside libc's own: what was
 * recorded, or written because it could not be, is the same bytes.
 */
#include "shim/host/inside.h"

#include <execinfo.h>
#include <libintl.h>
#include <locale.h>
#include <mntent.h>
#include <netdb.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <wchar.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/streams/streams.h"
#include "tests/unit/world/cancel_world.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/formatted.h"
#include "wrappers/next.h"

/* ---- what the library would be ---- */

#define OURS 9u

bool sys_forbidden;
int (*next_fputws)(const wchar_t *, FILE *) = fputws;
size_t (*next_fwrite)(const void *, size_t, size_t, FILE *) = fwrite;
int (*next_fflush)(FILE *) = fflush;
void (*next_herror)(const char *) = herror;
void (*next_psiginfo)(const siginfo_t *, const char *) = psiginfo;
void (*next_backtrace_symbols_fd)(
	void *const *, int, int) = backtrace_symbols_fd;
int (*next_addmntent)(FILE *, const void *);
size_t (*host_mbrtowc)(wchar_t *, const char *, size_t, mbstate_t *) = mbrtowc;
char *(*host_dcgettext)(const char *, const char *, int) = dcgettext;
const char *(*host_sigdescr_np)(int) = sigdescr_np;
const char *(*host_hstrerror)(int) = hstrerror;
int *(*host___h_errno_location)(void) = __h_errno_location;
int (*host___libc_current_sigrtmin)(void) = __libc_current_sigrtmin;
int (*host___libc_current_sigrtmax)(void) = __libc_current_sigrtmax;

__attribute__((const)) static int *where_errno_is(void)
{
	return __errno_location();
}

__attribute__((const)) int *(*host_errno)(void) = where_errno_is;

static struct {
	char text[65536]; /* recorded, and then written */
	size_t bytes;
	unsigned records, passed;
	unsigned stream; /* of all */
	bool capture_fails, flush_fails, has_no_end;
} world;

void control_follow(void)
{
}

unsigned streams_decide(int fd)
{
	(void)fd;
	return world.stream;
}

unsigned streams_decide_file(const FILE *file, int fd)
{
	(void)file;
	(void)fd;
	return world.stream;
}

void writer_count_passed(void)
{
	world.passed++;
}

bool capture_bytes(const struct call *call, unsigned stream, unsigned text,
	const void *bytes, size_t size)
{
	(void)call;
	assert_int_equal(stream, OURS);
	assert_int_equal(text, BINLOG_TEXT_BYTES);
	if (world.capture_fails)
		return false;
	memcpy(world.text + world.bytes, bytes, size);
	world.bytes += size;
	world.records++;
	return true;
}

ssize_t write_bytes(const struct call *call, int fd, const void *p, size_t size)
{
	(void)fd;
	return capture_bytes(call, OURS, BINLOG_TEXT_BYTES, p, size)
		       ? (ssize_t)size
		       : -1;
}

size_t put_block(const struct call *call, const void *p, size_t size, size_t n,
	FILE *file, size_t (*next)(const void *, size_t, size_t, FILE *))
{
	(void)file;
	(void)next;
	write_bytes(call, -1, p, size * n);
	return n;
}

int wide_string(const struct call *call, const wchar_t *text, FILE *file,
	int (*next)(const wchar_t *, FILE *))
{
	(void)call;
	return next(text, file);
}

int seek_file(const struct call *call, FILE *file, off64_t offset, int whence)
{
	(void)call;
	(void)file;
	assert_int_equal(offset, 0);
	assert_int_equal(whence, SEEK_END);
	return world.has_no_end ? -1 : 0;
}

int state_fflush(const struct call *call, FILE *file, int (*next)(FILE *))
{
	(void)call;
	return world.flush_fails ? EOF : next(file);
}

int pass_on_vsnprintf(
	char *to, size_t size, int chk, const char *format, va_list arguments)
{
	va_list again;
	int length;

	(void)chk;
	va_copy(again, arguments);
	length = vsnprintf(to, size, format, again);
	va_end(again);
	return length;
}

static int add_natively(FILE *file, const void *entry)
{
	return addmntent(file, entry);
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.stream = OURS;
	streams[OURS].tee = false;
	next_addmntent = add_natively;
	return 0;
}

/* ---- both ---- */

static struct call_turn turn;
static const struct call call = {.sp = 1000, .turn = &turn};

/* What a function writes to descriptor 2. */
static size_t written_by(void (*function)(void), char *to, size_t room)
{
	int fd = memfd_create("stderr", 0), kept = dup(2);
	ssize_t n;

	assert_true(fd >= 0 && kept >= 0);
	dup2(fd, 2);
	function();
	dup2(kept, 2);
	n = pread(fd, to, room, 0);
	close(kept);
	close(fd);
	assert_in_range(n, 0, room - 1);
	return (size_t)n;
}

/* ' ': it was recorded, 'n': made natively, '+': both; by what was wanted. */
static char compare(void (*natively)(void), void (*ours)(void))
{
	static char wanted[65536], written[65536];
	size_t length = written_by(natively, wanted, sizeof(wanted));
	size_t n;

	world.bytes = world.records = 0;
	n = written_by(ours, written, sizeof(written));
	if (world.records > 0) {
		assert_int_equal(world.bytes, length);
		assert_memory_equal(world.text, wanted, length);
	}
	if (n > 0 || (world.records == 0 && length > 0)) {
		assert_int_equal(n, length);
		assert_memory_equal(written, wanted, length);
	}
	return world.records == 0 ? 'n' : n > 0 ? '+' : ' ';
}

/* In each way of a stream; which are seen by their outcome. */
static void in_each_way(void (*natively)(void), void (*ours)(void))
{
	begin(NULL);
	assert_int_equal(compare(natively, ours), ' ');
	streams[OURS].tee = true;
	assert_int_equal(compare(natively, ours), '+');
	streams[OURS].tee = false;
	world.stream = STREAM_PASS;
	assert_int_equal(compare(natively, ours), 'n');
	assert_int_equal(world.passed, 0);
	world.stream = OURS;
	world.capture_fails = true;
	assert_int_equal(compare(natively, ours), 'n');
	assert_int_equal(world.passed, 1);
	world.capture_fails = false;
}

static struct rlimit limit;

static void take_memory(void)
{
	struct rlimit none = {0};

	getrlimit(RLIMIT_AS, &limit);
	none.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_AS, &none);
}

static void give_memory(void)
{
	setrlimit(RLIMIT_AS, &limit);
}

/* ---- herror, psiginfo ---- */

static const char *prefix;
static siginfo_t info;

static void our_herror(void)
{
	direct_herror(&call, prefix);
}

static void libcs_herror(void)
{
	herror(prefix);
}

static void our_psiginfo(void)
{
	direct_psiginfo(&call, &info, prefix);
}

static void libcs_psiginfo(void)
{
	psiginfo(&info, prefix);
}

static void errors_of_hosts_are_as_libc_says_them(void **state)
{
	static const char *const prefixes[] = {NULL, "", "prefix"};
	static const int errors[] = {
		0, HOST_NOT_FOUND, TRY_AGAIN, NO_RECOVERY, NO_DATA, -1, 99};

	(void)state;
	for (size_t i = 0; i < 3 * sizeof(errors) / sizeof(*errors); i++) {
		prefix = prefixes[i % 3];
		h_errno = errors[i / 3];
		in_each_way(libcs_herror, our_herror);
	}
}

static void without_memory_they_are_made_natively(void **state)
{
	static char text[2000];

	(void)state;
	memset(text, 'p', sizeof(text) - 1);
	prefix = text;
	take_memory();
	assert_int_equal(compare(libcs_herror, our_herror), 'n');
	give_memory();
	assert_int_equal(compare(libcs_herror, our_herror), ' ');
}

static void signals_are_as_libc_says_them(void **state)
{
	(void)state;
	prefix = "prefix";
	for (int number = -1; number <= SIGRTMAX + 2; number++)
		for (int code = -8; code < 10; code++) {
			memset(&info, 0, sizeof(info));
			info.si_signo = number;
			info.si_code = code;
			info.si_pid = 77;
			info.si_uid = 88;
			assert_int_equal(
				compare(libcs_psiginfo, our_psiginfo), ' ');
		}
	in_each_way(libcs_psiginfo, our_psiginfo);
}

static void long_ones_end_where_libcs_do(void **state)
{
	static char text[2000];

	(void)state;
	memset(&info, 0, sizeof(info));
	info.si_signo = SIGSEGV;
	info.si_code = SEGV_MAPERR;
	prefix = text;
	for (size_t length = 430; length < 560; length++) {
		memset(text, 'p', length);
		text[length] = '\0';
		assert_int_equal(compare(libcs_psiginfo, our_psiginfo), ' ');
	}
}

/* ---- backtrace_symbols_fd ---- */

static void *frames[20];
static int count;

static void our_symbols(void)
{
	errno = ENOENT;
	direct_backtrace_symbols(&call, frames, count, 2);
	assert_int_equal(errno, ENOENT);
}

static void libcs_symbols(void)
{
	backtrace_symbols_fd(frames, count, 2);
}

static void stacks_are_as_libc_says_them(void **state)
{
	struct rlimit files, none = {0};

	(void)state;
	count = 0;
	assert_int_equal(compare(libcs_symbols, our_symbols), 'n');
	count = backtrace(frames, 20);
	assert_true(count > 1);
	assert_int_equal(compare(libcs_symbols, our_symbols), ' ');
	world.stream = STREAM_PASS;
	assert_int_equal(compare(libcs_symbols, our_symbols), 'n');
	world.stream = OURS;
	take_memory();
	assert_int_equal(compare(libcs_symbols, our_symbols), 'n');
	give_memory();
	getrlimit(RLIMIT_NOFILE, &files);
	none.rlim_max = files.rlim_max;
	assert_int_equal(dup2(2, 5), 5);
	setrlimit(RLIMIT_NOFILE, &none);
	direct_backtrace_symbols(&call, frames, 0, 5);
	setrlimit(RLIMIT_NOFILE, &files);
	close(5);
}

/* ---- addmntent ---- */

static struct mntent entry = {.mnt_fsname = (char[]){"/dev/a b"},
	.mnt_dir = (char[]){"/on\ttab\nline\\back"},
	.mnt_type = (char[]){"ext4"},
	.mnt_opts = (char[]){"rw,noatime"},
	.mnt_freq = 1,
	.mnt_passno = 2};
static FILE *table;

static int add(void)
{
	return direct_addmntent(&call, table, &entry);
}

static void entries_are_as_libc_writes_them(void **state)
{
	static char text[4096], wanted[4096];
	FILE *native = fmemopen(wanted, sizeof(wanted), "w");

	(void)state;
	table = fdopen(memfd_create("table", 0), "w+");
	assert_int_equal(addmntent(native, &entry), 0);
	fclose(native);
	assert_int_equal(add(), 0);
	world.text[world.bytes] = '\0';
	assert_string_equal(world.text, wanted);
	world.records = 0;
	world.has_no_end = true; /* a pipe */
	assert_int_equal(add(), 1);
	assert_int_equal(world.records, 0);
	world.has_no_end = false;
	world.flush_fails = true;
	assert_int_equal(add(), 1);
	world.flush_fails = false;
	world.stream = STREAM_PASS;
	world.records = 0;
	assert_int_equal(add(), 0);
	assert_int_equal(world.records, 0);
	assert_int_equal(pread(fileno(table), text, sizeof(text) - 1, 0),
		strlen(wanted));
	assert_string_equal(text, wanted);
	fclose(table);
}

static void an_entry_without_memory_is_written_natively(void **state)
{
	static char long_name[3000], wanted[4096], text[4096];
	FILE *native = fmemopen(wanted, sizeof(wanted), "w");
	char *kept = entry.mnt_dir;

	(void)state;
	memset(long_name, 'n', sizeof(long_name) - 1);
	entry.mnt_dir = long_name;
	assert_int_equal(addmntent(native, &entry), 0);
	fclose(native);
	table = fdopen(memfd_create("table", 0), "w+");
	assert_int_equal(add(), 0);
	world.text[world.bytes] = '\0';
	assert_string_equal(world.text, wanted);
	assert_int_equal(world.passed, 0);
	take_memory();
	assert_int_equal(add(), 0);
	give_memory();
	assert_int_equal(world.passed, 1);
	assert_true(pread(fileno(table), text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, wanted);
	entry.mnt_dir = kept;
	fclose(table);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(errors_of_hosts_are_as_libc_says_them),
		TEST(without_memory_they_are_made_natively),
		TEST(signals_are_as_libc_says_them),
		TEST(long_ones_end_where_libcs_do),
		TEST(stacks_are_as_libc_says_them),
		TEST(entries_are_as_libc_writes_them),
		TEST(an_entry_without_memory_is_written_natively),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
