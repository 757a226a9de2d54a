/* A line that is begun, a child that writes to the same file, and the rest of
 * the line, which fills the buffer.  With "line" the buffer is by lines. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
	static char buffer[4096], rest[3001];
	int by_line = count > 1 && !strcmp(words[1], "line");
	int to_child[2], to_parent[2];
	char byte;

	pipe(to_child);
	pipe(to_parent);
	if (by_line)
		setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
	memset(rest, 'r', sizeof(rest) - 1);
	if (by_line)
		rest[1500] = '\n';
	if (fork() == 0) {
		close(to_child[1]);
		while (read(to_child[0], &byte, 1) == 1) {
			write(1, "<child>\n", 8);
			write(to_parent[1], &byte, 1);
		}
		_exit(0);
	}
	for (int i = 0; i < 9; i++) {
		fputs("begun ", stdout);
		fputs("and ", stdout);
		write(to_child[1], "a", 1);
		read(to_parent[0], &byte, 1);
		fputs(rest, stdout);
		fputs("\n", stdout);
	}
	close(to_child[1]);
	wait(NULL);
	return 0;
}
