/* Varve: names the parts of a program in its trace: regions, phases and values, in C and C++.
 *
 *	#include <varve/region.h>
 *	varve_region_begin_number("step", step);
 *	compute();
 *	varve_region_end("step");
 *
 * Only this header is needed: no library is linked. In a program that is not recorded, each call costs a load and a
 * branch; the first call also checks whether Varve is loaded. With a C library before glibc 2.34, link with -ldl.
 *
 * A region belongs to the thread that begins it; regions can be nested. Calls of the thread between begin and end are
 * recorded inside the region. A name is any text of up to 256 bytes. All functions return 1 on success, and 0 if the
 * program is not recorded or recording is paused. See docs/howto/mark-regions.md.
 */
#ifndef VARVE_REGION_H
#define VARVE_REGION_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define VARVE_NULL nullptr
extern "C" {
#else
#define VARVE_NULL NULL
#endif

/* With -finstrument-functions, these functions are not recorded as functions of the program. */
#define VARVE_REGION_INLINE static inline __attribute__((no_instrument_function))

typedef int (*varve_region_function_)(int what, const char *name, size_t length, int64_t number);

VARVE_REGION_INLINE int varve_region_first_(int what, const char *name, size_t length,
					    int64_t number);

/* The function of the recorder; before the first call a function that searches for it; NULL: Varve is not loaded. */
static varve_region_function_ varve_region_ = varve_region_first_;

VARVE_REGION_INLINE int varve_region_first_(int what, const char *name, size_t length,
					    int64_t number)
{
	varve_region_function_ known;
	void *found = dlsym(VARVE_NULL, "varve_region");
	if (!found)
		dlerror(); /* removes the error, so that the program's own dlerror() does not return it */
	__builtin_memcpy(&known, &found, sizeof found);
	__atomic_store_n(&varve_region_, known, __ATOMIC_RELAXED);
	return known ? known(what, name, length, number) : 0;
}

VARVE_REGION_INLINE int varve_region_say_(int what, const char *name, size_t length, int64_t number)
{
	varve_region_function_ known = __atomic_load_n(&varve_region_, __ATOMIC_RELAXED);
	return known ? known(what, name, length, number) : 0;
}

/* Begins a region. `number` distinguishes regions with the same name, for example a step or an iteration. */
VARVE_REGION_INLINE int varve_region_begin_number(const char *name, int64_t number)
{
	return varve_region_say_(1, name, (size_t)-1, number);
}

VARVE_REGION_INLINE int varve_region_begin(const char *name)
{
	return varve_region_say_(1, name, (size_t)-1, 0);
}

/* The same for a name with a length, which may contain zero bytes and need not end with one. */
VARVE_REGION_INLINE int varve_region_begin_bytes(const char *name, size_t length, int64_t number)
{
	return varve_region_say_(1, name, length, number);
}

/* Ends the innermost region with this name; NULL: the innermost region. Regions inside it that were not ended end too. */
VARVE_REGION_INLINE int varve_region_end(const char *name)
{
	return varve_region_say_(2, name, (size_t)-1, 0);
}

VARVE_REGION_INLINE int varve_region_end_bytes(const char *name, size_t length)
{
	return varve_region_say_(2, name, length, 0);
}

/* Ends the current phase and begins this one; NULL: only ends the current one. The last phase ends with the region around
 * it. */
VARVE_REGION_INLINE int varve_region_phase(const char *name, int64_t number)
{
	return varve_region_say_(3, name, (size_t)-1, number);
}

/* Records a number of the program at this moment: a residual, a count of particles, a level. */
VARVE_REGION_INLINE int varve_region_value(const char *name, int64_t number)
{
	return varve_region_say_(4, name, (size_t)-1, number);
}

#ifdef __cplusplus
}

namespace varve
{
/* A region from here to the end of the scope, which also ends when an exception leaves the scope. The name is not copied. */
class region
{
      public:
	__attribute__((no_instrument_function)) explicit region(const char *name,
								int64_t number = 0)
	    : name_(name)
	{
		varve_region_begin_number(name, number);
	}
	__attribute__((no_instrument_function)) ~region()
	{
		varve_region_end(name_);
	}
	region(const region &) = delete;
	region &operator=(const region &) = delete;

      private:
	const char *name_;
};
} // namespace varve
#endif

#undef VARVE_NULL
#undef VARVE_REGION_INLINE

#endif
