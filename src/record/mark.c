/* Record: the library's own mark, by which `varve doctor` tells whether it is of the same version as the command. */
extern const char library_mark[];

__attribute__((used)) const char library_mark[] = "varve-record library " VARVE_VERSION;
