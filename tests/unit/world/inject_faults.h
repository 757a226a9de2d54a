/*
 * Lets the k-th allocation or read of a unit test fail, or what is asked of a
 * file, and all that follow if wanted; or something happen before a read.  It
 * defines malloc(), pread() and others of the program: not for more than one
 * file.
 */
#ifndef TESTS_INJECT_FAULTS_H
#define TESTS_INJECT_FAULTS_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum inject_kind {
	INJECT_NOTHING,
	INJECT_MEMORY,	    /* ENOMEM */
	INJECT_ERROR,	    /* EIO of a read */
	INJECT_INTERRUPTED, /* EINTR of a read */
	INJECT_SHORT,	    /* a read gives a byte only */
	INJECT_END,	    /* a read finds the end of the file */
	INJECT_STAT,	    /* EIO of fstat() */
	INJECT_SEEK,	    /* EIO of lseek() */
	INJECT_LEASE,	    /* EINVAL: the file system has no leases */
};

static struct {
	enum inject_kind kind;
	unsigned long left; /* calls before the one that fails */
	bool for_ever;
	bool happened;
	long blocks; /* of memory that are in use since inject_begin() */
	void (*before_read)(off_t offset); /* may be null */
} inject;

static inline void inject_begin(
	enum inject_kind kind, unsigned long which, bool for_ever)
{
	inject.kind = kind;
	inject.left = which;
	inject.for_ever = for_ever;
	inject.happened = false;
	inject.blocks = 0;
}

static inline void inject_end(void)
{
	inject.kind = INJECT_NOTHING;
}

static inline bool inject_now(bool concerned)
{
	if (!concerned)
		return false;
	if (inject.left > 0) {
		inject.left--;
		return false;
	}
	if (inject.happened && !inject.for_ever)
		return false;
	inject.happened = true;
	return true;
}

/* What is behind the names: a sanitizer's, or glibc's own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INJECT_SANITIZED
#define INJECT_BEHIND(name) __interceptor_##name
#else
#define INJECT_BEHIND(name) __libc_##name
#endif
void *INJECT_BEHIND(malloc)(size_t size);
void *INJECT_BEHIND(calloc)(size_t count, size_t size);
void *INJECT_BEHIND(realloc)(void *old, size_t size);
void INJECT_BEHIND(free)(void *block);
ssize_t __pread_chk(
	int fd, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);

static inline void *inject_allocated(void *block)
{
	inject.blocks += block != NULL;
	return block;
}

static inline bool inject_no_memory(void)
{
	if (!inject_now(inject.kind == INJECT_MEMORY))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return inject_no_memory()
		       ? NULL
		       : inject_allocated(INJECT_BEHIND(malloc)(size));
}

void *calloc(size_t count, size_t size)
{
	return inject_no_memory()
		       ? NULL
		       : inject_allocated(INJECT_BEHIND(calloc)(count, size));
}

void *realloc(void *old, size_t size)
{
	if (inject_no_memory())
		return NULL;
	return old ? INJECT_BEHIND(realloc)(old, size)
		   : inject_allocated(INJECT_BEHIND(malloc)(size));
}

void free(void *block)
{
	inject.blocks -= block != NULL;
	INJECT_BEHIND(free)(block);
}

#ifdef INJECT_SANITIZED
/* glibc's call the functions above, a sanitizer's do not. */
void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(count, size, &bytes))
		return realloc(old, bytes);
	errno = ENOMEM;
	return NULL;
}

char *strdup(const char *string)
{
	size_t bytes = strlen(string) + 1;
	char *copy = malloc(bytes);

	return copy ? memcpy(copy, string, bytes) : NULL;
}
#endif

/* What becomes of `size` bytes; -1: an error. */
static inline ssize_t inject_read_size(size_t size)
{
	if (!inject_now(
		    inject.kind > INJECT_MEMORY && inject.kind <= INJECT_END))
		return (ssize_t)size;
	switch (inject.kind) {
	case INJECT_SHORT:
		return size > 0;
	case INJECT_END:
		return 0;
	default:
		errno = inject.kind == INJECT_ERROR ? EIO : EINTR;
		return -1;
	}
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	ssize_t most = inject_read_size(size);

	if (inject.before_read)
		inject.before_read(offset);
	return most <= 0 ? most
			 : syscall(SYS_pread64, fd, buffer, most, offset);
}

ssize_t __pread_chk(
	int fd, void *buffer, size_t size, off_t offset, size_t room)
{
	(void)room;
	return pread(fd, buffer, size, offset);
}

int fstat(int fd, struct stat *st)
{
	if (inject_now(inject.kind == INJECT_STAT)) {
		errno = EIO;
		return -1;
	}
	return fstatat(fd, "", st, AT_EMPTY_PATH);
}

off_t lseek(int fd, off_t offset, int whence)
{
	if (inject_now(inject.kind == INJECT_SEEK)) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_lseek, fd, offset, whence);
}

int fcntl(int fd, int command, ...)
{
	va_list list;
	long argument;

	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	if (inject_now(
		    inject.kind == INJECT_LEASE && command == F_SETLEASE)) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_fcntl, fd, command, argument);
}

ssize_t read(int fd, void *buffer, size_t size)
{
	ssize_t most = inject_read_size(size);

	return most <= 0 ? most : syscall(SYS_read, fd, buffer, most);
}

ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room)
{
	(void)room;
	return read(fd, buffer, size);
}

#endif
