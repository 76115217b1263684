/* Analyze: finds loaded objects, libraries, mappings and rings. See objects.h. */
#include "analyze/objects.h"

#include "base/hash.h"
#include "base/host/known.h"
#include "base/key_values.h"
#include "trace/cursor/cursor.h"
#include "trace/packed/packed.h"

#include <stdlib.h>
#include <string.h>

/* Values of Linux on x86-64, where traces are recorded. */
enum { MAPPED_ANONYMOUS = 0x20, LOADED_DEEP = 0x8 };

/* The objects found so far, by path and namespace. */
struct finding {
	struct varve_objects *objects;
	struct known known;
};

static bool is_object(const struct varve_object *object, const char *path, size_t length,
		      uint64_t namespace)
{
	return object->name_space == namespace && !strncmp(object->path, path, length) &&
	       !object->path[length];
}

static enum varve_status object_add(struct finding *finding, const char *path, size_t length,
				    uint64_t namespace, bool program, struct varve_causes *causes)
{
	struct varve_objects *objects = finding->objects;
	if (!length || path[0] != '/' || memchr(path, 0, length))
		return VARVE_OK;
	TRY(known_room(&finding->known, &objects->objects, sizeof *objects->objects, causes));
	uint64_t hash = hash64(path, length, namespace);
	struct known *known = &finding->known;
	size_t at = known_first(known, hash);
	while (known_is(known, at) &&
	       !is_object(&objects->objects[known_number(known, at)], path, length, namespace))
		at = known_next(known, hash, at);
	if (known_is(known, at)) {
		objects->objects[known_number(known, at)].program |= program;
		return VARVE_OK;
	}
	char *copy = strndup(path, length);
	if (!copy)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the name of an object");
	objects->objects[objects->count++] = (struct varve_object){copy, namespace, program};
	known_put(known, at, hash);
	return VARVE_OK;
}

/* The argument of this name in a record; false: it was not recorded. */
static bool call_argument(const struct varve_call *call, const char *name, uint64_t *word)
{
	for (uint32_t i = 0; i < call->function->field_count; i++) {
		const struct varve_field *field = &call->function->fields[i];
		if (field->word < 0 || (uint32_t)field->word >= call->word_count ||
		    strcmp(field->name, name) != 0)
			continue;
		*word = call->words[field->word];
		return true;
	}
	return false;
}

static enum varve_status text_keep(struct varve_text *kept, struct varve_text text,
				   struct varve_causes *causes)
{
	char *bytes = malloc((size_t)text.length + 1);
	if (!bytes)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the name of a library");
	if (text.length)
		memcpy(bytes, text.bytes, text.length);
	*kept = (struct varve_text){bytes, text.length};
	return VARVE_OK;
}

static void library_clear(struct varve_library *library)
{
	free((char *)(uintptr_t)library->path.bytes);
	free((char *)(uintptr_t)library->function.bytes);
}

/* Each process makes one such record for each library. */
static enum varve_status library_add(struct varve_objects *objects, const struct varve_call *call,
				     struct varve_causes *causes)
{
	uint64_t words[2];
	struct names *names = names_of_call(call);
	if (!names || !call_argument(call, "path", &words[0]) ||
	    !call_argument(call, "function", &words[1]))
		return VARVE_OK;
	struct varve_text path = names_given(names, (uint32_t)words[0]);
	for (size_t i = 0; i < objects->library_count; i++) {
		struct varve_library *known = &objects->libraries[i];
		if (known->path.length == path.length &&
		    (!path.length || !memcmp(known->path.bytes, path.bytes, path.length))) {
			known->processes++;
			return VARVE_OK;
		}
	}
	if (!objects->libraries)
		objects->libraries = calloc(VARVE_LIBRARIES_MOST, sizeof *objects->libraries);
	if (!objects->libraries)
		return cause(causes, VARVE_NO_MEMORY, "no memory for the libraries");
	if (objects->library_count == VARVE_LIBRARIES_MOST) {
		objects->library_more++;
		return VARVE_OK;
	}
	struct varve_library *made = &objects->libraries[objects->library_count++];
	made->processes = 1;
	TRY(text_keep(&made->path, path, causes));
	return text_keep(&made->function, names_given(names, (uint32_t)words[1]), causes);
}

static enum varve_status call_add(struct finding *finding, const struct varve_call *call,
				  struct varve_causes *causes)
{
	struct varve_objects *objects = finding->objects;
	const char *name = call->function->name;
	uint64_t path, namespace = 0, flags = 0, fd, length = 0;
	if (call->marks & (VARVE_FAILED | VARVE_UNFINISHED))
		return VARVE_OK;
	if (!strcmp(name, "library"))
		return library_add(objects, call, causes);
	if (!strcmp(name, "object") && call_argument(call, "path", &path)) {
		struct names *names = names_of_call(call);
		struct varve_text text =
			names ? names_absolute(names, (uint32_t)path) : (struct varve_text){0};
		call_argument(call, "namespace", &namespace);
		return text.bytes ? object_add(finding, text.bytes, text.length, namespace, false,
					       causes)
				  : VARVE_OK;
	}
	if (!strcmp(name, "mmap") && call_argument(call, "flags", &flags) &&
	    call_argument(call, "fd", &fd) && !(flags & MAPPED_ANONYMOUS) && pair_fd(fd) >= 0) {
		call_argument(call, "length", &length);
		objects->mappings++;
		objects->mapping_bytes += length;
	}
	if (!strcmp(name, "dlopen") && call_argument(call, "mode", &flags))
		objects->deep_loads += (flags & LOADED_DEEP) != 0;
	objects->rings += !strncmp(name, "io_uring_", 9);
	objects->ring_requests += !strcmp(name, "ring_request");
	return VARVE_OK;
}

static bool is_image_function(const struct varve_function *function)
{
	static const char *const names[] = {"object",
					    "library",
					    "mmap",
					    "ring_request",
					    "dlopen",
					    "io_uring_setup",
					    "io_uring_queue_init",
					    "io_uring_queue_init_params",
					    "io_uring_queue_init_mem"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(function->name, names[i]))
			return true;
	return false;
}

static enum varve_status programs_add(const struct varve_trace *trace, struct finding *finding,
				      struct varve_causes *causes)
{
	for (size_t i = 0; i < trace->process_count; i++) {
		const char *path = process_value(&trace->processes[i], "exe");
		if (path)
			TRY(object_add(finding, path, strlen(path), 0, true, causes));
	}
	size_t at = 0;
	const char *program =
		key_values_find(trace->description, trace->description_length, "program", &at);
	/* Without any call, the process is not in the trace, so only the description names its program. */
	return program && !trace->process_count
		       ? object_add(finding, program, strlen(program), 0, true, causes)
		       : VARVE_OK;
}

static enum varve_status calls_add(struct varve_trace *trace, const uint8_t *functions,
				   struct finding *finding, struct varve_causes *causes)
{
	struct trace_filter filter = TRACE_FILTER_ALL;
	struct varve_cursor *cursor;
	const struct varve_call *call;
	filter.functions = functions;
	TRY(cursor_open(trace, &filter, VARVE_ORDER_STREAM, VARVE_ARGUMENTS, &cursor, causes));
	enum varve_status status;
	while ((status = cursor_next(cursor, &call, causes)) == VARVE_OK) {
		if (call->function)
			status = call_add(finding, call, causes);
		if (status != VARVE_OK)
			break;
	}
	cursor_close(cursor);
	return status == VARVE_END ? VARVE_OK : status;
}

enum varve_status trace_objects_find(struct varve_trace *trace, struct varve_objects *objects,
				     struct varve_causes *causes)
{
	*objects = (struct varve_objects){0};
	if (packed_answer_objects(trace, objects))
		return VARVE_OK;
	uint8_t *functions = calloc(TRACE_FUNCTIONS, 1);
	if (!functions)
		return cause(causes, VARVE_NO_MEMORY, "no memory for a filter");
	for (uint32_t i = 0; i < trace->tables.function_count; i++)
		if (is_image_function(&trace->tables.functions[i]))
			functions[trace->tables.functions[i].id] = 1;
	struct finding finding = {.objects = objects, .known = {.listed = true}};
	enum varve_status status = programs_add(trace, &finding, causes);
	if (status == VARVE_OK)
		status = calls_add(trace, functions, &finding, causes);
	known_clear(&finding.known);
	free(functions);
	if (status != VARVE_OK)
		trace_objects_clear(objects);
	return status;
}

void trace_objects_clear(struct varve_objects *objects)
{
	for (size_t i = 0; i < objects->count; i++)
		free(objects->objects[i].path);
	free(objects->objects);
	for (size_t i = 0; i < objects->library_count; i++)
		library_clear(&objects->libraries[i]);
	free(objects->libraries);
	*objects = (struct varve_objects){0};
}
