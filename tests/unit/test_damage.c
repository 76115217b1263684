/* Tests: a damaged trace, quick variant: of the tables' bits one in 997, of all others one in 11. See damage.h. */
#define DAMAGE_OTHERS 11
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DAMAGE_STEP 9973
#else
#define DAMAGE_STEP 997
#endif
#include "unit/damage.h"
