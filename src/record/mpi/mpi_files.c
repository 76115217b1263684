/* Record: files of MPI: which file, hints in effect, views, transferred bytes. See mpi_hooks.h.
 *
 * If the program passes MPI_STATUS_IGNORE, the recorder passes its own status to MPI: only the status has the number of bytes.
 */
#include "call_ids.h"
#include "record/library/library_ops.h"
#include "record/mpi/mpi_hooks.h"
#include "record/wrap.h"

/* In "ufs:/tmp/file" ROMIO accepts the type of the file system before the path. */
static const char *path_without_type(const char *path)
{
	const char *at = path;
	while ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9'))
		at++;
	return *at == ':' && at - path > 1 ? at + 1 : path;
}

/* The hints that the library uses for the file. */
static uint64_t hints_note(const struct library_call *call, uint64_t file)
{
	char text[ENTITY_TEXT];
	uint64_t info = 0;
	if (call->hidden || !mpi_ask(call, ASK_FILE_INFO, file, mpi_place(&info), 0, 0, 0))
		return 0;
	char *at = mpi_info_text(text, text + sizeof text, call,
				 entity_value(call, FAMILY_INFO, info));
	mpi_ask(call, ASK_INFO_FREE, mpi_place(&info), 0, 0, 0, 0);
	return mpi_note(call, text, (size_t)(at - text));
}

/* The view of a file, in the numbers of its entity. With a size of 0, positions in the file are not known. */
enum { VIEW_ETYPE_SIZE, VIEW_DISPLACEMENT };

static struct entity *file_entity(const struct library_call *call)
{
	return entity_find(call, FAMILY_MPI_FILE,
			   entity_value(call, FAMILY_MPI_FILE, call->given[0]));
}

/* Whether all changes of views are known: calls that are off or in a pause have no hooks. */
static bool views_seen(void)
{
	const struct control *control = recorder.control;
	return !control->switches[CALL_MPI_File_set_view] &&
	       !__atomic_load_n(&control->loss[NOTE_PAUSES], __ATOMIC_RELAXED);
}

/* Positions are known if the view consists of etypes without gaps between them. */
static void view_note(const struct library_call *call)
{
	struct entity *file = file_entity(call);
	uint64_t etype = entity_value(call, FAMILY_DATATYPE, call->given[2]);
	uint64_t filetype = entity_value(call, FAMILY_DATATYPE, call->given[3]);
	bool known = etype == filetype && (int64_t)call->given[1] >= 0;
	if (!file)
		return;
	file->number[VIEW_ETYPE_SIZE] = known ? mpi_type_size(call, call->given[2]) : 0;
	file->number[VIEW_DISPLACEMENT] = call->given[1];
}

/* Stores the position in the file of an explicit offset, which is the second argument. */
static void offset_note(struct library_call *call)
{
	if (call->row->added_count < 2)
		return;
	const struct entity *file = file_entity(call);
	call->added[1] = (uint64_t)-1;
	if (file && file->number[VIEW_ETYPE_SIZE] && views_seen())
		call->added[1] = file->number[VIEW_DISPLACEMENT] +
				 call->given[1] * file->number[VIEW_ETYPE_SIZE];
}

void after_mpi_file_open(struct library_call *call)
{
	const char *path = given_pointer(call, 1);
	uint64_t file = call->failed
				? 0
				: entity_value_at(call, FAMILY_MPI_FILE, given_pointer(call, 4), 0);
	if (!file || !path)
		return;
	struct entity *entity = entity_make(
		call, FAMILY_MPI_FILE, file, VARVE_HANDLE_MPI_FILE, NULL, 0,
		entity_find(call, FAMILY_COMM, entity_value(call, FAMILY_COMM, call->given[0])));
	entity_file(call->self, entity, path_without_type(path));
	if (entity) {
		entity->number[VIEW_ETYPE_SIZE] = 1;
		entity->number[VIEW_DISPLACEMENT] = 0;
	}
	call->added[0] = hints_note(call, file);
}

void after_mpi_file_info(struct library_call *call)
{
	if (!call->failed)
		call->added[0] = hints_note(call, call->given[0]);
}

void after_mpi_file_view(struct library_call *call)
{
	char text[2 * ENTITY_TEXT];
	const char *end = text + sizeof text;
	if (!call->failed)
		view_note(call);
	if (call->failed || call->hidden)
		return;
	char *at = text_add(text, end, "disp=");
	at = text_add_signed(at, end, (int64_t)call->given[1]);
	at = text_add(at, end, ", etype=");
	at = mpi_type_text(at, end, call, call->given[2]);
	at = text_add(at, end, ", filetype=");
	at = mpi_type_pieces(at, end, call, call->given[3]);
	call->added[0] = mpi_note(call, text, (size_t)(at - text));
}

/* The status is the last argument of all functions that read and write, including the `_end` functions of split collectives. */
void before_mpi_file_move(struct library_call *call)
{
	unsigned last = call->row->arguments - 1u;
	if (!mpi_status_ignored(call, call->given[last]))
		return;
	for (size_t i = 0; i < MPI_STATUS / sizeof *call->kept; i++)
		call->kept[i] = 0;
	call->given[last] = mpi_place(call->kept);
}

void after_mpi_file_move(struct library_call *call)
{
	if (!call->failed)
		call->added[0] =
			mpi_status_bytes(call, given_pointer(call, call->row->arguments - 1u));
	offset_note(call);
}

/* Count and datatype are the arguments before the request. */
static void file_request_started(struct library_call *call, enum direction direction)
{
	if (call->failed)
		return;
	offset_note(call);
	call->added[0] = mpi_bytes(call, call->row->arguments - 3u);
	mpi_file_request_new(call, direction, call->added[0]);
}

void after_mpi_file_iread(struct library_call *call)
{
	file_request_started(call, DIRECTION_READ);
}

void after_mpi_file_iwrite(struct library_call *call)
{
	file_request_started(call, DIRECTION_WRITE);
}

/* Count and datatype are the last arguments here. */
void after_mpi_file_begin(struct library_call *call)
{
	offset_note(call);
	if (!call->failed)
		call->added[0] = mpi_bytes(call, call->row->arguments - 2u);
}
