/* Included by the programs of this folder, which make and gcc build in real/development. The makefile names it as a dependency
 * of each.
 */
#include <stdio.h>
