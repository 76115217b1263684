/* Record: dlsym and dlvsym, and the entries that they return for functions of libraries. The C library uses the return address of
 * the call: RTLD_NEXT and RTLD_DEFAULT depend on the object there. So a lookup is passed on by a jump, and returns to the program;
 * other results are made in lookup.c, which gets the caller as an argument.
 */
#include "record/library/jump.inc"
#include "record/loader/lookup.h"

#if defined(__x86_64__)
	.text
	jumping dlsym
	keep %rdi
	keep %rsi
	keep_room
	movq 24(%rsp), %rdx
	call dlsym_looked@PLT
	restore_room
	restore %rsi
	restore %rdi
	testq %rdx, %rdx
	jz 1f
	jmp *%rdx
1:
	ret
	jumping_end dlsym

	jumping dlvsym
	keep %rdi
	keep %rsi
	keep %rdx
	movq 24(%rsp), %rcx
	call dlvsym_looked@PLT
	movq %rdx, %r11
	restore %rdx
	restore %rsi
	restore %rdi
	testq %r11, %r11
	jz 1f
	jmp *%r11
1:
	ret
	jumping_end dlvsym

	/* One for each function that was looked up: it loads its number. All have the same size. */
	.p2align 4
	.globl lookup_entries
	.hidden lookup_entries
	.type lookup_entries, @function
lookup_entries:
	.cfi_startproc
	.set number, 0
	.rept LOOKUPS
	movl $number, %r11d
	jmp library_entry_looked
	.set number, number + 1
	.endr
	.cfi_endproc
	.size lookup_entries, .-lookup_entries
	.globl lookup_entries_end
	.hidden lookup_entries_end
lookup_entries_end:
	.section .note.GNU-stack, "", @progbits
#else
#error "dlsym is written for x86-64 so far"
#endif
