/* Calls: libraries that are loaded while the program runs. The program prints whether one was found; the record does not have it.
 * See tests/calls/call.h. */
#include "../../calls/call.h"

static void *loaded(const char *outcome, const char *format, const char *file)
{
	void *handle = (void *)call.result;
	say("  %s", handle ? "there" : "not there");
	line_as(outcome, format, file);
	return handle;
}

static void closing(const struct variant *variant, void *handle)
{
	int (*unload)(void *) = use("dlclose", variant);
	TRY(unload(handle));
	line("%s", "");
}

static void loading(const struct variant *variant)
{
	void *(*load)(const char *, int) = use("dlopen", variant);
	TRY(load("no/such/library.so", RTLD_NOW | RTLD_GLOBAL));
	loaded(" = unknown", "file=\"%s\", mode=RTLD_NOW|RTLD_GLOBAL", "no/such/library.so");
	TRY(load("libm.so.6", RTLD_LAZY));
	void *handle = loaded(" = unknown", "file=\"%s\", mode=RTLD_LAZY", "libm.so.6");
	closing(&(struct variant)LINKED(dlclose), handle);
}

static void loading_apart(const struct variant *variant)
{
	void *(*load)(Lmid_t, const char *, int) = use("dlmopen", variant);
	TRY(load(LM_ID_NEWLM, "libm.so.6", RTLD_NOW));
	void *handle =
		loaded(" = unknown", "namespace=-1, file=\"%s\", mode=RTLD_NOW", "libm.so.6");
	closing(&(struct variant)LINKED(dlclose), handle);
	use("dlmopen", variant);
	TRY(load(LM_ID_BASE, "no/such/library.so", RTLD_NOW));
	loaded(" = unknown", "namespace=0, file=\"%s\", mode=RTLD_NOW", "no/such/library.so");
}

int main(void)
{
	RUN(loading, LINKED(dlopen));
	RUN(loading_apart, LINKED(dlmopen));
	return 0;
}
