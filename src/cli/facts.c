/* Command line: exit statuses, variables and files, as printed in help and man pages. Texts only. See facts.h. */
#include "cli/facts.h"

const struct exit_meaning exit_meanings[] = {
	{"0", "success"},
	{"1", "no: doctor or pack found a problem, or the request was refused"},
	{"2", "usage error"},
	{"3", "the trace is damaged, or not a trace; the readable part is printed"},
	{"4", "error of the operating system: no such file, disk full ..."},
	{"141", "the reader of the output closed it early"},
	{NULL, NULL},
};

const struct exit_meaning exit_meanings_of_record[] = {
	{"128+n", "signal n killed the program"},
	{"125", "Varve failed"},
	{"126", "the program cannot be executed"},
	{"127", "the program was not found"},
	{NULL, NULL},
};

const struct fact variables[] = {
#define SETTING(id, name, letter, variable, value, takes, otherwise, help)                         \
	{variable, "same as `varve record --" name "`", FOR_RECORD},
#include "sink/run/settings.def"
#undef SETTING
	{"VARVE_SETTINGS", "settings file, same as --settings", FOR_RECORD},
	{"VARVE_DISABLE", "if `1`, the preload library records nothing", FOR_RECORD},
	{"XDG_CONFIG_HOME", "folder of varve/settings (default ~/.config)", FOR_RECORD},
	{"NO_COLOR", "if not empty, no colour (--color always overrides it)", FOR_READERS},
	{"TERM", "if `dumb` or not set, no colour and no pager", FOR_READERS},
	{"VARVE_PAGER",
	 "command that shows text on a terminal (default: PAGER, else `less -FRX`); if `cat` or "
	 "empty, no pager",
	 FOR_READERS},
	{"PAGER", "used if VARVE_PAGER is not set", FOR_READERS},
	{"LESS", "options of less (default `FRX`)", FOR_READERS},
	{NULL, NULL, FOR_ALL},
};

const size_t variables_count = sizeof variables / sizeof *variables - 1;

const struct fact files[] = {
	{"~/.config/varve/settings",
	 "settings of every `varve record`, one `name = value` per line", FOR_RECORD},
	{"PROGRAM.PID.varve",
	 "a trace: a packed file, or a folder with files data.0 and index, or packed.0 ...",
	 FOR_ALL},
	{"/tmp/varve-UID.unrecorded",
	 "one line for each program that had the library preloaded without `varve record` and "
	 "could not create its trace; in TMPDIR if that is set",
	 FOR_RECORD},
	{"/dev/shm/varve-*", "buffers of programs that are being recorded", FOR_ALL},
	{NULL, NULL, FOR_ALL},
};
