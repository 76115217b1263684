/* Trace: reads the answers about the whole trace that a packed trace stores. See packed.h; the layout is in
 * docs/format.md.
 */
#include "trace/packed/packed.h"

#include "trace/processes/tree.h"

#include <stdlib.h>
#include <string.h>

bool packed_answer(const struct varve_trace *trace, enum packed_answer which, struct input *input)
{
	const struct packed *packed = trace->packed;
	if (!packed || !packed->answered ||
	    trace->damage_count + trace->damage_more > packed->damages_stored)
		return false;
	const uint8_t *bytes = packed->sections[SECTION_ANSWERS];
	struct input all = {bytes, bytes + packed->lengths[SECTION_ANSWERS], false};
	for (unsigned i = 0; i <= (unsigned)which; i++) {
		size_t length = input_count(&all, 1);
		const uint8_t *text = input_bytes(&all, length);
		*input = (struct input){text, text ? text + length : NULL, !text};
	}
	return !input->bad;
}

static bool used_up(const struct input *input)
{
	return !input->bad && input->at == input->end;
}

char *packed_text_take(struct input *input, size_t *length)
{
	size_t given = input_count(input, 1);
	const uint8_t *bytes = input_bytes(input, given);
	char *text = bytes ? malloc(given + 1) : NULL;
	if (!text)
		return NULL;
	memcpy(text, bytes, given);
	text[given] = 0;
	*length = given;
	return text;
}

bool packed_answer_process(struct input *input, size_t *budget, struct varve_process *process)
{
	size_t length;
	char *strings = packed_text_take(input, &length);
	if (!strings || !length || length >= *budget) {
		free(strings);
		return strings && !length; /* it has no description */
	}
	*budget -= length + 1;
	process->strings = strings;
	process->length = length + 1;
	return true;
}

static bool process_take(struct input *input, size_t at, struct varve_tree_process *process)
{
	uint64_t above = input_number(input), began = input_number(input);
	uint64_t ended = input_number(input);
	int64_t status = unzigzag(input_number(input));
	uint64_t flags = input_number(input);
	if (above > at || began > VARVE_BEGAN_LIBRARY || ended > VARVE_ENDED_RUNNING || flags > 7 ||
	    status != (int)status)
		return false;
	*process = (struct varve_tree_process){.above = above ? (size_t)above - 1 : TREE_NONE,
					       .next = TREE_NONE,
					       .began = (enum varve_began)began,
					       .ended = (enum varve_ended)ended,
					       .status = (int)status,
					       .core = flags & 1,
					       .said = flags & 2,
					       .unseen_end = flags & 4,
					       .records = input_number(input)};
	return !input->bad;
}

static bool untraced_take(struct input *input, struct varve_tree *tree)
{
	size_t length;
	size_t count = input_count(input, 4);
	tree->untraced = calloc(count + 1, sizeof *tree->untraced);
	if (!tree->untraced)
		return false;
	while (tree->untraced_count < count) {
		struct varve_untraced *untraced = &tree->untraced[tree->untraced_count++];
		if (input_number(input) && !(untraced->path = packed_text_take(input, &length)))
			return false;
		untraced->why = input_number(input);
		untraced->count = input_number(input);
		untraced->process = (uint32_t)input_number(input);
	}
	tree->untraced_more = input_number(input);
	tree->unstarted = input_number(input);
	tree->vanished = input_number(input);
	return used_up(input);
}

bool packed_answer_tree(const struct varve_trace *trace, struct varve_tree *tree)
{
	struct input input;
	if (!packed_answer(trace, ANSWER_TREE, &input) ||
	    input_count(&input, 6) != trace->process_count)
		return false;
	bool good = true;
	for (size_t i = 0; good && i < trace->process_count; i++)
		good = process_take(&input, i, &tree->processes[i]);
	return good && untraced_take(&input, tree);
}

bool packed_answer_paths(const struct varve_trace *trace, uint64_t *paths)
{
	struct input input;
	if (!packed_answer(trace, ANSWER_PATHS, &input))
		return false;
	*paths = input_number(&input);
	return used_up(&input);
}
