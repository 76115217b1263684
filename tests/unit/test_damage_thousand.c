/* Tests: packed traces of several sizes with flipped bits and cuts, a thousand of each. See damage_sizes.h.
 * label: long
 * timeout: 3600 */
#define DAMAGE_TIMES 1000
#include "unit/damage_sizes.h"
