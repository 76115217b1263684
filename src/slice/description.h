/* Slice: copies the descriptions of the run and of its processes into a new trace.
 *
 * Both are key=value strings, each with a zero byte at its end. Tables here decide which keys are copied and which values
 * become anonymous; other keys are only copied if texts are not made anonymous.
 */
#ifndef SLICE_DESCRIPTION_H
#define SLICE_DESCRIPTION_H

#include "slice/slice.h"

struct strings {
	char *bytes;
	size_t length, room;
};

/* What is changed in the copy. */
struct description_change {
	struct anonymizer *anonymizer; /* NULL: values stay readable */
	const char *run;	       /* id of the new run; NULL: unchanged */
	uint32_t node_more;	       /* added to numbers of nodes */
	int64_t process_more;	       /* added to numbers of processes */
	size_t source; /* of several sources, from 1: its keys `slice.KEY` become `slice.SOURCE.KEY`; 0: they stay */
};

/* Adds the strings of a description or of a process. */
enum varve_status description_add(struct strings *to, const char *from, size_t length,
				  const struct description_change *how,
				  struct varve_causes *causes) MUST_CHECK;
/* Adds a string with a number. */
enum varve_status description_number(struct strings *to, const char *key, uint64_t number,
				     struct varve_causes *causes) MUST_CHECK;
void strings_clear(struct strings *strings);

/* Adds how the new trace was made, behind the description of its first node, which is that of the first source. */
enum varve_status description_of_slice(struct strings *to, const struct slice_request *request,
				       uint64_t damages, struct varve_causes *causes) MUST_CHECK;

#endif
