/* Tests: a damaged trace, quickly: of the tables' bits one in 97. See damage.h. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DAMAGE_STEP 997
#else
#define DAMAGE_STEP 97
#endif
#include "unit/damage.h"
