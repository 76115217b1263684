/* Record: requests of PnetCDF, which transfer data later: posted, waited for, cancelled. See netcdf.h, inner.h.
 *
 * A request is an entity without a handle: its number is in order of posting. Requests that are not completed are in a list for
 * each file, oldest first, because a wait may be for all of them. A wait clears the program's array of requests, so it is read
 * before the call; each completed request becomes an inner record.
 */
#include "record/netcdf/netcdf.h"

#include "record/inner.h"
#include "record/library/library_ops.h"
#include "record/names/requests.h"

/* number[] of a request; other requests are given by their ids in the file. */
enum {
	REQUEST_BYTES = 0,  /* bytes << 1 | whether it is a put */
	REQUEST_BESIDE = 1, /* the requests before and after it in the list */
	/* next request of the same wait, and its index in the program's array */
	REQUEST_WAITED = 2
};

enum {
	NONE = -1, /* NC_REQ_NULL */
	ALL = -1,  /* NC_REQ_ALL and similar values, in place of a number */
	ALL_GETS = -2,
	ALL_PUTS = -3,
	UNNAMED = (int)1 << 30 /* ids from the recorder, if the program does not ask for one */
};

static uint64_t halves_pair(int32_t high, int32_t low)
{
	return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

static int32_t high_half(uint64_t two)
{
	return (int32_t)(uint32_t)(two >> 32);
}

static int32_t low_half(uint64_t two)
{
	return (int32_t)(uint32_t)two;
}

static struct entity *request_of(const struct library_call *call, int32_t ncid, int32_t id)
{
	return id == NONE ? NULL : entity_find(call, FAMILY_PNC_REQUEST, halves_pair(ncid, id));
}

/* ---- the list of a file; number[NC_REQUESTS]: oldest + 1, newest + 1 */

static void list_add(const struct library_call *call, struct entity *file, struct entity *request)
{
	int32_t ncid = high_half(request->value), id = low_half(request->value);
	int32_t newest = low_half(file->number[NC_REQUESTS]) - 1;
	struct entity *before = request_of(call, ncid, newest);
	request->number[REQUEST_BESIDE] = halves_pair(before ? newest : NONE, NONE);
	if (before)
		before->number[REQUEST_BESIDE] =
			halves_pair(high_half(before->number[REQUEST_BESIDE]), id);
	file->number[NC_REQUESTS] =
		halves_pair(before ? high_half(file->number[NC_REQUESTS]) : id + 1, id + 1);
}

static void list_drop(const struct library_call *call, const struct entity *request)
{
	int32_t ncid = high_half(request->value);
	struct entity *file = entity_find(call, FAMILY_PNC_FILE, (uint32_t)ncid);
	int32_t earlier = high_half(request->number[REQUEST_BESIDE]);
	int32_t later = low_half(request->number[REQUEST_BESIDE]);
	struct entity *before = request_of(call, ncid, earlier);
	struct entity *after = request_of(call, ncid, later);
	if (before)
		before->number[REQUEST_BESIDE] =
			halves_pair(high_half(before->number[REQUEST_BESIDE]), later);
	if (after)
		after->number[REQUEST_BESIDE] =
			halves_pair(earlier, low_half(after->number[REQUEST_BESIDE]));
	if (file)
		file->number[NC_REQUESTS] =
			halves_pair(before ? high_half(file->number[NC_REQUESTS]) : later + 1,
				    after ? low_half(file->number[NC_REQUESTS]) : earlier + 1);
	entity_gone(call, FAMILY_PNC_REQUEST, request->value);
}

void nc_requests_gone(const struct library_call *call, const struct entity *file)
{
	struct entity *request;
	int32_t id = high_half(file->number[NC_REQUESTS]) - 1;
	while ((request = request_of(call, (int32_t)(uint32_t)file->value, id)) != NULL) {
		id = low_half(request->number[REQUEST_BESIDE]);
		entity_gone(call, FAMILY_PNC_REQUEST, request->value);
	}
}

/* ---- posting */

/* Like a transfer; the last argument receives the id. */
void after_nc_post(struct library_call *call)
{
	static uint32_t unnamed;
	int32_t ncid = given_int(call, 0);
	const struct nc_form *form = nc_form(call);
	struct entity *variable = nc_variable(call, ncid, given_int(call, 1));
	if (!variable)
		return;
	struct nc_moved moved = nc_move_of(call, variable);
	if (!call->hidden) {
		call->added[0] = word_entity(call->self, variable);
		call->added[1] = moved.text;
		call->added[3] = moved.bytes;
	}
	unsigned last =
		2u + form->arrays + (form->shape == SHAPE_VARN) + 1u + (form->width ? 0 : 2);
	const int32_t *request_id = given_pointer(call, last);
	int32_t id = request_id ? *request_id : UNNAMED | (int32_t)(unnamed++ % UNNAMED);
	struct entity *file = entity_find(call, FAMILY_PNC_FILE, (uint32_t)ncid);
	if (call->failed || id == NONE || !file)
		return;
	struct entity *request = entity_make(call, FAMILY_PNC_REQUEST, halves_pair(ncid, id),
					     VARVE_HANDLE_REQUEST, NULL, 0, file);
	if (!request)
		return;
	request->number[REQUEST_BYTES] = moved.bytes << 1 | form->put;
	list_add(call, file, request);
	call->added[2] = request->handle;
}

/* ---- completion */

/* Makes a chain of the requests of this wait, and keeps the first. */
void before_nc_wait(struct library_call *call)
{
	int32_t ncid = given_int(call, 0), number = given_int(call, 1);
	const int32_t *ids = given_pointer(call, 2);
	struct entity *last = NULL;
	call->kept[0] = (uint64_t)(int64_t)NONE;
	if (number <= 0 || !ids || !memory_readable(call->self, ids, (size_t)number * sizeof *ids))
		return;
	for (int32_t i = 0; i < number; i++) {
		struct entity *request = request_of(call, ncid, ids[i]);
		if (!request || request == last)
			continue;
		request->number[REQUEST_WAITED] = halves_pair(NONE, i);
		if (last)
			last->number[REQUEST_WAITED] =
				halves_pair(ids[i], low_half(last->number[REQUEST_WAITED]));
		else
			call->kept[0] = (uint64_t)(int64_t)ids[i];
		last = request;
	}
}

INNER void inner_event(const struct library_call *call, uint32_t number, int32_t status,
		       uint64_t bytes, enum direction direction)
{
	struct thread *self = wrap_enter();
	if (!self)
		return;
	struct entity *file = entity_find(call, FAMILY_PNC_FILE, (uint32_t)given_int(call, 0));
	uint64_t words[] = {number, (uint64_t)(int64_t)status, word_entity(self, file), direction};
	_Static_assert(WORDS_pnetcdf_pnetcdf_event == 4, "the end of a request has four words");
	inner_record(self, CALL_pnetcdf_pnetcdf_event, words, WORDS_pnetcdf_pnetcdf_event,
		     (int64_t)bytes);
}

INNER void inner_cancelled(uint32_t number)
{
	struct thread *self = wrap_enter();
	if (!self)
		return;
	uint64_t words[] = {number};
	_Static_assert(WORDS_pnetcdf_pnetcdf_cancelled == 1, "a request given up has one word");
	inner_record(self, CALL_pnetcdf_pnetcdf_cancelled, words, WORDS_pnetcdf_pnetcdf_cancelled,
		     0);
}

/* Removes the request and records its end. `status` comes from the program's array, or is the result of the call. */
static void request_over(const struct library_call *call, const struct entity *request,
			 int32_t status, bool cancelled)
{
	uint32_t number = request->handle;
	uint64_t bytes = request->number[REQUEST_BYTES] >> 1;
	enum direction direction =
		request->number[REQUEST_BYTES] & 1 ? DIRECTION_WRITE : DIRECTION_READ;
	list_drop(call, request);
	if (call->hidden)
		return;
	if (cancelled)
		inner_cancelled(number);
	else
		inner_event(call, number, status, !status || status == NC_RANGE ? bytes : 0,
			    direction);
}

static void requests_over(const struct library_call *call, bool cancelled)
{
	int32_t ncid = given_int(call, 0), number = given_int(call, 1);
	const int32_t *statuses = given_pointer(call, 3);
	int32_t result = (int32_t)(uint32_t)call->result;
	struct entity *request;
	if (number >= 0) {
		int32_t id = (int32_t)call->kept[0];
		while ((request = request_of(call, ncid, id)) != NULL) {
			int32_t place = low_half(request->number[REQUEST_WAITED]);
			id = high_half(request->number[REQUEST_WAITED]);
			request_over(call, request, statuses ? statuses[place] : result, cancelled);
		}
		return;
	}
	const struct entity *file = entity_find(call, FAMILY_PNC_FILE, (uint32_t)ncid);
	int32_t id = file ? high_half(file->number[NC_REQUESTS]) - 1 : NONE;
	while ((request = request_of(call, ncid, id)) != NULL) {
		bool put = request->number[REQUEST_BYTES] & 1;
		id = low_half(request->number[REQUEST_BESIDE]);
		if (number == ALL || (number == ALL_PUTS && put) || (number == ALL_GETS && !put))
			request_over(call, request, result, cancelled);
	}
}

void returned_nc_wait(struct library_call *call)
{
	requests_over(call, false);
}

void returned_nc_cancel(struct library_call *call)
{
	requests_over(call, true);
}
