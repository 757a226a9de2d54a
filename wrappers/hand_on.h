/*
 * A function in assembly that calls `before` with its first argument, and then
 * jumps to the next definition, next_NAME, with all registers that arguments
 * may be in and the stack as they came: for functions of which only the callee
 * knows how many arguments there are, and of what size.
 */
#ifndef WRAPPERS_HAND_ON_H
#define WRAPPERS_HAND_ON_H

#if defined(__x86_64__)
#define HAND_ON_CODE(name, before)                                             \
	".pushsection .text\n"                                                 \
	"\t.balign 16\n"                                                       \
	"\t.globl " name "\n"                                                  \
	"\t.type " name ", @function\n" name ":\n"                             \
	"\t.cfi_startproc\n"                                                   \
	"\tendbr64\n"                                                         \
	"\tpush %rbp\n"                                                        \
	"\t.cfi_def_cfa_offset 16\n"                                           \
	"\t.cfi_offset %rbp, -16\n"                                            \
	"\tmov %rsp, %rbp\n"                                                   \
	"\t.cfi_def_cfa_register %rbp\n"                                       \
	"\tand $-16, %rsp\n"                                                   \
	"\tsub $192, %rsp\n"                                                   \
	"\tmov %rax, (%rsp)\n" /* vectors of a variadic function */            \
	"\tmov %rdi, 8(%rsp)\n"                                                \
	"\tmov %rsi, 16(%rsp)\n"                                               \
	"\tmov %rdx, 24(%rsp)\n"                                               \
	"\tmov %rcx, 32(%rsp)\n"                                               \
	"\tmov %r8, 40(%rsp)\n"                                                \
	"\tmov %r9, 48(%rsp)\n"                                                \
	"\tmov %r10, 56(%rsp)\n"                                               \
	"\tmovaps %xmm0, 64(%rsp)\n"                                           \
	"\tmovaps %xmm1, 80(%rsp)\n"                                           \
	"\tmovaps %xmm2, 96(%rsp)\n"                                           \
	"\tmovaps %xmm3, 112(%rsp)\n"                                          \
	"\tmovaps %xmm4, 128(%rsp)\n"                                          \
	"\tmovaps %xmm5, 144(%rsp)\n"                                          \
	"\tmovaps %xmm6, 160(%rsp)\n"                                          \
	"\tmovaps %xmm7, 176(%rsp)\n"                                          \
	"\tcall " before "\n"                                                  \
	"\tmov (%rsp), %rax\n"                                                 \
	"\tmov 8(%rsp), %rdi\n"                                                \
	"\tmov 16(%rsp), %rsi\n"                                               \
	"\tmov 24(%rsp), %rdx\n"                                               \
	"\tmov 32(%rsp), %rcx\n"                                               \
	"\tmov 40(%rsp), %r8\n"                                                \
	"\tmov 48(%rsp), %r9\n"                                                \
	"\tmov 56(%rsp), %r10\n"                                               \
	"\tmovaps 64(%rsp), %xmm0\n"                                           \
	"\tmovaps 80(%rsp), %xmm1\n"                                           \
	"\tmovaps 96(%rsp), %xmm2\n"                                           \
	"\tmovaps 112(%rsp), %xmm3\n"                                          \
	"\tmovaps 128(%rsp), %xmm4\n"                                          \
	"\tmovaps 144(%rsp), %xmm5\n"                                          \
	"\tmovaps 160(%rsp), %xmm6\n"                                          \
	"\tmovaps 176(%rsp), %xmm7\n"                                          \
	"\tleave\n"                                                            \
	"\t.cfi_def_cfa %rsp, 8\n"                                             \
	"\t.cfi_restore %rbp\n"                                                \
	"\tjmp *next_" name "(%rip)\n"                                         \
	"\t.cfi_endproc\n"                                                     \
	"\t.size " name ", . - " name "\n"                                     \
	"\t.popsection\n"
#else
#define HAND_ON_CODE(name, before)                                             \
	".pushsection .text\n"                                                 \
	"\t.balign 16\n"                                                       \
	"\t.globl " name "\n"                                                  \
	"\t.type " name ", @function\n" name ":\n"                             \
	"\t.cfi_startproc\n"                                                   \
	"\thint #34\n" /* bti c */                                            \
	"\tstp x29, x30, [sp, #-224]!\n"                                       \
	"\t.cfi_def_cfa_offset 224\n"                                          \
	"\t.cfi_offset x29, -224\n"                                            \
	"\t.cfi_offset x30, -216\n"                                            \
	"\tmov x29, sp\n"                                                      \
	"\tstp x0, x1, [sp, #16]\n"                                            \
	"\tstp x2, x3, [sp, #32]\n"                                            \
	"\tstp x4, x5, [sp, #48]\n"                                            \
	"\tstp x6, x7, [sp, #64]\n"                                            \
	"\tstr x8, [sp, #80]\n"                                                \
	"\tstp q0, q1, [sp, #96]\n"                                            \
	"\tstp q2, q3, [sp, #128]\n"                                           \
	"\tstp q4, q5, [sp, #160]\n"                                           \
	"\tstp q6, q7, [sp, #192]\n"                                           \
	"\tbl " before "\n"                                                    \
	"\tldp q6, q7, [sp, #192]\n"                                           \
	"\tldp q4, q5, [sp, #160]\n"                                           \
	"\tldp q2, q3, [sp, #128]\n"                                           \
	"\tldp q0, q1, [sp, #96]\n"                                            \
	"\tldr x8, [sp, #80]\n"                                                \
	"\tldp x6, x7, [sp, #64]\n"                                            \
	"\tldp x4, x5, [sp, #48]\n"                                            \
	"\tldp x2, x3, [sp, #32]\n"                                            \
	"\tldp x0, x1, [sp, #16]\n"                                            \
	"\tldp x29, x30, [sp], #224\n"                                         \
	"\t.cfi_restore x30\n"                                                 \
	"\t.cfi_restore x29\n"                                                 \
	"\t.cfi_def_cfa_offset 0\n"                                            \
	"\tadrp x16, next_" name "\n"                                          \
	"\tldr x16, [x16, #:lo12:next_" name "]\n"                             \
	"\tbr x16\n"                                                           \
	"\t.cfi_endproc\n"                                                     \
	"\t.size " name ", . - " name "\n"                                     \
	"\t.popsection\n"
#endif

#endif
