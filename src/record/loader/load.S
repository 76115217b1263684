/* Record: dlopen and dlmopen. The C library uses the return address of the call: the object there decides where a library is
 * searched for (RUNPATH, $ORIGIN) and into which namespace it is loaded. So the recorder has no frame in between: the call is
 * noted, then passed on by a jump, and returns to the program.
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
