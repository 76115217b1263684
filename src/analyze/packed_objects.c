/* Analyze: reads the loaded objects that a packed trace stores. See objects.h; the layout is in docs/format.md. */
#include "analyze/objects.h"
#include "trace/packed/packed.h"

#include <stdlib.h>

static bool objects_take(struct input *input, struct varve_objects *objects)
{
	size_t length;
	size_t count = input_count(input, 3);
	objects->objects = calloc(count + 1, sizeof *objects->objects);
	if (!objects->objects)
		return false;
	while (objects->count < count) {
		struct varve_object *object = &objects->objects[objects->count++];
		if (!(object->path = packed_text_take(input, &length)))
			return false;
		object->name_space = input_number(input);
		object->program = input_number(input);
	}
	return true;
}

static bool libraries_take(struct input *input, struct varve_objects *objects)
{
	size_t count = input_count(input, 3);
	if (count > VARVE_LIBRARIES_MOST)
		return false;
	objects->libraries = calloc(count + 1, sizeof *objects->libraries);
	if (!objects->libraries)
		return false;
	while (objects->library_count < count) {
		struct varve_library *library = &objects->libraries[objects->library_count++];
		library->path.bytes = packed_text_take(input, &library->path.length);
		library->function.bytes = packed_text_take(input, &library->function.length);
		library->processes = input_number(input);
		if (!library->path.bytes || !library->function.bytes)
			return false;
	}
	return true;
}

bool packed_answer_objects(const struct varve_trace *trace, struct varve_objects *objects)
{
	struct input input;
	if (!packed_answer(trace, ANSWER_OBJECTS, &input))
		return false;
	bool good = objects_take(&input, objects) && libraries_take(&input, objects);
	objects->library_more = input_number(&input);
	objects->mappings = input_number(&input);
	objects->mapping_bytes = input_number(&input);
	objects->rings = input_number(&input);
	objects->ring_requests = input_number(&input);
	objects->deep_loads = input_number(&input);
	if (good && !input.bad && input.at == input.end)
		return true;
	trace_objects_clear(objects);
	return false;
}
