/* Command line: arguments that text shows as words, and JSON as numbers.
 *
 * Owns times, exit statuses, system calls, options of sockets, commands of fcntl, addresses that were not recorded. Only for
 * print_*.c; never changes JSON.
 */
#ifndef CLI_PRINT_PRINT_WORDS_H
#define CLI_PRINT_PRINT_WORDS_H

#include "cli/print/print.h"

/* Prints the words of an argument. False: it has none, nothing was printed. */
bool put_words_of(const struct varve_trace *trace, const struct varve_call *call,
		  const struct varve_argument *argument);

/* The same of the result of a call that did not fail. */
bool put_words_of_result(const struct varve_trace *trace, const struct varve_call *call,
			 const struct varve_kind *kind);

/* Whether a word says that the program gave no pointer to a position. */
bool word_absent(const struct varve_kind *kind, uint64_t word);

/* Whether a word is an address that was not recorded, as all are without `record --pointers`. */
bool pointer_absent(const struct varve_trace *trace, const struct varve_kind *kind, uint64_t word);

#endif
