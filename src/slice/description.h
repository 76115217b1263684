/* Slice: copies the descriptions of the run and of its processes into a new trace.
 *
 * Both are key=value strings, each ended by a zero byte. Tables here decide which keys are copied and which values become
 * anonymous; keys that are not in the tables are copied unless texts are made anonymous.
 */
#ifndef SLICE_DESCRIPTION_H
#define SLICE_DESCRIPTION_H

#include "slice/slice.h"

struct strings {
	char *bytes;
	size_t length, room;
};

/* What changes on the way. */
struct description_change {
	struct anonymizer *anonymizer; /* NULL: values stay readable */
	const char *run;	       /* id of the new run; NULL: as it was */
	uint32_t node_more;	       /* added to numbers of nodes */
	int64_t process_more;	       /* added to numbers of processes */
};

/* Adds the strings of a description or of a process. */
enum varve_status description_add(struct strings *to, const char *from, size_t length,
				  const struct description_change *how,
				  struct varve_causes *causes) MUST_CHECK;
/* Adds one. */
enum varve_status description_number(struct strings *to, const char *key, uint64_t number,
				     struct varve_causes *causes) MUST_CHECK;
void strings_clear(struct strings *strings);

/* How the new trace was made: behind the description of its first node, which is that of the first source. */
enum varve_status description_of_slice(struct strings *to, const struct slice_request *request,
				       uint64_t damages, struct varve_causes *causes) MUST_CHECK;

#endif
