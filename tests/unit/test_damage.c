/* Tests: a damaged trace, quickly: of the tables' bits one in 97. See damage.h. */
#define DAMAGE_STEP 97
#include "unit/damage.h"
