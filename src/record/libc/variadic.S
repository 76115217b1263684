/* Record: calls a variadic function with the arguments that the wrapper got, where the C library has no version that takes a
 * va_list.
 *
 * void variadic_call(void (*function)(void), const uint64_t *registers, const void *vectors, const uint64_t *stack, size_t words)
 */
#include "record/library/jump.inc"

#if defined(__x86_64__)
	.text
	.globl variadic_call
	.hidden variadic_call
	.type variadic_call, @function
variadic_call:
	.cfi_startproc
	frame
	movq %rdi, %r11
	movq %rsi, %r10
	movups (%rdx), %xmm0
	movups 16(%rdx), %xmm1
	movups 32(%rdx), %xmm2
	movups 48(%rdx), %xmm3
	movups 64(%rdx), %xmm4
	movups 80(%rdx), %xmm5
	movups 96(%rdx), %xmm6
	movups 112(%rdx), %xmm7
	leaq 15(,%r8,8), %rax
	andq $-16, %rax
	subq %rax, %rsp
	movq %rcx, %rsi
	movq %rsp, %rdi
	movq %r8, %rcx
	rep movsq
	movq (%r10), %rdi
	movq 8(%r10), %rsi
	movq 16(%r10), %rdx
	movq 24(%r10), %rcx
	movq 32(%r10), %r8
	movq 40(%r10), %r9
	movl $8, %eax /* vector registers that may hold arguments */
	call *%r11
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size variadic_call, .-variadic_call
	.section .note.GNU-stack, "", @progbits
#else
#error "variadic_call is written for x86-64 so far"
#endif
