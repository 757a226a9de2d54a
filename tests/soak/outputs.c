/* The actions that change what FILEs and descriptors are, and write to
 * descriptors; see victim.c. */
#include "victim.h"

/* ---- streams ---- */
long do_flush(struct action *a)
{
	if (value(a, 0) < 0)
		return fflush(NULL);
	FILE_OR_NOTHING(f);
	return fflush(f);
}
long do_setvbuf(struct action *a)
{
	FILE_OR_NOTHING(f);
	static const int modes[] = {_IOFBF, _IOLBF, _IONBF};
	return setvbuf(f, value(a, 3) ? malloc(65536) : NULL,
		modes[value(a, 1) % 3], value(a, 2));
}
long do_fseek(struct action *a)
{
	FILE_OR_NOTHING(f);
	return fseek(f, value(a, 1), value(a, 2));
}
long do_ftell(struct action *a)
{
	FILE_OR_NOTHING(f);
	return ftell(f);
}
long do_rewind(struct action *a)
{
	FILE_OR_NOTHING(f);
	rewind(f);
	return 0;
}
long do_fclose(struct action *a)
{
	FILE_OR_NOTHING(f);
	files[value(a, 0) % FILES] = NULL;
	return fclose(f);
}
long do_fopen(struct action *a)
{
	FILE **f = &files[value(a, 0) % FILES];
	if (*f)
		return NOTHING;
	*f = fopen(text(a, 1), text(a, 2));
	return !*f ? -1 : tag[0] == 'M' ? fileno(*f) : 0;
}
long do_fdopen(struct action *a)
{
	FILE **f = &files[value(a, 0) % FILES];
	if (*f)
		return NOTHING;
	*f = fdopen(value(a, 1), text(a, 2));
	return *f ? 0 : -1;
}
/* FILE DESCRIPTOR HOW SIZE: a stream of one's own for a copy of a descriptor;
 * its number is not told */
long do_mine(struct action *a)
{
	FILE **f = &files[value(a, 0) % FILES];
	if (*f)
		return NOTHING;
	int d = dup(value(a, 1));
	*f = d < 0 ? NULL : fdopen(d, "w");
	if (*f && value(a, 2))
		setvbuf(*f, NULL, value(a, 2) == 1 ? _IOLBF : _IONBF,
			value(a, 3));
	return *f ? 0 : -1;
}
long do_freopen(struct action *a)
{
	FILE_OR_NOTHING(f);
	const char *path = length(a, 1) ? text(a, 1) : NULL;
	FILE *now = freopen(path, text(a, 2), f);
	if (!now)
		files[value(a, 0) % FILES] = NULL;
	return now ? fileno(now) : -1;
}
long do_fpurge(struct action *a)
{
	FILE_OR_NOTHING(f);
	__fpurge(f);
	return 0;
}
long do_fpending(struct action *a)
{
	FILE_OR_NOTHING(f);
	return __fpending(f);
}
long do_fwide(struct action *a)
{
	FILE_OR_NOTHING(f);
	return fwide(f, value(a, 1));
}
long do_ferror(struct action *a)
{
	FILE_OR_NOTHING(f);
	return ferror(f) * 10 + feof(f);
}
long do_clearerr(struct action *a)
{
	FILE_OR_NOTHING(f);
	clearerr(f);
	return 0;
}
long do_pipeline(struct action *a)
{
	FILE *f = popen(text(a, 0), "w");
	if (!f)
		return -1;
	fputs(text(a, 1), f);
	return pclose(f);
}
static ssize_t cookie_write(void *cookie, const char *bytes, size_t size)
{
	return write((int)(long)cookie, bytes, size);
}
long do_cookie(struct action *a)
{
	FILE **f = &files[value(a, 0) % FILES];
	if (*f)
		return NOTHING;
	*f = fopencookie((void *)value(a, 1), "w",
		(cookie_io_functions_t){.write = cookie_write});
	return *f ? 0 : -1;
}
/* The pointer itself: stdout becomes another stream, and files[1] what it was.
 */
long do_assign(struct action *a)
{
	FILE_OR_NOTHING(f);
	FILE *was = stdout;
	if (!files[1])
		return NOTHING;
	stdout = f;
	files[value(a, 0) % FILES] = was;
	files[1] = f;
	return 0;
}

/* ---- descriptors ---- */
static long keep(struct action *a, int i, long d)
{
	if (i >= a->count || a->argument[i].type != 'v')
		return d;
	numbers[a->argument[i].number % NUMBERS] = d;
	return d < 0 ? -1 : 0;
}
long do_open(struct action *a)
{
	static const int flags[] = {O_WRONLY | O_CREAT | O_TRUNC,
		O_WRONLY | O_CREAT | O_APPEND, O_RDWR | O_CREAT, O_WRONLY};
	return keep(a, 2, open(text(a, 0), flags[value(a, 1) & 3], 0600));
}
long do_dup(struct action *a)
{
	return keep(a, 1, dup(value(a, 0)));
}
long do_dup2(struct action *a)
{
	return dup2(value(a, 0), value(a, 1));
}
long do_dup3(struct action *a)
{
	return dup3(value(a, 0), value(a, 1), O_CLOEXEC);
}
long do_dupfd(struct action *a)
{
	return fcntl(value(a, 0), F_DUPFD, value(a, 1));
}
long do_close(struct action *a)
{
	return close(value(a, 0));
}
long do_close_range(struct action *a)
{
	return close_range(value(a, 0), value(a, 1), 0);
}
long do_lseek(struct action *a)
{
	return lseek(value(a, 0), value(a, 1), value(a, 2));
}
long do_ftruncate(struct action *a)
{
	return ftruncate(value(a, 0), value(a, 1));
}
long do_truncate(struct action *a)
{
	return truncate(text(a, 0), value(a, 1));
}
long do_cloexec(struct action *a)
{
	return fcntl(value(a, 0), F_SETFD, FD_CLOEXEC);
}
long do_set_append(struct action *a)
{
	int flags = fcntl(value(a, 0), F_GETFL);
	return flags < 0 ? -1
			 : fcntl(value(a, 0), F_SETFL,
				   value(a, 1) ? flags | O_APPEND
					       : flags & ~O_APPEND);
}
long do_memfd(struct action *a)
{
	return keep(a, 0, memfd_create("soak", 0));
}
long do_write(struct action *a)
{
	return write(value(a, 0), text(a, 1), length(a, 1));
}
long do_writev(struct action *a)
{
	struct iovec pieces[8];
	int n = 0;
	for (int i = 1; i < a->count && n < 8; i++)
		pieces[n++] = (struct iovec){text(a, i), length(a, i)};
	return writev(value(a, 0), pieces, n);
}
/* DESCRIPTOR PIECES SIZE: one line of many pieces */
long do_long_writev(struct action *a)
{
	struct iovec pieces[64];
	char line[4096];
	size_t count = value(a, 1) & 63, size = value(a, 2) & 63, at = 0;
	const char *head = text(a, 3);
	pieces[0] = (struct iovec){(char *)head, strlen(head)};
	for (size_t i = 1; i <= count && i < 63; i++) {
		memset(line + at, 'a' + i % 26, size);
		pieces[i] = (struct iovec){line + at, size};
		at += size;
	}
	pieces[count < 62 ? count + 1 : 63] = (struct iovec){"\n", 1};
	return writev(value(a, 0), pieces, (count < 62 ? count + 1 : 63) + 1);
}
long do_pwrite(struct action *a)
{
	return pwrite(value(a, 0), text(a, 1), length(a, 1), value(a, 2));
}
/* libc's own ways past write() */
long do_raw_write(struct action *a)
{
	return syscall(SYS_write, (int)value(a, 0), text(a, 1), length(a, 1));
}
/* A file's bytes to a descriptor, by the kernel */
long do_sendfile(struct action *a)
{
	int d = memfd_create("sent", 0);
	if (d < 0 ||
		kernel(SYS_write, d, (long)text(a, 1), length(a, 1), 0) < 0)
		return NOTHING;
	off_t offset = 0;
	long result = sendfile(value(a, 0), d, &offset, length(a, 1));
	int error = errno;
	kernel(SYS_close, d, 0, 0, 0);
	errno = error;
	return result;
}
long do_copy_range(struct action *a)
{
	int d = kernel(
		SYS_openat, AT_FDCWD, (long)".", O_TMPFILE | O_RDWR, 0600);
	if (d < 0 ||
		kernel(SYS_write, d, (long)text(a, 1), length(a, 1), 0) < 0)
		return NOTHING;
	off_t offset = 0;
	long result =
		copy_file_range(d, &offset, value(a, 0), NULL, length(a, 1), 0);
	int error = errno;
	kernel(SYS_close, d, 0, 0, 0);
	errno = error;
	return result;
}
long do_pipe(struct action *a)
{
	int ends[2];
	if (pipe(ends))
		return -1;
	if (a->count < 2)
		return ends[0] * 100 + ends[1];
	keep(a, 0, ends[0]);
	keep(a, 1, ends[1]);
	return 0;
}
/* FROM TO: what is there to be read */
long do_pump(struct action *a)
{
	char bytes[4096];
	int there = 0;
	struct stat about;
	/* Not of an output, which others read at their time. */
	if (fstat(value(a, 0), &about) || !S_ISFIFO(about.st_mode) ||
		fcntl(value(a, 0), F_GETFL) & O_ACCMODE ||
		ioctl(value(a, 0), FIONREAD, &there) || there <= 0)
		return NOTHING;
	long n = read(value(a, 0), bytes, sizeof bytes);
	return n > 0 ? write(value(a, 1), bytes, n) : n;
}
long do_size(struct action *a)
{
	struct stat about;
	return fstat(value(a, 0), &about) ? -1 : about.st_size;
}
/* TIMES: data files that live shortly; natively nothing is lost in them */
long do_churn(struct action *a)
{
	static const char data[] = "precious data\n";
	long lost = 0;
	for (long i = value(a, 0); i > 0; i--) {
		int d = memfd_create("churn", 0);
		if (d < 0)
			continue;
		if (write(d, data, sizeof data - 1) != sizeof data - 1)
			lost += 1000;
		char back[32];
		if (kernel(SYS_pread64, d, (long)back, sizeof back, 0) !=
			sizeof data - 1)
			lost++;
		close(d);
	}
	return lost;
}
/* DESCRIPTOR TIMES TEXT: streams of one's own that live shortly, a line each */
long do_brief(struct action *a)
{
	long done = 0;
	for (long i = 0; i < value(a, 1); i++) {
		int d = dup(value(a, 0));
		FILE *f = d < 0 ? NULL : fdopen(d, "w");
		if (!f)
			continue;
		fprintf(f, "%s %ld\n", text(a, 2), i);
		done += !fclose(f);
	}
	return done;
}
