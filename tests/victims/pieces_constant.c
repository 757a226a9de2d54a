/* From one place and of one text: all of it, and a part. */
#include <stdio.h>

static __attribute__((noipa)) void say(const char *s, FILE *file, int part)
{
	if (part >= 0) {
		fwrite_unlocked(s, 1, (size_t)part, file);
		return;
	}
	fputs_unlocked(s, file);
}

int main(void)
{
	static const char text[] = "hello\n";
	volatile int parts[] = {3, -1, 3, -1, 3, -1};

	for (int i = 0; i < 6; i++)
		say(text, stdout, parts[i]);
	return 0;
}
