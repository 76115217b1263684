/* Record: functions of libraries that were not there at the start: opened later, perhaps out of sight of others, perhaps
 * closed again.
 */
#ifndef RECORD_LOADER_LAZY_SYMBOLS_H
#define RECORD_LOADER_LAZY_SYMBOLS_H

/* What was found last. */
struct lazy_symbol {
	void *function;
};

/* The function of this name in any object but ours that is loaded now; NULL: in none. */
void *lazy_symbol_find(struct lazy_symbol *symbol, const char *name);

#endif
