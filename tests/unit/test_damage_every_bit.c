/* Tests: a damaged trace, every bit of it. See damage.h.
 * label: long
 * timeout: 600 */
#define DAMAGE_STEP 1
#include "unit/damage.h"
