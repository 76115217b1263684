/* Command line: what of an object's I/O Varve cannot see. See unseen.h. */
#include "cli/unseen.h"

#include "codec/tables.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define NUMBER(name)                                                                               \
	{                                                                                          \
		SYS_##name, #name                                                                  \
	}

/* System calls that work on files and descriptors. */
static const struct {
	int number;
	const char *name;
} kernel_calls[] = {
	NUMBER(read),
	NUMBER(write),
	NUMBER(open),
	NUMBER(close),
	NUMBER(stat),
	NUMBER(fstat),
	NUMBER(lstat),
	NUMBER(lseek),
	NUMBER(mmap),
	NUMBER(ioctl),
	NUMBER(pread64),
	NUMBER(pwrite64),
	NUMBER(readv),
	NUMBER(writev),
	NUMBER(access),
	NUMBER(pipe),
	NUMBER(dup),
	NUMBER(dup2),
	NUMBER(sendfile),
	NUMBER(socket),
	NUMBER(connect),
	NUMBER(accept),
	NUMBER(sendto),
	NUMBER(recvfrom),
	NUMBER(sendmsg),
	NUMBER(recvmsg),
	NUMBER(fcntl),
	NUMBER(flock),
	NUMBER(fsync),
	NUMBER(fdatasync),
	NUMBER(truncate),
	NUMBER(ftruncate),
	NUMBER(getdents),
	NUMBER(getdents64),
	NUMBER(chdir),
	NUMBER(rename),
	NUMBER(mkdir),
	NUMBER(rmdir),
	NUMBER(creat),
	NUMBER(link),
	NUMBER(unlink),
	NUMBER(symlink),
	NUMBER(readlink),
	NUMBER(chmod),
	NUMBER(fchmod),
	NUMBER(statfs),
	NUMBER(fstatfs),
	NUMBER(sync),
	NUMBER(mount),
	NUMBER(io_setup),
	NUMBER(io_submit),
	NUMBER(io_getevents),
	NUMBER(openat),
	NUMBER(mkdirat),
	NUMBER(newfstatat),
	NUMBER(unlinkat),
	NUMBER(renameat),
	NUMBER(splice),
	NUMBER(tee),
	NUMBER(sync_file_range),
	NUMBER(vmsplice),
	NUMBER(fallocate),
	NUMBER(dup3),
	NUMBER(pipe2),
	NUMBER(preadv),
	NUMBER(pwritev),
	NUMBER(memfd_create),
	NUMBER(copy_file_range),
	NUMBER(preadv2),
	NUMBER(pwritev2),
	NUMBER(statx),
	NUMBER(io_uring_setup),
	NUMBER(io_uring_enter),
	NUMBER(io_uring_register),
	NUMBER(openat2),
	NUMBER(close_range),
};
enum { KERNEL_CALLS = sizeof kernel_calls / sizeof *kernel_calls };

/* Functions of libraries for I/O that have no rows; the calls that they come to are recorded. */
static const struct {
	const char *prefix;
	const char *why;
} families[] = {
	{"io_uring_", "io_uring: what is submitted to a ring is not seen"},
	{"MPI_File_", "not recorded, though MPI-IO is; the calls under it are"},
	{"H5D", "not recorded, though HDF5 is; the calls under it are"},
	{"H5F", "not recorded, though HDF5 is; the calls under it are"},
	{"nc_", "not recorded, though NetCDF is; the calls under it are"},
	{"ncmpi_", "not recorded, though PnetCDF is; the calls under it are"},
};

static bool has_symbol(const struct varve_function *function, const char *name)
{
	const char *at = function->symbols;
	for (uint32_t k = 0; k < function->symbol_count; k++) {
		if (!strcmp(at, name))
			return true;
		at += strlen(at) + 1;
	}
	return false;
}

/* Whether a recorder with these functions sees calls of a symbol. */
static bool tables_cover(const struct tables *tables, const char *name)
{
	for (uint32_t i = 0; i < tables->function_count; i++)
		if (has_symbol(&tables->functions[i], name))
			return true;
	return false;
}

static bool trace_covers(const struct varve_trace *trace, const char *name)
{
	for (size_t i = 0; i < varve_function_count(trace); i++)
		if (has_symbol(varve_function_at(trace, i), name))
			return true;
	return false;
}

/* Why an imported symbol is not seen; NULL: it is, or it has nothing to do with files. `known` are the rows that this Varve
 * has. */
static const char *reason(const char *name, const struct varve_trace *trace,
			  const struct tables *known)
{
	for (const struct excluded_symbol *at = excluded_symbols; at->name; at++)
		if (!strcmp(at->name, name))
			return at->reason;
	if (trace ? trace_covers(trace, name) : tables_cover(known, name))
		return NULL;
	if (tables_cover(known, name))
		return "the Varve that recorded this did not know it";
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (!strncmp(name, families[i].prefix, strlen(families[i].prefix)))
			return families[i].why;
	return NULL;
}

/* The C library and the loader: what they do is seen where it is called, or is nobody's business. */
static bool is_system(const char *path)
{
	static const char *const names[] = {"libc.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0",
					    "libvarve-record.so"};
	const char *slash = strrchr(path, '/');
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(slash ? slash + 1 : path, names[i]))
			return true;
	return false;
}

static bool symbol_add(struct unseen *unseen, const char *name, const char *why)
{
	struct unseen_symbol *more =
		reallocarray(unseen->symbols, unseen->symbol_count + 1, sizeof *unseen->symbols);
	if (!more)
		return false;
	unseen->symbols = more;
	struct unseen_symbol *symbol = &more[unseen->symbol_count++];
	*symbol = (struct unseen_symbol){.why = why};
	memcpy(symbol->name, name, strnlen(name, sizeof symbol->name - 1));
	return true;
}

static bool imports_find(struct elf *elf, const struct varve_trace *trace, struct unseen *unseen)
{
	struct tables known;
	struct elf_symbol symbol;
	bool fine = true;
	if (tables_parse(tables_blob, tables_blob_size, &known, NULL) != STATUS_OK)
		return false;
	for (size_t at = 0; fine && elf_symbol_next(elf, &at, &symbol);) {
		if (!symbol.imported)
			continue;
		const char *why = reason(symbol.name, trace, &known);
		if (why)
			fine = symbol_add(unseen, symbol.name, why);
	}
	tables_clear(&known);
	return fine;
}

static bool kernel_find(struct elf *elf, struct unseen *unseen)
{
	struct elf_kernel_entries *found = malloc(sizeof *found);
	unseen->kernel = calloc(KERNEL_CALLS, sizeof *unseen->kernel);
	if (found && unseen->kernel) {
		elf_kernel_entries(elf, found);
		unseen->kernel_any = found->any;
		for (size_t i = 0; i < KERNEL_CALLS; i++)
			if (found->numbers[kernel_calls[i].number])
				unseen->kernel[unseen->kernel_count++] = kernel_calls[i].name;
	}
	bool fine = found && unseen->kernel;
	free(found);
	return fine;
}

enum elf_status unseen_find(const char *path, const struct varve_trace *trace,
			    struct unseen *unseen)
{
	struct elf elf;
	*unseen = (struct unseen){0};
	if (is_system(path))
		return ELF_OK;
	enum elf_status status = elf_open(path, &elf);
	if (status != ELF_OK)
		return status;
	bool fine = imports_find(&elf, trace, unseen) && kernel_find(&elf, unseen);
	elf_close(&elf);
	if (!fine)
		unseen_clear(unseen);
	return fine ? ELF_OK : ELF_UNREADABLE;
}

void unseen_clear(struct unseen *unseen)
{
	free(unseen->symbols);
	free(unseen->kernel);
	*unseen = (struct unseen){0};
}
