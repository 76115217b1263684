/* Varve: switching recording off and on from inside a program, in C and C++.
 *
 *	#include <varve/control.h>
 *	varve_pause();
 *	read_what_does_not_matter();
 *	varve_resume();
 *
 * Only this header is needed: nothing is linked, and in a program that is not recorded each call is a load and a branch
 * (the first one looks whether Varve is there). With a C library before glibc 2.34 link with -ldl.
 *
 * All return 1 when it was done and 0 when the program is not being recorded.
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

/* The recorder's function of this name, looked for once. */
static inline int varve_call_(const char *name, varve_function_ *known, int *looked)
{
	if (!__atomic_load_n(looked, __ATOMIC_ACQUIRE)) {
		void *found = dlsym(VARVE_NULL, name);
		__builtin_memcpy(known, &found, sizeof found);
		__atomic_store_n(looked, 1, __ATOMIC_RELEASE);
	}
	return *known ? (*known)() : 0;
}

/* From here on calls of this process are not recorded, whichever thread makes them. Calls that have begun are completed. */
static inline int varve_pause(void)
{
	static varve_function_ known;
	static int looked;
	return varve_call_("varve_pause", &known, &looked);
}

/* Recording goes on. A pause of the whole run, made by `varve control`, is not ended by this. */
static inline int varve_resume(void)
{
	static varve_function_ known;
	static int looked;
	return varve_call_("varve_resume", &known, &looked);
}

/* What the calling thread has recorded so far is in the trace when this returns, and not only in memory. */
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
