/* Every function of files, with valid arguments and with some that fail. Two ranks. */
#include "say.h"

#define SAY_COUNT(function, ...)                                                                   \
	do {                                                                                       \
		say(#function, function(__VA_ARGS__));                                             \
		say_count(#function, &status);                                                     \
	} while (0)

static MPI_File file;

static void turn(void)
{
	PMPI_Barrier(MPI_COMM_WORLD);
}

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
	(void)extra;
	int bytes;
	PMPI_Type_size(type, &bytes);
	*extent = bytes;
	return MPI_SUCCESS;
}

static void handler(MPI_File *given_file, int *code, ...)
{
	(void)given_file;
	int class;
	PMPI_Error_class(*code, &class);
	printf("%d handler class %d\n", rank, class);
}

static void about(void)
{
	MPI_Offset length = -1;
	MPI_Group group;
	MPI_Info info;
	int mode = -1, flag = -1, members = -1;
	MPI_Aint extent = -1;
	SAY(MPI_File_set_size, file, 8192);
	SAY(MPI_File_preallocate, file, 10000);
	SAY(MPI_File_get_size, file, &length);
	SAY(MPI_File_get_group, file, &group);
	PMPI_Group_size(group, &members);
	MPI_Group_free(&group);
	SAY(MPI_File_get_amode, file, &mode);
	SAY(MPI_File_get_info, file, &info);
	SAY(MPI_File_set_info, file, info);
	SAY(MPI_File_set_info, file, MPI_INFO_NULL);
	MPI_Info_free(&info);
	SAY(MPI_File_set_atomicity, file, 1);
	SAY(MPI_File_get_atomicity, file, &flag);
	SAY(MPI_File_set_atomicity, file, 0);
	SAY(MPI_File_sync, file);
	SAY(MPI_File_get_type_extent, file, MPI_DOUBLE, &extent);
	ONLY_MPICH(MPI_Count large = -1; SAY(MPI_File_get_type_extent_c, file, MPI_DOUBLE, &large);)
	printf("%d about %lld %d %d %d %ld\n", rank, (long long)length, members, mode, flag,
	       (long)extent);
	SAY(MPI_File_set_size, file, -1);
	SAY(MPI_File_get_size, MPI_FILE_NULL, &length);
}

static void positions(void)
{
	MPI_Offset at = -1, shared = -1, bytes = -1, disp = -1;
	MPI_Datatype etype, filetype, type;
	char representation[MPI_MAX_DATAREP_STRING] = "";
	MPI_Type_vector(4, 1, 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	SAY(MPI_File_set_view, file, 4 * rank, MPI_INT, type, "native", MPI_INFO_NULL);
	SAY(MPI_File_get_view, file, &disp, &etype, &filetype, representation);
	SAY(MPI_File_get_byte_offset, file, 3, &bytes);
	SAY(MPI_File_seek, file, 7, MPI_SEEK_SET);
	SAY(MPI_File_seek, file, 1, MPI_SEEK_CUR);
	SAY(MPI_File_get_position, file, &at);
	SAY(MPI_File_seek, file, -100, MPI_SEEK_SET);
	SAY(MPI_File_seek, file, 0, 12345);
	printf("%d view %lld %s at %lld %lld\n", rank, (long long)disp, representation,
	       (long long)at, (long long)bytes);
	SAY_COUNT(MPI_File_write_all, file, given, 8, MPI_INT, &status);
	MPI_Type_free(&type);
	SAY(MPI_File_set_view, file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	SAY(MPI_File_set_view, file, 0, MPI_BYTE, MPI_BYTE, "no such thing", MPI_INFO_NULL);
	SAY(MPI_File_seek_shared, file, 100, MPI_SEEK_SET);
	SAY(MPI_File_get_position_shared, file, &shared);
	printf("%d shared %lld\n", rank, (long long)shared);
}

static void moves(void)
{
	MPI_File_seek(file, 256 * rank, MPI_SEEK_SET);
	SAY_COUNT(MPI_File_write, file, given, 16, MPI_INT, &status);
	SAY(MPI_File_write, file, given, 16, MPI_INT, MPI_STATUS_IGNORE);
	SAY_COUNT(MPI_File_write_all, file, given, 4, MPI_INT, &status);
	SAY_COUNT(MPI_File_write_at, file, 1024 + 64 * rank, given, 16, MPI_INT, &status);
	SAY_COUNT(MPI_File_write_at_all, file, 2048 + 64 * rank, given, 16, MPI_INT, &status);
	SAY(MPI_File_write_at_all, file, 2048 + 64 * rank, given, 16, MPI_INT, MPI_STATUS_IGNORE);
	turn();
	MPI_File_seek(file, 256 * rank, MPI_SEEK_SET);
	SAY_COUNT(MPI_File_read, file, taken, 16, MPI_INT, &status);
	SAY_COUNT(MPI_File_read_all, file, taken, 4, MPI_INT, &status);
	SAY_COUNT(MPI_File_read_at, file, 1024 + 64 * peer, taken, 16, MPI_INT, &status);
	SAY_COUNT(MPI_File_read_at_all, file, 2048 + 64 * peer, taken, 16, MPI_INT, &status);
	SAY(MPI_File_read_at_all, file, 2048 + 64 * peer, taken, 16, MPI_INT, MPI_STATUS_IGNORE);
	SAY_COUNT(MPI_File_read_at, file, 1 << 20, taken, 16, MPI_INT, &status);
	SAY(MPI_File_write_at, file, -5, given, 16, MPI_INT, &status);
	SAY(MPI_File_write_at, file, 5, given, -16, MPI_INT, &status);
	SAY(MPI_File_read_at, file, 0, taken, 1, MPI_DATATYPE_NULL, &status);
	for (int i = 0; i < 2; i++) {
		turn();
		if (i == rank) {
			SAY_COUNT(MPI_File_write_shared, file, given, 4, MPI_INT, &status);
			MPI_File_seek(file, 0, MPI_SEEK_SET);
		}
	}
	turn();
	SAY_COUNT(MPI_File_write_ordered, file, given, 3, MPI_INT, &status);
	SAY(MPI_File_seek_shared, file, 100, MPI_SEEK_SET);
	SAY_COUNT(MPI_File_read_ordered, file, taken, 3, MPI_INT, &status);
	for (int i = 0; i < 2; i++) {
		turn();
		if (i == rank)
			SAY_COUNT(MPI_File_read_shared, file, taken, 4, MPI_INT, &status);
	}
	turn();
#if defined(MPICH_VERSION)
	MPI_File_seek(file, 256 * rank, MPI_SEEK_SET);
	SAY_COUNT(MPI_File_write_c, file, given, 16, MPI_INT, &status);
	SAY_COUNT(MPI_File_write_all_c, file, given, 4, MPI_INT, &status);
	SAY_COUNT(MPI_File_write_at_c, file, 1024 + 64 * rank, given, 16, MPI_INT, &status);
	SAY_COUNT(MPI_File_write_at_all_c, file, 2048 + 64 * rank, given, 16, MPI_INT, &status);
	turn();
	MPI_File_seek(file, 256 * rank, MPI_SEEK_SET);
	SAY_COUNT(MPI_File_read_c, file, taken, 16, MPI_INT, &status);
	SAY_COUNT(MPI_File_read_all_c, file, taken, 4, MPI_INT, &status);
	SAY_COUNT(MPI_File_read_at_c, file, 1024 + 64 * peer, taken, 16, MPI_INT, &status);
	SAY_COUNT(MPI_File_read_at_all_c, file, 2048 + 64 * peer, taken, 16, MPI_INT, &status);
	for (int i = 0; i < 2; i++) {
		turn();
		if (i == rank) {
			SAY_COUNT(MPI_File_write_shared_c, file, given, 4, MPI_INT, &status);
			SAY_COUNT(MPI_File_read_shared_c, file, taken, 4, MPI_INT, &status);
		}
	}
	turn();
	SAY_COUNT(MPI_File_write_ordered_c, file, given, 3, MPI_INT, &status);
	SAY_COUNT(MPI_File_read_ordered_c, file, taken, 3, MPI_INT, &status);
#endif
}

#define LATER(function, ...)                                                                       \
	do {                                                                                       \
		MPI_Request request = MPI_REQUEST_NULL;                                            \
		int result = function(__VA_ARGS__, &request);                                      \
		say(#function " wait", MPI_Wait(&request, &status));                               \
		say(#function, result);                                                            \
		say_count(#function, &status);                                                     \
	} while (0)
#if defined(MPICH_VERSION)
#define LATER_BOTH(function, ...)                                                                  \
	do {                                                                                       \
		LATER(function, __VA_ARGS__);                                                      \
		LATER(function##_c, __VA_ARGS__);                                                  \
	} while (0)
#else
#define LATER_BOTH LATER
#endif

static void later(void)
{
	MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_File_seek(file, 16 * rank, MPI_SEEK_SET);
	LATER_BOTH(MPI_File_iwrite, file, given, 8, MPI_INT);
	LATER_BOTH(MPI_File_iwrite_at, file, 100 + 8 * rank, given, 8, MPI_INT);
	LATER_BOTH(MPI_File_iwrite_all, file, given, 8, MPI_INT);
	LATER_BOTH(MPI_File_iwrite_at_all, file, 200 + 8 * rank, given, 8, MPI_INT);
	turn();
	MPI_File_seek(file, 16 * rank, MPI_SEEK_SET);
	LATER_BOTH(MPI_File_iread, file, taken, 8, MPI_INT);
	LATER_BOTH(MPI_File_iread_at, file, 100 + 8 * peer, taken, 8, MPI_INT);
	LATER_BOTH(MPI_File_iread_all, file, taken, 8, MPI_INT);
	LATER_BOTH(MPI_File_iread_at_all, file, 200 + 8 * peer, taken, 8, MPI_INT);
	MPI_File_seek_shared(file, 400, MPI_SEEK_SET);
	for (int i = 0; i < 2; i++) {
		turn();
		if (i == rank)
			LATER_BOTH(MPI_File_iwrite_shared, file, given, 8, MPI_INT);
	}
	turn();
	MPI_File_seek_shared(file, 400, MPI_SEEK_SET);
	for (int i = 0; i < 2; i++) {
		turn();
		if (i == rank)
			LATER_BOTH(MPI_File_iread_shared, file, taken, 8, MPI_INT);
	}
	turn();
	MPI_Request none = MPI_REQUEST_NULL;
	SAY(MPI_File_iwrite_at, file, -7, given, 8, MPI_INT, &none);
	SAY(MPI_File_iread_at, MPI_FILE_NULL, 0, taken, 8, MPI_INT, &none);
}

#define SPLIT(function, buffer, ...)                                                               \
	do {                                                                                       \
		int result = function##_begin(__VA_ARGS__);                                        \
		SAY_COUNT(function##_end, file, buffer, &status);                                  \
		say(#function "_begin", result);                                                   \
		ONLY_MPICH(result = function##_begin_c(__VA_ARGS__);                               \
			   SAY(function##_end, file, buffer, MPI_STATUS_IGNORE);)                  \
	} while (0)

static void split(void)
{
	MPI_File_seek(file, 16 * rank, MPI_SEEK_SET);
	SPLIT(MPI_File_write_all, given, file, given, 6, MPI_INT);
	SPLIT(MPI_File_write_at_all, given, file, 64 + 8 * rank, given, 6, MPI_INT);
	MPI_File_seek_shared(file, 600, MPI_SEEK_SET);
	SPLIT(MPI_File_write_ordered, given, file, given, 6, MPI_INT);
	turn();
	MPI_File_seek(file, 16 * rank, MPI_SEEK_SET);
	SPLIT(MPI_File_read_all, taken, file, taken, 6, MPI_INT);
	SPLIT(MPI_File_read_at_all, taken, file, 64 + 8 * peer, taken, 6, MPI_INT);
	MPI_File_seek_shared(file, 600, MPI_SEEK_SET);
	SPLIT(MPI_File_read_ordered, taken, file, taken, 6, MPI_INT);
}

static void handlers(void)
{
	MPI_Errhandler made, found;
	SAY(MPI_File_create_errhandler, handler, &made);
	SAY(MPI_File_get_errhandler, file, &found);
	printf("%d returns %d\n", rank, found == MPI_ERRORS_RETURN);
	SAY(MPI_File_set_errhandler, file, made);
	SAY(MPI_File_call_errhandler, file, MPI_ERR_IO);
	SAY(MPI_File_set_errhandler, file, MPI_ERRORS_RETURN);
	MPI_Errhandler_free(&made);
	SAY(MPI_Register_datarep, "varve", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
	    extent_of, NULL);
	ONLY_MPICH(SAY(MPI_Register_datarep_c, "varve_c", NULL, NULL, extent_of, NULL);)
}

int main(int argc, char **argv)
{
	say_begin(&argc, &argv);
	MPI_File none = MPI_FILE_NULL;
	SAY(MPI_File_open, MPI_COMM_WORLD, "no/such/folder", MPI_MODE_RDONLY, MPI_INFO_NULL, &none);
	SAY(MPI_File_open, MPI_COMM_WORLD, "x", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL,
	    &none);
	MPI_Info info;
	MPI_Info_create(&info);
	MPI_Info_set(info, "cb_buffer_size", "65536");
	SAY(MPI_File_open, MPI_COMM_WORLD, "say.out", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
	MPI_Info_free(&info);
	about();
	positions();
	moves();
	later();
	split();
	handlers();
	SAY(MPI_File_close, &file);
	printf("%d null %d\n", rank, file == MPI_FILE_NULL);
	turn();
	if (rank == 0)
		SAY(MPI_File_delete, "say.out", MPI_INFO_NULL);
	SAY(MPI_File_delete, "never.there", MPI_INFO_NULL);
	return MPI_Finalize();
}
