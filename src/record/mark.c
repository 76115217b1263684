/* Record: the library's version mark, by which `varve doctor` checks that it has the same version as the command. */
extern const char library_mark[];

/* No code refers to it; the attributes make the linker keep it. */
__attribute__((used, retain)) const char library_mark[] = "varve-record library " VARVE_VERSION;
