/*
 * written SEED [calm]: does to stdout, stderr and a third FILE, all of them one
 * file or not, whatever decides when stdio writes what; always the same for one
 * seed.  Calm: gives them their buffers before anything is said, not later.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t state;
static FILE *files[3];
static char text[20000];
static int depth;
static int calm;

static unsigned pick(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static size_t pick_size(void)
{
	static const unsigned sizes[] = {2, 20, 100, 300, 4096, 4097, 8192, 19000};

	return 1 + pick(sizes[pick(pick(4) ? 4 : 8)]);
}

/* Letters that say where they come from, with some newlines. */
static size_t fill(void)
{
	size_t size = pick_size();
	unsigned lines = pick(4);

	for (size_t i = 0; i < size; i++)
		text[i] = lines && pick(30) == 0 ? '\n' : (char)('a' + pick(26));
	text[size] = '\0';
	return size;
}

static void change_buffer(FILE *file)
{
	static char buffers[3][512];
	char *own = buffers[file == files[0] ? 0 : file == files[1] ? 1 : 2];

	switch (pick(6)) {
	case 0: setvbuf(file, NULL, _IONBF, 0); break;
	case 1: setvbuf(file, NULL, _IOLBF, 0); break;
	case 2: setvbuf(file, NULL, _IOFBF, 0); break;
	case 3: setvbuf(file, own, pick(2) ? _IOLBF : _IOFBF, 1 + pick(512)); break;
	case 4: setlinebuf(file); break;
	default: setbuffer(file, own, 16 + pick(400)); break;
	}
}

static void say(FILE *file)
{
	size_t size;

	switch (pick(9)) {
	case 0: fill(); fputs(text, file); break;
	case 1: size = fill(); fwrite(text, 1, size, file); break;
	case 2: putc('A' + (int)pick(26), file); break;
	case 3: fprintf(file, "<%d>", (int)pick(100000)); break;
	case 4: fprintf(file, "%d %s\n", (int)pick(1000), "constant"); break;
	case 5: fprintf(file, "line %u\n", pick(10)); break;
	case 6: puts("put"); break;
	case 7:
		for (unsigned i = pick(200); i > 0; i--)
			putc_unlocked(pick(20) ? '.' : '\n', file);
		/* What a macro has done is known from the next call on. */
		fputs("<>", file);
		break;
	default: fprintf(file, "%*d|%-30s|", 1 + (int)pick(60), 5, "left"); break;
	}
}

static void act(void);

static void fork_child(void)
{
	pid_t pid;

	if (depth >= 2)
		return;
	pid = fork();
	if (pid == 0) {
		depth++;
		for (unsigned i = pick(6); i > 0; i--)
			act();
		if (pick(3) == 0)
			_exit(0);
		exit(0);
	}
	waitpid(pid, NULL, 0);
	pick(1);
}

static void act(void)
{
	FILE *file = files[pick(3)];

	switch (pick(24)) {
	case 0: fflush(file); break;
	case 1: fflush(NULL); break;
	case 2:
		if (!calm)
			change_buffer(file);
		break;
	case 3: write(1, "[write 1]", 9); break;
	case 4: write(2, "[write 2]\n", 10); break;
	case 5: dprintf(1, "[dprintf %d]", 1); break;
	case 6: fork_child(); break;
	case 7: perror("perror"); break;
	default: say(file); break;
	}
}

int main(int argc, char **argv)
{
	struct rlimit no_core = {0, 0};

	calm = argc > 2;
	setrlimit(RLIMIT_CORE, &no_core);
	state = strtoul(argv[1], NULL, 10) * 7919 + 1;
	files[0] = stdout;
	files[1] = stderr;
	files[2] = fdopen(dup(1), "w");
	for (int i = 0; calm && i < 3; i++)
		if (pick(2))
			change_buffer(files[i]);
	for (unsigned i = 20 + pick(100); i > 0; i--)
		act();
	switch (pick(8)) {
	case 0: _exit(1);
	case 1: kill(getpid(), SIGKILL);
	case 2: abort();
	case 3: quick_exit(2);
	case 4: fclose(files[2]); exit(3);
	default: return 4;
	}
}
