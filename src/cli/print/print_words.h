/* Command line: arguments that text shows as words, and JSON as numbers.
 *
 * Owns times, exit statuses, system calls, options of sockets, commands of fcntl, addresses that were not recorded. Only
 * for print_*.c; never changes JSON.
 */
#ifndef CLI_PRINT_PRINT_WORDS_H
#define CLI_PRINT_PRINT_WORDS_H

#include "cli/print/print.h"

/* Prints an argument as words. False: it has none, nothing was printed. */
bool put_words_of(const struct varve_trace *trace, const struct varve_call *call,
		  const struct varve_argument *argument);

/* The same for the result of a call that did not fail. */
bool put_words_of_result(const struct varve_trace *trace, const struct varve_call *call,
			 const struct varve_kind *kind);

/* Whether a word means that the program passed no pointer to an offset. */
bool word_absent(const struct varve_kind *kind, uint64_t word);

/* Whether a word is an address that was not recorded; without `record --pointers` this is so for all addresses. */
bool pointer_absent(const struct varve_trace *trace, const struct varve_kind *kind, uint64_t word);

#endif
