/* Record: functions of libraries that were not loaded at the start: libraries may be opened later, with local scope, and closed
 * again.
 */
#ifndef RECORD_LOADER_LAZY_SYMBOLS_H
#define RECORD_LOADER_LAZY_SYMBOLS_H

/* The function that was found last. */
struct lazy_symbol {
	void *function;
};

/* The function of this name in any object that is loaded now, except the recorder; NULL: none. */
void *lazy_symbol_find(struct lazy_symbol *symbol, const char *name);

#endif
