/* Command line: finds the names of functions for addresses in code. See code.h.
 *
 * The trace identifies objects by number, path and build id (records `image` of layer varve). The names are in the files
 * of the objects, if these have not changed. A file is read when its first address is printed.
 */
#include "cli/print/code.h"

#include "base/host/list.h"
#include "cli/print/calls_each.h"
#include "cli/selection/selection.h"
#include "cli/terminal/output.h"
#include "object/elf_functions.h"

#include <stdlib.h>
#include <string.h>

/* Limits above what any real run has; the rest of a larger trace is ignored. */
enum { NUMBER_SHIFT = 48, BUILD_TEXT = 129, IMAGES_MOST = 1 << 20, OBJECTS_MOST = 4096 };

/* A program file or library, loaded by any number of processes. */
struct object {
	char *path;
	char build[BUILD_TEXT];
	bool looked;
	struct elf_functions functions;
};

struct image {
	uint32_t process;
	uint64_t number;
	size_t object;
};

static struct {
	struct object *objects;
	size_t object_count, object_room;
	struct image *images; /* sorted by process and number */
	size_t image_count, image_room;
	size_t last; /* index of the image that was found last */
} known;

bool code_is(const struct varve_kind *kind)
{
	return kind->style == VARVE_STYLE_HEX && !strcmp(kind->name, "code");
}

/* Finds or adds an object. False: out of memory. */
static bool object_note(const char *path, size_t length, const char *build, size_t *place)
{
	for (*place = 0; *place < known.object_count; ++*place) {
		const struct object *object = &known.objects[*place];
		if (strlen(object->path) == length && !memcmp(object->path, path, length) &&
		    !strcmp(object->build, build))
			return true;
	}
	if (*place == OBJECTS_MOST)
		return true;
	if (list_room(&known.objects, known.object_count, &known.object_room, 1,
		      sizeof *known.objects))
		return false;
	struct object made = {.path = strndup(path, length)};
	if (!made.path)
		return false;
	memcpy(made.build, build, strlen(build) + 1);
	known.objects[known.object_count++] = made;
	return true;
}

static bool image_note(const struct calls_each *each, const struct varve_call *call)
{
	const struct varve_process *process =
		varve_process_find(each->trace, call->stream->process);
	const char *program = process ? varve_process_value(process, "exe", 0) : NULL;
	struct varve_text path = {program, program ? strlen(program) : 0};
	char build[BUILD_TEXT] = "";
	struct image image = {.process = call->stream->process};
	for (uint32_t i = 0; i < call->function->field_count; i++) {
		struct varve_argument argument;
		if (!varve_call_argument(call, i, &argument))
			continue;
		if (!strcmp(argument.field->name, "number"))
			image.number = argument.word;
		else if (!strcmp(argument.field->name, "path") && argument.text.bytes)
			path = argument.absolute.bytes ? argument.absolute : argument.text;
		else if (!strcmp(argument.field->name, "build") && argument.text.bytes &&
			 argument.text.length < sizeof build)
			memcpy(build, argument.text.bytes, argument.text.length);
	}
	if (!path.bytes || known.image_count == IMAGES_MOST)
		return true;
	if (list_room(&known.images, known.image_count, &known.image_room, 1,
		      sizeof *known.images) ||
	    !object_note(path.bytes, path.length, build, &image.object))
		return false;
	if (image.object == OBJECTS_MOST)
		return true;
	known.images[known.image_count++] = image;
	return true;
}

static int by_number(const void *left, const void *right)
{
	const struct image *a = left, *b = right;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static bool is_image(const struct calls_each *each, const struct varve_function *function)
{
	return !strcmp(function->name, "image") && is_of_recorder(each->trace, function);
}

enum varve_status code_load(struct varve_trace *trace, struct varve_causes *causes)
{
	struct calls_each each = {trace, VARVE_QUERY_ALL, is_image, image_note, NULL};
	each.query.order = VARVE_ORDER_STREAM;
	each.query.columns = VARVE_ARGUMENTS;
	enum varve_status status = calls_each(&each, causes);
	if (known.image_count)
		qsort(known.images, known.image_count, sizeof *known.images, by_number);
	return status;
}

static const struct image *image_find(uint32_t process, uint64_t number)
{
	struct image key = {.process = process, .number = number};
	if (known.last < known.image_count && !by_number(&key, &known.images[known.last]))
		return &known.images[known.last];
	const struct image *found =
		known.image_count
			? bsearch(&key, known.images, known.image_count, sizeof key, by_number)
			: NULL;
	if (found)
		known.last = (size_t)(found - known.images);
	return found;
}

struct code code_find(uint32_t process, uint64_t word)
{
	uint64_t address = word & ((UINT64_C(1) << NUMBER_SHIFT) - 1);
	struct code code = {.offset = address};
	const struct image *image = image_find(process, word >> NUMBER_SHIFT);
	if (!image) {
		code.offset = word;
		return code;
	}
	struct object *object = &known.objects[image->object];
	code.object = object->path;
	if (!object->looked) {
		object->looked = true;
		if (!elf_functions_read(object->path, object->build, &object->functions))
			object->functions = (struct elf_functions){0};
	}
	uint64_t offset;
	code.function = elf_function_at(&object->functions, address, &offset);
	/* A return address can be after the end of the function, if the call is its last instruction. */
	if (!code.function && address) {
		code.function = elf_function_at(&object->functions, address - 1, &offset);
		offset++;
	}
	if (code.function)
		code.offset = offset;
	return code;
}

void put_code(uint32_t process, uint64_t word)
{
	struct code code = code_find(process, word);
	if (!code.object) {
		put_base(word, 16, "0x");
		return;
	}
	const char *slash = strrchr(code.object, '/');
	const char *name = code.function ? code.function : slash ? slash + 1 : code.object;
	put_escaped(name, strlen(name), ',');
	if (code.offset || !code.function)
		put_base(code.offset, 16, "+0x");
}
