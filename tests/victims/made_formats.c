/*
 * made_formats SEED N: N calls of printf() and its like with formats that the
 * program has made, in places where they are changed, used again, cut to a part
 * of what they were, at the end of the last page that is there, and in a file
 * that is mapped, as catalogs of translations are; and with none.  From two
 * stacks and four threads in turn, to stdout and stderr.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define PLACES 24
#define CATALOG 300

static const char *const some[] = {"%d\n", "%d: %s\n", "%d ", "%5d|%.3s|\n",
	"%x\n", "%d: %s, and more text than a few words have, of which some\n",
	"%d: %s, and more text than a few words have, of which more\n",
	"no directive\n", "%%\n", "%d: %s, and %%%d\n", "%c\n", "<%d>", "\n", "",
	"%d: %S\n"};
static char *place[PLACES], *catalog[CATALOG];
static unsigned seed;

static unsigned draw(unsigned most)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % most;
}

static __attribute__((noinline)) void say(const char *format, int i, int deep)
{
	volatile char frame[64];

	frame[0] = (char)i;
	if (deep)
		say(format, i, deep - 1);
	else if (i % 5 == 0)
		fprintf(stderr, format, i,
			strstr(format, "%S") ? (const char *)L"wide" : "text", 7);
	else
		printf(format, i,
			strstr(format, "%S") ? (const char *)L"wide" : "text", 7);
	frame[1] = frame[0];
}

/* The last two are at the end of a page behind which there is none. */
static void make_places(void)
{
	char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(page + PAGE, PAGE);
	for (int i = 0; i < PLACES; i++) {
		place[i] = i < 16 ? malloc(100) : page + 150 * (i - 15);
		strcpy(place[i], some[i % 4]);
	}
	place[PLACES - 2] = page + PAGE - 4;
	place[PLACES - 1] = page + PAGE - 4 - 8;
	strcpy(place[PLACES - 2], "%d\n");
	strcpy(place[PLACES - 1], "%d: %s\n");
}

static void make_catalog(void)
{
	FILE *file = fopen("catalog", "w");
	char *at;

	for (int i = 0; i < CATALOG; i++)
		fprintf(file, "%%d: Nachricht %d: %%s%*s\n%c", i, 1 + i % 50, "", 0);
	fclose(file);
	file = fopen("catalog", "r");
	at = mmap(NULL, 1 << 16, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	fclose(file);
	for (int i = 0; i < CATALOG; i++, at += strlen(at) + 1)
		catalog[i] = at;
}

static void change(unsigned i)
{
	const char *format = some[draw(sizeof(some) / sizeof(*some))];

	if (i >= PLACES - 2)
		place[i][1] = draw(2) ? 'd' : 'x';
	else if (draw(4) == 0)
		place[i][strlen(place[i]) / 2] = '\0';
	else
		strcpy(place[i], format);
	/* no directive may be cut in the middle */
	if (place[i][0] && place[i][strlen(place[i]) - 1] == '%')
		strcpy(place[i], "%d.\n");
}

static void *says(void *count)
{
	static const char *volatile nothing;

	for (int i = 0; i < *(int *)count; i++) {
		unsigned which = draw(PLACES);

		if (draw(3) == 0)
			change(which);
		if (draw(3) == 0)
			say(catalog[draw(CATALOG)], i, (int)draw(2) * 3);
		say(place[which], i, (int)draw(2) * 3);
		if (draw(50) == 0)
			fflush(stdout);
		if (draw(50) == 0)
			printf("%d\n", printf(nothing) + fprintf(stderr, nothing, 1));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 1000;
	pthread_t thread;

	seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	make_places();
	make_catalog();
	says(&count);
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, says, &count);
		pthread_join(thread, NULL);
	}
	return 0;
}
