/* Tests: a damaged trace, every bit of it, except the long tables, of which every seventh. See damage.h.
 * label: nightly
 * timeout: 1800
 */
#define DAMAGE_OTHERS 1
/* Under a sanitizer each bit takes ten times as long, and only the checksum is tested. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DAMAGE_STEP 211
#else
#define DAMAGE_STEP 7
#endif
#include "unit/damage.h"
