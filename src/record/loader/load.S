/* Record: dlopen and dlmopen. The C library looks at the address that they return to: the object there decides where a
 * library is searched for (RUNPATH, $ORIGIN) and into which namespace it is loaded. So there may be no frame of ours in
 * between: the call is noted, then passed on by a jump, and it returns to the program.
 */
#include "record/library/jump.inc"

#if defined(__x86_64__)
	.text
	jumping dlopen
	keep %rdi
	keep %rsi
	keep_room
	call dlopen_noted@PLT
	restore_room
	restore %rsi
	restore %rdi
	jmp *%rax
	jumping_end dlopen

	jumping dlmopen
	keep %rdi
	keep %rsi
	keep %rdx
	call dlmopen_noted@PLT
	restore %rdx
	restore %rsi
	restore %rdi
	jmp *%rax
	jumping_end dlmopen
	.section .note.GNU-stack, "", @progbits
#else
#error "dlopen is written for x86-64 so far"
#endif
