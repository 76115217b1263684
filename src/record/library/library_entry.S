/* Record: the common code that all stubs of library functions jump to. See library.h.
 *
 * Input: the number of the symbol in r11 (or that of a lookup, lookup.h), everything else as the program passed it. Keeps all
 * registers that hold arguments and calls library_enter(). Then it either passes the call on by a jump, with all registers
 * restored, or calls the real function with the words of struct library_call (hooks may have changed them) and gives the result to
 * library_leave().
 */
#include "record/library/jump.inc"

#if defined(__x86_64__)

/* Offsets in struct library_call; library.c checks them. */
#define GIVEN 0
#define STACK_GIVEN 48
#define VECTOR 128
#define VECTORS 256
#define SYMBOL 264
#define STACK 268
#define CALLER 272
#define STACKED 280
#define FRAME 288
#define REAL 296
#define RESULT 304
#define RESULT_SECOND 312
#define RESULT_VECTOR 320
#define SIZE 640

/* The vector registers that can hold arguments: loaded from the struct at r10, stored in the struct at rsp. */
.macro vectors_load
	movups VECTOR(%r10), %xmm0
	movups VECTOR+16(%r10), %xmm1
	movups VECTOR+32(%r10), %xmm2
	movups VECTOR+48(%r10), %xmm3
	movups VECTOR+64(%r10), %xmm4
	movups VECTOR+80(%r10), %xmm5
	movups VECTOR+96(%r10), %xmm6
	movups VECTOR+112(%r10), %xmm7
.endm

.macro vectors_keep
	movups %xmm0, VECTOR(%rsp)
	movups %xmm1, VECTOR+16(%rsp)
	movups %xmm2, VECTOR+32(%rsp)
	movups %xmm3, VECTOR+48(%rsp)
	movups %xmm4, VECTOR+64(%rsp)
	movups %xmm5, VECTOR+80(%rsp)
	movups %xmm6, VECTOR+96(%rsp)
	movups %xmm7, VECTOR+112(%rsp)
.endm

/* Everything that the real function may use, from the struct at r10. */
.macro arguments vectors
	movq GIVEN(%r10), %rdi
	movq GIVEN+8(%r10), %rsi
	movq GIVEN+16(%r10), %rdx
	movq GIVEN+24(%r10), %rcx
	movq GIVEN+32(%r10), %r8
	movq GIVEN+40(%r10), %r9
.if \vectors
	vectors_load
.endif
	movq REAL(%r10), %r11
	movq VECTORS(%r10), %rax
.endm

.macro entry name vectors enter
	.p2align 6
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	.cfi_startproc
	frame
	subq $SIZE, %rsp
	movq %rdi, GIVEN(%rsp)
	movq %rsi, GIVEN+8(%rsp)
	movq %rdx, GIVEN+16(%rsp)
	movq %rcx, GIVEN+24(%rsp)
	movq %r8, GIVEN+32(%rsp)
	movq %r9, GIVEN+40(%rsp)
.if \vectors
	vectors_keep
.endif
	movq %rax, VECTORS(%rsp)
	movl %r11d, SYMBOL(%rsp)
	movq 8(%rbp), %rax
	movq %rax, CALLER(%rsp)
	leaq 16(%rbp), %rax
	movq %rax, STACKED(%rsp)
	movq %rbp, FRAME(%rsp)
	movq %rsp, %rdi
	call \enter
	movq %rsp, %r10
	testb %al, %al
	jz 3f
	/* Copies the argument words on the stack, as many as the row has. */
	movl STACK(%r10), %ecx
	leaq 15(,%rcx,8), %rax
	andq $-16, %rax
	subq %rax, %rsp
	jmp 2f
1:
	movq STACK_GIVEN(%r10,%rcx,8), %rax
	movq %rax, (%rsp,%rcx,8)
2:
	subl $1, %ecx
	jnc 1b
	arguments \vectors
	call *%r11
	leaq -SIZE(%rbp), %rsp
	movq %rax, RESULT(%rsp)
	movq %rdx, RESULT_SECOND(%rsp)
.if \vectors
	movups %xmm0, RESULT_VECTOR(%rsp)
	movups %xmm1, RESULT_VECTOR+16(%rsp)
.endif
	movq %rsp, %rdi
	call library_leave
	movq RESULT(%rsp), %rax
	movq RESULT_SECOND(%rsp), %rdx
.if \vectors
	movups RESULT_VECTOR(%rsp), %xmm0
	movups RESULT_VECTOR+16(%rsp), %xmm1
.endif
	leave
	.cfi_remember_state
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
3:
	arguments \vectors
	leave
	.cfi_def_cfa %rsp, 8
	jmp *%r11
	.cfi_endproc
	.size \name, .-\name
.endm

	.text
	/* library_entry_vectors is for functions that take or return numbers in vector registers, or are variadic; library_entry
	 * for all others. */
	entry library_entry_vectors, 1, library_enter
	entry library_entry, 0, library_enter
	/* For functions that were looked up by name: r11 has the number of the entry in lookup.S. */
	entry library_entry_looked, 1, library_enter_looked
	.section .note.GNU-stack, "", @progbits
#else
#error "library_entry is written for x86-64 so far"
#endif
