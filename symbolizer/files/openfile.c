#include "symbolizer/files/openfile.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/readlimits.h"
#include "record/linux.h"

static bool download_wants(const char *name);
static enum openfile_result download_open(int *descriptor, const char *name);

/*
 * The code that the running kernel maps into every process, as a file.  Called
 * by openfile for the name VDSO_NAME.  Promises nothing about any other
 * kernel: whether the code is that of a capture, its build-id tells.
 */

/* Its section headers are what it ends with. */
static size_t size_of(const Elf64_Ehdr *head)
{
	return head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
}

/* By which it is told from that of another kernel; 0: there is none. */
static uint32_t vdso_sum(void)
{
	const Elf64_Ehdr *head = (const void *)getauxval(AT_SYSINFO_EHDR);

	return head ? (uint32_t)crc32(
			      0, (const void *)head, (uInt)size_of(head))
		    : 0;
}

/* A descriptor for reading, which the caller closes, or -1 with errno. */
static int vdso_open(void)
{
	const Elf64_Ehdr *head = (const void *)getauxval(AT_SYSINFO_EHDR);
	int descriptor;

	if (!head) {
		errno = ENOENT;
		return -1;
	}
	descriptor = memfd_create("vdso", MFD_CLOEXEC);
	if (descriptor < 0)
		return -1;
	if (write(descriptor, head, size_of(head)) == (ssize_t)size_of(head))
		return descriptor;
	close(descriptor);
	return -1;
}

/* openat2() asks for another try when directories move meanwhile. */
#define TRIES 16
/* How long it is believed that servers have what they had. */
#define SERVERS_SECONDS 600

static struct openfile_deputy deputy; /* no `open`: none */

static enum openfile_result result_of(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return OPENFILE_MISSING;
	case EACCES:
	case EPERM:
		return OPENFILE_DENIED;
	case ENXIO:
	case EISDIR:
		return OPENFILE_NOT_REGULAR;
	case EFBIG:
	case EOVERFLOW:
		return OPENFILE_TOO_LARGE;
	case ENOSYS:
		return OPENFILE_NO_ROOTS;
	default:
		return OPENFILE_FAILED;
	}
}

const char *openfile_reason(enum openfile_result result)
{
	static const char *const reasons[OPENFILE_RESULTS] = {
		[OPENFILE_MISSING] = "no such file",
		[OPENFILE_DENIED] = "permission denied",
		[OPENFILE_NOT_REGULAR] = "not a regular file",
		[OPENFILE_NOT_ELF] = "not an ELF file",
		[OPENFILE_TOO_LARGE] = "it is larger than what is read",
		[OPENFILE_NO_ROOTS] = "files below a root need Linux 5.6",
		[OPENFILE_NO_DEBUGINFOD] = "there is no libdebuginfod.so.1",
		[OPENFILE_NO_ANSWER] = "no server of debuginfod answers",
		[OPENFILE_FAILED] = "cannot be opened",
	};

	return reasons[result];
}

/* A root that was opened while there was still a right to. */
static struct {
	const char *path; /* null: none */
	int descriptor;
} held;

void openfile_hold_root(const char *root)
{
	int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (directory < 0)
		return;
	if (held.path)
		close(held.descriptor);
	held.path = root;
	held.descriptor = directory;
}

static bool is_held(const char *root)
{
	return held.path && strcmp(held.path, root) == 0;
}

/* A descriptor, or -1 with errno. */
static int open_below(const char *root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int directory = is_held(root)
				? held.descriptor
				: open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	long descriptor = -1;
	int tries;
	int error;

	if (directory < 0)
		return -1;
	for (tries = 0; tries < TRIES; tries++) {
		descriptor = syscall(
			SYS_openat2, directory, path, &how, sizeof(how));
		if (descriptor >= 0 || errno != EAGAIN)
			break;
	}
	error = errno;
	if (!is_held(root))
		close(directory);
	errno = error;
	return (int)descriptor;
}

static int open_path(const char *root, const char *path, int flags)
{
	flags |= O_CLOEXEC;
	return root ? open_below(root, path, flags) : open(path, flags);
}

/* A file of /proc may give bytes without having a size, and wait for them. */
static enum openfile_result examine(struct openfile *file)
{
	struct stat status;
	char magic[SELFMAG];

	if (fstat(file->descriptor, &status) != 0)
		return OPENFILE_FAILED;
	if (!S_ISREG(status.st_mode))
		return OPENFILE_NOT_REGULAR;
	if (status.st_size < SELFMAG ||
		pread(file->descriptor, magic, SELFMAG, 0) != SELFMAG ||
		memcmp(magic, ELFMAG, SELFMAG) != 0)
		return OPENFILE_NOT_ELF;
	file->bytes = (uint64_t)status.st_size;
	file->bytes_on_disk = (uint64_t)status.st_blocks * 512;
	if (file->bytes > readlimits_of(READLIMIT_FILE))
		return OPENFILE_TOO_LARGE;
	return OPENFILE_FINE;
}

static enum openfile_result open_any(
	struct openfile *file, const char *root, const char *path)
{
	if (!root && download_wants(path))
		return download_open(&file->descriptor, path);
	if (!root && strcmp(path, VDSO_NAME) == 0)
		file->descriptor = vdso_open();
	else /* O_NONBLOCK: a FIFO without a writer would wait for ever */
		file->descriptor =
			open_path(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	return file->descriptor < 0 ? result_of(errno) : OPENFILE_FINE;
}

enum openfile_result openfile_open(
	struct openfile *file, const char *root, const char *path)
{
	enum openfile_result result;

	if (deputy.open)
		return deputy.open(deputy.closure, file, root, path);
	result = open_any(file, root, path);
	if (result != OPENFILE_FINE)
		return result;
	result = examine(file);
	if (result == OPENFILE_TOO_LARGE)
		readlimits_note(READLIMIT_FILE, path);
	if (result != OPENFILE_FINE)
		close(file->descriptor);
	return result;
}

int openfile_plain(const char *root, const char *path)
{
	int descriptor =
		open_path(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (descriptor < 0 ||
		(fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)))
		return descriptor;
	close(descriptor);
	return -1;
}

/* The kernel's name for what is open. */
static char *path_of(int descriptor)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	return realpath(link, NULL);
}

/* The part of `path` after `root`, where it is moved to. */
static char *without_root(char *path, const char *root)
{
	size_t bytes = strlen(root);

	if (strcmp(root, "/") == 0)
		return path;
	if (strncmp(path, root, bytes) != 0 || path[bytes] != '/') {
		free(path);
		return NULL;
	}
	memmove(path, path + bytes, strlen(path + bytes) + 1);
	return path;
}

static char *real_path_below(const char *root, const char *path)
{
	int descriptor = open_path(root, path, O_PATH);
	char *real_root =
		is_held(root) ? path_of(held.descriptor) : realpath(root, NULL);
	char *real = descriptor >= 0 ? path_of(descriptor) : NULL;

	if (descriptor >= 0)
		close(descriptor);
	if (real && real_root)
		real = without_root(real, real_root);
	free(real_root);
	return real;
}

char *openfile_real_path(const char *root, const char *path)
{
	if (deputy.real_path)
		return deputy.real_path(deputy.closure, root, path);
	return root ? real_path_below(root, path) : realpath(path, NULL);
}

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* What is not in the file system: that of the kernel, of servers. */
static bool identify_other(struct openfile_identity *identity, const char *path)
{
	if (strcmp(path, VDSO_NAME) == 0)
		identity->inode = vdso_sum();
	else if (download_wants(path))
		identity->modified = (uint64_t)time(NULL) / SERVERS_SECONDS;
	else
		return false;
	return true;
}

void openfile_identify(
	struct openfile_identity *identity, const char *root, const char *path)
{
	struct stat status;
	int descriptor;

	memset(identity, 0, sizeof(*identity));
	if (!root && identify_other(identity, path))
		return;
	descriptor = open_path(root, path, O_PATH);
	if (descriptor < 0)
		return;
	if (fstat(descriptor, &status) == 0) {
		identity->device = status.st_dev;
		identity->inode = status.st_ino;
		identity->bytes = (uint64_t)status.st_size;
		identity->modified = nanoseconds(&status.st_mtim);
		identity->changed = nanoseconds(&status.st_ctim);
	}
	close(descriptor);
}

void openfile_delegate(const struct openfile_deputy *other)
{
	deputy = *other;
}

/*
 * The files that answers depend on: all that were opened, or looked for in
 * vain, to find them.  Called by the symbolizer, which notes them, and by its
 * cache, which asks whether they are still the same.  Promises that a file
 * installed, removed or replaced since then is noticed.
 */

/* Debug information may be split over many files; what asks more is mad. */
#define FILES_MAX 16384
#define NS_PER_SECOND 1000000000u
#define SETTLED_SECONDS 2 /* FAT has the largest ticks */

static bool is_same_string(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool has(
	const struct openedlist *list, const char *root, const char *path)
{
	size_t i;

	/* the same one is asked for soon again, if at all */
	for (i = list->count; i > 0 && list->count - i < 16; i--)
		if (is_same_string(list->files[i - 1].path, path) &&
			is_same_string(list->files[i - 1].root, root))
			return true;
	return false;
}

bool openedlist_put(struct openedlist *list, const char *root, const char *path,
	const struct openfile_identity *identity)
{
	struct openedlist_file file = {
		.root = root ? strdup(root) : NULL,
		.path = strdup(path),
		.identity = *identity,
	};

	if (list->count < FILES_MAX && file.path && !file.root == !root &&
		array_reserve(list->files, list->room, list->count + 1)) {
		list->files[list->count++] = file;
		return true;
	}
	free(file.root);
	free(file.path);
	return false;
}

static bool is_new(const struct openfile_identity *identity)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return identity->changed / NS_PER_SECOND + SETTLED_SECONDS >=
	       (uint64_t)now.tv_sec;
}

void openedlist_add(struct openedlist *list, const char *root, const char *path)
{
	struct openfile_identity identity;

	if (list->incomplete || has(list, root, path))
		return;
	openfile_identify(&identity, root, path);
	if (is_new(&identity) || !openedlist_put(list, root, path, &identity))
		list->incomplete = true;
}

bool openedlist_is_unchanged(const struct openedlist *list)
{
	struct openfile_identity now;
	size_t i;

	for (i = 0; i < list->count; i++) {
		openfile_identify(
			&now, list->files[i].root, list->files[i].path);
		if (memcmp(&now, &list->files[i].identity, sizeof(now)) != 0)
			return false;
	}
	return !list->incomplete;
}

bool openedlist_is_vain(const struct openedlist *list)
{
	const struct openfile_identity nothing = {0};
	size_t i;

	for (i = 0; i < list->count; i++)
		if (memcmp(&list->files[i].identity, &nothing,
			    sizeof(nothing)) != 0)
			return false;
	return true;
}

void openedlist_free(struct openedlist *list)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		free(list->files[i].root);
		free(list->files[i].path);
	}
	free(list->files);
	memset(list, 0, sizeof(*list));
}

/*
 * Debug files from the servers of debuginfod, by libdebuginfod, which is
 * opened when it is needed and not linked.  Called by debugfile for the names,
 * and by openfile in the process that may use the network.  Promises that
 * nobody is asked, whatever the environment says, unless that was allowed.
 */

/* As debuginfod.h has them. */
typedef void *debuginfod_begin(void);
typedef int debuginfod_find_debuginfo(void *client,
	const unsigned char *build_id, int build_id_bytes, char **path);
typedef void debuginfod_end(void *client);

static bool allowed;

bool download_digits(char *digits, const uint8_t *build_id, size_t bytes)
{
	size_t i;

	if (bytes > DOWNLOAD_BUILD_ID_MAX)
		return false;
	for (i = 0; i < bytes; i++)
		snprintf(digits + 2 * i, 3, "%02x", build_id[i]);
	digits[2 * bytes] = '\0';
	return true;
}

bool download_name(char *name, const uint8_t *build_id, size_t bytes)
{
	size_t prefix = sizeof(DOWNLOAD_PREFIX) - 1;

	memcpy(name, DOWNLOAD_PREFIX, prefix);
	return bytes > 0 && download_digits(name + prefix, build_id, bytes);
}

void download_allow(void)
{
	allowed = true;
}

/* It is such a name, and it is allowed. */
static bool download_wants(const char *name)
{
	return allowed &&
	       strncmp(name, DOWNLOAD_PREFIX, sizeof(DOWNLOAD_PREFIX) - 1) == 0;
}

/* What may be in a request: nothing but a build-id. */
static const char *digits_of(const char *name)
{
	const char *digits = name + sizeof(DOWNLOAD_PREFIX) - 1;
	size_t count = strspn(digits, "0123456789abcdef");

	return count > 0 && count <= DOWNLOAD_DIGITS_MAX && !digits[count]
		       ? digits
		       : NULL;
}

static enum openfile_result download_result_of(int answer)
{
	if (answer >= 0)
		return OPENFILE_FINE;
	return answer == -ENOENT ? OPENFILE_MISSING : OPENFILE_NO_ANSWER;
}

/*
 * Asks the servers in DEBUGINFOD_URLS, and waits for them as long as
 * debuginfod_find_debuginfo(3) does.  The caller closes *descriptor when the
 * result is OPENFILE_FINE.
 */
static enum openfile_result download_open(int *descriptor, const char *name)
{
	/* it stays: what it has opened is used again */
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	const char *digits = digits_of(name);
	debuginfod_begin *begin;
	debuginfod_find_debuginfo *find;
	debuginfod_end *end;
	void *client;

	if (!digits)
		return OPENFILE_MISSING;
	if (!library)
		return OPENFILE_NO_DEBUGINFOD;
	*(void **)&begin = dlsym(library, "debuginfod_begin");
	*(void **)&find = dlsym(library, "debuginfod_find_debuginfo");
	*(void **)&end = dlsym(library, "debuginfod_end");
	client = begin && find && end ? begin() : NULL;
	if (!client)
		return OPENFILE_NO_DEBUGINFOD;
	/* no length: the build-id is in hexadecimal */
	*descriptor = find(client, (const unsigned char *)digits, 0, NULL);
	end(client);
	return download_result_of(*descriptor);
}
