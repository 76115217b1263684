/* Pages: man pages and completions of shells, made while Varve is built: pages of verbs from the command's table, all
 * other pages from documents. */
#ifndef PAGES_PAGES_H
#define PAGES_PAGES_H

#include "cli/verbs.h"

#include <stdio.h>

/* man.c: pages of the command and of one verb. */
void man_write(FILE *file);
void man_write_verb(FILE *file, const struct verb *verb);

/* Writes one character so that groff shows it unchanged. */
void put_roff_letter(FILE *file, char letter);

/* document.c: a page of section 7. */
struct manual {
	const char *document; /* path in the folder of the documents */
	const char *name;
	const char *title;
};

/* Writes the page from the document at `path`. False: it cannot be read; see errno. */
bool document_write(FILE *file, const struct manual *manual, const char *path);

void bash_write(FILE *file);
void zsh_write(FILE *file);
void fish_write(FILE *file);

/* words.c: writes the possible words of a value, with a space after each; nothing for kinds that the shell looks up
 * itself. */
void put_kind_words(FILE *file, const struct value_kind *kind);

/* Whether the value is a list separated by commas. */
bool kind_is_list(const struct value_kind *kind);

/* Writes a help text as one line, with a backslash before each character in `escaped`; a newline becomes a space. */
void put_line(FILE *file, const char *text, const char *escaped);

/* Prints the pids of processes that are recorded, that is, have the control page of a run mapped. All three shells
 * understand this command. */
#define FIND_RECORDED "grep -ls '/varve-[^/]*/control$' /proc/*/maps | tr -cd '0-9\\n' | grep ."

#endif
