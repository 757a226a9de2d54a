/* Lines in pieces, and in between what others say: each in the order in which
 * it is said.  With "unbuffered" it is written in that order, too. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void handler(int number)
{
	printf("<handler %d>", number);
	fputs("<its second piece>", stdout);
}

static void *thread(void *word)
{
	printf("<thread>");
	fputs(word, stdout);
	return NULL;
}

/* Two pieces: what follows the first one has no time of its own. */
static void begin(const char *what)
{
	char copy[32];

	snprintf(copy, sizeof(copy), "%s:", what);
	for (int i = 0; i < 3; i++)
		fputs(copy, stdout);
	printf("%s", what);
}

static void end(void)
{
	char copy[] = "and", last[] = "on";

	fputs(copy, stdout);
	printf(" so ");
	fputs(last, stdout);
	putchar('!');
	putchar('\n');
}

int main(int count, char **words)
{
	char *echo[] = {"echo", "-n", "<spawned>", NULL};
	pthread_t other;
	pid_t child;

	if (count > 1 && !strcmp(words[1], "unbuffered"))
		setvbuf(stdout, NULL, _IONBF, 0);
	signal(SIGUSR1, handler);
	for (int round = 0; round < 4; round++) {
		begin("nothing");
		end();
		begin("handler");
		raise(SIGUSR1);
		end();
		begin("system");
		system("printf '<system>'");
		end();
		begin("popen");
		pclose(popen("printf '<popen>'", "w"));
		end();
		begin("spawn");
		posix_spawnp(&child, "printf", NULL, NULL,
			(char *[]){"printf", "<spawn>", NULL}, environ);
		waitpid(child, NULL, 0);
		end();
		begin("vfork");
		child = vfork();
		if (child == 0) {
			execvp(echo[0], echo);
			_exit(1);
		}
		waitpid(child, NULL, 0);
		end();
		begin("stderr");
		fputs("<stderr>", stderr);
		end();
	}
	begin("thread");
	pthread_create(&other, NULL, thread, "<its second piece>");
	pthread_join(other, NULL);
	end();
	return 0;
}
