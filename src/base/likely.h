/* Base: hints for the compiler about the likely direction of a branch. */
#ifndef BASE_LIKELY_H
#define BASE_LIKELY_H

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
