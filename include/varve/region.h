/* Varve: names for the parts of a program: regions, phases and numbers in its trace, in C and C++.
 *
 *	#include <varve/region.h>
 *	varve_region_begin_number("step", step);
 *	compute();
 *	varve_region_end("step");
 *
 * Only this header is needed: nothing is linked, and in a program that is not recorded each call is a load and a branch
 * (the first one looks whether Varve is there). With a C library before glibc 2.34 link with -ldl.
 *
 * Regions belong to their thread, and nest. What the thread calls between begin and end is recorded inside them. A name is
 * any text of up to 256 bytes. All return 1 when it was done and 0 when not: the program is not recorded, or recording is
 * paused. docs/howto/mark-regions.md tells the rest.
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

/* They are no functions of the program, even when all of those are recorded. */
#define VARVE_REGION_INLINE static inline __attribute__((no_instrument_function))

typedef int (*varve_region_function_)(int what, const char *name, size_t length, int64_t number);

VARVE_REGION_INLINE int varve_region_first_(int what, const char *name, size_t length,
					    int64_t number);

/* The recorder's function; before it was looked for, one that looks; NULL: there is none. */
static varve_region_function_ varve_region_ = varve_region_first_;

VARVE_REGION_INLINE int varve_region_first_(int what, const char *name, size_t length,
					    int64_t number)
{
	varve_region_function_ known;
	void *found = dlsym(VARVE_NULL, "varve_region");
	if (!found)
		dlerror(); /* nobody asked for it */
	__builtin_memcpy(&known, &found, sizeof found);
	__atomic_store_n(&varve_region_, known, __ATOMIC_RELAXED);
	return known ? known(what, name, length, number) : 0;
}

VARVE_REGION_INLINE int varve_region_say_(int what, const char *name, size_t length, int64_t number)
{
	varve_region_function_ known = __atomic_load_n(&varve_region_, __ATOMIC_RELAXED);
	return known ? known(what, name, length, number) : 0;
}

/* A region begins. `number` is for telling apart regions of one name: a step, an iteration. */
VARVE_REGION_INLINE int varve_region_begin_number(const char *name, int64_t number)
{
	return varve_region_say_(1, name, (size_t)-1, number);
}

VARVE_REGION_INLINE int varve_region_begin(const char *name)
{
	return varve_region_say_(1, name, (size_t)-1, 0);
}

/* The same for a name that is not ended by a zero byte, or has one inside. */
VARVE_REGION_INLINE int varve_region_begin_bytes(const char *name, size_t length, int64_t number)
{
	return varve_region_say_(1, name, length, number);
}

/* The innermost region of that name ends; NULL: the innermost. What was begun inside it and not ended, ends too. */
VARVE_REGION_INLINE int varve_region_end(const char *name)
{
	return varve_region_say_(2, name, (size_t)-1, 0);
}

VARVE_REGION_INLINE int varve_region_end_bytes(const char *name, size_t length)
{
	return varve_region_say_(2, name, length, 0);
}

/* The present phase ends and this one begins; NULL: only ends it. The last one ends with the region that it is in. */
VARVE_REGION_INLINE int varve_region_phase(const char *name, int64_t number)
{
	return varve_region_say_(3, name, (size_t)-1, number);
}

/* A number of the program, at this moment: a residual, a count of particles, a level. */
VARVE_REGION_INLINE int varve_region_value(const char *name, int64_t number)
{
	return varve_region_say_(4, name, (size_t)-1, number);
}

#ifdef __cplusplus
}

namespace varve
{
/* A region from here to the end of the scope, also when that is left by an exception. The name is not copied. */
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
