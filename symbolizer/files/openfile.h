/*
 * The one place where the symbolizer meets the file system.  Called by elffile
 * and by what looks for files; nothing else there may open, stat or follow a
 * path, since it may run in a process that can do none of it.  Promises that
 * opening never waits, that what it opens is a regular file that begins as ELF
 * does, and that below a root nothing leads out of it.
 */
#ifndef SYMBOLIZER_OPENFILE_H
#define SYMBOLIZER_OPENFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VDSO_NAME "[vdso]"

struct openfile {
	int descriptor; /* for reading; the caller closes it */
	uint64_t bytes;
	uint64_t bytes_on_disk; /* less than `bytes` when it has holes */
};

enum openfile_result {
	OPENFILE_FINE,
	OPENFILE_MISSING,
	OPENFILE_DENIED,
	OPENFILE_NOT_REGULAR,
	OPENFILE_NOT_ELF,
	OPENFILE_TOO_LARGE,
	OPENFILE_NO_ROOTS, /* the kernel has no openat2() */
	OPENFILE_NO_DEBUGINFOD,
	OPENFILE_NO_ANSWER, /* of its servers */
	OPENFILE_FAILED,
	OPENFILE_RESULTS
};

/*
 * Opens `path`, or what VDSO_NAME and download_name() stand for; when `root`
 * is not null, as if that directory were "/": for absolute links and for ".."
 * too.  When the result is not OPENFILE_FINE there is nothing to close.
 */
enum openfile_result openfile_open(
	struct openfile *file, const char *root, const char *path);

/*
 * Opens this root now, for all that is opened below it later: the one of
 * another process (/proc/PID/root) is closed to who has given up rights.  The
 * string stays the caller's, and has to stay.  One that cannot be opened is
 * asked for again each time.
 */
void openfile_hold_root(const char *root);

/* As openfile_open() a regular file that need not be ELF, or -1; never by a
 * deputy. */
int openfile_plain(const char *root, const char *path);

/* Why not, a constant string; null for OPENFILE_FINE. */
const char *openfile_reason(enum openfile_result result);

/*
 * As realpath(); below a root the answer is an absolute path there, without
 * the root.  Null when there is no such file.  Caller frees.
 */
char *openfile_real_path(const char *root, const char *path);

/* By which a file is known again; all zeros: there is none. */
struct openfile_identity {
	uint64_t device;
	uint64_t inode;
	uint64_t bytes;
	uint64_t modified; /* nanoseconds */
	uint64_t changed;
};

/* Of what is there now.  Not for a process that has a deputy. */
void openfile_identify(
	struct openfile_identity *identity, const char *root, const char *path);

/* Who opens files and finds real paths in another process. */
struct openfile_deputy {
	enum openfile_result (*open)(void *closure, struct openfile *file,
		const char *root, const char *path);
	char *(*real_path)(void *closure, const char *root, const char *path);
	void *closure;
};

/* For the rest of this process, which cannot open files any longer. */
void openfile_delegate(const struct openfile_deputy *other);

struct openedlist_file {
	char *root; /* null: none */
	char *path;
	struct openfile_identity identity;
};

/* All zeros is empty. */
struct openedlist {
	struct openedlist_file *files;
	size_t count;
	size_t room;
	bool incomplete; /* something could not be noted, or may change soon */
};

/*
 * Notes a file as it is now; to be called before it is opened.  One that has
 * changed just now may do so again without a trace, since its time is counted
 * in ticks: that makes the list incomplete.
 */
void openedlist_add(
	struct openedlist *list, const char *root, const char *path);

/* Adds what was noted by another process.  False when that cannot be. */
bool openedlist_put(struct openedlist *list, const char *root, const char *path,
	const struct openfile_identity *identity);

/* Whether each is what it was when it was noted. */
bool openedlist_is_unchanged(const struct openedlist *list);

/* Whether none of the files was there. */
bool openedlist_is_vain(const struct openedlist *list);

void openedlist_free(struct openedlist *list);

#define DOWNLOAD_BUILD_ID_MAX 64
#define DOWNLOAD_DIGITS_MAX ((size_t)2 * DOWNLOAD_BUILD_ID_MAX)
#define DOWNLOAD_PREFIX "[debuginfod]"
#define DOWNLOAD_NAME_MAX (sizeof(DOWNLOAD_PREFIX) - 1 + DOWNLOAD_DIGITS_MAX)

/* The build-id in hexadecimal, with its NUL.  False when it is too long. */
bool download_digits(char *digits, const uint8_t *build_id, size_t bytes);

/* The name under which openfile_open() opens the debug file of a build-id. */
bool download_name(char *name, const uint8_t *build_id, size_t bytes);

/* From here on, in this process. */
void download_allow(void);

#endif
