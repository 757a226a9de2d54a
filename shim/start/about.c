/*
 * The library run as a program: it says what it is, and what it would record
 * from here, and where.  The kernel starts the loader that .interp names, which
 * loads libc, relocates us and jumps to about_entry; for a program the loader
 * leaves constructors to the program's own start, and we have none, so ours has
 * not run and nothing is recorded.  Nothing of this is touched in a process
 * that preloads the library.
 */
#include <fcntl.h>
#include <sys/ioctl.h>

#include "record/elsewhere.h"
#include "rules/levels.h"
#include "shim/control/settings.h"
#include "shim/file/capture_file.h"
#include "shim/host/bytes.h"
#include "shim/host/clock.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/start/directory.h"
#include "shim/streams/stream_modes.h"

#if defined(__x86_64__)
#define MACHINE "x86-64"
#define LOADER "/lib64/ld-linux-x86-64.so.2"
__asm__(".pushsection .text.about_entry,\"ax\",@progbits\n"
	".globl about_entry\n"
	".hidden about_entry\n"
	".type about_entry, @function\n"
	"about_entry:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	xorl %ebp, %ebp\n"
	"	movq %rsp, %rdi\n"
	"	andq $-16, %rsp\n"
	"	call about_tell\n"
	"	hlt\n"
	"	.cfi_endproc\n"
	".size about_entry, . - about_entry\n"
	".popsection\n");
#else
#define MACHINE "aarch64"
#define LOADER "/lib/ld-linux-aarch64.so.1"
__asm__(".pushsection .text.about_entry,\"ax\",@progbits\n"
	".globl about_entry\n"
	".hidden about_entry\n"
	".type about_entry, @function\n"
	"about_entry:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined x30\n"
	"	mov x29, #0\n"
	"	mov x0, sp\n"
	"	bl about_tell\n"
	"	brk #1\n"
	"	.cfi_endproc\n"
	".size about_entry, . - about_entry\n"
	".popsection\n");
#endif

/* What Makefile gives. */
#ifndef ABOUT_RELEASE
#define ABOUT_RELEASE "of unknown version"
#endif

static const char interpreter[] __attribute__((used, section(".interp"))) =
	LOADER;

HIDDEN _Noreturn void about_tell(long *stack);

/* Of what somebody has set: nobody reads more. */
#define LONGEST CAPTURE_FILE_PATH

static char said[65536];
static struct bytes_text text = {said, sizeof(said), 0};

/* Several strings, a null behind the last. */
static void say(const char *first, ...)
{
	va_list more;

	va_start(more, first);
	for (const char *s = first; s; s = va_arg(more, const char *))
		for (size_t i = 0;
			s[i] && i < LONGEST && text.length + 1 < text.size; i++)
			/* What others have named does nothing to a
			 * terminal. */
			said[text.length++] =
				(unsigned char)s[i] < ' ' || s[i] == 0x7f
					? '?'
					: s[i];
	va_end(more);
}

static void say_number(uint64_t number)
{
	bytes_put_number(&text, number, 10);
}

static void begin(const char *name)
{
	say(name, ": ", NULL);
}

static void end(void)
{
	bytes_put(&text, "\n");
}

/* What the kernel has answered.  The words are libc's, if it can be asked. */
static void say_why(long result)
{
	const char *why = NULL;

	if (host_is_glibc && host_libc_version >= 2032)
		why = host_strerrordesc_np((int)-result);
	if (why) {
		say(why, NULL);
		return;
	}
	say("error ", NULL);
	say_number((uint64_t)-result);
}

/* ---- libc ---- */

static void tell_libc(void)
{
	begin("libc");
	if (!host_is_glibc) {
		say("not known: before glibc 2.34 it cannot be asked by a "
		    "program alone",
			NULL);
	} else {
		say("glibc ", NULL);
		say_number(host_libc_version / 1000);
		say(".", NULL);
		say_number(host_libc_version % 1000);
		say(host_knows_files ? ""
				     : ", which is not known: calls go the "
				       "longer way",
			NULL);
	}
	end();
}

/* ---- settings ---- */

/* The number, and a letter behind it. */
static bool is_size(const char *value)
{
	uint64_t number;

	if (!bytes_number(&value, 10, &number))
		return false;
	return !*value || (bytes_have("kmgtKMGT", 8, *value) && !value[1]);
}

static bool is_one_of(const char *value, const char *a, const char *b)
{
	const char *const words[] = {a, b};

	for (int i = 0; i < 2; i++)
		if (bytes_starts(value, words[i]) &&
			!value[bytes_length(words[i])])
			return true;
	return false;
}

static bool is_understood(enum config_key key, const char *value)
{
	uint64_t number;
	int level;

	switch (key) {
	case CONFIG_level:
		return level_named(value, bytes_length(value), &level);
	case CONFIG_depth:
		return bytes_number(&value, 10, &number) && !*value;
	case CONFIG_max_size:
	case CONFIG_ring:
	case CONFIG_quota:
		return is_size(value);
	case CONFIG_full:
		return is_one_of(value, "pass", "block") ||
		       is_one_of(value, "spill", "spill") ||
		       (bytes_starts(value, "block=") && value[6] >= '0' &&
			       value[6] <= '9');
	case CONFIG_captures:
		return is_one_of(value, "program", "run");
	case CONFIG_redact:
		return is_one_of(value, "copies", "usual") ||
		       is_one_of(value, "off", "off");
	case CONFIG_unwinder:
		return is_one_of(value, "libunwind", "libunwind");
	case CONFIG_signals:
		return is_one_of(value, "0", "all");
	case CONFIG_off:
	case CONFIG_disable:
		return is_one_of(value, "0", "1");
	default:
		return true; /* told elsewhere, or anything goes */
	}
}

static const char *const keys[CONFIG_KEYS] = {
#define CONFIG_KEY(key, ...) [CONFIG_##key] = #key,
#include "rules/config_keys.def"
#undef CONFIG_KEY
};

/* NAME=VALUE is the variable of this key. */
static bool is_of(const char *variable, const char *key)
{
	for (; *key; key++, variable++)
		if (*variable !=
			(*key >= 'a' && *key <= 'z' ? *key - 'a' + 'A' : *key))
			return false;
	return *variable == '=';
}

static void say_name(const char *variable)
{
	char name[64];
	struct bytes_text to = {name, sizeof(name), 0};

	while (*variable && *variable != '=' && to.length + 1 < to.size)
		name[to.length++] = *variable++;
	name[to.length] = '\0';
	say("BINLOG_", name, NULL);
}

static unsigned unknown;

/* Of the library; tools have others. */
static void look_at_name(const char *variable)
{
	static const char *const others[] = {
		"config", "run", "parent", "watched", "cache", "pager", "sandbox"};

	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (is_of(variable, others[i]))
			return;
	for (unsigned key = 0; key < CONFIG_KEYS; key++)
		if (is_of(variable, keys[key]))
			return;
	begin("settings");
	say_name(variable);
	say(": no such setting: it has no effect: see binlog(7)", NULL);
	end();
	unknown++;
}

static void tell_streams_wrong(const char *value)
{
	struct policy_item item;

	while (value && policy_next(&value, &item)) {
		char word[64];
		size_t bytes = item.bytes < sizeof(word) ? item.bytes
							 : sizeof(word) - 1;

		if (!item.wrong)
			continue;
		bytes_copy(word, item.text, bytes);
		word[bytes] = '\0';
		begin("settings");
		say("streams: ", word, ": ", item.wrong, NULL);
		end();
		unknown++;
	}
}

static void tell_settings(void)
{
	unsigned set = 0;

	environment_each("BINLOG_", look_at_name);
	tell_streams_wrong(settings_get(CONFIG_streams));
	for (unsigned key = 0; key < CONFIG_KEYS; key++) {
		const char *value = settings_get((enum config_key)key);

		set += value && *value;
		if (!value || !*value ||
			is_understood((enum config_key)key, value))
			continue;
		begin("settings");
		say(keys[key], "=", value,
			": not understood: it has no effect: see binlog(7)",
			NULL);
		end();
		unknown++;
	}
	if (unknown > 0)
		return;
	begin("settings");
	if (set > 0)
		say_number(set);
	say(set > 0 ? ", all understood" : "as usual", NULL);
	end();
}

/* ---- rules ---- */

static void tell_rules(void)
{
	const char *path = environment_get("BINLOG_CONFIG");
	long fd;

	begin("rules");
	if (path && *path) {
		fd = SYS4(openat, AT_FDCWD, path,
			O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
		say(path, ": ", NULL);
		if (sys_failed(fd)) {
			say_why(fd);
			say(": it has no effect; ", NULL);
		} else {
			say("readable; ", NULL);
			SYS1(close, fd);
		}
	}
	if (settings_rules_wrong()) {
		say("line ", NULL);
		say_number(settings_rules_wrong());
		say(" of the rules is wrong: of all of them those count that "
		    "redact: binlog-run(1) says why",
			NULL);
	} else {
		say(settings_rules_bytes() > 0 ? "in force" : "none", NULL);
	}
	end();
}

/* ---- the directory ---- */

/*
 * 0, or why no file can be made there.  What is not there yet will be made: so
 * many directories.  `path` is changed, and as it was afterwards.
 */
static long obstacle(char *path, unsigned to_make)
{
	size_t end = bytes_length(path);
	struct stat st;
	long result = SYS4(newfstatat, AT_FDCWD, path, &st, 0);
	char there;

	if (!sys_failed(result))
		return S_ISDIR(st.st_mode)
			       ? SYS3(faccessat, AT_FDCWD, path, W_OK | X_OK)
			       : -ENOTDIR;
	if (result != -ENOENT || to_make == 0)
		return result;
	while (end > 1 && path[end - 1] == '/')
		end--;
	while (end > 1 && path[end - 1] != '/')
		end--;
	there = path[end];
	path[end] = '\0';
	result = obstacle(path, to_make - 1);
	path[end] = there;
	return result;
}

static void tell_directory(void)
{
	static char asked[CAPTURE_FILE_PATH], path[CAPTURE_FILE_PATH];
	bool relative;
	long result = directory_asked(asked, sizeof(asked), &relative)
			      ? obstacle(asked, 1)
			      : -ENAMETOOLONG;

	begin("directory");
	say(asked, NULL);
	if (result == 0) {
		end();
		return;
	}
	say(": ", NULL);
	say_why(result);
	for (unsigned place = 0; place < ELSEWHERE_PLACES; place++)
		if (directory_elsewhere(
			    place, asked, false, path, sizeof(path)) &&
			obstacle(path, place == 0 ? 3 : 2) == 0) {
			say(": captures go to ", path, NULL);
			end();
			return;
		}
	say(", and nothing else is left: nothing is recorded: set BINLOG_DIR",
		NULL);
	end();
}

/* ---- streams ---- */

static bool is_terminal(int fd)
{
	char settings[64]; /* struct termios of the kernel: 36 bytes */

	return !sys_failed(SYS3(ioctl, fd, TCGETS, settings));
}

static void tell_output(const char *name, enum switch_stream which, int fd)
{
	static const char *const what[] = {
		[POLICY_AUTO] = "",
		[POLICY_REPLACE] = "recorded, not written",
		[POLICY_TEE] = "recorded and written",
		[POLICY_PASS] = "written, not recorded",
	};
	enum policy_mode mode = stream_modes_of(which);
	struct stat st;

	say(name, "=", policy_mode_name(mode), NULL);
	if (mode != POLICY_AUTO)
		return;
	say(", here ", NULL);
	if (sys_failed(SYS2(fstat, fd, &st)))
		say("closed", NULL);
	else
		say(what[stream_modes_automatic(&st, is_terminal(fd))], NULL);
}

static void tell_streams(void)
{
	const char *value = settings_get(CONFIG_streams);
	struct policy_item item;

	stream_modes_configure(value);
	begin("streams");
	tell_output("stdout", SWITCH_STDOUT, 1);
	say("; ", NULL);
	tell_output("stderr", SWITCH_STDERR, 2);
	say("; syslog=", policy_mode_name(stream_modes_of(SWITCH_SYSLOG)),
		NULL);
	while (value && policy_next(&value, &item))
		if (!item.wrong && item.streams == 0)
			say("; files as asked for", NULL);
	end();
}

/* ---- all ---- */

static void tell_clock(void)
{
	clock_choose();
	begin("clock");
	say(clock_is_tsc ? "the processor's counter, which the kernel trusts"
			 : "the kernel's, since it does not trust the "
			   "processor's counter: each call takes longer",
		NULL);
	end();
}

static bool is_disabled(void)
{
	const char *value = settings_get(CONFIG_disable);

	return value && *value && *value != '0';
}

static void tell_all(void)
{
	say("libbinlog.so " ABOUT_RELEASE ", for " MACHINE
	    ": captures of format version ",
		NULL);
	say_number(BINLOG_VERSION);
	end();
	say("What a program prints and logs that is started from here by "
	    "binlog-run, or with the path of this file in LD_PRELOAD:",
		NULL);
	end();
	tell_libc();
	tell_settings();
	if (is_disabled()) {
		begin("recorded");
		say("nothing, since BINLOG_DISABLE is set", NULL);
		end();
		return;
	}
	tell_rules();
	tell_directory();
	tell_streams();
	tell_clock();
}

/* argc, the arguments, null, the environment. */
void about_tell(long *stack)
{
	char **arguments = (char **)(stack + 1);
	size_t written = 0;
	bool good = true;

	environment_arguments((int)*stack, arguments, arguments + *stack + 1);
	host_resolve();
	if (!environment_is_secure())
		settings_read();
	tell_all();
	while (good && written < text.length) {
		long n = SYS3(write, 1, said + written, text.length - written);

		good = n > 0 || n == -EINTR;
		written += n > 0 ? (size_t)n : 0;
	}
	for (;;)
		SYS1(exit_group, good ? 0 : 1);
}
