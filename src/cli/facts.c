/* Command line: exit statuses, variables and files, as help and man pages tell them. See facts.h. Only tells: who returns a
 * status or reads a variable does so elsewhere. */
#include "cli/facts.h"

const struct exit_meaning exit_meanings[] = {
	{"0", "yes: it was done, or it is so"},
	{"1", "no, different, or refused after a correct look"},
	{"2", "wrong usage"},
	{"3", "bad or damaged trace; what is readable is still printed"},
	{"4", "the system failed"},
	{"141", "whoever read the output went away before its end"},
	{NULL, NULL},
};

const struct exit_meaning exit_meanings_of_record[] = {
	{"128+n", "signal n ended the program"},
	{"125", "Varve itself failed"},
	{"126", "the program cannot be run"},
	{"127", "the program is not found"},
	{NULL, NULL},
};

const struct fact variables[] = {
#define SETTING(id, name, letter, variable, value, takes, otherwise, help)                         \
	{variable, "as --" name, FOR_RECORD},
#include "sink/run/settings.def"
#undef SETTING
	{"VARVE_SETTINGS", "the settings file, as --settings", FOR_RECORD},
	{"VARVE_DISABLE", "`1`: the preload library records nothing", FOR_RECORD},
	{"XDG_CONFIG_HOME", "the folder of varve/settings, instead of ~/.config", FOR_RECORD},
	{"NO_COLOR", "not empty: no colour unless --color asks for it", FOR_READERS},
	{"TERM", "`dumb` or not set: neither colour nor pager", FOR_READERS},
	{"VARVE_PAGER",
	 "the command that text is shown with at a terminal; else that of PAGER, else `less "
	 "-FRX`; `cat` or nothing: none",
	 FOR_READERS},
	{"PAGER", "see VARVE_PAGER", FOR_READERS},
	{"LESS", "options of less; `FRX` when it is not set", FOR_READERS},
	{NULL, NULL, FOR_ALL},
};

const size_t variables_count = sizeof variables / sizeof *variables - 1;

const struct fact files[] = {
	{"~/.config/varve/settings", "settings of every `varve record`, one `name = value` a line",
	 FOR_RECORD},
	{"PROGRAM.PID.varve",
	 "a trace: a packed file, or a folder with the files data.0 and index, or packed.0 and on",
	 FOR_ALL},
	{"/tmp/varve-UID.unrecorded",
	 "programs with the library preloaded alone whose trace could not be made, a line each; in "
	 "TMPDIR if that is set",
	 FOR_RECORD},
	{"/dev/shm/varve-*", "buffers of programs while they are recorded", FOR_ALL},
	{NULL, NULL, FOR_ALL},
};
