/* Fuzzing: trace_open() with few functions in the tables that replace missing tables of a trace.
 *
 * Reading all functions would take longer than all other work of a target, and does not depend on the input. The rest is
 * src/trace/trace.c, unchanged. */
#define tables_blob few_tables
#define tables_blob_size few_tables_size
#include "trace/trace.c"

/* Layout: gen/tables.py. */
#define TABLES                                                                                     \
	"\1"                                                                                       \
	"\2\5varve\5posix"                                                                         \
	"\4\2fd\7\0\5bytes\13\0\6offset\14\0\4path\10\0"                                           \
	"\2"                                                                                       \
	"\5\1\4open\4open\0\1\0\0\1\4path\3\1\0\0"                                                 \
	"\243\2\1\6pwrite\5write\1\3\1\0\3\2fd\0\1\0\5count\1\2\0\6offset\2\3\0\1\6pwrite"

const uint8_t few_tables[] = TABLES;
const size_t few_tables_size = sizeof TABLES;
