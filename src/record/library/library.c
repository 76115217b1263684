/* Record: the path of a library call: words of arguments by the steps of its row, hooks, result. See library.h.
 *
 * library_entry.S calls library_enter() before the real function and library_leave() after it. Calls that the library makes between
 * them are recorded one level deeper. A function with two names (MPI_X, PMPI_X) is recorded once: not when a call of it is open on
 * this thread already.
 */
#include "record/library/library.h"

#include "base/sys.h"
#include "base/text.h"
#include "call_ids.h"
#include "record/loader/lookup.h"
#include "record/mpi/mpi_hooks.h"
#include "record/mpi/runtime.h"
#include "record/switches.h"
#include "record/wrap.h"

#include <stddef.h>
#include <string.h>

/* Checks the offsets in library_entry.S. */
_Static_assert(offsetof(struct library_call, vector) == 128, "VECTOR");
_Static_assert(offsetof(struct library_call, vectors) == 256, "VECTORS");
_Static_assert(offsetof(struct library_call, symbol) == 264, "SYMBOL");
_Static_assert(offsetof(struct library_call, stack) == 268, "STACK");
_Static_assert(offsetof(struct library_call, caller) == 272, "CALLER");
_Static_assert(offsetof(struct library_call, stacked) == 280, "STACKED");
_Static_assert(offsetof(struct library_call, frame) == 288, "FRAME");
_Static_assert(offsetof(struct library_call, real) == 296, "REAL");
_Static_assert(offsetof(struct library_call, result) == 304, "RESULT");
_Static_assert(offsetof(struct library_call, result_vector) == 320, "RESULT_VECTOR");
_Static_assert(sizeof(struct library_call) <= 640, "SIZE");

/* Called by library_entry.S. */
bool library_enter(struct library_call *call);
bool library_enter_looked(struct library_call *call);
void library_leave(struct library_call *call);

enum { NUMBERS_SHOWN = 64 };

/* MPI's error class for other errors, in both libraries or nearly so; it only has to differ from 0. */
enum { CODE_ABSENT = 16 };

/* Integers and floating-point numbers are returned in different registers: both are 0, for either type of function. */
struct absent_zero {
	uint64_t word;
	double number;
};

static struct absent_zero absent_zero(void)
{
	return (struct absent_zero){0, 0};
}

static uint64_t absent_minus_one(void)
{
	return (uint64_t)-1;
}

static uint64_t absent_code(void)
{
	return CODE_ABSENT;
}

/* MPI_Initialized and similar functions: programs without MPI may call them, and get false. */
static uint64_t absent_flag(int *flag)
{
	if (flag)
		*flag = 0;
	return CODE_ABSENT;
}

static void *absent_function(const struct library_row *row)
{
	loss_count(LOSS_NO_REAL, 1);
	switch ((enum library_absent)row->absent) {
	case ABSENT_MINUS_ONE:
		return (void *)absent_minus_one;
	case ABSENT_CODE:
		return (void *)absent_code;
	case ABSENT_FLAG:
		return (void *)absent_flag;
	case ABSENT_ZERO:
		break;
	}
	return (void *)absent_zero;
}

/* Makes a text of numbers: "[1,2,3]". */
static uint64_t word_numbers(struct thread *self, const void *array, uint64_t count, bool wide)
{
	char text[NUMBERS_SHOWN * 21 + 16];
	const char *end = text + sizeof text;
	uint64_t shown = count < NUMBERS_SHOWN ? count : NUMBERS_SHOWN;
	if (!array || count > INT32_MAX || !memory_readable(self, array, shown * (wide ? 8 : 4)))
		return 0;
	char *at = text_add(text, end, "[");
	for (uint64_t i = 0; i < shown; i++) {
		int64_t number = wide ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
		if (i)
			at = text_add(at, end, ",");
		at = text_add_signed(at, end, number);
	}
	at = text_add(at, end, shown < count ? ",...]" : "]");
	return name_define(self, text, (size_t)(at - text), VARVE_BASE_NONE, 0, 0);
}

static uint64_t array_length(const struct library_call *call, const struct library_step *step)
{
	if (step->length & LENGTH_FIXED)
		return step->length & ~(unsigned)LENGTH_FIXED;
	int32_t length = given_int(call, step->length);
	return length < 0 ? 0 : (uint64_t)length;
}

/* Values that are not ranks: -1 any source, -2 no process, -3 the root of an intercommunicator. */
static uint64_t word_peer(const struct library_call *call, int32_t rank)
{
	if (rank >= 0 || (call->library && call->library->wide))
		return rank == -4 ? (uint64_t)-3 : (uint64_t)(int64_t)rank;
	return (uint64_t)(int64_t)(rank == -1 ? -2 : rank == -2 ? -1 : rank);
}

/* In HDF5, 0 is the default of several kinds. */
static uint64_t entity_given(const struct library_call *call, const struct library_step *step,
			     uint64_t value)
{
	return step->family == FAMILY_H5 && value == 0 ? 1ull << 63 | step->what
						       : entity_value(call, step->family, value);
}

static bool is_recent(const struct library_call *call, const struct library_step *step,
		      uint64_t given, const struct entity_recent *recent)
{
	return given && recent->given == given && recent->library == call->library &&
	       recent->family == step->family;
}

/* Programs use the same few handles again and again. Entries are in pairs, of which the older is replaced, so that two handles of
 * one call with the same place do not replace each other. */
static uint64_t word_recent(struct library_call *call, const struct library_step *step,
			    uint64_t given)
{
	struct thread *self = call->self;
	uint64_t mix = (given ^ (uint64_t)step->family << 56) * 0x9e3779b97f4a7c15ull;
	struct entity_recent *pair = self->known->recent[mix >> 60], *recent = pair;
	bool same = is_recent(call, step, given, recent) ||
		    is_recent(call, step, given, recent = &pair[1]);
	uint32_t epoch = __atomic_load_n(&entities_epoch, __ATOMIC_ACQUIRE);
	if (LIKELY(same && recent->epoch == epoch && recent->block == self->known->block))
		return recent->handle;
	struct entity *entity = recent->entity;
	uint64_t value = recent->value;
	if (!same || entity->value != value || entity->family != step->family) {
		value = entity_given(call, step, given);
		entity = entity_meet(call, step->family, value, step->what);
	}
	uint32_t handle = (uint32_t)word_entity(self, entity);
	if (!same)
		recent = &pair[self->known->recent_turn[mix >> 60]++ % 2];
	*recent = (struct entity_recent){
		.library = entity ? call->library : NULL,
		.given = given,
		.family = step->family,
		.handle = handle,
		.block = self->known->block,
		.epoch = epoch,
		.entity = entity,
		.value = value,
	};
	return handle;
}

/* A handler that interrupts this does not use the entries: it would read half-written ones, and change those just compared. */
static uint64_t word_handle(struct library_call *call, const struct library_step *step,
			    uint64_t given)
{
	struct thread *self = call->self;
	struct known *known = self->known;
	if (UNLIKELY(known->recent_held))
		return word_entity(self, entity_meet(call, step->family,
						     entity_given(call, step, given), step->what));
	known->recent_held = true;
	BARRIER();
	uint64_t word = word_recent(call, step, given);
	BARRIER();
	known->recent_held = false;
	return word;
}

static uint64_t input_word(struct library_call *call, const struct library_step *step)
{
	struct thread *self = call->self;
	uint64_t given = call->given[step->argument];
	void *pointer = given_pointer(call, step->argument);
	switch ((enum library_store)step->store) {
	case STEP_INT:
		return (uint64_t)(int64_t)(int32_t)(uint32_t)given;
	case STEP_UINT:
		return (uint32_t)given;
	case STEP_BYTE:
		return (uint8_t)given;
	case STEP_SHORT:
		return (uint64_t)(int64_t)(int16_t)(uint16_t)given;
	case STEP_STRING:
		return word_string(self, pointer);
	case STEP_PATH: {
		uint64_t word = word_path(self, pointer);
		call->place = self->place;
		return word;
	}
	case STEP_POINTER:
		return word_pointer(self, pointer);
	case STEP_INTS:
	case STEP_WORDS:
		return word_numbers(self, pointer, array_length(call, step),
				    step->store == STEP_WORDS);
	case STEP_PEER:
		return word_peer(call, given_int(call, step->argument));
	case STEP_ENTITY:
		return word_handle(call, step, given);
	case STEP_ENTITY_AT:
	case STEP_ENTITY_GONE: {
		uint64_t value = entity_value_at(call, step->family, pointer, 0);
		return value ? word_entity(self, entity_meet(call, step->family, value, step->what))
			     : 0;
	}
	case STEP_REQUEST:
		return mpi_request_number(call, entity_value(call, FAMILY_REQUEST, given), NULL);
	case STEP_REQUEST_AT:
		return mpi_request_number(call, entity_value_at(call, FAMILY_REQUEST, pointer, 0),
					  pointer);
	case STEP_WORD:
		break;
	}
	return given;
}

/* The entity that the call has made. A hook may have made it already, with a description. */
static struct entity *entity_fresh(struct library_call *call, enum family family, uint64_t value,
				   enum varve_handle_kind kind)
{
	if (call->handle)
		return entity_meet(call, family, value, kind);
	struct entity *entity = entity_make(call, family, value, kind, NULL, 0, NULL);
	if (entity)
		entity_ask(call, entity);
	return entity;
}

/* Forgets entities before the real function frees them: afterwards another thread may get the same values. */
static void entities_leave(const struct library_call *call)
{
	const struct library_step *step = &library_steps[call->row->steps];
	for (unsigned i = 0; i < call->row->step_count; i++, step++)
		if (step->store == STEP_ENTITY_GONE)
			entity_gone(call, step->family,
				    entity_value_at(call, step->family,
						    given_pointer(call, step->argument), 0));
}

/* The word of a value that the call has stored through a pointer. */
static uint64_t output_word(struct library_call *call, const struct library_step *step)
{
	struct thread *self = call->self;
	const void *pointer = given_pointer(call, step->argument);
	static const uint8_t sizes[] = {[STEP_INT_OUT - STEP_OUTPUTS] = 4,
					[STEP_UINT_OUT - STEP_OUTPUTS] = 4,
					[STEP_WORD_OUT - STEP_OUTPUTS] = 8,
					[STEP_BYTE_OUT - STEP_OUTPUTS] = 1,
					[STEP_SHORT_OUT - STEP_OUTPUTS] = 2};
	if (step->store == STEP_ENTITY_NEW || step->store == STEP_ENTITY_OUTPUT) {
		uint64_t value = entity_value_at(call, step->family, pointer, 0);
		if (!value && step->family <= FAMILY_H5)
			return 0;
		return word_entity(self,
				   step->store == STEP_ENTITY_NEW
					   ? entity_fresh(call, step->family, value, step->what)
					   : entity_meet(call, step->family, value, step->what));
	}
	if (step->store == STEP_REQUEST_NEW)
		return mpi_request_number(call, entity_value_at(call, FAMILY_REQUEST, pointer, 0),
					  pointer);
	size_t size = sizes[step->store - STEP_OUTPUTS];
	uint64_t value = 0;
	if (!pointer || !memory_readable(self, pointer, size))
		return 0;
	memcpy(&value, pointer, size);
	if (step->store == STEP_INT_OUT)
		return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
	return step->store == STEP_SHORT_OUT ? (uint64_t)(int64_t)(int16_t)(uint16_t)value : value;
}

/* Whether a call of this function is open on the thread: then this call is a part of it. */
static bool already_open(const struct thread *self, uint16_t id)
{
	for (uint32_t i = self->open_count; i-- > 0;)
		if (self->open[i].slot && (uint16_t)(self->open[i].slot[WORD_HEADER] >> 16) == id)
			return true;
	return false;
}

static void hook_run(struct library_call *call, library_hook *hook)
{
	uintptr_t busy = asking_begin(call);
	hook(call);
	asking_end(call, busy);
}

/* Records once for each library which file its functions are in. */
static void library_record(struct library_call *call)
{
	struct library *library = (struct library *)(uintptr_t)call->library;
	struct dl_find_object found;
	if (__atomic_exchange_n(&library->recorded, true, __ATOMIC_RELAXED) ||
	    _dl_find_object(call->real, &found) != 0)
		return;
	const char *path = found.dlfo_link_map->l_name;
	const char *name = library_names + library_symbols[call->symbol].name;
	uint64_t from = clock_count(recorder.tsc);
	uint64_t words[] = {word_path(call->self, path), word_string(call->self, name),
			    library->number};
	_Static_assert(WORDS_varve_library == 3, "library has three words");
	own_record(call->self, from, CALL_varve_library, words, WORDS_varve_library);
}

/* For a few words; compilers would make a call of memcpy of this loop, which takes longer. */
static inline void words_copy(uint64_t *to, const uint64_t *from, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		to[i] = from[i];
		__asm__("" : "+r"(i));
	}
}

/* What to do with a call whose switch is not 0. */
static enum switched way_of(const struct library_call *call, const struct library_row *row)
{
	bool hooked = row->op != 0;
	if (call_switch[row->id] & (hooked ? SWITCH_DEAD : SWITCH_OFF_OR_DEAD))
		return SWITCHED_PASS;
	struct about about = about_path(
		AT_FDCWD, row->path >= 0 ? given_pointer(call, (unsigned)row->path) : NULL);
	return call_switched(row->id, hooked, row->path >= 0 ? &about : NULL, row->path >= 0);
}

/* For a call whose real function and library are known. */
static bool found_enter(struct library_call *call, const struct library_row *row)
{
	/* Calls that an MPI library makes of its own functions (in ROMIO's exchange of data, for example) are not the program's. */
	if (row->marks & ROW_PMPI && call->own)
		return false;
	enum switched way = SWITCHED_RECORD;
	if (UNLIKELY(call_switch[row->id]))
		way = way_of(call, row);
	if (way == SWITCHED_PASS || row->marks & ROW_VARIADIC || UNLIKELY(!call->library))
		return false;
	struct thread *self = wrap_enter_at(call->frame);
	if (UNLIKELY(!self))
		return false;
	if (row->marks & ROW_PMPI && UNLIKELY(self->open_count) && already_open(self, row->id)) {
		busy_release(self);
		return false;
	}
	const struct library_op *op = &library_ops[row->op];
	call->self = self;
	call->row = row;
	call->stack = row->stack;
	call->hidden = way == SWITCHED_HIDE;
	call->failed = false;
	call->handle = 0;
	for (unsigned i = 0; i < row->stack; i++)
		call->given[LIBRARY_REGISTERS + i] = call->stacked[i];
	memset(call->added, 0, sizeof call->added);
	int *error = row->op ? &errno : NULL;
	int saved = error ? *error : 0;
	if (UNLIKELY(!call->library->recorded) && !call->hidden)
		library_record(call);
	uint64_t words[RECORD_ARGUMENTS_MOST];
	const struct library_step *steps = &library_steps[row->steps];
	unsigned inputs = call->hidden ? 0 : row->inputs;
	for (unsigned i = 0; i < inputs; i++)
		words[i] = input_word(call, &steps[i]);
	if (op->before)
		hook_run(call, op->before);
	if (row->marks & ROW_GONE)
		entities_leave(call);
	if (UNLIKELY(call->hidden)) {
		call->record.frame = call->frame;
		if (row->marks & ROW_PMPI)
			runtime_enter_hidden(self, call->frame, row->marks & ROW_SETUP);
		busy_release(self);
	} else {
		unsigned count = WORD_ARGUMENTS + row->words;
		uint64_t *slot = wrap_reserve(self, count);
		uint64_t *filled = slot + WORD_ARGUMENTS;
		for (unsigned i = 0; i < inputs; i++)
			filled[steps[i].word] = words[i];
		for (unsigned i = inputs; i < row->step_count; i++)
			filled[steps[i].word] = 0;
		words_copy(filled + row->added, call->added, row->added_count);
		wrap_begin_at(self, &call->record, slot, row->id, count, call->frame);
		if (row->marks & ROW_PMPI)
			runtime_enter(self, row->marks & ROW_SETUP);
	}
	if (op->begun)
		op->begun(call);
	if (error)
		*error = saved;
	return true;
}

bool library_enter(struct library_call *call)
{
	const struct library_row *row = &library_rows[library_symbols[call->symbol].row];
	/* Libraries leave little of the recorder's data in the cache: it is loaded while the real function is searched. */
	__builtin_prefetch(&call_switch[row->id]);
	__builtin_prefetch(&library_steps[row->steps]);
	__builtin_prefetch(&library_ops[row->op]);
	__builtin_prefetch(&thread_self);
	call->real = library_find(call);
	if (UNLIKELY(!call->real)) {
		call->real = absent_function(row);
		return false;
	}
	return found_enter(call, row);
}

bool library_enter_looked(struct library_call *call)
{
	library_looked(call, lookup_of(call->symbol));
	return found_enter(call, &library_rows[library_symbols[call->symbol].row]);
}

static bool has_failed(const struct library_call *call)
{
	int64_t result = (int64_t)call->result;
	bool word = call->row->result == RESULT_WORD || call->row->result == RESULT_ENTITY;
	switch ((enum library_fail)call->row->fail) {
	case FAIL_CODE:
		return (int32_t)result != 0;
	case FAIL_NEGATIVE:
		return word ? result < 0 : (int32_t)result < 0;
	case FAIL_NULL:
		return result == 0;
	case FAIL_NEVER:
		break;
	}
	return false;
}

static int64_t word_result(struct library_call *call)
{
	const struct library_row *row = call->row;
	uint64_t result = call->result;
	switch ((enum library_result)row->result) {
	case RESULT_INT:
		return (int32_t)(uint32_t)result;
	case RESULT_UINT:
		return (uint32_t)result;
	case RESULT_BYTE:
		return (uint8_t)result;
	case RESULT_SHORT:
		return (int16_t)(uint16_t)result;
	case RESULT_TRUTH:
		return result != 0;
	case RESULT_ENTITY:
		if (call->failed)
			return (int64_t)result;
		return (int64_t)word_entity(call->self,
					    entity_fresh(call, row->family,
							 entity_value(call, row->family, result),
							 row->what));
	case RESULT_WORD:
		return (int64_t)result;
	case RESULT_NOTHING:
		break;
	}
	return 0;
}

/* Stores the words that are known only after the call. */
static void outputs_store(struct library_call *call, uint64_t *slot)
{
	const struct library_row *row = call->row;
	const struct library_step *step = &library_steps[row->steps + row->inputs];
	for (unsigned i = row->inputs; i < row->step_count; i++, step++)
		slot[WORD_ARGUMENTS + step->word] = output_word(call, step);
}

void library_leave(struct library_call *call)
{
	struct thread *self = call->self;
	const struct library_row *row = call->row;
	const struct library_op *op = &library_ops[row->op];
	int *error = row->op ? &errno : NULL;
	int saved = error ? *error : 0;
	if (op->returned)
		op->returned(call);
	uint64_t *slot = NULL;
	if (call->hidden) {
		if (self->runtime_frame == call->frame)
			runtime_leave(self);
		if (!wrap_reveal(self, &call->record))
			return;
	} else {
		slot = wrap_return(self, &call->record);
		if (UNLIKELY(!slot))
			return;
		if (self->runtime_from == call->record.index + 1)
			runtime_leave(self);
	}
	call->failed = has_failed(call);
	if (op->after)
		hook_run(call, op->after);
	if (slot) {
		int64_t result = word_result(call);
		if (!call->failed)
			outputs_store(call, slot);
		words_copy(slot + WORD_ARGUMENTS + row->added, call->added, row->added_count);
		if (UNLIKELY(call->failed))
			wrap_fail(self, &call->record, slot, result, 0);
		else
			wrap_end(self, &call->record, slot, result);
	} else {
		busy_release(self);
	}
	if (error)
		*error = saved;
}
