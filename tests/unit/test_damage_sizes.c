/* Tests: packed traces of several sizes with flipped bits and cuts, a few of each. See damage_sizes.h. */
#define DAMAGE_TIMES 12
#include "unit/damage_sizes.h"
