/* Record: the library's own mark, by which `varve doctor` tells whether it is of the same version as the command. */
extern const char library_mark[];

/* Nobody refers to it: the linker must be told. */
__attribute__((used, retain)) const char library_mark[] = "varve-record library " VARVE_VERSION;
