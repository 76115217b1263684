/* Base: the names of the files of a trace, and of its lane folder.
 *
 * Recorder, readers and the command take every such name from here. Header only: no allocation, no system call.
 */
#ifndef BASE_TRACE_FILES_H
#define BASE_TRACE_FILES_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Files of a trace folder. A node has `data.N`; `index`, `lanes` and `ranks` have a number, too, except for N = 0. A packed
 * trace of several files has `packed.N`. */
enum trace_file {
	TRACE_FILE_DATA,
	TRACE_FILE_INDEX,
	TRACE_FILE_LANES, /* the path of the lane folder */
	TRACE_FILE_RANKS,
	TRACE_FILE_PACKED
};
enum { TRACE_FILE_NAME = 24 }; /* bytes of such a name */
#define TRACE_FIRST_DATA "data.0"
#define TRACE_FIRST_LANES "lanes"
#define TRACE_FIRST_PACKED "packed.0"

/* Files of a lane folder. The control page has the name `control.new` until it is complete. Lanes are `lane.PROCESS.NUMBER`. */
#define LANES_CONTROL "control"
#define LANES_CONTROL_NEW "control.new"
#define LANES_FACTS "facts"
#define LANES_LANE "lane."

/* Whether a file or folder is called as traces are: NAME.varve. */
static inline bool is_trace_name(const char *name)
{
	static const char ending[] = ".varve";
	size_t length = strlen(name), ended = sizeof ending - 1;
	return length > ended && !strcmp(name + length - ended, ending);
}

struct trace_file_form {
	const char *name;
	bool numbered; /* also the file with number 0 */
};

static inline struct trace_file_form trace_file_form(enum trace_file file)
{
	static const struct trace_file_form forms[] = {
		[TRACE_FILE_DATA] = {"data", true},	[TRACE_FILE_INDEX] = {"index", false},
		[TRACE_FILE_LANES] = {"lanes", false},	[TRACE_FILE_RANKS] = {"ranks", false},
		[TRACE_FILE_PACKED] = {"packed", true},
	};
	return forms[file];
}

/* Adds the name of a file of node `number`, or of packed file `number`; returns the new end, like text_add(). */
static inline char *trace_file_name(char *at, const char *end, enum trace_file file,
				    uint32_t number)
{
	struct trace_file_form form = trace_file_form(file);
	at = text_add(at, end, form.name);
	return number || form.numbered ? text_add_number(text_add(at, end, "."), end, number) : at;
}

/* Adds the name of the file of lane `number` that process `process` has created. */
static inline char *lane_file_name(char *at, const char *end, uint32_t process, uint32_t number)
{
	at = text_add_number(text_add(at, end, LANES_LANE), end, process);
	return text_add_number(text_add(at, end, "."), end, number);
}

/* Whether a name belongs to a file of a trace, of either form. */
static inline bool trace_file_is(const char *name)
{
	for (enum trace_file file = TRACE_FILE_DATA; file <= TRACE_FILE_PACKED; file++) {
		struct trace_file_form form = trace_file_form(file);
		size_t length = strlen(form.name);
		if (!strncmp(name, form.name, length) && (!form.numbered || name[length] == '.'))
			return true;
	}
	return false;
}

#endif
