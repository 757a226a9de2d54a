#include "shim/start/startup.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "record/elsewhere.h"
#include "record/file_growth.h"
#include "record/hash.h"
#include "record/program_name.h"
#include "shim/control/control.h"
#include "shim/control/process.h"
#include "shim/control/settings.h"
#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/file/quota.h"
#include "shim/host/arena.h"
#include "shim/host/bytes.h"
#include "shim/host/clock.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/record/redact.h"
#include "shim/start/directory.h"
#include "shim/streams/streams.h"
#include "shim/unwind/unwind.h"
#include "shim/writer/life.h"
#include "shim/writer/patience.h"
#include "shim/writer/position.h"
#include "shim/writer/ring.h"
#include "shim/writer/ring_trigger.h"
#include "shim/writer/spill.h"
#include "shim/writer/writer.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

bool startup_begun;

static uint64_t run_id;
static struct stream_output outputs[2];
static uint8_t boot_id[16];
/* BINLOG_RUN of the process that founds a run; the name that others find. */
static char founded[512];
static const char *first_capture;
/* What is in front of that name. */
static bool first_has_offsets;
static uint64_t first_shares; /* sharing() of who has made it; 0: nobody may */

/*
 * The strings of the PROCESS record: executable, directory, argv.  Behind them
 * the path of the capture: on a page that is in use already.
 */
#define STRINGS 8192u
static char strings[STRINGS + CAPTURE_FILE_PATH];

/* 64K, 16M...; `otherwise` if it is no number. */
static uint64_t read_size(enum config_key key, uint64_t otherwise)
{
	static const char suffixes[] = "KMGT";
	const char *value = settings_get(key);
	uint64_t number;

	if (!value || !bytes_number(&value, 10, &number))
		return otherwise;
	for (unsigned i = 0; suffixes[i]; i++)
		if ((*value & ~0x20) == suffixes[i])
			number = number <= (uint64_t)INT64_MAX >> 10 * (i + 1)
					 ? number << 10 * (i + 1)
					 : INT64_MAX;
	return number;
}

static void read_sizes(void)
{
	const char *value;
	uint64_t number, quota;

	process.max_bytes = read_size(CONFIG_max_size, process.max_bytes);
	process.ring_bytes = read_size(CONFIG_ring, 0);
	quota = read_size(CONFIG_quota, 0);
	quota_set(quota);
	if (process.ring_bytes == 0)
		process.max_bytes = spill_begin(
			settings_get(CONFIG_full), process.max_bytes, quota);
	value = settings_get(CONFIG_depth);
	if (value && bytes_number(&value, 10, &number))
		process.depth = number < 1		     ? 1
				: number > UNWIND_FRAMES_MAX ? UNWIND_FRAMES_MAX
							     : (unsigned)number;
}

static void read_level(void)
{
	const char *value = settings_get(CONFIG_level);
	const char *off = settings_get(CONFIG_off);
	int level;

	if (value && level_named(value, bytes_length(value), &level))
		control_set_level(level);
	if (off && *off && *off != '0')
		control_set_off();
}

static bool number_at(const char **at, uint64_t *number)
{
	*at += **at == ':';
	return bytes_number(at, 16, number);
}

/* 32 digits, with or without dashes between them; false: less. */
static bool boot_id_at(const char **at)
{
	unsigned nibble = 0;

	for (; nibble < 32; ++*at) {
		uint64_t digit;
		char text[2] = {**at, 0};
		const char *end = text;

		if (**at == '-')
			continue;
		if (!bytes_number(&end, 16, &digit))
			return false;
		boot_id[nibble / 2] |= (uint8_t)(digit << (nibble % 2 ? 0 : 4));
		nibble++;
	}
	return true;
}

/*
 * BINLOG_RUN=run:device:inode:device:inode:clock:boot in hexadecimal; 0:0 is
 * unknown.  Then, if there is a capture that is of use for others, `:`, 1 if
 * one of the outputs is a regular file, else 0, `:`, who may share it, `:` and
 * its name.
 */
static bool join_run(const char *value)
{
	uint64_t clock, offsets;

	if (!value || !number_at(&value, &run_id))
		return false;
	for (int i = 0; i < 2; i++) {
		if (!number_at(&value, &outputs[i].device) ||
			!number_at(&value, &outputs[i].inode))
			return false;
		outputs[i].known = outputs[i].inode != 0;
	}
	if (!number_at(&value, &clock) || *value++ != ':' ||
		!boot_id_at(&value))
		return false;
	clock_is_tsc = clock == BINLOG_CLOCK_TSC;
	if (*value != ':')
		return true;
	if (number_at(&value, &offsets) && number_at(&value, &first_shares) &&
		*value == ':')
		first_capture = value + 1;
	first_has_offsets = offsets != 0;
	return true;
}

static void put_field(struct bytes_text *text, uint64_t number)
{
	bytes_put(text, ":");
	bytes_put_number(text, number, 16);
}

/* A fact of the machine that takes some us to find out, once for a run. */
static void read_boot_id(void)
{
	char text[40] = "";
	const char *at = text;
	long fd = SYS4(openat, AT_FDCWD, "/proc/sys/kernel/random/boot_id",
		O_RDONLY | O_CLOEXEC, 0);

	/* A variable that is none may have had half of one. */
	memset(boot_id, 0, sizeof(boot_id));
	if (sys_failed(fd))
		return;
	if (SYS3(read, fd, text, 36) == 36)
		boot_id_at(&at);
	SYS1(close, fd);
}

/* What about_entry has at least. */
#define ABOUT_ENTRY_BYTES 8

/* Two at once, and each only once: for a run, and for a capture. */
static unsigned random_left;

static uint64_t random_number(void)
{
	static uint64_t numbers[2];

	if (random_left == 0) {
		random_left = 2;
		if (SYS3(getrandom, numbers, sizeof(numbers),
			    1 /* GRND_NONBLOCK */) != sizeof(numbers)) {
			numbers[1] =
				binlog_hash_word(clock_ticks(), process.pid);
			numbers[0] =
				binlog_hash_word(clock_ticks(), numbers[1]);
		}
	}
	return numbers[--random_left];
}

static bool found_run(void)
{
	struct bytes_text text = {founded, sizeof(founded), 0};
	bool good = true;

	run_id = random_number();
	bytes_put_number(&text, run_id, 16);
	for (int i = 0; i < 2; i++) {
		good &= streams_identify(i + 1, &outputs[i]);
		put_field(&text, outputs[i].device);
		put_field(&text, outputs[i].inode);
	}
	put_field(&text,
		clock_is_tsc ? BINLOG_CLOCK_TSC : BINLOG_CLOCK_MONOTONIC);
	bytes_put(&text, ":");
	for (unsigned i = 0; i < 2 * sizeof(boot_id); i++)
		bytes_put_number(
			&text, boot_id[i / 2] >> (i % 2 ? 0 : 4) & 0xf, 16);
	if (good)
		environment_set("BINLOG_RUN=", founded);
	return good;
}

/* Whether some output has offsets, which the processes of a run share. */
static bool has_offsets(void)
{
	return S_ISREG(outputs[0].mode) || S_ISREG(outputs[1].mode);
}

/* Not inlined: the founder of a run needs no such stack. */
static __attribute__((noinline)) void join_positions(
	const char *path, size_t directory)
{
	char first[4096];
	struct bytes_text place = {first, sizeof(first), directory};

	bytes_copy(first, path, directory);
	bytes_put(&place, first_capture);
	position_join(first);
}

/* Where the outputs stand: in the capture of the first process of the run. */
static void share_positions(const char *path, size_t directory)
{
	if (first_capture) {
		if (!first_has_offsets)
			return;
		if (process.joined)
			position_found(capture_file_header);
		else
			join_positions(path, directory);
		streams_have_offsets = true;
	} else if (*founded && has_offsets()) {
		position_found(capture_file_header);
		position_begin(&outputs[0]);
		position_begin(&outputs[1]);
		streams_have_offsets = true;
	}
}

/*
 * Which programs may share a capture: those that were told to, and to keep the
 * same, in the same way; nothing that has rules, a ring, or a way of its own
 * with a capture that is full.  0: this one may not.
 */
static uint64_t sharing(void)
{
	const char *captures = settings_get(CONFIG_captures);

	if (!captures || !bytes_starts(captures, "run") || captures[3] ||
		process.ring_bytes || settings_get(CONFIG_full) ||
		settings_rules_bytes() > 0 || settings_rules_wrong())
		return 0;
	return 1 | (uint64_t)(control_switches->off != 0) << 1 |
	       (uint64_t)(uint8_t)control_switches->level << 2;
}

/* The name of the first capture, to the programs that are started by this. */
static void tell_heirs(const char *name)
{
	struct bytes_text text = {founded, sizeof(founded), 0};
	const uint64_t shares = sharing();

	if (!*founded || (!has_offsets() && !shares))
		return;
	text.length = bytes_length(founded);
	put_field(&text, has_offsets());
	put_field(&text, shares);
	bytes_put(&text, ":");
	bytes_put(&text, name);
	if (text.length + 1 < sizeof(founded))
		environment_set("BINLOG_RUN=", founded);
}

/* So that a block of 4 KiB has room for it, and for messages. */
#define STRINGS_WITH_VARIABLES 2048u

/* Behind what is there, with its NUL; false: it has no room. */
static bool add_string(struct bytes_text *text, const char *s)
{
	if (text->length + bytes_length_limited(s, STRINGS_WITH_VARIABLES) + 2 >
		STRINGS_WITH_VARIABLES)
		return false;
	bytes_put(text, s);
	text->length++;
	return true;
}

/* While remember_strings() runs: environment_each() hands nothing over. */
static struct bytes_text *remembered;

static void remember_variable(const char *variable)
{
#define INTERNAL(begins)                                                       \
	if (bytes_starts(variable, begins))                                    \
		return;
#define VARIABLE(begins)                                                       \
	if (bytes_starts(variable, begins)) {                                  \
		add_string(remembered, variable);                              \
		return;                                                        \
	}
#include "record/environment.def"
#undef INTERNAL
#undef VARIABLE
}

static void remember_strings(int argc, char **argv)
{
	struct utsname host;
	struct bytes_text text = {strings, STRINGS / 2, 0};
	const char *argument;
	long n = SYS4(readlinkat, AT_FDCWD, "/proc/self/exe", strings,
		STRINGS / 2 - 1);

	text.length = sys_failed(n) ? 0 : (size_t)n;
	strings[text.length++] = '\0';
	n = SYS2(getcwd, strings + text.length, STRINGS / 4);
	text.length += sys_failed(n) ? 0 : (size_t)n - 1;
	strings[text.length++] = '\0';
	text.size = STRINGS;
	argument = strings + text.length; /* the program may change its own */
	for (int i = 0; i < argc && argv[i]; i++) {
		if (text.length + 2 > text.size)
			break;
		bytes_put(&text, argv[i]);
		text.length++;
		process.arguments++;
	}
	process.argument_bytes = (uint32_t)text.length;
	process.name = binlog_program_name(
		strings, process.arguments > 0 ? argument : NULL);
	if (!sys_forbidden && !sys_failed(SYS1(uname, &host)) &&
		add_string(&text, host.nodename)) {
		remembered = &text;
		environment_each("", remember_variable);
		remembered = NULL;
	}
	process.strings = strings;
	process.strings_bytes = (uint32_t)text.length;
}

/* program-pid-start-random.binlog, behind a directory: never the name of
 * another process. */
static bool name_file(
	char *path, size_t size, const struct binlog_header *header)
{
	struct bytes_text text = {path, size, bytes_length(path)};

	bytes_put(&text, "/");
	bytes_put(&text, *process.name ? process.name : "unknown");
	bytes_put(&text, "-");
	bytes_put_number(&text, header->pid, 10);
	bytes_put(&text, "-");
	bytes_put_number(&text, header->start.realtime / 1000000000, 10);
	bytes_put(&text, "-");
	bytes_put_number(&text, header->nonce, 16);
	bytes_put(&text, BINLOG_SUFFIX);
	return text.length + 1 < size;
}

/*
 * Of a run that lasts, and has many programs, one of so many looks as well; the
 * others start as fast as ever.
 */
#define LOOKS_ONE_OF 32

static bool create_in(char *path, const struct binlog_header *header)
{
	if (!name_file(path, CAPTURE_FILE_PATH, header))
		return false;
	if (*founded || header->nonce % LOOKS_ONE_OF == 0)
		capture_file_make_room(path);
	return capture_file_create(path, process.max_bytes, header);
}

/* Where nobody has asked for it: better than nowhere. */
static COLD bool create_elsewhere(
	char *path, const struct binlog_header *header)
{
	char asked[CAPTURE_FILE_PATH];
	bool relative;

	directory_asked(asked, sizeof(asked), &relative);
	for (unsigned place = 0; place < ELSEWHERE_PLACES; place++) {
		size_t length;

		if (!directory_elsewhere(
			    place, asked, true, path, CAPTURE_FILE_PATH))
			continue;
		length = bytes_length(path);
		if (!create_in(path, header)) {
			path[length] = '\0';
			directory_leave(path);
			continue;
		}
		bytes_copy(asked, path, length);
		asked[length] = '\0';
		environment_set("BINLOG_DIR=", asked);
		return true;
	}
	return false;
}

/* In the directory that was asked for, which its children know, too. */
static bool create_file(char *path, const struct binlog_header *header)
{
	bool relative;

	if (!directory_asked(path, CAPTURE_FILE_PATH, &relative))
		return create_elsewhere(path, header);
	if (relative)
		environment_set("BINLOG_DIR=", path);
	return create_in(path, header) || create_elsewhere(path, header);
}

/* How much of a path, which is absolute, is before the name. */
static size_t directory_of(const char *path)
{
	size_t length = bytes_length(path);

	while (path[length - 1] != '/')
		length--;
	return length;
}

/* From the files, into the capture, as binlog-ctl does it with others. */
static void publish_rules(void)
{
	size_t bytes = settings_rules_bytes();
	char *text;
	uint64_t at;

	control_switches->rules_wrong = settings_rules_wrong();
	if (bytes == 0)
		return;
	text = capture_file_note(BINLOG_RULES, bytes, &at);
	if (text)
		control_set_rules(at, settings_rules(text, bytes));
}

static void fill_header(struct binlog_header *header)
{
	*header = (struct binlog_header){
		.magic = BINLOG_MAGIC,
		.version = BINLOG_VERSION,
		.byte_order = BINLOG_BYTE_ORDER,
		.clock = clock_is_tsc ? BINLOG_CLOCK_TSC
				      : BINLOG_CLOCK_MONOTONIC,
		.pid = process.pid,
		.machine = MACHINE,
	};
	header->nonce = random_number();
	header->run = run_id;
	clock_anchor(&header->start);
}

/* ---- the captures after the first ---- */

/* The directory of the first one: its path may lead elsewhere by then. */
static uint64_t its_device, its_inode;

static bool look_at_directory(char *path, struct stat *st)
{
	size_t length = directory_of(path);
	char first = path[length];
	long result;

	path[length] = '\0';
	result = SYS4(newfstatat, AT_FDCWD, path, st, 0);
	path[length] = first;
	return !sys_failed(result);
}

static void remember_directory(char *path)
{
	struct stat st;

	if (!look_at_directory(path, &st))
		return;
	its_device = st.st_dev;
	its_inode = st.st_ino;
}

/* What has to be on the disk for it to be begun. */
#define NEXT_LEAST ((uint64_t)1 << 20)

COLD struct binlog_header *startup_next_capture(
	const struct binlog_spill *account, uint32_t *why)
{
	static char paths[2][CAPTURE_FILE_PATH];
	const char *last = growth_path();
	char *path = last == paths[0] ? paths[1] : paths[0];
	size_t directory = directory_of(last);
	struct binlog_header header, *next;
	struct stat st;

	bytes_copy(path, last, directory);
	path[directory] = '\0';
	*why = BINLOG_SPILL_OTHER;
	if (!look_at_directory(path, &st) || st.st_dev != its_device ||
		st.st_ino != its_inode)
		return NULL;
	random_left = 0; /* a parent may have the same ones */
	fill_header(&header);
	bytes_copy(header.boot_id, capture_file_header->boot_id,
		sizeof(header.boot_id));
	*why = BINLOG_SPILL_DISK;
	if (!capture_file_may_begin(path, NEXT_LEAST))
		return NULL;
	path[directory - 1] = '\0';
	if (!name_file(path, CAPTURE_FILE_PATH, &header))
		return NULL;
	*why = BINLOG_SPILL_QUOTA;
	if (!quota_makes_room(path, process.max_bytes))
		return NULL;
	*why = BINLOG_SPILL_OTHER;
	next = capture_file_prepare(path, process.max_bytes, &header);
	if (next)
		*(struct binlog_spill *)((char *)next + BINLOG_SPILL_OFFSET) =
			*account;
	return next;
}

/* ---- the capture of the run ---- */

/* Of the whole, so much is for programs that share it to begin with; who comes
 * later has one of its own. */
#define SHARED_PART 4

static uint64_t pid_namespace;

/* It comes out of the environment, where anything may be; and the processes of
 * a capture are taken for children of each other by those who ask the kernel
 * for them. */
static bool fits(const struct binlog_header *header)
{
	const struct binlog_founder *founder =
		(const void *)((const char *)header + BINLOG_FOUNDER_OFFSET);
	const struct file_growth *growth =
		(const void *)((const char *)header + BINLOG_GROWTH_OFFSET);

	return memcmp(header->magic, BINLOG_MAGIC, sizeof(header->magic)) ==
		       0 &&
	       header->version == BINLOG_VERSION &&
	       header->byte_order == BINLOG_BYTE_ORDER &&
	       header->machine == MACHINE && header->run == run_id &&
	       header->clock == (clock_is_tsc ? BINLOG_CLOCK_TSC
					      : BINLOG_CLOCK_MONOTONIC) &&
	       memcmp(header->boot_id, boot_id, sizeof(boot_id)) == 0 &&
	       header->next < process.max_bytes / SHARED_PART &&
	       founder->libc == host_libc_version &&
	       founder->pid_namespace == pid_namespace && pid_namespace &&
	       growth->stuck == 0;
}

static bool is_name(const char *name)
{
	const size_t suffix = sizeof(BINLOG_SUFFIX) - 1;
	size_t length = 0;

	while (name[length] && name[length] != '/')
		length++;
	return !name[length] && length > suffix &&
	       bytes_starts(name + length - suffix, BINLOG_SUFFIX);
}

static bool join_capture(char *path)
{
	struct bytes_text text = {path, CAPTURE_FILE_PATH, 0};
	bool relative;

	if (!first_capture || first_shares == 0 || first_shares != sharing() ||
		!is_name(first_capture) ||
		!directory_asked(path, CAPTURE_FILE_PATH, &relative) ||
		relative)
		return false;
	text.length = bytes_length(path);
	bytes_put(&text, "/");
	bytes_put(&text, first_capture);
	if (text.length + 1 >= text.size ||
		!capture_file_join(path, process.max_bytes, fits))
		return false;
	process.joined = true;
	life_join();
	control_join(capture_file_header);
	share_positions(path, directory_of(path));
	return true;
}

static bool create_capture(void)
{
	char *path = strings + process.strings_bytes;
	struct binlog_header header;

	pid_namespace = life_inherit();
	if (join_capture(path))
		return true;
	fill_header(&header);
	bytes_copy(header.boot_id, boot_id, sizeof(boot_id));
	if (!create_file(path, &header))
		return false;
	if (spill_is_on())
		remember_directory(path);
	life_begin();
	ring_begin(process.ring_bytes, process.max_bytes);
	ring_trigger_begin();
	patience_begin(settings_get(CONFIG_full));
	control_begin(capture_file_header);
	publish_rules();
	share_positions(path, directory_of(path));
	tell_heirs(path + directory_of(path));
	return true;
}

/*
 * The program is this library, see about.c, which is preloaded as well: the
 * loader has it twice.  By where the program begins, and with which bytes.
 */
static bool is_program(void)
{
	/* Units of other parts are without it. */
	extern HIDDEN const char about_entry[] __attribute__((weak));
	uint64_t entry;

	return about_entry && environment_auxiliary(AT_ENTRY, &entry) &&
	       ((entry ^ (uintptr_t)about_entry) & (SYS_PAGE - 1)) == 0 &&
	       memcmp((const void *)entry, about_entry, ABOUT_ENTRY_BYTES) == 0;
}

static bool arm(void)
{
	const char *disable;

	/* Never take paths from whoever starts a privileged program. */
	if (!host_is_glibc || environment_is_secure() || is_program())
		return false;
	settings_read();
	disable = settings_get(CONFIG_disable);
	if (disable && *disable && *disable != '0')
		return false;
	process.pid = (uint32_t)SYS0(getpid);
	read_sizes();
	read_level();
	redact_begin();
	if (!join_run(environment_get("BINLOG_RUN"))) {
		clock_choose();
		read_boot_id();
		if (!found_run())
			return false;
	}
	if (!streams_configure(settings_get(CONFIG_streams), outputs))
		return false;
	remember_strings(environment_argc(), environment_argv());
	unwind_select(settings_get(CONFIG_unwinder));
	if (!arena_open() || !create_capture())
		return false;
	arena_mark();
	return true;
}

COLD void startup_arm(void)
{
	writer_prepare();
	host_resolve();
	if (!process_begins())
		return;
	startup_begun = true;
	streams_reading_shows = false;
	process_has_begun(arm());
}
