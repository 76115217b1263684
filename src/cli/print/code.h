/* Command line: names of functions for addresses in the code of a program (values of the kind `code`). See code.c. */
#ifndef CLI_PRINT_CODE_H
#define CLI_PRINT_CODE_H

#include <varve/varve.h>

#include <stdbool.h>

/* Reads from the trace which objects contain its addresses; the result is kept until the end of the command. */
enum varve_status code_load(struct varve_trace *trace, struct varve_causes *causes);

bool code_is(const struct varve_kind *kind);

/* What is known about a value in a process. */
struct code {
	const char *function; /* NULL: not known */
	const char *object;   /* path; NULL: not known */
	uint64_t offset;      /* in the function, or if that is not known, in the object */
};
struct code code_find(uint32_t process, uint64_t word);

/* "function", "function+0x12", "object+0x1234" or a number. */
void put_code(uint32_t process, uint64_t word);

#endif
