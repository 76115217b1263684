/* Record: the library's own mark, by which `varve doctor` checks that it has the version of the command. */
extern const char library_mark[];

/* Nothing refers to it: the linker must keep it. */
__attribute__((used, retain)) const char library_mark[] = "varve-record library " VARVE_VERSION;
