/*
 * Uses most of what the library replaces, in words that any libc has.
 *   maps   instead: shows what is mapped
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

static void by_list(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
}

static void characters(void)
{
	putchar('a');
	putc('b', stdout);
	fputc('c', stderr);
	putc_unlocked('d', stdout);
	putchar_unlocked('\n');
	puts("a line");
	fputs("a string\n", stdout);
	fwrite("a block\n", 1, 8, stderr);
	putw(0x0a333231, stdout);
}

static void files(void)
{
	char line[100] = "";
	fpos_t position;
	FILE *file = fopen("file", "w+");

	fprintf(file, "in a file %d\n", 1);
	__fpending(file);
	fflush(file);
	fgetpos(file, &position);
	rewind(file);
	fgets(line, sizeof(line), file);
	fseek(file, 0, SEEK_END);
	printf("read %s at %ld\n", line, ftell(file));
	ftruncate(fileno(file), 3);
	setvbuf(file, NULL, _IOLBF, 0);
	fclose(file);
	file = fopen("file", "a");
	fprintf(file, "%s", "more");
	file = freopen("other", "w", file);
	fputs("reopened", file);
	fclose(file);
	file = popen("cat", "w");
	fprintf(file, "by a pipe\n");
	pclose(file);
}

static void descriptors(void)
{
	struct iovec parts[2] = {{"by ", 3}, {"parts\n", 6}};
	int kept = dup(1), fd = open("third", O_CREAT | O_WRONLY, 0600);

	fflush(stdout);
	write(1, "by write\n", 9);
	writev(2, parts, 2);
	dprintf(1, "by descriptor %d\n", 1);
	pwrite(fd, "there", 5, 3);
	lseek(fd, 0, SEEK_END);
	dup2(fd, 1);
	printf("into the third file\n");
	fflush(stdout);
	dup2(kept, 1);
	close(fd);
	close(kept);
	syscall(SYS_getpid);
	prctl(PR_SET_DUMPABLE, 1);
}

static void messages(void)
{
	char *words[] = {"program", "-x", NULL};

	errno = ENOENT;
	perror("perror");
	warn("warn %d", 1);
	warnx("warnx %d", 2);
	psignal(SIGTERM, "psignal");
	openlog("foreign", LOG_PERROR, LOG_USER);
	syslog(LOG_INFO, "to nobody");
	closelog();
	getopt(2, words, "a");
	setlocale(LC_ALL, "");
	fwprintf(stderr, L"wide %d\n", 5);
}

static void *in_thread(void *nothing)
{
	for (int i = 0; i < 100; i++)
		printf("in a thread %d\n", i);
	return nothing;
}

static void others(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	fflush(stdout);
	if (fork() == 0) {
		printf("in a child\n");
		exit(0);
	}
	wait(NULL);
	signal(SIGUSR1, SIG_IGN);
	raise(SIGUSR1);
	system("echo by system");
}

int main(int argc, char **argv)
{
	char line[4096];
	FILE *maps;

	if (argc > 1 && strcmp(argv[1], "maps") == 0) {
		maps = fopen("/proc/self/maps", "r");
		while (fgets(line, sizeof(line), maps))
			fputs(line, stdout);
		return 0;
	}
	printf("number %d, %s, %.2f, %5c|%-5x|%n\n", 1, "text", 2.5, 'c', 255,
		&argc);
	by_list("%s %ld\n", "by list", 5l);
	characters();
	files();
	descriptors();
	messages();
	others();
	fprintf(stderr, "the end\n");
	err(6, "err %d", argc);
}
