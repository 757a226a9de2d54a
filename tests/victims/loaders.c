/*
 * loaders WAY [LIBRARY]: prints from here and from a library that was loaded
 * in some way, in turn.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void say_by_syscall(void)
{
	syscall(SYS_write, 1, "by a system call\n", 17);
}

static void say_by_instruction(void)
{
	static const char text[] = "by an instruction\n";
#if defined(__x86_64__)
	long result = SYS_write;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(1l), "S"(text), "d"(sizeof(text) - 1)
			 : "rcx", "r11", "memory");
#else
	syscall(SYS_write, 1, text, sizeof(text) - 1);
#endif
}

/* The function itself, wherever it is found: not by our own references. */
static void say_by_pointer(const char *how)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	void *handle = strcmp(how, "dlsym-default") == 0 ? RTLD_DEFAULT
		       : strcmp(how, "dlsym-next") == 0	 ? RTLD_NEXT
							 : libc;
	int (*print)(const char *, ...) =
		strcmp(how, "dlvsym") == 0
			? dlvsym(libc, "printf", "GLIBC_2.2.5")
			: dlsym(handle, "printf");

	print("%s\n", how);
}

static void *open_library(const char *way, const char *path)
{
	if (strcmp(way, "dlmopen") == 0)
		return dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	return dlopen(
		path, strcmp(way, "deepbind") == 0 ? RTLD_NOW | RTLD_DEEPBIND
		      : strcmp(way, "lazy") == 0   ? RTLD_LAZY
		      : strcmp(way, "global") == 0 ? RTLD_NOW | RTLD_GLOBAL
						   : RTLD_NOW);
}

int main(int argc, char **argv)
{
	const char *way = argv[1];
	void (*say)(const char *) = NULL;
	void *library = NULL;

	printf("before\n");
	fflush(stdout);
	if (argc > 2) {
		library = open_library(way, argv[2]);
		say = library ? dlsym(library, "say") : NULL;
		if (!say) {
			printf("not loaded: %s\n", dlerror());
			return 1;
		}
		say(way);
	} else if (strcmp(way, "syscall") == 0) {
		say_by_syscall();
	} else if (strcmp(way, "instruction") == 0) {
		say_by_instruction();
	} else {
		say_by_pointer(way);
	}
	fflush(stdout);
	printf("after\n");
	return 0;
}
