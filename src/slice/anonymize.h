/* Slice: replaces texts that identify users, hosts and places: each component of a path, each host and user becomes a hash with a
 * key.
 *
 * The same text always gives the same hash, so files stay distinguishable, and depth and extensions stay. Owns the key and the
 * rules; where texts are stored is not its business. The key is never written anywhere.
 */
#ifndef SLICE_ANONYMIZE_H
#define SLICE_ANONYMIZE_H

#include "base/host/siphash.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { ANONYMOUS_MOST = 4096 }; /* bytes of a text, as of a name in a block */

struct anonymizer {
	struct siphash_key key;
	bool keep_system; /* top folders that every machine has stay readable */
	char *secrets; /* names of hosts and users, each ended by a zero byte: what holds one is never left as it is */
	size_t secrets_length;
	char text[ANONYMOUS_MOST + 64]; /* what was made last */
	size_t length;
};

/* Makes a key from any bytes; without bytes a random one. */
enum varve_status anonymizer_start(struct anonymizer *anonymizer, const void *key, size_t length,
				   struct varve_causes *causes) MUST_CHECK;
void anonymizer_clear(struct anonymizer *anonymizer);

/* The name of a host or user: no part of a text that is left readable may hold it. */
enum varve_status anonymizer_learn(struct anonymizer *anonymizer, const char *name,
				   struct varve_causes *causes) MUST_CHECK;

/* Each leaves the new text in `text`, ended by a zero byte, and its bytes in `length`. */
void anonymize_component(struct anonymizer *anonymizer, const char *text, size_t length);
void anonymize_path(struct anonymizer *anonymizer, const char *text, size_t length);
void anonymize_text(struct anonymizer *anonymizer, const char *text, size_t length);
/* A word of a command line: options and numbers stay. */
void anonymize_argument(struct anonymizer *anonymizer, const char *text, size_t length);

/* Replaces the text of a name with these uses (enum use). The new text is valid until the next call. */
void anonymize_name(struct anonymizer *anonymizer, unsigned uses, const char **text,
		    uint32_t *length);

#endif
