/*
 * sites RESULT AMOUNT...: what a printf costs its caller, in nanoseconds per
 * call, when it comes from as many places as AMOUNT, each with a format of its
 * own, in turn; to the file RESULT a line for each amount: the fastest round,
 * the first one.  At most SITES (of the compiler's command line), below ten
 * million.  x86-64; the assembler makes the places, as nobody would wait for
 * the compiler.
 */
#include "tests/bench/measure.h"

#define TEXT(n) TEXT_OF(n)
#define TEXT_OF(n) #n

/* Every 16 places are a function to who unwinds the stack, as is usual. */
#define SITE_BYTES 32
#define CALLS_MOST 1000000

void sites_begin(void);

#if defined(__x86_64__)
__asm__(".text\n"
	".balign 32\n"
	".globl sites_begin\n"
	"sites_begin:\n"
	".set n, 0\n"
	".rept (" TEXT(SITES) " + 15) / 16\n"
			      ".cfi_startproc\n"
			      ".cfi_def_cfa_offset 16\n"
			      ".rept 16\n"
			      "	sub $8, %rsp\n"
			      "	lea sites_formats + 16 * n(%rip), %rdi\n"
			      "	mov $n, %esi\n"
			      "	xor %eax, %eax\n"
			      "	call printf@PLT\n"
			      "	add $8, %rsp\n"
			      "	ret\n"
			      "	.balign 32\n"
			      "	.set n, n + 1\n"
			      ".endr\n"
			      ".cfi_endproc\n"
			      ".endr\n"
			      ".section .rodata\n"
			      "sites_formats:\n"
			      ".set n, 0\n"
			      ".rept (" TEXT(
				      SITES) " + 15) / 16 * 16\n"
					     "	.ascii \"at \"\n"
					     "	.byte 48 + n / 1000000 % 10, "
					     "48 + n / 100000 % 10\n"
					     "	.byte 48 + n / 10000 % 10, 48 "
					     "+ n / 1000 % 10\n"
					     "	.byte 48 + n / 100 % 10, 48 + "
					     "n / 10 % 10, 48 + n % 10\n"
					     "	.asciz \": %d\\n\"\n"
					     "	.set n, n + 1\n"
					     ".endr\n"
					     ".text\n");
#else
#error "only for x86-64"
#endif

/* From the first so many places, one after the other. */
static void round_of(long sites)
{
	for (long i = 0; i < sites; i++)
		((void (*)(void))((char *)sites_begin + i * SITE_BYTES))();
}

int main(int argc, char **argv)
{
	FILE *out = argc < 3 ? NULL : fopen(argv[1], "w");

	if (!out)
		return 2;
	keep_to_core(0);
	for (int i = 2; i < argc; i++) {
		long sites = atol(argv[i]);
		/* A short round is repeated within each measurement. */
		long rounds = sites < 1000 ? 1000 / sites : 1;
		double best = 0, first = 0;

		if (sites > SITES)
			return 2;
		for (long turn = 0; turn < 5 || turn * sites < CALLS_MOST / 4;
			turn++) {
			long times = turn ? rounds : 1;
			double start = nanoseconds(), took;

			for (long r = 0; r < times; r++)
				round_of(sites);
			took = (nanoseconds() - start) /
			       (double)(times * sites);
			if (turn == 0)
				first = took;
			else if (turn == 1 || took < best)
				best = took;
			if (turn == 30)
				break;
		}
		fprintf(out, "%ld %.2f %.2f\n", sites, best, first);
		fflush(out);
	}
	return fclose(out) != 0;
}
