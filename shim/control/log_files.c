#include "shim/control/log_files.h"

#include <sys/mman.h>

#include "record/hash.h"
#include "record/layout.h"
#include "rules/path_glob.h"
#include "shim/host/bytes.h"
#include "shim/host/environment.h"
#include "shim/host/sys.h"

#define RULES_MAX 64u
#define PATH_BYTES ((size_t)PATH_MAX)
/* Most paths are shorter; stacks of handlers are small. */
#define PATH_SHORT 512
#define BUCKETS 256u
/* From which names are taken; the number of its page and what is used of it
 * are one word. */
#define CHUNK_BYTES ((size_t)65536)
#define CHUNK_SHIFT 20
#define PAGE_SHIFT 12

struct rule {
	const char *glob;
	size_t bytes;
	enum policy_mode mode;
};

struct name {
	struct name *next; /* in its bucket */
	char path[];
};

bool log_files_any;

static struct rule rules[RULES_MAX];
static unsigned rules_used;
static struct name *buckets[BUCKETS];

/* Not of the arena: children of fork go on with the same streams. */
static void *map(size_t bytes)
{
	long address = SYS6(mmap, 0, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return sys_failed(address) ? NULL : (void *)address;
}

/*
 * What is open as `fd`: the length of its path, 0 if it has none, `size` if
 * that is too small, or an error.
 */
static long read_link(int fd, char *path, size_t size)
{
	char link[40] = "";
	struct bytes_text text = {link, sizeof(link), 0};
	long n;

	bytes_put(&text, "/proc/self/fd/");
	bytes_put_number(&text, (uint64_t)fd, 10);
	n = SYS4(readlinkat, AT_FDCWD, link, path, size);
	if (n == -ENOENT) /* no /proc */
		return 0;
	if (sys_failed(n) || n == (long)size)
		return n;
	path[n] = '\0';
	return *path == '/' ? n : 0;
}

static bool read_name(int fd, char *path, size_t size)
{
	long n = read_link(fd, path, size);

	return n > 0 && n < (long)size;
}

/* ---- the globs ---- */

static void put(struct bytes_text *text, const char *s, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		bytes_put(text, (char[2]){s[i], '\0'});
}

/* A path as part of a glob and of a list with commas. */
static void put_plain(struct bytes_text *text, const char *path)
{
	for (; *path; path++)
		put(text,
			*path == '*' || *path == '[' || *path == '\\' ||
					*path == ','
				? "?"
				: path,
			1);
}

/*
 * Puts what the kernel calls a directory, with a '/' at its end.  False if
 * there is no such directory (yet).
 */
static bool put_directory(struct bytes_text *text, const char *directory,
	size_t bytes, char *scratch)
{
	bool found;
	long fd;

	if (bytes >= PATH_BYTES)
		return false;
	bytes_copy(scratch, directory, bytes);
	scratch[bytes] = '\0';
	fd = SYS4(openat, AT_FDCWD, bytes ? scratch : ".",
		O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return false;
	found = read_name((int)fd, scratch, PATH_BYTES);
	SYS1(close, fd);
	if (found) {
		put_plain(text, scratch);
		bytes_put(text, scratch[1] ? "/" : "");
	}
	return found;
}

/* The same glob from the root on, without symbolic links in its beginning. */
static void put_glob(
	struct bytes_text *text, const char *glob, size_t bytes, char *scratch)
{
	size_t directory = path_glob_directory(glob, bytes);
	bool is_path = false;

	for (size_t i = 0; i < bytes; i++)
		is_path |= glob[i] == '/';
	if (!is_path || bytes_starts(glob, "**/"))
		directory = 0; /* it is the end of a path */
	else if (!put_directory(text, glob, directory, scratch)) {
		directory = 0;
		if (*glob != '/')
			put_directory(text, "", 0, scratch);
	}
	put(text, glob + directory, bytes - directory);
}

static void add_rule(const char *glob, size_t bytes, enum policy_mode mode)
{
	if (rules_used == RULES_MAX)
		return;
	rules[rules_used++] = (struct rule){glob, bytes, mode};
	log_files_any = true;
}

static void take_items(struct bytes_text *text, const char *list, char *scratch)
{
	struct policy_item item;

	while (policy_next(&list, &item)) {
		bool is_file = item.glob_bytes > 0 && !item.wrong;
		size_t from;

		bytes_put(text, text->length ? "," : "");
		bytes_put(text, is_file ? "file:" : "");
		from = text->length;
		if (!is_file) {
			put(text, item.text, item.bytes);
			continue;
		}
		put_glob(text, item.glob, item.glob_bytes, scratch);
		add_rule(text->buffer + from, text->length - from, item.mode);
		bytes_put(text, "=");
		bytes_put(text, policy_mode_name(item.mode));
	}
}

bool log_files_configure(const char *list)
{
	struct policy_item item;
	const char *at = list;
	size_t size = 1;
	bool any = false;
	char *memory;

	while (policy_next(&at, &item)) {
		any |= item.glob_bytes > 0 && !item.wrong;
		size += item.bytes + PATH_BYTES + 8;
	}
	if (!any)
		return true;
	memory = map(size + PATH_BYTES);
	if (!memory)
		return false;
	struct bytes_text text = {memory, size, 0};

	take_items(&text, list, memory + size);
	environment_set("BINLOG_STREAMS=", memory);
	return true;
}

/* ---- the files ---- */

static struct name *take_memory(size_t bytes)
{
	static uint64_t chunk;
	uint64_t now = __atomic_load_n(&chunk, __ATOMIC_ACQUIRE);
	uint64_t next;
	char *at, *fresh;

	bytes = (bytes + 7) & ~(size_t)7;
	do {
		size_t used = now & ((1u << CHUNK_SHIFT) - 1);

		at = (char *)(uintptr_t)(now >> CHUNK_SHIFT << PAGE_SHIFT);
		fresh = NULL;
		if (!at || CHUNK_BYTES - used < bytes) {
			at = fresh = map(CHUNK_BYTES);
			if (!fresh)
				return NULL;
			used = 0;
			next = (uintptr_t)fresh >> PAGE_SHIFT << CHUNK_SHIFT |
			       bytes;
		} else {
			next = now + bytes;
		}
		at += used;
		if (__atomic_compare_exchange_n(&chunk, &now, next, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return (struct name *)(void *)at;
		if (fresh)
			SYS2(munmap, fresh, CHUNK_BYTES);
	} while (true);
}

/* A copy that stays for good, the same for the same path. */
static const char *keep(const char *path)
{
	size_t bytes = bytes_length(path) + 1;
	struct name **bucket = &buckets[binlog_hash(path, bytes) % BUCKETS];
	struct name *first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
	struct name *name;

	for (name = first; name; name = name->next)
		if (bytes_starts(name->path, path) &&
			name->path[bytes - 1] == '\0')
			return name->path;
	name = take_memory(sizeof(*name) + bytes);
	if (!name)
		return NULL;
	bytes_copy(name->path, path, bytes);
	do
		name->next = first;
	while (!__atomic_compare_exchange_n(bucket, &first, name, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return name->path;
}

static bool ends_with(const char *path, size_t length, const char *end)
{
	size_t bytes = bytes_length(end);

	return length >= bytes &&
	       memcmp(path + length - bytes, end, bytes) == 0;
}

/* What has no name, or had none ever, is nobody's log; nor is a capture. */
static bool is_fit(const struct stat *st, char *path)
{
	static const char deleted[] = " (deleted)";
	size_t length = bytes_length(path);
	const char *last = path;

	if (st->st_nlink == 0 && ends_with(path, length, deleted)) {
		length -= sizeof(deleted) - 1;
		path[length] = '\0';
		for (const char *p = path; *p; p++)
			last = *p == '/' ? p + 1 : last;
		if (*last == '#' || bytes_starts(path, "/memfd:"))
			return false;
	}
	return !ends_with(path, length, BINLOG_SUFFIX) &&
	       !ends_with(path, length, BINLOG_SUFFIX ".new");
}

/* The mode of the last rule that matches; *path is kept if it does. */
static enum policy_mode mode_of(
	const struct stat *st, char *name, const char **path)
{
	unsigned i = rules_used;

	if (!is_fit(st, name))
		return POLICY_PASS;
	while (i > 0 &&
		!path_glob_matches(rules[i - 1].glob, rules[i - 1].bytes, name))
		i--;
	if (i == 0 || rules[i - 1].mode == POLICY_PASS)
		return POLICY_PASS;
	*path = keep(name);
	if (!*path)
		return POLICY_AUTO;
	return rules[i - 1].mode == POLICY_AUTO ? POLICY_TEE
						: rules[i - 1].mode;
}

/* The same with a longer path. */
static enum policy_mode find_long(
	int fd, const struct stat *st, const char **path)
{
	enum policy_mode mode = POLICY_AUTO;
	char *name = map(PATH_BYTES);

	if (name && read_name(fd, name, PATH_BYTES))
		mode = mode_of(st, name, path);
	if (name)
		SYS2(munmap, name, PATH_BYTES);
	return mode;
}

COLD enum policy_mode log_files_find(
	int fd, const struct stat *st, const char **path)
{
	char name[PATH_SHORT];
	long n;

	*path = NULL;
	if (!S_ISREG(st->st_mode))
		return POLICY_PASS;
	n = read_link(fd, name, sizeof(name));
	if (n == (long)sizeof(name))
		return find_long(fd, st, path);
	if (n > 0)
		return mode_of(st, name, path);
	return n == 0 ? POLICY_PASS : POLICY_AUTO;
}
