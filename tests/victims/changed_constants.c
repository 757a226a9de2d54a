/*
 * changed_constants [many]: texts in read-only memory of the program that are
 * made writable, and changed, by one thread while another goes on printing, or
 * covered by another mapping;
 * with `many` after so many other pages that nobody would remember them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CONSTANT __attribute__((section(".rodata.pages"), aligned(4096)))
static const char pages[80][4096] CONSTANT = {{"filled"}};
static const char text[4096] CONSTANT = "a constant text\n";
static const char format[4096] CONSTANT = "a format: %d\n";
static const char other[4096] CONSTANT = "another text\n";
static const char covered[4096] CONSTANT = "a text that is covered\n";

static void say(int i)
{
	fputs(text, stdout);
	fwrite(text, 1, strlen(text), stdout);
	printf(format, i);
	printf("%s", text);
	puts(other);
	fputs(covered, stdout);
	fflush(stdout);
	(void)!write(1, text, strlen(text));
	(void)!write(1, other, strlen(other));
}

static void change(const char *constant, char first)
{
	char *page = (char *)(uintptr_t)constant;
	int writable = PROT_READ | PROT_WRITE;

	/* One of them by number, one by the other function. */
	if (constant == other
			? syscall(SYS_mprotect, page, 4096L, writable) != 0
		: constant == format
			? pkey_mprotect(page, 4096, writable, -1) != 0
			: mprotect(page, 4096, writable) != 0)
		_exit(3);
	*page = first;
	mprotect(page, 4096, PROT_READ);
}

/* By another mapping in its place. */
static void cover(const char *constant, const char *by)
{
	char *page = mmap((void *)(uintptr_t)constant, 4096,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		-1, 0);

	if (page == MAP_FAILED)
		_exit(4);
	strcpy(page, by);
}

static void *change_all(void *unused)
{
	change(text, 'T');
	change(format, 'F');
	return unused;
}

static void take_turn(int turn, int many)
{
	pthread_t thread;

	switch (turn) {
	case 1:
		cover(covered, "a text that covers one\n");
		break;
	case 2:
		for (int i = 0; many && i < 80; i += 2)
			change(pages[i], 'p');
		pthread_create(&thread, NULL, change_all, NULL);
		pthread_join(thread, NULL);
		break;
	case 3:
		change(text, 'U');
		change(other, 'O');
	}
}

/* All is said at the same places, with the same stacks. */
int main(int argc, char **argv)
{
	for (int turn = 0; turn < 4; turn++) {
		take_turn(turn, argc > 1);
		for (int i = 0; i < 5; i++)
			say(i);
	}
	return 0;
}
