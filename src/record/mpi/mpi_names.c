/* Record: names of predefined handles of MPI. See mpi_hooks.h.
 *
 * In MPICH and related libraries they are constants, the same in all libraries with its binary interface. In Open MPI they are
 * addresses, which its conversion functions for Fortran return after MPI_Init: the Fortran numbers of predefined handles are
 * constants. MPI is never asked about a handle that a program made up.
 */
#include "record/mpi/mpi_hooks.h"
#include "record/wrap.h"

#include <string.h>

struct named {
	uint32_t value;	 /* in MPICH */
	int16_t fortran; /* number in Open MPI; -1: it has none */
	uint8_t family;
	const char *name;
};

/* Without datatypes, except MPI_DATATYPE_NULL: these are found by other tables. */
static const struct named names[] = {
	{0x04000000, 2, FAMILY_COMM, "MPI_COMM_NULL"},
	{0x44000000, 0, FAMILY_COMM, "MPI_COMM_WORLD"},
	{0x44000001, 1, FAMILY_COMM, "MPI_COMM_SELF"},
	{0x08000000, 0, FAMILY_GROUP, "MPI_GROUP_NULL"},
	{0x48000000, 1, FAMILY_GROUP, "MPI_GROUP_EMPTY"},
	{0x1c000000, 0, FAMILY_INFO, "MPI_INFO_NULL"},
	{0x5c000001, 1, FAMILY_INFO, "MPI_INFO_ENV"},
	{0x20000000, 0, FAMILY_WINDOW, "MPI_WIN_NULL"},
	{0x00000000, 0, FAMILY_MPI_FILE, "MPI_FILE_NULL"},
	{0x2c000000, 0, FAMILY_MESSAGE, "MPI_MESSAGE_NULL"},
	{0x6c000000, 1, FAMILY_MESSAGE, "MPI_MESSAGE_NO_PROC"},
	{0x14000000, 0, FAMILY_ERRHANDLER, "MPI_ERRHANDLER_NULL"},
	{0x54000000, 1, FAMILY_ERRHANDLER, "MPI_ERRORS_ARE_FATAL"},
	{0x54000001, 2, FAMILY_ERRHANDLER, "MPI_ERRORS_RETURN"},
	{0x54000003, -1, FAMILY_ERRHANDLER, "MPI_ERRORS_ABORT"},
	{0x18000000, 0, FAMILY_REDUCTION, "MPI_OP_NULL"},
	{0x58000001, 1, FAMILY_REDUCTION, "MPI_MAX"},
	{0x58000002, 2, FAMILY_REDUCTION, "MPI_MIN"},
	{0x58000003, 3, FAMILY_REDUCTION, "MPI_SUM"},
	{0x58000004, 4, FAMILY_REDUCTION, "MPI_PROD"},
	{0x58000005, 5, FAMILY_REDUCTION, "MPI_LAND"},
	{0x58000006, 6, FAMILY_REDUCTION, "MPI_BAND"},
	{0x58000007, 7, FAMILY_REDUCTION, "MPI_LOR"},
	{0x58000008, 8, FAMILY_REDUCTION, "MPI_BOR"},
	{0x58000009, 9, FAMILY_REDUCTION, "MPI_LXOR"},
	{0x5800000a, 10, FAMILY_REDUCTION, "MPI_BXOR"},
	{0x5800000b, 12, FAMILY_REDUCTION, "MPI_MINLOC"},
	{0x5800000c, 11, FAMILY_REDUCTION, "MPI_MAXLOC"},
	{0x5800000d, 13, FAMILY_REDUCTION, "MPI_REPLACE"},
	{0x5800000e, 14, FAMILY_REDUCTION, "MPI_NO_OP"},
	{0x0c000000, 0, FAMILY_DATATYPE, "MPI_DATATYPE_NULL"},
};

enum { NAMES = sizeof names / sizeof names[0], TYPES_MOST = 128, TYPE_NAME = 40 };

struct learned_type {
	uint64_t value;
	char name[TYPE_NAME];
};

/* The handles of one Open MPI library; those of a second one in the same process have no names. */
static struct {
	uint32_t library; /* number of the library; 0: none yet */
	uint64_t value[NAMES];
	uint32_t type_count;
	uint64_t type_least; /* lowest value; derived types are outside this range */
	uint64_t type_most;
	struct learned_type types[TYPES_MOST];
} learned = {.type_least = UINT64_MAX};

static const char *const converters[FAMILY_COUNT] = {
	[FAMILY_COMM] = "PMPI_Comm_f2c",
	[FAMILY_GROUP] = "PMPI_Group_f2c",
	[FAMILY_INFO] = "PMPI_Info_f2c",
	[FAMILY_WINDOW] = "PMPI_Win_f2c",
	[FAMILY_MPI_FILE] = "PMPI_File_f2c",
	[FAMILY_MESSAGE] = "PMPI_Message_f2c",
	[FAMILY_ERRHANDLER] = "PMPI_Errhandler_f2c",
	[FAMILY_REDUCTION] = "PMPI_Op_f2c",
	[FAMILY_DATATYPE] = "PMPI_Type_f2c",
};

typedef uint64_t handle_function(int fortran);

static uint64_t handle_converted(const struct library_call *call, enum family family, int fortran)
{
	struct library_name found = {{0}};
	handle_function *convert =
		converters[family] ? library_function(call, &found, converters[family]) : NULL;
	return convert && fortran >= 0 ? convert(fortran) : 0;
}

/* Right after MPI_Init all datatypes are predefined ones. */
static void types_learn(const struct library_call *call)
{
	for (int fortran = 1; fortran < TYPES_MOST; fortran++) {
		char name[MPI_NAME] = "";
		int length = 0;
		uint64_t value = handle_converted(call, FAMILY_DATATYPE, fortran);
		if (!value ||
		    !mpi_ask(call, ASK_TYPE_NAME, value, mpi_place(name), mpi_place(&length), 0,
			     0) ||
		    strncmp(name, "MPI_", 4) != 0)
			continue;
		struct learned_type *type = &learned.types[learned.type_count];
		type->value = value;
		learned.type_least = value < learned.type_least ? value : learned.type_least;
		learned.type_most = value > learned.type_most ? value : learned.type_most;
		text_add(type->name, type->name + sizeof type->name, name);
		__atomic_store_n(&learned.type_count, learned.type_count + 1, __ATOMIC_RELEASE);
	}
}

void mpi_names_learn(const struct library_call *call)
{
	uint32_t none = 0;
	if (!mpi_wide(call) ||
	    !__atomic_compare_exchange_n(&learned.library, &none, call->library->number, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	for (size_t i = 0; i < NAMES; i++)
		learned.value[i] = handle_converted(call, names[i].family, names[i].fortran);
	types_learn(call);
}

static const char *type_name_wide(uint64_t value)
{
	uint32_t count = __atomic_load_n(&learned.type_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < count; i++)
		if (learned.types[i].value == value)
			return learned.types[i].name;
	return NULL;
}

struct type_named {
	uint32_t value;
	const char *name;
};

/* Datatypes of MPICH: 0x4c, bytes of an element, number; pairs begin with 0x8c. */
static const struct type_named mpich_types[] = {
	{0x4c000101, "MPI_CHAR"},
	{0x4c000118, "MPI_SIGNED_CHAR"},
	{0x4c000102, "MPI_UNSIGNED_CHAR"},
	{0x4c00010d, "MPI_BYTE"},
	{0x4c00040e, "MPI_WCHAR"},
	{0x4c000203, "MPI_SHORT"},
	{0x4c000204, "MPI_UNSIGNED_SHORT"},
	{0x4c000405, "MPI_INT"},
	{0x4c000406, "MPI_UNSIGNED"},
	{0x4c000807, "MPI_LONG"},
	{0x4c000808, "MPI_UNSIGNED_LONG"},
	{0x4c00040a, "MPI_FLOAT"},
	{0x4c00080b, "MPI_DOUBLE"},
	{0x4c00100c, "MPI_LONG_DOUBLE"},
	{0x4c000809, "MPI_LONG_LONG_INT"},
	{0x4c000819, "MPI_UNSIGNED_LONG_LONG"},
	{0x4c00010f, "MPI_PACKED"},
	{0x4c000010, "MPI_LB"},
	{0x4c000011, "MPI_UB"},
	{0x8c000000, "MPI_FLOAT_INT"},
	{0x8c000001, "MPI_DOUBLE_INT"},
	{0x8c000002, "MPI_LONG_INT"},
	{0x8c000003, "MPI_SHORT_INT"},
	{0x4c000816, "MPI_2INT"},
	{0x8c000004, "MPI_LONG_DOUBLE_INT"},
	{0x4c00081e, "MPI_COMPLEX"},
	{0x4c001022, "MPI_DOUBLE_COMPLEX"},
	{0x4c00041d, "MPI_LOGICAL"},
	{0x4c00041c, "MPI_REAL"},
	{0x4c00081f, "MPI_DOUBLE_PRECISION"},
	{0x4c00041b, "MPI_INTEGER"},
	{0x4c000820, "MPI_2INTEGER"},
	{0x4c000821, "MPI_2REAL"},
	{0x4c001023, "MPI_2DOUBLE_PRECISION"},
	{0x4c00011a, "MPI_CHARACTER"},
	{0x4c000427, "MPI_REAL4"},
	{0x4c000829, "MPI_REAL8"},
	{0x4c00102b, "MPI_REAL16"},
	{0x4c000828, "MPI_COMPLEX8"},
	{0x4c00102a, "MPI_COMPLEX16"},
	{0x4c00202c, "MPI_COMPLEX32"},
	{0x4c00012d, "MPI_INTEGER1"},
	{0x4c00022f, "MPI_INTEGER2"},
	{0x4c000430, "MPI_INTEGER4"},
	{0x4c000831, "MPI_INTEGER8"},
	{0x4c000137, "MPI_INT8_T"},
	{0x4c000238, "MPI_INT16_T"},
	{0x4c000439, "MPI_INT32_T"},
	{0x4c00083a, "MPI_INT64_T"},
	{0x4c00013b, "MPI_UINT8_T"},
	{0x4c00023c, "MPI_UINT16_T"},
	{0x4c00043d, "MPI_UINT32_T"},
	{0x4c00083e, "MPI_UINT64_T"},
	{0x4c00013f, "MPI_C_BOOL"},
	{0x4c000840, "MPI_C_FLOAT_COMPLEX"},
	{0x4c001041, "MPI_C_DOUBLE_COMPLEX"},
	{0x4c002042, "MPI_C_LONG_DOUBLE_COMPLEX"},
	{0x4c000843, "MPI_AINT"},
	{0x4c000844, "MPI_OFFSET"},
	{0x4c000845, "MPI_COUNT"},
	{0x4c000133, "MPI_CXX_BOOL"},
	{0x4c000834, "MPI_CXX_FLOAT_COMPLEX"},
	{0x4c001035, "MPI_CXX_DOUBLE_COMPLEX"},
	{0x4c002036, "MPI_CXX_LONG_DOUBLE_COMPLEX"},
};

static const char *type_name_narrow(uint64_t value)
{
	for (size_t i = 0; i < sizeof mpich_types / sizeof mpich_types[0]; i++)
		if (mpich_types[i].value == value)
			return mpich_types[i].name;
	return NULL;
}

static bool kind_has_value(const struct library_call *call, size_t i, uint64_t value)
{
	if (!mpi_wide(call))
		return names[i].value == value;
	return value && learned.library == call->library->number && learned.value[i] == value;
}

const char *mpi_predefined(const struct library_call *call, enum family family, uint64_t value)
{
	const size_t no_type = NAMES - 1;
	for (size_t i = 0; i < NAMES && family != FAMILY_DATATYPE; i++)
		if (names[i].family == family && kind_has_value(call, i, value))
			return names[i].name;
	if (family != FAMILY_DATATYPE)
		return NULL;
	if (kind_has_value(call, no_type, value))
		return names[no_type].name;
	if (!mpi_wide(call))
		return type_name_narrow(value);
	return learned.library == call->library->number && value >= learned.type_least &&
			       value <= learned.type_most
		       ? type_name_wide(value)
		       : NULL;
}

void mpi_learn(const struct library_call *call, struct entity *entity)
{
	const char *name = mpi_predefined(call, entity->family, entity->value);
	if (!name)
		return;
	entity_text(call->self, entity, name, strlen(name));
	if (entity->family == FAMILY_DATATYPE)
		mpi_type_named(entity, strlen(name));
}

uint64_t mpi_world(const struct library_call *call)
{
	static const size_t WORLD = 1; /* index in names */
	if (!mpi_wide(call))
		return names[WORLD].value;
	return learned.library == call->library->number ? learned.value[WORLD] : 0;
}
