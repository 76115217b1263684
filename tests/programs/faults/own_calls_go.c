/* Run by faults/processes: own_calls.c with the build note of Go, which Varve finds in the file: to Varve a program that has Go's
 * runtime.
 */
#include "own_calls.c"

__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
	".long 4, 4, 4\n"
	".ascii \"Go\\0\\0abcd\"\n"
	".popsection");
