/*
 * mapped_output: standard output is mapped, and touched as far as the file goes
 * natively: after text, after it was made longer before and after, and when it
 * is appended to.  What was met is on standard error.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM ((size_t)1 << 20)

static void touch(const char *when, char *p)
{
	struct stat st;
	off_t end = lseek(1, 0, SEEK_END);
	volatile char *at = p;

	for (off_t i = 0; i < end; i += 1000)
		at[i] = '.';
	at[end - 1] = '.';
	fprintf(stderr, "%s: %lld bytes\n", when, (long long)end);
	(void)fstat(1, &st);
}

static void map(const char *how, int flags)
{
	char text[5000];
	int fd = open("/proc/self/fd/1", O_RDWR | flags);
	char *p;

	memset(text, 't', sizeof(text));
	text[sizeof(text) - 1] = '\n';
	fprintf(stderr, "%s\n", how);
	dup2(fd, 1);
	lseek(1, 0, SEEK_END);
	(void)!write(1, text, sizeof(text));
	p = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		_exit(3);
	touch("text", p);
	(void)!ftruncate(1, lseek(1, 0, SEEK_END) + 20000);
	touch("longer", p);
	(void)!ftruncate(1, lseek(1, 0, SEEK_END) - 7000);
	touch("shorter", p);
	lseek(1, 0, SEEK_END);
	(void)!write(1, text, sizeof(text));
	munmap(p, ROOM);
	p = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	touch("more text", p);
	munmap(p, ROOM);
	close(fd);
}

int main(void)
{
	map("opened", 0);
	map("appended to", O_APPEND);
	fprintf(stderr, "the end\n");
	return 0;
}
