/*
 * A system call of the program's own, by an instruction: nobody in the process
 * sees it.
 */
#ifndef TESTS_VICTIMS_KERNEL_H
#define TESTS_VICTIMS_KERNEL_H

static long kernel(long number, long a, long b, long c)
{
	long result;

#if defined(__x86_64__)
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
#else
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	result = x0;
#endif
	return result;
}

#endif
