/* Files, views, datatypes, communicators, groups and infos of two ranks, with the expected record of each call. */
#include "oracle.h"

#include <string.h>
#include <unistd.h>

static int data[256];
static char folder[1024];
static int number;

static void datatypes(void)
{
	MPI_Datatype type, inner, types[2] = {MPI_INT, MPI_DOUBLE};
	int lengths[3] = {1, 2, 1}, places[3] = {0, 4, 9}, sizes[2] = {4, 6}, parts[2] = {2, 3},
	    starts[2] = {1, 2};
	MPI_Aint bytes[3] = {0, 16, 40}, lower, extent;
	int length;
	expect("MPI_Type_contiguous", 0,
	       "'count':5,'oldtype_path':'MPI_INT','newtype_path':'"
	       "contiguous(count=5, MPI_INT) size 20 extent 20: (0,20)'");
	check(MPI_Type_contiguous(5, MPI_INT, &inner));
	expect("MPI_Type_vector", 0,
	       "'newtype_path':'vector(count=2, blocklength=1, stride=2, "
	       "contiguous(count=5, MPI_INT)) "
	       "size 40 extent 60: (0,20) (40,20)'");
	check(MPI_Type_vector(2, 1, 2, inner, &type));
	expect("MPI_Type_free", 0,
	       "'datatype_path':'contiguous(count=5, MPI_INT) size 20 extent 20: (0,20)'");
	check(MPI_Type_free(&inner));
	expect("MPI_Type_commit", 0,
	       "'datatype_path':'vector(count=2, blocklength=1, stride=2, "
	       "contiguous(count=5, MPI_INT)) "
	       "size 40 extent 60: (0,20) (40,20)'");
	check(MPI_Type_commit(&type));
	expect("MPI_Type_size", 0, "'size':40");
	check(MPI_Type_size(type, &length));
	expect("MPI_Type_get_extent", 0, "'lb':0,'extent':60");
	check(MPI_Type_get_extent(type, &lower, &extent));
	expect("MPI_Type_dup", 0,
	       "'newtype_path':'dup(vector(count=2, blocklength=1, stride=2, "
	       "contiguous(count=5, MPI_INT))) "
	       "size 40 extent 60: (0,20) (40,20)'");
	check(MPI_Type_dup(type, &inner));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&inner));
	expect("MPI_Type_indexed", 0,
	       "'array_of_blocklengths':'[1,2,1]','array_of_displacements':'[0,"
	       "4,9]','newtype_path':'indexed("
	       "count=3, blocklengths=[1,2,1], displacements=[0,4,9], MPI_INT) "
	       "size 16 extent 40: (0,4) (16,8) "
	       "(36,4)'");
	check(MPI_Type_indexed(3, lengths, places, MPI_INT, &type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_Type_create_hindexed", 0,
	       "'newtype_path':'hindexed(count=3, blocklengths=[1,2,1], displacements=[0,16,40], "
	       "MPI_SHORT) size 8 extent 42: (0,2) (16,4) (40,2)'");
	check(MPI_Type_create_hindexed(3, lengths, bytes, MPI_SHORT, &type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_Type_create_indexed_block", 0,
	       "'newtype_path':'indexed_block(count=3, "
	       "blocklength=2, displacements=[0,4,9], MPI_INT) "
	       "size 24 extent 44: (0,8) (16,8) (36,8)'");
	check(MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_Type_create_hvector", 0,
	       "'stride':100,'newtype_path':'hvector(count=3, "
	       "blocklength=2, stride=100, MPI_CHAR) size 6 "
	       "extent 202: (0,2) (100,2) (200,2)'");
	check(MPI_Type_create_hvector(3, 2, 100, MPI_CHAR, &type));
	expect("MPI_Type_create_resized", 0,
	       "'lb':0,'extent':512,'newtype_path':'resized(lb=0, extent=512, hvector(count=3, "
	       "blocklength=2, stride=100, MPI_CHAR)) size 6 extent 512: (0,2) (100,2) (200,2)'");
	check(MPI_Type_create_resized(type, 0, 512, &inner));
	expect("MPI_Type_contiguous", 0,
	       "'newtype_path':'contiguous(count=6, resized(lb=0, "
	       "extent=512, hvector(count=3, blocklength=2, "
	       "stride=100, MPI_CHAR))) size 36 extent 3072: (0,2) (100,2) "
	       "(200,2) (512,2) (612,2) (712,2) "
	       "(1024,2) (1124,2) (1224,2) (1536,2) (1636,2) (1736,2) "
	       "(2048,2) (2148,2) (2248,2) (2560,2) ...'");
	MPI_Datatype many;
	check(MPI_Type_contiguous(6, inner, &many));
	MPI_Datatype *all[] = {&type, &inner, &many};
	for (int i = 0; i < 3; i++) {
		expect("MPI_Type_free", 0, "");
		check(MPI_Type_free(all[i]));
	}
	bytes[1] = 8;
	expect("MPI_Type_create_struct", 0,
	       "'newtype_path':'struct(count=2, blocklengths=[1,2], "
	       "displacements=[0,8], types=[MPI_INT,"
	       "MPI_DOUBLE]) size 20 extent 24: (0,4) (8,16)'");
	check(MPI_Type_create_struct(2, lengths, bytes, types, &type));
	expect("MPI_Type_set_name", 0, "'type_name':'pair'");
	check(MPI_Type_set_name(type, "pair"));
	expect("MPI_Type_commit", 0,
	       "'datatype_path':'pair = struct(count=2, blocklengths=[1,2], "
	       "displacements=[0,8], types=[MPI_INT,"
	       "MPI_DOUBLE]) size 20 extent 24: (0,4) (8,16)'");
	check(MPI_Type_commit(&type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_Type_create_subarray", 0,
	       "'array_of_sizes':'[4,6]','newtype_path':'subarray("
	       "sizes=[4,6], subsizes=[2,3], starts=[1,2], "
	       "C, MPI_INT) size 24 extent 96: (32,12) (56,12)'");
	check(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_Type_create_subarray", 0,
	       "'newtype_path':'subarray(sizes=[4,6], subsizes=[2,3], "
	       "starts=[1,2], Fortran, MPI_INT) size 24 "
	       "extent 96: (36,8) (52,8) (68,8)'");
	check(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_Type_contiguous", 0,
	       "'oldtype_path':'MPI_SHORT_INT','newtype_path':'contiguous("
	       "count=2, MPI_SHORT_INT) size 12 extent "
	       "16: (0,2) (4,6) (12,4)'");
	check(MPI_Type_contiguous(2, MPI_SHORT_INT, &type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
}

/* Datatypes that are made again, equal or similar, after others like them were freed. */
static void datatypes_again(void)
{
	enum { KINDS = 300 };
	MPI_Datatype type, named;
	for (int i = 0; i < 2 * KINDS; i++) {
		int count = i % KINDS + 1, bytes = 4 * count;
		expect("MPI_Type_contiguous", 0,
		       "'newtype_path':'contiguous(count=%d, MPI_INT) size %d extent %d: (0,%d)'",
		       count, bytes, bytes, bytes);
		check(MPI_Type_contiguous(count, MPI_INT, &type));
		expect("MPI_Type_free", 0,
		       "'datatype_path':'contiguous(count=%d, MPI_INT) size %d "
		       "extent %d: (0,%d)'",
		       count, bytes, bytes, bytes);
		check(MPI_Type_free(&type));
	}
	expect("MPI_Type_contiguous", 0,
	       "'newtype_path':'contiguous(count=1, MPI_FLOAT_INT) size 8 extent 8: (0,8)'");
	check(MPI_Type_contiguous(1, MPI_FLOAT_INT, &type));
	expect("MPI_Type_contiguous", 0,
	       "'newtype_path':'contiguous(count=1, MPI_DOUBLE_INT) size 12 extent 16: (0,12)'");
	check(MPI_Type_contiguous(1, MPI_DOUBLE_INT, &named));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&named));
	/* Whole rows, and a dimension of one: adjacent pieces are joined and found at once. */
	int sizes[4] = {300, 512, 512, 1}, parts[4] = {256, 512, 512, 1}, starts[4] = {2, 0, 0, 0};
	expect("MPI_Type_create_subarray", 0,
	       "'newtype_path':'subarray(sizes=[300,512,512,1], subsizes=[256,512,512,1], "
	       "starts=[2,0,0,0], C, MPI_CHAR) size 67108864 extent 78643200: (524288,67108864)'");
	check(MPI_Type_create_subarray(4, sizes, parts, starts, MPI_ORDER_C, MPI_CHAR, &type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_Type_vector", 0,
	       "'newtype_path':'vector(count=1000000, blocklength=3, stride=3, "
	       "MPI_INT) size 12000000 extent 12000000: (0,12000000)'");
	check(MPI_Type_vector(1000000, 3, 3, MPI_INT, &type));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	for (int turn = 0; turn < 4; turn++) {
		const char *name = turn % 2 ? "triple" : "contiguous(count=3, MPI_INT)";
		expect("MPI_Type_contiguous", 0,
		       "'newtype_path':'contiguous(count=3, MPI_INT) size 12 "
		       "extent 12: (0,12)'");
		check(MPI_Type_contiguous(3, MPI_INT, &named));
		if (turn % 2) {
			expect("MPI_Type_set_name", 0, "'type_name':'triple'");
			check(MPI_Type_set_name(named, "triple"));
		}
		expect("MPI_Type_vector", 0,
		       "'newtype_path':'vector(count=2, blocklength=1, stride=%d, %s) size 24 "
		       "extent %d: (0,12) (%d,12)'",
		       turn + 2, name, 12 * (turn + 3), 12 * (turn + 2));
		check(MPI_Type_vector(2, 1, turn + 2, named, &type));
		expect("MPI_Type_free", 0, "");
		check(MPI_Type_free(&type));
		expect("MPI_Type_vector", 0,
		       "'newtype_path':'vector(count=2, blocklength=1, stride=2, %s) size 24 "
		       "extent 36: (0,12) (24,12)'",
		       name);
		check(MPI_Type_vector(2, 1, 2, named, &type));
		expect("MPI_Type_free", 0, "");
		check(MPI_Type_free(&named));
		/* Its layout is its own, although others had the same. */
		expect("MPI_Type_contiguous", 0,
		       "'newtype_path':'contiguous(count=1, vector(count=2, blocklength=1, "
		       "stride=2, %s)) size 24 extent 36: (0,12) (24,12)'",
		       name);
		check(MPI_Type_contiguous(1, type, &named));
		expect("MPI_Type_free", 0, "");
		check(MPI_Type_free(&named));
		expect("MPI_Type_free", 0, "");
		check(MPI_Type_free(&type));
	}
}

static void communicators(void)
{
	MPI_Comm dup, self, none;
	MPI_Group group, one;
	MPI_Request request;
	int list[1] = {1}, result;
	expect("MPI_Comm_dup", 0, "'comm_path':'MPI_COMM_WORLD','members':'0:1'");
	check(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
	expect("MPI_Comm_set_name", 0, "'comm_path':'0:1','comm_name':'mine'");
	check(MPI_Comm_set_name(dup, "mine"));
	expect("MPI_Comm_compare", 0,
	       "'comm1_path':'MPI_COMM_WORLD','comm2_path':'mine: 0:1','relation':'MPI_CONGRUENT'");
	check(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result));
	expect("MPI_Comm_split", 0, "'color':%d,'members':'%d'", rank, rank);
	check(MPI_Comm_split(dup, rank, 0, &self));
	expect("MPI_Comm_split", 0, "'color':-32766");
	check(MPI_Comm_split(dup, MPI_UNDEFINED, 0, &none));
	expect("MPI_Comm_group", 0, "'comm_path':'mine: 0:1'");
	check(MPI_Comm_group(dup, &group));
	expect("MPI_Group_incl", 0, "'group_path':'0:1','n':1,'ranks':'[1]'");
	check(MPI_Group_incl(group, 1, list, &one));
	expect("MPI_Group_rank", 0, "'group_path':'1'");
	check(MPI_Group_rank(one, &result));
	expect("MPI_Comm_create", 0, "%s",
	       rank ? "'group_path':'1','members':'1'" : "'group_path':'1'");
	check(MPI_Comm_create(dup, one, &none));
	if (rank) {
		expect("MPI_Comm_free", 0, "'comm_path':'1'");
		check(MPI_Comm_free(&none));
	}
	expect("MPI_Group_free", 0, "'group_path':'1'");
	check(MPI_Group_free(&one));
	expect("MPI_Group_free", 0, "'group_path':'0:1'");
	check(MPI_Group_free(&group));
	expect("MPI_Comm_idup", 0, "'request':%d", ++number);
	check(MPI_Comm_idup(self, &none, &request));
	expect("MPI_Wait", 0, "'request':%d", number);
	expect("completion", 0, "'request':%d,'=':0", number);
	check(MPI_Wait(&request, MPI_STATUS_IGNORE));
	MPI_Comm *all[] = {&none, &self, &dup};
	const char *names[] = {rank ? "1" : "0", rank ? "1" : "0", "mine: 0:1"};
	for (int i = 0; i < 3; i++) {
		expect("MPI_Comm_free", 0, "'comm_path':'%s'", names[i]);
		check(MPI_Comm_free(all[i]));
	}
}

static void infos(void)
{
	MPI_Info info, copy;
	char value[100];
	int flag;
	expect("MPI_Info_create", 0, "");
	check(MPI_Info_create(&info));
	expect("MPI_Info_set", 0, "'key':'one','value':'1'");
	check(MPI_Info_set(info, "one", "1"));
	expect("MPI_Info_set", 0, "'info_path':'one=1','key':'two'");
	check(MPI_Info_set(info, "two", "b c"));
	expect("MPI_Info_dup", 0, "'info_path':'one=1, two=b c'");
	check(MPI_Info_dup(info, &copy));
	expect("MPI_Info_delete", 0, "'info_path':'one=1, two=b c','key':'one'");
	check(MPI_Info_delete(info, "one"));
	expect("MPI_Info_get", 0, "'info_path':'two=b c','key':'one','flag':0");
	check(MPI_Info_get(info, "one", 99, value, &flag));
	expect("MPI_Info_free", 0, "'info_path':'two=b c'");
	check(MPI_Info_free(&info));
	expect("MPI_Info_free", 0, "'info_path':'one=1, two=b c'");
	check(MPI_Info_free(&copy));
}

static void files(void)
{
	MPI_File file;
	MPI_Datatype type;
	MPI_Offset at, length;
	MPI_Request request;
	MPI_Status status;
	int atomic;
	MPI_Aint extent;
	char whole[1200];
	snprintf(whole, sizeof whole, "%s/data", folder);
	expect("MPI_File_open", 0,
	       "'comm_path':'MPI_COMM_WORLD','filename':'data','filename_absolute':'%s',"
	       "'amode':'MPI_MODE_CREATE|MPI_MODE_RDWR','info_path':'MPI_INFO_NULL','fh_path':'%s'",
	       whole, whole);
	check(MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			    &file));
	expect("MPI_File_set_size", 0, "'fh_path':'%s','size':4096", whole);
	check(MPI_File_set_size(file, 4096));
	expect("MPI_File_get_size", 0, "'size':4096");
	check(MPI_File_get_size(file, &length));
	expect("MPI_File_write_at", 0, "'offset':%d,'count':4,'datatype_path':'MPI_INT','bytes':16",
	       64 * rank);
	check(MPI_File_write_at(file, 64 * rank, data, 4, MPI_INT, MPI_STATUS_IGNORE));
	expect("MPI_File_write_at_all", 0, "'offset':%d,'bytes':24", 128 + 64 * rank);
	check(MPI_File_write_at_all(file, 128 + 64 * rank, data, 3, MPI_DOUBLE, &status));
	expect("MPI_File_read_at_all", 0, "'bytes':0,'count':0");
	check(MPI_File_read_at_all(file, 0, data, 0, MPI_DOUBLE, MPI_STATUS_IGNORE));
	expect("MPI_File_read_at", 0, "'offset':4094,'count':100,'bytes':2");
	check(MPI_File_read_at(file, 4094, data, 100, MPI_CHAR, MPI_STATUS_IGNORE));
	expect("MPI_File_seek", 0, "'offset':%d,'whence':'MPI_SEEK_SET'", 8 * rank);
	check(MPI_File_seek(file, 8 * rank, MPI_SEEK_SET));
	expect("MPI_File_write", 0, "'count':8,'bytes':8");
	check(MPI_File_write(file, data, 8, MPI_BYTE, MPI_STATUS_IGNORE));
	expect("MPI_File_get_position", 0, "'offset':%d", 8 * rank + 8);
	check(MPI_File_get_position(file, &at));
	expect("MPI_Type_vector", 0, "");
	check(MPI_Type_vector(2, 2, 4, MPI_INT, &type));
	expect("MPI_Type_commit", 0, "");
	check(MPI_Type_commit(&type));
	expect("MPI_File_set_view", 0,
	       "'disp':%d,'etype_path':'MPI_INT','datarep':'native','view':'disp=%d, "
	       "etype=MPI_INT, "
	       "filetype=vector(count=2, blocklength=2, stride=4, MPI_INT) extent 24: (0,8) "
	       "(16,8)'",
	       8 * rank, 8 * rank);
	check(MPI_File_set_view(file, 8 * rank, MPI_INT, type, "native", MPI_INFO_NULL));
	expect("MPI_Type_free", 0, "");
	check(MPI_Type_free(&type));
	expect("MPI_File_get_byte_offset", 0, "'offset':2,'disp':%d", 8 * rank + 16);
	check(MPI_File_get_byte_offset(file, 2, &at));
	expect("MPI_File_write_all", 0, "'count':4,'bytes':16");
	check(MPI_File_write_all(file, data, 4, MPI_INT, MPI_STATUS_IGNORE));
	expect("MPI_File_get_type_extent", 0, "'extent':8");
	check(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
	expect("MPI_File_set_view", 0,
	       "'disp':0,'view':'disp=0, etype=MPI_BYTE, filetype=MPI_BYTE extent 1: (0,1)'");
	check(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	expect("MPI_File_iwrite_at", 0, "'offset':%d,'request':%d,'bytes':32", 512 * rank,
	       ++number);
	check(MPI_File_iwrite_at(file, 512 * rank, data, 8, MPI_INT, &request));
	expect("MPI_Wait", 0, "'request':%d", number);
	expect("completion", 0, "'request':%d,'peer':'MPI_PROC_NULL','state':'done','=':32",
	       number);
	check(MPI_Wait(&request, MPI_STATUS_IGNORE));
	expect("MPI_File_iread_at", 0, "'request':%d,'bytes':20", ++number);
	check(MPI_File_iread_at(file, 4070, data, 20, MPI_CHAR, &request));
	expect("MPI_Wait", 0, "'request':%d", number);
	expect("completion", 0, "'request':%d,'=':20", number);
	check(MPI_Wait(&request, &status));
	expect("MPI_File_write_at_all_begin", 0, "'offset':%d,'count':5,'bytes':20",
	       1024 + 32 * rank);
	check(MPI_File_write_at_all_begin(file, 1024 + 32 * rank, data, 5, MPI_INT));
	expect("MPI_File_write_at_all_end", 0, "'bytes':20");
	check(MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE));
	expect("MPI_File_set_atomicity", 0, "'flag':1");
	check(MPI_File_set_atomicity(file, 1));
	expect("MPI_File_get_atomicity", 0, "'flag':1");
	check(MPI_File_get_atomicity(file, &atomic));
	expect("MPI_File_sync", 0, "'fh_path':'%s'", whole);
	check(MPI_File_sync(file));
	expect("MPI_File_close", 0, "'fh_path':'%s'", whole);
	check(MPI_File_close(&file));
	expect("MPI_Barrier", 0, "");
	check(MPI_Barrier(MPI_COMM_WORLD));
	if (rank == 0) {
		expect("MPI_File_delete", 0, "'filename':'data'");
		check(MPI_File_delete("data", MPI_INFO_NULL));
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	expect_begin();
	if (!getcwd(folder, sizeof folder))
		return 1;
	datatypes();
	datatypes_again();
	communicators();
	infos();
	files();
	expect_end();
	return 0;
}
