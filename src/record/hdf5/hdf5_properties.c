/* Record: hooks of HDF5's property lists: a text of what was set.
 *
 * For example "dataset create: chunk=[64,64]; deflate=6": the property list class, then one item for each property, with the name
 * of the function that sets it. Setting a property again replaces its item; filters, external files and sources of a virtual
 * dataset are added. The creation list that HDF5 returns for a dataset is described by its layout and filters, other returned lists
 * by the object that they belong to.
 */
#include "record/hdf5/hdf5.h"
#include "record/library/library_ops.h"

#include "record/wrap.h"

#include <string.h>

enum { SET_PREFIX = sizeof "H5Pset_" - 1 };

static const char *const layouts[] = {"compact", "contiguous", "chunked", "virtual"};
static const char *const alloc_times[] = {"default", "early", "late", "incremental"};
static const char *const fill_times[] = {"alloc", "never", "if set"};
static const char *const degrees[] = {"default", "weak", "semi", "strong"};
static const char *const versions[] = {"earliest", "1.8", "1.10", "1.12", "1.14"};
static const char *const filters[] = {"none", "deflate", "shuffle",    "fletcher32",
				      "szip", "nbit",	 "scaleoffset"};

/* Lists */

/* Adds the property list class: for "H5P_DATASET_CREATE" and "H5P_DATASET_CREATE_DEFAULT", "dataset create". */
static void add_class(struct h5_text *text, const struct entity *class)
{
	static const char ending[] = "_DEFAULT";
	size_t length = class ? class->length : 0, tail = sizeof ending - 1;
	if (length < 4 || memcmp(class->text, "H5P_", 4) != 0)
		return;
	if (length > tail && memcmp(class->text + length - tail, ending, tail) == 0)
		length -= tail;
	for (size_t i = 4; i < length; i++) {
		char letter = class->text[i];
		char shown = letter == '_'		      ? ' '
			     : letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a')
							      : letter;
		h5_add_bytes(text, &shown, 1);
	}
}

void after_h5_properties_create(struct library_call *call)
{
	struct h5_text text;
	if (call->failed)
		return;
	h5_text_begin(&text);
	struct entity *class =
		entity_meet(call, FAMILY_H5, call->given[0], VARVE_HANDLE_PROPERTIES);
	add_class(&text, class);
	h5_made(call, VARVE_HANDLE_PROPERTIES, &text, NULL);
}

void after_h5_properties_copy(struct library_call *call)
{
	struct h5_text text;
	if (call->failed)
		return;
	const struct entity *from = h5_find(call, call->given[0]);
	struct entity old = from ? *from : (struct entity){.length = 0};
	h5_text_begin(&text);
	if (from && from->length > 4 && memcmp(from->text, "H5P_", 4) == 0)
		add_class(&text, from);
	else if (from)
		h5_add_bytes(&text, from->text, from->length);
	struct entity *made = h5_made(call, VARVE_HANDLE_PROPERTIES, &text, NULL);
	if (made)
		memcpy(made->number, old.number, sizeof made->number);
	if (made)
		made->number[H5_HELD] = 0;
}

/* For lists that HDF5 returns: H5Fget_access_plist and similar functions. */
void after_h5_properties_of(struct library_call *call)
{
	struct h5_text text;
	const struct entity *of = h5_find(call, call->given[0]);
	if (call->failed)
		return;
	h5_text_begin(&text);
	h5_add(&text, "of ");
	if (of)
		h5_add_bytes(&text, of->text, of->length);
	h5_made(call, VARVE_HANDLE_PROPERTIES, &text, NULL);
}

/* For the creation list of a dataset: HDF5 returns its relevant properties. */
void after_h5_layout_of(struct library_call *call)
{
	struct h5_text text;
	if (call->failed)
		return;
	h5_text_begin(&text);
	h5_add(&text, "dataset create");
	if (!call->hidden && h5_quiet(call))
		h5_add_layout(call, &text, call->result);
	h5_made(call, VARVE_HANDLE_PROPERTIES, &text, NULL);
}

/* Items */

/* The name of the property, from the function that sets it. */
static const char *label_of(const struct library_call *call)
{
	const char *name = library_names + library_symbols[call->symbol].name + SET_PREFIX;
	return strncmp(name, "fapl_", 5) == 0 || strncmp(name, "dxpl_", 5) == 0 ? name + 5 : name;
}

static bool is_item(const char *text, size_t length, const char *label, size_t label_length)
{
	return length >= label_length && memcmp(text, label, label_length) == 0 &&
	       (length == label_length || text[label_length] == '=');
}

/* Begins a new text: the list's text without this item (with `again`: complete), and the label of the new item. */
static void begin_item(struct h5_text *text, const struct entity *list, const char *label,
		       bool again)
{
	size_t label_length = strlen(label), at = 0, items = 0;
	h5_text_begin(text);
	while (at < list->length && list->text[at] != ':')
		at++;
	h5_add_bytes(text, list->text, at);
	for (at += 2; at < list->length;) {
		const char *item = list->text + at;
		const char *end = memchr(item, ';', list->length - at);
		size_t length = end ? (size_t)(end - item) : list->length - at;
		if (again || !is_item(item, length, label, label_length)) {
			h5_add(text, items++ ? "; " : ": ");
			h5_add_bytes(text, item, length);
		}
		at += length + 2;
	}
	h5_add(text, items ? "; " : ": ");
	h5_add(text, label);
}

static struct entity *property_list(struct library_call *call)
{
	struct entity *list = h5_find(call, call->given[0]);
	return !call->failed && list && list->kind == VARVE_HANDLE_PROPERTIES ? list : NULL;
}

static void end_item(struct library_call *call, struct entity *list, const struct h5_text *text)
{
	entity_text(call->self, list, text->bytes, h5_text_length(text));
}

static void set_flag(struct library_call *call, const char *label, const char *value)
{
	struct h5_text text;
	struct entity *list = property_list(call);
	if (!list)
		return;
	begin_item(&text, list, label, false);
	if (value) {
		h5_add(&text, "=");
		h5_add(&text, value);
	}
	end_item(call, list, &text);
}

static void set_named(struct library_call *call, const char *const *names, size_t count)
{
	int32_t value = given_int(call, 1);
	set_flag(call, label_of(call), value >= 0 && (size_t)value < count ? names[value] : "?");
}

static void set_numbers(struct library_call *call, unsigned count)
{
	struct h5_text text;
	struct entity *list = property_list(call);
	if (!list)
		return;
	begin_item(&text, list, label_of(call), false);
	for (unsigned i = 1; i <= count; i++) {
		h5_add(&text, i == 1 ? "=" : ",");
		h5_add_number(&text, call->given[i]);
	}
	end_item(call, list, &text);
}

void after_h5_set_flag(struct library_call *call)
{
	set_flag(call, label_of(call), NULL);
}

void after_h5_set_truth(struct library_call *call)
{
	set_flag(call, label_of(call), (uint8_t)call->given[1] ? "yes" : "no");
}

/* One number of 64 bits. */
void after_h5_set_size(struct library_call *call)
{
	set_numbers(call, 1);
}

/* Two numbers of 64 bits. */
void after_h5_set_two_sizes(struct library_call *call)
{
	set_numbers(call, 2);
}

/* One number of 32 bits. */
void after_h5_set_number(struct library_call *call)
{
	call->given[1] = (uint32_t)call->given[1];
	set_numbers(call, 1);
}

void after_h5_set_two_numbers(struct library_call *call)
{
	call->given[1] = (uint32_t)call->given[1];
	call->given[2] = (uint32_t)call->given[2];
	set_numbers(call, 2);
}

/* An array of sizes; its length is the argument before it. */
void after_h5_set_sizes(struct library_call *call)
{
	struct h5_text text;
	struct entity *list = property_list(call);
	int32_t count = given_int(call, 1);
	if (!list)
		return;
	begin_item(&text, list, label_of(call), false);
	h5_add(&text, "=");
	h5_add_sizes(call, &text, given_pointer(call, 2), count < 0 ? 0 : (unsigned)count);
	end_item(call, list, &text);
}

static void set_text(struct library_call *call, bool again)
{
	struct h5_text text;
	struct entity *list = property_list(call);
	const char *value = given_pointer(call, 1);
	long length = value ? text_length(call->self, value, ENTITY_TEXT) : -1;
	if (!list)
		return;
	begin_item(&text, list, label_of(call), again);
	if (length > 0) {
		h5_add(&text, "=");
		h5_add_bytes(&text, value, (size_t)length);
	}
	end_item(call, list, &text);
}

void after_h5_set_name(struct library_call *call)
{
	set_text(call, false);
}

void after_h5_set_external(struct library_call *call)
{
	set_text(call, true);
}

void after_h5_set_layout(struct library_call *call)
{
	set_named(call, layouts, sizeof layouts / sizeof *layouts);
}

void after_h5_set_alloc_time(struct library_call *call)
{
	set_named(call, alloc_times, sizeof alloc_times / sizeof *alloc_times);
}

void after_h5_set_fill_time(struct library_call *call)
{
	set_named(call, fill_times, sizeof fill_times / sizeof *fill_times);
}

void after_h5_set_closing(struct library_call *call)
{
	struct entity *list = property_list(call);
	if (list)
		list->number[H5_CLOSING] = (uint64_t)(uint32_t)call->given[1];
	set_named(call, degrees, sizeof degrees / sizeof *degrees);
}

void after_h5_set_versions(struct library_call *call)
{
	struct h5_text text;
	struct entity *list = property_list(call);
	if (!list)
		return;
	begin_item(&text, list, label_of(call), false);
	for (unsigned i = 1; i <= 2; i++) {
		int32_t value = given_int(call, i);
		bool named = value >= 0 && (size_t)value < sizeof versions / sizeof *versions;
		h5_add(&text, i == 1 ? "=" : ",");
		h5_add(&text, named ? versions[value] : "?");
	}
	end_item(call, list, &text);
}

void after_h5_set_transfer(struct library_call *call)
{
	struct entity *list = property_list(call);
	bool together = given_int(call, 1) == 1;
	if (list)
		list->number[H5_TRANSFER] = together;
	set_flag(call, label_of(call), together ? "collective" : "independent");
}

/* A file has one driver, so its item is replaced. */
void after_h5_set_driver(struct library_call *call)
{
	const char *name = library_names + library_symbols[call->symbol].name;
	set_flag(call, "driver", strncmp(name, "H5Pset_fapl_", 12) == 0 ? name + 12 : "other");
}

/* A filter of a property list by its name, from number `named` on; by its number if it has no name. */
static void note_filter(struct library_call *call, const char *key, int32_t named)
{
	struct h5_text text;
	struct entity *list = property_list(call);
	int32_t filter = given_int(call, 1);
	if (!list)
		return;
	begin_item(&text, list, key, true);
	h5_add(&text, "=");
	if (filter >= named && (size_t)filter < sizeof filters / sizeof *filters)
		h5_add(&text, filters[filter]);
	else
		h5_add_number(&text, (uint32_t)filter);
	end_item(call, list, &text);
}

void after_h5_set_filter(struct library_call *call)
{
	note_filter(call, "filter", 0);
}

/* The number does not show how the filters were set: their items stay, and this item shows that some were removed. */
void after_h5_remove_filter(struct library_call *call)
{
	note_filter(call, "without", 1);
}

void after_h5_set_virtual(struct library_call *call)
{
	struct entity *list = property_list(call);
	if (!list)
		return;
	call->given[1] = ++list->number[H5_SOURCES];
	set_numbers(call, 1);
}

/* H5Pset_cache: the first number is no longer used; the following two are for the chunk cache. */
void after_h5_set_cache(struct library_call *call)
{
	call->given[1] = call->given[2];
	call->given[2] = call->given[3];
	set_numbers(call, 2);
}
