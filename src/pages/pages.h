/* Pages: man pages and completions of shells, made while Varve is built: of verbs from the command's table, of what is more
 * than a verb from its document. */
#ifndef PAGES_PAGES_H
#define PAGES_PAGES_H

#include "cli/verbs.h"

#include <stdio.h>

/* man.c: of the command, and of one verb. */
void man_write(FILE *file);
void man_write_verb(FILE *file, const struct verb *verb);

/* One letter of text, which groff shows as it is. */
void put_roff_letter(FILE *file, char letter);

/* document.c: a page of section 7. */
struct manual {
	const char *document; /* below the folder of the documents */
	const char *name;
	const char *title;
};

/* Made from the document at `path`. False: it cannot be read; errno says why. */
bool document_write(FILE *file, const struct manual *manual, const char *path);

void bash_write(FILE *file);
void zsh_write(FILE *file);
void fish_write(FILE *file);

/* words.c: what may stand for a value, with a space behind each word; nothing for kinds that are looked up when asked. */
void put_kind_words(FILE *file, const struct value_kind *kind);

/* Whether it is a list with commas. */
bool kind_is_list(const struct value_kind *kind);

/* A help text as one line, with a backslash before each letter of `escaped`; a newline becomes a space. */
void put_line(FILE *file, const char *text, const char *escaped);

/* Numbers of the processes that are recorded: those that have the control page of a run mapped. In words that all three
 * shells read alike. */
#define FIND_RECORDED "grep -ls '/varve-[^/]*/control$' /proc/*/maps | tr -cd '0-9\\n' | grep ."

#endif
