/* Varve: switches recording off and on from inside a program, in C and C++.
 *
 *	#include <varve/control.h>
 *	varve_pause();
 *	read_what_does_not_matter();
 *	varve_resume();
 *
 * Only this header is needed: no library is linked. In a program that is not recorded, each call costs a load and a
 * branch; the first call also checks whether Varve is loaded. With a C library before glibc 2.34, link with -ldl.
 *
 * All functions return 1 if it was done, and 0 if the program is not being recorded.
 */
#ifndef VARVE_CONTROL_H
#define VARVE_CONTROL_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
#define VARVE_NULL nullptr
extern "C" {
#else
#define VARVE_NULL NULL
#endif

typedef int (*varve_function_)(void);

/* Calls the recorder's function with this name; searches for it only once. */
static inline int varve_call_(const char *name, varve_function_ *known, int *looked)
{
	if (!__atomic_load_n(looked, __ATOMIC_ACQUIRE)) {
		void *found = dlsym(VARVE_NULL, name);
		__builtin_memcpy(known, &found, sizeof found);
		__atomic_store_n(looked, 1, __ATOMIC_RELEASE);
	}
	return *known ? (*known)() : 0;
}

/* After this, calls of all threads of this process are not recorded. Calls that have already begun are completed. */
static inline int varve_pause(void)
{
	static varve_function_ known;
	static int looked;
	return varve_call_("varve_pause", &known, &looked);
}

/* Continues recording in this process. Does not end a pause of the whole run that `varve control` has started. */
static inline int varve_resume(void)
{
	static varve_function_ known;
	static int looked;
	return varve_call_("varve_resume", &known, &looked);
}

/* Writes to the trace what the calling thread has recorded so far and what is only in memory. */
static inline int varve_flush(void)
{
	static varve_function_ known;
	static int looked;
	return varve_call_("varve_flush", &known, &looked);
}

#ifdef __cplusplus
}
#endif

#undef VARVE_NULL

#endif
