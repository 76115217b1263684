/* Slice: replaces texts that identify users, hosts and places: each component of a path, each host and user becomes a hash with
 * a key.
 *
 * The same text always becomes the same hash, so files stay distinguishable; depth and extensions stay. Owns the key and the
 * rules, not the places where texts are stored. The key is never written anywhere.
 */
#ifndef SLICE_ANONYMIZE_H
#define SLICE_ANONYMIZE_H

#include "base/host/siphash.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { ANONYMOUS_MOST = 4096 }; /* maximum bytes of a text, as for a name in a block */

struct anonymizer {
	struct siphash_key key;
	bool keep_system; /* keep top folders that every machine has */
	char *secrets; /* names of hosts and users, each with a zero byte at its end; a text that contains one is always replaced */
	size_t secrets_length;
	char text[ANONYMOUS_MOST + 64]; /* the last result */
	size_t length;
};

/* Makes a key from any bytes, or a random key if `key` is NULL. */
enum varve_status anonymizer_start(struct anonymizer *anonymizer, const void *key, size_t length,
				   struct varve_causes *causes) MUST_CHECK;
void anonymizer_clear(struct anonymizer *anonymizer);

/* Adds the name of a host or user: no part of a text that stays readable may contain it. */
enum varve_status anonymizer_learn(struct anonymizer *anonymizer, const char *name,
				   struct varve_causes *causes) MUST_CHECK;

/* Each puts the new text, with a zero byte at its end, into `text`, and its length into `length`. */
void anonymize_component(struct anonymizer *anonymizer, const char *text, size_t length);
void anonymize_path(struct anonymizer *anonymizer, const char *text, size_t length);
/* Keeps the file name of a launcher, by which the filter `runtime` recognises its process. */
void anonymize_executable(struct anonymizer *anonymizer, const char *text, size_t length);
void anonymize_text(struct anonymizer *anonymizer, const char *text, size_t length);
/* For a word of a command line: options and numbers stay. */
void anonymize_argument(struct anonymizer *anonymizer, const char *text, size_t length);

/* Replaces the text of a name with these uses (enum use). The new text is valid until the next call. */
void anonymize_name(struct anonymizer *anonymizer, unsigned uses, const char **text,
		    uint32_t *length);

#endif
