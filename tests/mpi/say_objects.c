/* Communicators, groups, infos, datatypes, windows, handlers, topologies, with valid arguments and with some that fail. Two ranks. */
#include "say.h"

static void say_text(const char *name, const char *text)
{
	printf("%d %s \"%s\"\n", rank, name, text);
}

static void say_number(const char *name, long long number)
{
	printf("%d %s %lld\n", rank, name, number);
}

static void say_comm(MPI_Comm comm)
{
	int own = -1, members = -1, inter = -1, remote = -1;
	if (comm == MPI_COMM_NULL) {
		printf("%d comm null\n", rank);
		return;
	}
	SAY(MPI_Comm_rank, comm, &own);
	SAY(MPI_Comm_size, comm, &members);
	SAY(MPI_Comm_test_inter, comm, &inter);
	if (inter)
		SAY(MPI_Comm_remote_size, comm, &remote);
	printf("%d comm rank %d size %d inter %d remote %d\n", rank, own, members, inter, remote);
}

static void communicators(void)
{
	MPI_Comm made, half, inter, merged;
	MPI_Group group, remote;
	MPI_Info info;
	MPI_Request request;
	char name[MPI_MAX_OBJECT_NAME] = "";
	int relation = -1, length = -1;
	SAY(MPI_Comm_dup, MPI_COMM_WORLD, &made);
	say_comm(made);
	SAY(MPI_Comm_compare, MPI_COMM_WORLD, made, &relation);
	say_number("relation", relation);
	SAY(MPI_Comm_set_name, made, "a name");
	SAY(MPI_Comm_get_name, made, name, &length);
	say_text("name", name);
	SAY(MPI_Comm_get_name, MPI_COMM_WORLD, name, &length);
	say_text("name", name);
	SAY(MPI_Comm_get_info, made, &info);
	SAY(MPI_Comm_set_info, made, info);
	SAY(MPI_Comm_dup_with_info, made, info, &half);
	SAY(MPI_Comm_free, &half);
	MPI_Info_free(&info);
	SAY(MPI_Comm_idup, made, &half, &request);
	SAY(MPI_Wait, &request, MPI_STATUS_IGNORE);
	say_comm(half);
	SAY(MPI_Comm_free, &half);
	ONLY_MPICH(SAY(MPI_Comm_idup_with_info, made, MPI_INFO_NULL, &half, &request);
		   MPI_Wait(&request, MPI_STATUS_IGNORE); SAY(MPI_Comm_free, &half);)
	SAY(MPI_Comm_split, made, rank, 0, &half);
	say_comm(half);
	SAY(MPI_Comm_split, made, rank ? 1 : MPI_UNDEFINED, 0, &merged);
	say_comm(merged);
	if (merged != MPI_COMM_NULL)
		MPI_Comm_free(&merged);
	SAY(MPI_Comm_split_type, made, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &merged);
	say_comm(merged);
	MPI_Comm_free(&merged);
	SAY(MPI_Comm_group, made, &group);
	SAY(MPI_Comm_create, made, group, &merged);
	say_comm(merged);
	MPI_Comm_free(&merged);
	SAY(MPI_Comm_create_group, made, group, 3, &merged);
	say_comm(merged);
	MPI_Comm_free(&merged);
	MPI_Group_free(&group);
	SAY(MPI_Intercomm_create, half, 0, MPI_COMM_WORLD, peer, 7, &inter);
	say_comm(inter);
	SAY(MPI_Comm_remote_group, inter, &remote);
	MPI_Group_free(&remote);
	SAY(MPI_Allreduce, given, taken, 3, MPI_INT, MPI_SUM, inter);
	SAY(MPI_Bcast, rank ? taken : given, 3, MPI_INT, rank ? 0 : MPI_ROOT, inter);
	SAY(MPI_Intercomm_merge, inter, rank, &merged);
	say_comm(merged);
	SAY(MPI_Comm_disconnect, &merged);
	SAY(MPI_Comm_free, &inter);
	SAY(MPI_Comm_free, &half);
	SAY(MPI_Comm_free, &made);
	printf("%d null %d\n", rank, made == MPI_COMM_NULL);
	SAY(MPI_Comm_get_parent, &made);
	say_comm(made);
	SAY(MPI_Comm_dup, MPI_COMM_NULL, &made);
	SAY(MPI_Comm_rank, MPI_COMM_NULL, &length);
	SAY(MPI_Comm_split, MPI_COMM_SELF, -77, 0, &made);
	made = MPI_COMM_NULL;
	SAY(MPI_Comm_free, &made);
	int flag;
	SAY(MPI_Initialized, &flag);
	SAY(MPI_Finalized, &flag);
#if defined(MPICH_VERSION)
	MPI_Session session;
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	SAY(MPI_Group_from_session_pset, session, "mpi://WORLD", &group);
	SAY(MPI_Comm_create_from_group, group, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
	say_comm(made);
	MPI_Comm_free(&made);
	MPI_Group_free(&group);
	MPI_Session_finalize(&session);
#endif
}

static void groups(void)
{
	MPI_Group world, one, other, made;
	int list[1] = {1}, ranks[2] = {0, 1}, told[2] = {-1, -1}, number = -1,
	    range[1][3] = {{0, 1, 1}};
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	SAY(MPI_Group_incl, world, 1, list, &one);
	SAY(MPI_Group_excl, world, 1, list, &other);
	SAY(MPI_Group_union, other, one, &made);
	SAY(MPI_Group_size, made, &number);
	say_number("size", number);
	SAY(MPI_Group_compare, made, world, &number);
	say_number("compare", number);
	SAY(MPI_Group_free, &made);
	SAY(MPI_Group_intersection, other, one, &made);
	printf("%d empty %d\n", rank, made == MPI_GROUP_EMPTY);
	SAY(MPI_Group_free, &made);
	SAY(MPI_Group_difference, world, one, &made);
	SAY(MPI_Group_rank, made, &number);
	say_number("rank", number);
	SAY(MPI_Group_free, &made);
	SAY(MPI_Group_range_incl, world, 1, range, &made);
	SAY(MPI_Group_translate_ranks, made, 2, ranks, one, told);
	printf("%d translated %d %d\n", rank, told[0], told[1]);
	SAY(MPI_Group_free, &made);
	SAY(MPI_Group_range_excl, world, 1, range, &made);
	SAY(MPI_Group_free, &made);
	SAY(MPI_Group_free, &other);
	SAY(MPI_Group_free, &one);
	list[0] = 99;
	SAY(MPI_Group_incl, world, 1, list, &one);
	SAY(MPI_Group_size, MPI_GROUP_NULL, &number);
	SAY(MPI_Group_free, &world);
}

static void infos(void)
{
	MPI_Info info, copy;
	char text[MPI_MAX_INFO_VAL] = "";
	int flag = -1, number = -1;
	SAY(MPI_Info_create, &info);
	SAY(MPI_Info_set, info, "first", "1");
	SAY(MPI_Info_set, info, "second", "some words");
	SAY(MPI_Info_dup, info, &copy);
	SAY(MPI_Info_delete, info, "first");
	SAY(MPI_Info_delete, info, "first");
	SAY(MPI_Info_get, copy, "first", 10, text, &flag);
	say_text("first", text);
	SAY(MPI_Info_get_nkeys, copy, &number);
	SAY(MPI_Info_get_nthkey, copy, 1, text);
	say_text("key", text);
	SAY(MPI_Info_get_valuelen, copy, "second", &number, &flag);
	printf("%d length %d %d\n", rank, number, flag);
	ONLY_MPICH(number = 20; SAY(MPI_Info_get_string, copy, "second", &number, text, &flag);
		   say_text("string", text);)
	SAY(MPI_Info_free, &info);
	SAY(MPI_Info_free, &copy);
	SAY(MPI_Info_set, MPI_INFO_NULL, "a", "b");
	ONLY_MPICH(char *arguments[] = {"program", NULL};
		   SAY(MPI_Info_create_env, 0, arguments, &info); SAY(MPI_Info_free, &info);)
}

static void say_type(MPI_Datatype *type)
{
	int number = -1, integers = -1, addresses = -1, types = -1, combiner = -1, length;
	MPI_Aint lower = -1, extent = -1;
	MPI_Count count = -1, other = -1;
	char name[MPI_MAX_OBJECT_NAME] = "";
	SAY(MPI_Type_commit, type);
	SAY(MPI_Type_size, *type, &number);
	SAY(MPI_Type_size_x, *type, &count);
	printf("%d size %d %lld\n", rank, number, (long long)count);
	SAY(MPI_Type_get_extent, *type, &lower, &extent);
	printf("%d extent %ld %ld\n", rank, (long)lower, (long)extent);
	SAY(MPI_Type_get_true_extent, *type, &lower, &extent);
	printf("%d true extent %ld %ld\n", rank, (long)lower, (long)extent);
	SAY(MPI_Type_get_extent_x, *type, &count, &other);
	SAY(MPI_Type_get_true_extent_x, *type, &count, &other);
	printf("%d true extent %lld %lld\n", rank, (long long)count, (long long)other);
	SAY(MPI_Type_get_envelope, *type, &integers, &addresses, &types, &combiner);
	printf("%d envelope %d %d %d %d\n", rank, integers, addresses, types, combiner);
	SAY(MPI_Type_set_name, *type, "named");
	SAY(MPI_Type_get_name, *type, name, &length);
	say_text("name", name);
	SAY(MPI_Sendrecv, given, 1, *type, peer, 1, taken, 1, *type, peer, 1, MPI_COMM_WORLD,
	    MPI_STATUS_IGNORE);
#if defined(MPICH_VERSION)
	MPI_Count a, b, c, d;
	SAY(MPI_Type_size_c, *type, &a);
	SAY(MPI_Type_get_extent_c, *type, &a, &b);
	SAY(MPI_Type_get_true_extent_c, *type, &a, &b);
	SAY(MPI_Type_get_envelope_c, *type, &a, &b, &c, &d, &combiner);
	SAY(MPI_Type_extent, *type, &extent);
	SAY(MPI_Type_lb, *type, &lower);
	SAY(MPI_Type_ub, *type, &lower);
#endif
	SAY(MPI_Type_free, type);
	printf("%d null %d\n", rank, *type == MPI_DATATYPE_NULL);
}

#define TYPE(function, ...)                                                                        \
	do {                                                                                       \
		MPI_Datatype made;                                                                 \
		SAY(function, __VA_ARGS__, &made);                                                 \
		say_type(&made);                                                                   \
	} while (0)
#if defined(MPICH_VERSION)
#define TYPE_BOTH(function, ...)                                                                   \
	do {                                                                                       \
		TYPE(function, __VA_ARGS__);                                                       \
		TYPE(function##_c, __VA_ARGS__);                                                   \
	} while (0)
#else
#define TYPE_BOTH TYPE
#endif

static void datatypes(void)
{
	int lengths[2] = {1, 2}, places[2] = {0, 3}, sizes[2] = {4, 6}, parts[2] = {2, 3},
	    starts[2] = {1, 2};
	int distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK},
	    args[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
	int processes[2] = {2, 1}, integers[8];
	MPI_Aint bytes[2] = {0, 16}, addresses[8];
	MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT}, found[8], made, copy;
	MPI_Count large[2] = {1, 2}, wide[2] = {0, 3}, wide_bytes[2] = {0, 16},
		  large_sizes[2] = {4, 6}, large_parts[2] = {2, 3}, large_starts[2] = {1, 2};
	(void)large, (void)wide, (void)wide_bytes, (void)large_sizes, (void)large_parts,
		(void)large_starts;
	TYPE_BOTH(MPI_Type_contiguous, 7, MPI_INT);
	TYPE_BOTH(MPI_Type_vector, 3, 2, 4, MPI_INT);
	TYPE_BOTH(MPI_Type_create_hvector, 3, 2, 20, MPI_INT);
	TYPE(MPI_Type_indexed, 2, lengths, places, MPI_INT);
	TYPE(MPI_Type_create_hindexed, 2, lengths, bytes, MPI_INT);
	TYPE(MPI_Type_create_indexed_block, 2, 3, places, MPI_INT);
	TYPE(MPI_Type_create_hindexed_block, 2, 3, bytes, MPI_INT);
	TYPE(MPI_Type_create_struct, 2, lengths, bytes, types);
	TYPE(MPI_Type_create_subarray, 2, sizes, parts, starts, MPI_ORDER_C, MPI_INT);
	TYPE(MPI_Type_create_subarray, 2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT);
	TYPE(MPI_Type_create_darray, 2, rank, 2, sizes, distribs, args, processes, MPI_ORDER_C,
	     MPI_INT);
	TYPE_BOTH(MPI_Type_create_resized, MPI_INT, 0, 16);
	TYPE(MPI_Type_dup, MPI_DOUBLE);
#if defined(MPICH_VERSION)
	TYPE(MPI_Type_indexed_c, 2, large, wide, MPI_INT);
	TYPE(MPI_Type_create_hindexed_c, 2, large, wide_bytes, MPI_INT);
	TYPE(MPI_Type_create_indexed_block_c, 2, 3, wide, MPI_INT);
	TYPE(MPI_Type_create_hindexed_block_c, 2, 3, wide_bytes, MPI_INT);
	TYPE(MPI_Type_create_struct_c, 2, large, wide_bytes, types);
	TYPE(MPI_Type_create_subarray_c, 2, large_sizes, large_parts, large_starts, MPI_ORDER_C,
	     MPI_INT);
	TYPE(MPI_Type_create_darray_c, 2, rank, 2, large_sizes, distribs, args, processes,
	     MPI_ORDER_C, MPI_INT);
	TYPE(MPI_Type_hvector, 3, 2, 20, MPI_INT);
	TYPE(MPI_Type_hindexed, 2, lengths, bytes, MPI_INT);
	TYPE(MPI_Type_struct, 2, lengths, bytes, types);
#endif
	/* Freed objects, and objects that MPI returns. */
	MPI_Type_vector(3, 2, 4, MPI_INT, &made);
	SAY(MPI_Type_contiguous, 2, made, &copy);
	SAY(MPI_Type_get_contents, copy, 1, 0, 1, integers, addresses, found);
	MPI_Type_free(&made);
	SAY(MPI_Type_commit, &found[0]);
	SAY(MPI_Sendrecv, given, 1, found[0], peer, 1, taken, 1, found[0], peer, 1, MPI_COMM_WORLD,
	    MPI_STATUS_IGNORE);
	SAY(MPI_Type_free, &found[0]);
	SAY(MPI_Type_free, &copy);
	SAY(MPI_Type_match_size, MPI_TYPECLASS_REAL, 8, &made);
	int size_of = -1;
	SAY(MPI_Type_size, made, &size_of);
	say_number("size", size_of);
	SAY(MPI_Type_create_f90_integer, 9, &made);
	SAY(MPI_Type_create_f90_real, 6, 30, &made);
	SAY(MPI_Type_create_f90_complex, 6, 30, &made);
	SAY(MPI_Type_contiguous, -1, MPI_INT, &made);
	SAY(MPI_Type_contiguous, 1, MPI_DATATYPE_NULL, &made);
	SAY(MPI_Type_size, MPI_DATATYPE_NULL, &size_of);
	made = MPI_DATATYPE_NULL;
	SAY(MPI_Type_free, &made);
	ONLY_MPICH(
		MPI_Count counts[8]; MPI_Type_contiguous_c(2, MPI_INT, &made);
		SAY(MPI_Type_get_contents_c, made, 8, 8, 8, 8, integers, addresses, counts, found);
		MPI_Type_free(&made);)
}

static void topologies(void)
{
	int dims[2] = {2, 1}, periods[2] = {1, 0}, coords[2] = {-1, -1}, keep[2] = {1, 0}, a = -1,
	    b = -1, got[2], gotp[2];
	int index[2] = {1, 2}, edges[2] = {1, 0}, source[1], degree[1] = {1}, dest[1], sources[4],
	    dests[4], weights[4], weighted;
	MPI_Comm cart, made;
	SAY(MPI_Cart_create, MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	SAY(MPI_Topo_test, cart, &a);
	say_number("topology", a);
	SAY(MPI_Cartdim_get, cart, &a);
	SAY(MPI_Cart_get, cart, 2, got, gotp, coords);
	SAY(MPI_Cart_coords, cart, peer, 2, coords);
	printf("%d coords %d %d dims %d %d\n", rank, coords[0], coords[1], got[0], gotp[0]);
	SAY(MPI_Cart_rank, cart, coords, &a);
	say_number("rank", a);
	SAY(MPI_Cart_shift, cart, 0, 1, &a, &b);
	printf("%d shift %d %d\n", rank, a, b);
	SAY(MPI_Cart_shift, cart, 1, 1, &a, &b);
	printf("%d shift %d %d\n", rank, a == MPI_PROC_NULL, b == MPI_PROC_NULL);
	SAY(MPI_Cart_map, MPI_COMM_WORLD, 2, dims, periods, &a);
	SAY(MPI_Cart_sub, cart, keep, &made);
	say_comm(made);
	MPI_Comm_free(&made);
	MPI_Comm_free(&cart);
	SAY(MPI_Graph_create, MPI_COMM_WORLD, 2, index, edges, 0, &made);
	SAY(MPI_Graphdims_get, made, &a, &b);
	SAY(MPI_Graph_get, made, 2, 2, got, gotp);
	SAY(MPI_Graph_neighbors_count, made, rank, &a);
	SAY(MPI_Graph_neighbors, made, rank, 2, got);
	printf("%d graph %d %d %d\n", rank, a, b, got[0]);
	SAY(MPI_Graph_map, MPI_COMM_WORLD, 2, index, edges, &a);
	SAY(MPI_Neighbor_alltoall, given, 1, MPI_INT, taken, 1, MPI_INT, made);
	MPI_Comm_free(&made);
	source[0] = rank;
	dest[0] = peer;
	SAY(MPI_Dist_graph_create, MPI_COMM_WORLD, 1, source, degree, dest, MPI_UNWEIGHTED,
	    MPI_INFO_NULL, 0, &made);
	SAY(MPI_Dist_graph_neighbors_count, made, &a, &b, &weighted);
	SAY(MPI_Dist_graph_neighbors, made, 1, sources, weights, 1, dests, weights);
	printf("%d dist %d %d %d %d %d\n", rank, a, b, weighted, sources[0], dests[0]);
	SAY(MPI_Neighbor_alltoall, given, 1, MPI_INT, taken, 1, MPI_INT, made);
	MPI_Comm_free(&made);
	SAY(MPI_Dist_graph_create_adjacent, MPI_COMM_WORLD, 1, dest, MPI_UNWEIGHTED, 1, dest,
	    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
	SAY(MPI_Neighbor_alltoall, given, 1, MPI_INT, taken, 1, MPI_INT, made);
	MPI_Comm_free(&made);
	dims[0] = 99;
	SAY(MPI_Cart_create, MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	SAY(MPI_Cart_rank, MPI_COMM_WORLD, coords, &a);
}

static void add(void *in, void *out, int *count, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *count; i++)
		((int *)out)[i] += 3 * ((int *)in)[i];
}

#if defined(MPICH_VERSION)
static void add_large(void *in, void *out, MPI_Count *count, MPI_Datatype *type)
{
	int few = (int)*count;
	add(in, out, &few, type);
}
#endif

static void comm_handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	int class = -1;
	PMPI_Error_class(*code, &class);
	printf("%d handler class %d\n", rank, class);
}

static void win_handler(MPI_Win *win, int *code, ...)
{
	(void)win;
	(void)code;
	printf("%d window's handler\n", rank);
}

static void handlers(void)
{
	MPI_Errhandler made, found;
	MPI_Op operation;
	SAY(MPI_Comm_create_errhandler, comm_handler, &made);
	SAY(MPI_Comm_set_errhandler, MPI_COMM_WORLD, made);
	SAY(MPI_Comm_get_errhandler, MPI_COMM_WORLD, &found);
	printf("%d same %d\n", rank, found == made);
	SAY(MPI_Send, given, -1, MPI_INT, peer, 0, MPI_COMM_WORLD);
	SAY(MPI_Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	SAY(MPI_Errhandler_free, &found);
	if (made != MPI_ERRHANDLER_NULL)
		SAY(MPI_Errhandler_free, &made);
#if defined(MPICH_VERSION)
	SAY(MPI_Errhandler_create, comm_handler, &made);
	SAY(MPI_Errhandler_set, MPI_COMM_SELF, made);
	SAY(MPI_Errhandler_get, MPI_COMM_SELF, &found);
	SAY(MPI_Errhandler_set, MPI_COMM_SELF, MPI_ERRORS_RETURN);
	SAY(MPI_Errhandler_free, &found);
	SAY(MPI_Errhandler_free, &made);
	SAY(MPI_Op_create_c, add_large, 1, &operation);
	SAY(MPI_Allreduce, given, taken, 3, MPI_INT, operation, MPI_COMM_WORLD);
	SAY(MPI_Op_free, &operation);
#endif
	SAY(MPI_Op_create, add, 1, &operation);
	SAY(MPI_Allreduce, given, taken, 3, MPI_INT, operation, MPI_COMM_WORLD);
	SAY(MPI_Op_free, &operation);
	printf("%d null %d\n", rank, operation == MPI_OP_NULL);
}

static int memory[1024];

static void windows(void)
{
	MPI_Win win, other;
	MPI_Group world, partner;
	MPI_Info info;
	MPI_Errhandler made, found;
	MPI_Request request;
	MPI_Aint length;
	int unit, flag, number = 5, zero = 0, told = -1, list[1];
	void *base;
	char name[MPI_MAX_OBJECT_NAME] = "";
	for (int i = 0; i < 1024; i++)
		memory[i] = rank * 1024 + i;
	SAY(MPI_Win_create, memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	SAY(MPI_Win_set_name, win, "window");
	SAY(MPI_Win_get_name, win, name, &told);
	say_text("name", name);
	SAY(MPI_Win_get_info, win, &info);
	SAY(MPI_Win_set_info, win, info);
	MPI_Info_free(&info);
	SAY(MPI_Win_fence, 0, win);
	BOTH(MPI_Put, given, 4, MPI_INT, peer, 10, 4, MPI_INT, win);
	SAY(MPI_Win_fence, 0, win);
	MPI_Get(taken, 4, MPI_INT, peer, 10, 4, MPI_INT, win);
	SAY(MPI_Win_fence, 0, win);
	say("MPI_Get", 0);
	ONLY_MPICH(MPI_Get_c(taken, 4, MPI_INT, peer, 10, 4, MPI_INT, win);)
	SAY(MPI_Win_fence, 0, win);
	BOTH(MPI_Accumulate, given, 4, MPI_INT, peer, 10, 4, MPI_INT, MPI_SUM, win);
	SAY(MPI_Win_fence, MPI_MODE_NOSUCCEED, win);
	say_number("memory", digest(memory, sizeof memory));
	SAY(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, peer, 0, win);
	MPI_Get_accumulate(given, 2, MPI_INT, taken, 2, MPI_INT, peer, 20, 2, MPI_INT, MPI_SUM,
			   win);
	SAY(MPI_Win_flush, peer, win);
	MPI_Fetch_and_op(&number, &told, MPI_INT, peer, 30, MPI_SUM, win);
	SAY(MPI_Win_flush_local, peer, win);
	MPI_Compare_and_swap(&number, &zero, &told, MPI_INT, peer, 31, win);
	SAY(MPI_Win_unlock, peer, win);
	ONLY_MPICH(MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, win);
		   MPI_Get_accumulate_c(given, 2, MPI_INT, taken, 2, MPI_INT, peer, 20, 2, MPI_INT,
					MPI_SUM, win);
		   MPI_Win_unlock(peer, win);)
	SAY(MPI_Win_lock_all, 0, win);
#define REQUESTED(function, ...)                                                                   \
	do {                                                                                       \
		int result = function(__VA_ARGS__, &request);                                      \
		MPI_Wait(&request, MPI_STATUS_IGNORE);                                             \
		say(#function, result);                                                            \
	} while (0)
	REQUESTED(MPI_Rput, given, 4, MPI_INT, peer, 40, 4, MPI_INT, win);
	SAY(MPI_Win_flush_all, win);
	REQUESTED(MPI_Rget, taken, 4, MPI_INT, peer, 40, 4, MPI_INT, win);
	REQUESTED(MPI_Raccumulate, given, 4, MPI_INT, peer, 40, 4, MPI_INT, MPI_SUM, win);
	SAY(MPI_Win_flush_local_all, win);
	MPI_Win_flush_all(win);
	REQUESTED(MPI_Rget_accumulate, given, 4, MPI_INT, taken, 4, MPI_INT, peer, 40, 4, MPI_INT,
		  MPI_SUM, win);
#if defined(MPICH_VERSION)
	REQUESTED(MPI_Rput_c, given, 4, MPI_INT, peer, 40, 4, MPI_INT, win);
	MPI_Win_flush_all(win);
	REQUESTED(MPI_Rget_c, taken, 4, MPI_INT, peer, 40, 4, MPI_INT, win);
	REQUESTED(MPI_Raccumulate_c, given, 4, MPI_INT, peer, 40, 4, MPI_INT, MPI_SUM, win);
	MPI_Win_flush_all(win);
	REQUESTED(MPI_Rget_accumulate_c, given, 4, MPI_INT, taken, 4, MPI_INT, peer, 40, 4, MPI_INT,
		  MPI_SUM, win);
#endif
	SAY(MPI_Win_sync, win);
	SAY(MPI_Win_unlock_all, win);
	PMPI_Barrier(MPI_COMM_WORLD);
	say_number("memory", digest(memory, sizeof memory));
	SAY(MPI_Win_get_group, win, &world);
	list[0] = peer;
	MPI_Group_incl(world, 1, list, &partner);
	SAY(MPI_Win_post, partner, 0, win);
	SAY(MPI_Win_start, partner, 0, win);
	MPI_Put(given, 4, MPI_INT, peer, 50, 4, MPI_INT, win);
	SAY(MPI_Win_complete, win);
	SAY(MPI_Win_wait, win);
	SAY(MPI_Win_post, partner, 0, win);
	MPI_Win_start(partner, 0, win);
	MPI_Win_complete(win);
	do
		MPI_Win_test(win, &flag);
	while (!flag);
	MPI_Group_free(&partner);
	MPI_Group_free(&world);
	SAY(MPI_Put, given, -4, MPI_INT, peer, 10, 4, MPI_INT, win);
	SAY(MPI_Win_create_errhandler, win_handler, &made);
	SAY(MPI_Win_set_errhandler, win, made);
	SAY(MPI_Win_get_errhandler, win, &found);
	MPI_Errhandler_free(&found);
	if (made != MPI_ERRHANDLER_NULL)
		MPI_Errhandler_free(&made);
	SAY(MPI_Win_free, &win);
	printf("%d null %d\n", rank, win == MPI_WIN_NULL);
	SAY(MPI_Win_allocate, 256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	SAY(MPI_Win_free, &win);
	SAY(MPI_Win_allocate_shared, 256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	SAY(MPI_Win_shared_query, win, peer, &length, &unit, &base);
	printf("%d shared %ld %d\n", rank, (long)length, unit);
	ONLY_MPICH(MPI_Aint large_unit;
		   SAY(MPI_Win_shared_query_c, win, peer, &length, &large_unit, &base);)
	SAY(MPI_Win_free, &win);
	SAY(MPI_Win_create_dynamic, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
	SAY(MPI_Win_attach, other, memory, sizeof memory);
	SAY(MPI_Win_detach, other, memory);
	SAY(MPI_Win_free, &other);
#if defined(MPICH_VERSION)
	SAY(MPI_Win_create_c, memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	SAY(MPI_Win_free, &win);
	SAY(MPI_Win_allocate_c, 256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	SAY(MPI_Win_free, &win);
	SAY(MPI_Win_allocate_shared_c, 256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	SAY(MPI_Win_free, &win);
#endif
	SAY(MPI_Win_fence, 0, MPI_WIN_NULL);
}

int main(int argc, char **argv)
{
	say_begin(&argc, &argv);
	communicators();
	groups();
	infos();
	datatypes();
	topologies();
	handlers();
	windows();
	return MPI_Finalize();
}
