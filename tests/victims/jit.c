/* Prints from code that it has made itself and listed for perf. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void callback(void)
{
	printf("made\n");
}

int main(void)
{
#ifdef __x86_64__
	/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
#else
	/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
	static const unsigned code[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0};
#endif
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *list;

	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory + 64, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	list = fopen(path, "w");
	fprintf(list, "%lx 1000 stale name\nnonsense\n%lx 40 before\n%lx %zx LazyCompile:~made now\n%lx 40 after\n",
		(unsigned long)memory, (unsigned long)memory, (unsigned long)memory + 64, sizeof(code),
		(unsigned long)memory + 128);
	fclose(list);
	((void (*)(void (*)(void)))(memory + 64))(callback);
	return 0;
}
