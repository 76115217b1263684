/* Command line: the table of verbs. Help, options, man pages and completions are generated from it. Only working verbs are
 * in it; the list below the table has verbs that beginners try. */
#include "cli/verbs.h"

/* clang-format off */
#define ANY {TAKES_TEXT, NULL}
#define WORD(words) {TAKES_WORD, words}
#define LAYERS(more) {TAKES_LAYERS, more}
#define FUNCTIONS {TAKES_FUNCTIONS, NULL}
#define CALLS {TAKES_CALLS, NULL}
#define A_FILE {TAKES_FILE, NULL}
#define FOLDER {TAKES_FOLDER, NULL}
#define TRACE {TAKES_TRACE, NULL}
#define PID {TAKES_PID, NULL}
#define PROGRAM {TAKES_PROGRAM, NULL}

#define OPTION_FORMAT(what) {"format", 'f', "FORMAT", what, WORD("text json csv")}
#define OPTION_FORMAT_OBJECT {"format", 'f', "FORMAT", "text (default) or json", WORD("text json")}

/* A stream is a thread of one process. */
#define ONE_THREAD                                                                                 \
	{                                                                                          \
		"stream", RULE_EXCLUDES, "process", "--stream selects the process, too"               \
	}

#define OPTION_WHERE {"where", 'w', "FILTER", "only records that match FILTER, as in\n" \
		      "'size < 4KiB and path like \"/scratch/*\"'; see varve-filter(7)", ANY}

#define OPTION_RANK {"rank", 'r', "LIST", "only these ranks, as in 0,4-7 or 0:64:16 (every 16th up to 64)", ANY}

/* Options that select records; read by selection.c and where.c. */
#define OPTIONS_SELECTION \
	{"stream", 's', "P.T", "only thread T of process P; P as in `varve info`, T from 1", ANY}, \
	{"process", 'p', "P", "only process P (its number in `varve info`, not its pid)", ANY}, \
	{"function", 0, "NAME,...", "only these functions; patterns are allowed, as in '*stat*'", FUNCTIONS}, \
	{"layer", 'l', "NAME,...", "only these layers: region, hdf5, netcdf, pnetcdf, mpiio, mpi,\n" \
	 "posix, stdio, socket, async, process, sync, varve", LAYERS("varve")}, \
	OPTION_RANK, \
	{"from", 0, "TIME", "only calls that started at TIME or later, counted from the start of\n" \
	 "the run: 1.5s, 20ms, 1min; a plain number is seconds. For calls that\n" \
	 "started earlier and still ran, use --where 'end > 1.5s'", ANY}, \
	{"to", 0, "TIME", "only calls that started before TIME", ANY}, \
	OPTION_WHERE

/* The kinds of values of settings: one line for each row of sink/run/settings.def. */
#define KIND_TRACE FOLDER
#define KIND_LAYER LAYERS(NULL)
#define KIND_ONLY FUNCTIONS
#define KIND_ALSO CALLS
#define KIND_SKIP CALLS
#define KIND_INCLUDE ANY
#define KIND_EXCLUDE ANY
#define KIND_RANKS ANY
#define KIND_START_AFTER ANY
#define KIND_STOP_AFTER ANY
#define KIND_LIMIT ANY
#define KIND_BUFFER ANY
#define KIND_RESOLUTION ANY
#define KIND_LANES FOLDER
#define KIND_CLOCK WORD("tsc monotonic")
#define KIND_CODEC WORD("columns binary peephole")
#define KIND_WINDOW ANY
#define KIND_NO_PACK ANY
#define KIND_TIME WORD("exact histogram none")
#define KIND_POINTERS ANY
#define KIND_NO_FOLLOW ANY
#define KIND_NO_KEEPER ANY
#define KIND_NO_CLOCKS ANY
/* clang-format on */

const struct verb verbs[] = {
	{
		.name = "record",
		.line = "run a program and record its I/O calls",
		.usage = "record [OPTION...] [--] PROGRAM [ARGUMENT...]",
		.more = "When this command returns, the trace is complete and packed into one "
			"file,\n"
			"however the program ended. If child processes are still running, Varve\n"
			"completes and packs the trace in the background when they have ended.\n"
			"\n"
			"The exit status is that of the program; 128+n if signal n killed it; 125 "
			"if\n"
			"Varve failed, 126 if the program cannot be executed, 127 if it was not "
			"found.\n"
			"If standard error is a terminal, the last line names the trace. If "
			"something\n"
			"is missing, messages on standard error say what.\n"
			"\n"
			"The trace contains paths, command lines and the environment (passwords "
			"are\n"
			"replaced); `varve slice --anonymize` removes them.\n"
			"\n"
			"Each option has a variable (VARVE_LIMIT for --limit, VARVE_TRACE for\n"
			"--output) and can be set in a settings file, as `limit = 2G`. The file "
			"is\n"
			"that of --settings or VARVE_SETTINGS, else ~/.config/varve/settings. An\n"
			"option overrides its variable, and a variable overrides the file.\n"
			"\n"
			"All programs of one launcher make one trace: `varve record -- mpirun "
			"./app`\n"
			"and `mpirun varve record -- ./app` do the same. See "
			"docs/howto/launchers.md.\n"
			"\n"
			"--codec, --window and --clock are for experiments.\n",
		.examples =
			"  varve record -- ./app input.nc                     # writes "
			"app.PID.varve\n"
			"  varve record -o run7.varve --buffer 4M -- mpirun -n 4 ./app\n"
			"  mpirun -n 4 varve record -o run8.varve -- ./app    # the same for each "
			"rank\n"
			"  varve record --ranks 0:3,64 -- mpirun -n 128 ./app\n"
			"  varve record -o '%e-%h-%p.varve' --limit 2G -- make -j4\n"
			"  varve record --include '/scratch/*' --exclude '*.log' -- ./app\n"
			"  varve record --layer posix,stdio --skip 'f*' --also sync -- ./app\n"
			"  varve record --only 'open*,*stat*' --settings none -- make\n"
			"  varve record --start-after 10s --stop-after 1min -- ./app\n"
			"  varve record --quiet --time histogram -- ./app     # for a very long "
			"run\n"
			"  varve record --also function -- ./app   # built with "
			"-finstrument-functions; varve-regions(7)\n"
			"  varve record --pointers --no-follow --no-pack -- ./app\n"
			"  varve record --resolution 1us --clock monotonic --lanes /tmp -- ./app\n"
			"  varve record --codec peephole --window 7 -- ./app\n"
			"  varve record --no-clocks -- mpirun -n 4 -H a,b -x LD_PRELOAD -x "
			"VARVE_RUN ./app\n"
			"  varve record --no-keeper -- mpirun -n 4 -H a,b -x LD_PRELOAD -x "
			"VARVE_RUN ./app\n",
		.program_follows = true,
		.failure = EXIT_OWN,
		.least = 1,
		.most = -1,
		.operands = {PROGRAM, PROGRAM},
		.run = cmd_record,
		.options =
			{
#define SETTING(id, name, letter, variable, value, takes, otherwise, help)                         \
	{name, letter, sizeof(value) > 1 ? (value) : NULL, help, KIND_##id},
#include "sink/run/settings.def"
#undef SETTING
				{"settings", 0, "FILE",
				 "read settings from FILE; `none`: read no settings file", A_FILE},
				{"quiet", 0, NULL, "do not print the name of the trace at the end",
				 ANY},
			},
		.rules =
			{
				{"time", RULE_EXCLUDES, "no-pack",
				 "times are reduced when the trace is packed"},
				{"resolution", RULE_EXCLUDES, "time=none", "no times are stored"},
				{"window", RULE_NEEDS, "codec=peephole",
				 "only codec peephole has a window"},
			},
	},
	{
		.name = "info",
		.line = "show a summary of a trace: what is missing, program, processes, counts",
		.usage = "info [OPTION...] TRACE",
		.more = "The first lines show whether the trace is complete, and what is missing "
			"or\n"
			"damaged; for a slice, they show of what it is a part. docs/traces.md "
			"lists all\n"
			"labels. JSON output is one object; CSV output has one row per function.\n"
			"\n"
			"`bytes` is the sum of the bytes that the calls read or wrote (a "
			"character\n"
			"counts as 1). Calls that do not report a number (wide characters, "
			"fscanf,\n"
			"inlined getc_unlocked) count as 0. `time` is the sum over all threads, "
			"with\n"
			"the calls inside; the table is sorted by it. An end `?` of a process is "
			"not\n"
			"known: no record shows it. In an MPI job, --where 'not runtime' leaves "
			"out the\n"
			"calls of the launcher and of the MPI library itself.\n",
		.examples =
			"  varve info app.1234.varve\n"
			"  varve info --format json app.1234.varve\n"
			"  varve info --processes app.1234.varve\n"
			"  varve info --files app.1234.varve\n"
			"  varve info --quick --format csv app.1234.varve\n"
			"  varve info --codec-stats --window 7 app.1234.varve\n"
			"  varve info --rank 0:64:16 app.1234.varve\n"
			"  varve info --where 'function == pread and size < 4KiB' app.1234.varve\n",
		.paged = true,
		.failure = EXIT_USAGE,
		.least = 1,
		.most = 1,
		.operands = {TRACE},
		.run = cmd_info,
		.options =
			{
				OPTION_FORMAT("text (default), json or csv"),
				{"quick", 'q', NULL,
				 "faster: do not search for damage inside blocks, count paths, or\n"
				 "find out how processes ended",
				 ANY},
				{"processes", 'p', NULL,
				 "show all processes (default in text: the first 50)", ANY},
				{"files", 0, NULL,
				 "list the files, most bytes first, one line for each layer: do "
				 "not\n"
				 "add the bytes of different layers. A file keeps the name with\n"
				 "which it was opened. In CSV: files instead of functions",
				 ANY},
				OPTION_RANK,
				OPTION_WHERE,
				{"codec-stats", 0, NULL,
				 "only print the size of each codec, and how much peephole, the\n"
				 "encoding of Recorder 2.0, compresses or would compress",
				 ANY},
				{"window", 0, "RECORDS",
				 "with --codec-stats: encode all records again with this window,\n"
				 "0 to 127",
				 ANY},
			},
		.rules =
			{
				{"codec-stats", RULE_EXCLUDES,
				 "files processes quick where rank format=csv",
				 "it prints statistics of codecs only, as text or JSON"},
				{"window", RULE_NEEDS, "codec-stats",
				 "it is the window of the encoding that --codec-stats tries"},
				{"processes", RULE_EXCLUDES, "format=csv",
				 "CSV output has no rows for processes"},
			},
	},
	{
		.name = "dump",
		.line = "print every call as text, JSON lines or CSV",
		.usage = "dump [OPTION...] TRACE",
		.more = "Calls are printed in order of their start, indented by nesting. Each line "
			"has\n"
			"the seconds since the start of the run, the duration, process and thread "
			"id,\n"
			"and the call. `= ? unfinished` marks a call that never returned, `= 0, "
			"now\n"
			"process 8` an exec that succeeded (in JSON: \"unfinished\" with "
			"\"image\"; 8 is\n"
			"the number of the new program in `varve info`).\n"
			"\n"
			"An address that was not recorded (see record --pointers) is printed as ?; "
			"a\n"
			"call that returned such an address ends in `= ok`, or in `= set` or `= "
			"entry`\n"
			"if it can also return NULL. They are null in JSON, where `set` is 1. The "
			"result\n"
			"of dlopen is not recorded: `= unknown`, and its duration is printed as "
			"0.\n"
			"Text and CSV print words for times, wait statuses, system calls, socket\n"
			"options and ioctl requests where JSON has numbers. An error code of "
			"NetCDF is\n"
			"followed by its name.\n"
			"\n"
			"JSON: one object per line. Times are nanoseconds since the start of the "
			"run.\n"
			"Flags, enums and modes are strings (\"O_RDWR|O_CREAT\", \"0644\"). "
			"\"path\" is the\n"
			"path as the program gave it, \"absolute\" the absolute path. \"identity\" "
			"is\n"
			"\"seen\" if device and inode were read for this call, \"assumed\" if they "
			"are\n"
			"those of an earlier call on the same path. Bytes that are not UTF-8 are\n"
			"written as \\udcXX; Python's errors='surrogateescape' restores them.\n"
			"\n"
			"CSV: RFC 4180 with a header line. The arguments are one field, as in "
			"text.\n"
			"The columns world, fd, offset and size are the fields of that name in "
			"filters;\n"
			"runtime is 1 for calls that the MPI library made for itself; image is "
			"the\n"
			"process that an exec became. docs/traces.md lists all columns and keys.\n",
		.examples = "  varve dump app.1234.varve\n"
			    "  varve dump --color always app.1234.varve | less -R\n"
			    "  varve dump --function open,openat --limit 20 app.1234.varve\n"
			    "  varve dump --layer posix --from 1.5s --to 1600ms app.1234.varve\n"
			    "  varve dump --stream 1.2 --by-stream app.1234.varve\n"
			    "  varve dump --rank 0,4-7 --recorder app.1234.varve\n"
			    "  varve dump --process 2 --format json app.1234.varve | jq .function\n"
			    "  varve dump --format csv app.1234.varve > calls.csv\n"
			    "  varve dump --where 'failed and not errno == ENOENT' app.1234.varve\n"
			    "  varve dump --definitions app.1234.varve\n",
		.paged = true,
		.failure = EXIT_USAGE,
		.least = 1,
		.most = 1,
		.operands = {TRACE},
		.run = cmd_dump,
		.options =
			{
				OPTION_FORMAT("text (default), json or csv"),
				OPTIONS_SELECTION,
				{"limit", 'n', "N", "stop after N records", ANY},
				{"by-stream", 0, NULL,
				 "print one thread after the other instead of merging by time",
				 ANY},
				{"recorder", 0, NULL,
				 "text: also print Varve's own records (layer varve); --layer,\n"
				 "--function and --where select them, too. JSON and CSV always\n"
				 "contain them",
				 ANY},
				{"definitions", 0, NULL,
				 "print names, handles, processes and threads instead of calls",
				 ANY},
			},
		.rules =
			{
				{"definitions", RULE_EXCLUDES,
				 "function layer from to where rank by-stream recorder",
				 "definitions are not calls"},
				ONE_THREAD,
				{"by-stream", RULE_EXCLUDES, "stream",
				 "one thread is always in order"},
				{"recorder", RULE_EXCLUDES, "function layer",
				 "these already select which layers are printed"},
			},
	},
	{
		.name = "slice",
		.line = "copy a part of a trace, join traces, or replace names",
		.usage = "slice [OPTION...] TRACE... -o NEW",
		.more = "The new trace contains the calls that `varve dump` prints with the same\n"
			"options, and Varve's own records about them. Without options it is a "
			"complete\n"
			"copy. The new trace is packed if all old ones are. Losses and damage of "
			"the\n"
			"old traces are kept and reported.\n"
			"\n"
			"Several traces are combined into one:\n"
			"  - parts of one run that have no process in common,\n"
			"  - parts of one trace by time (--from, --to),\n"
			"  - with --join, runs of one job.\n"
			"\n"
			"--anonymize replaces names of files, hosts and users consistently by\n"
			"meaningless identifiers. Extensions and depths of paths are kept. Names "
			"of\n"
			"regions and functions, times, sizes, and numbers of devices, inodes and\n"
			"processes are not changed. docs/howto/slice.md lists what stays "
			"readable.\n"
			"\n"
			"Exit status 3: the new trace was written, but from a damaged one.\n",
		.examples =
			"  varve slice app.1234.varve -o copy.varve\n"
			"  varve slice --packed --rank 0:3,8 app.1234.varve -o some.varve\n"
			"  varve slice --from 10s --to 1min --layer posix app.1234.varve -o "
			"minute.varve\n"
			"  varve slice --process 2 app.1234.varve -o one.varve\n"
			"  varve slice --stream 1.2 app.1234.varve -o thread.varve\n"
			"  varve slice --file '/scratch/*,*.nc' --function 'p*' app.1234.varve -o "
			"files.varve\n"
			"  varve slice --where 'failed' --force app.1234.varve -o failed.varve\n"
			"  varve slice --join step1.varve step2.varve -o job.varve\n"
			"  varve slice --no-pack --to 10s app.1234.varve -o begin.varve\n"
			"  varve slice end.varve begin.varve -o whole.varve\n"
			"  varve slice --anonymize --key key.txt app.1234.varve -o public.varve\n"
			"  varve slice --anonymize --key-text 'a long text' app.1234.varve -o "
			"public.varve\n"
			"  varve slice --anonymize --keep-system --format json app.1234.varve -o "
			"public.varve\n",
		.failure = EXIT_USAGE,
		.least = 1,
		.most = -1,
		.operands = {TRACE, TRACE},
		.run = cmd_slice,
		.options =
			{
				{"output", 'o', "NEW", "the new trace", FOLDER},
				{"packed", 0, NULL,
				 "pack the new trace (default if TRACE is packed)", ANY},
				{"no-pack", 0, NULL, "write the new trace as a folder", ANY},
				{"force", 0, NULL, "replace an existing trace", ANY},
				{"file", 0, "PATTERN,...",
				 "only calls on these files; a pattern must match the whole path,\n"
				 "absolute or as the program gave it",
				 ANY},
				OPTIONS_SELECTION,
				{"join", 0, NULL, "combine traces of different runs of one job",
				 ANY},
				{"anonymize", 0, NULL, "replace names of files, hosts and users",
				 ANY},
				{"key", 0, "FILE",
				 "key for --anonymize: with the same key, a name gets the same\n"
				 "identifier in every slice (default: a random key that is not "
				 "kept)",
				 A_FILE},
				{"key-text", 0, "TEXT",
				 "the key itself; other users can see it with `ps`", ANY},
				{"keep-system", 0, NULL,
				 "keep the names of /usr, /lib, /etc, /dev, /proc, /sys, /tmp and "
				 "the\n"
				 "like, but not the names inside them",
				 ANY},
				OPTION_FORMAT_OBJECT,
			},
		.rules =
			{
				ONE_THREAD,
				{"packed", RULE_EXCLUDES, "no-pack",
				 "a trace is either packed or a folder"},
				{"key", RULE_EXCLUDES, "key-text", "there can be only one key"},
				{"key-text", RULE_NEEDS, "anonymize",
				 "the key is only used to anonymize"},
				{"key", RULE_NEEDS, "anonymize",
				 "the key is only used to anonymize"},
				{"keep-system", RULE_NEEDS, "anonymize",
				 "without --anonymize all names are kept"},
			},
	},
	{
		.name = "pack",
		.line = "make a trace small, check it, repair it or recover it",
		.usage = "pack [OPTION...] TRACE",
		.more = "Packing stores a repeated sequence of calls once, also if several ranks "
			"make\n"
			"it, and writes one file, which replaces the trace folder. Every verb "
			"reads both\n"
			"forms and prints the same. The folder is removed when the packed trace "
			"is\n"
			"complete and on disk; if packing fails before, nothing is changed. "
			"`varve\n"
			"record` packs at its end, unless --no-pack is given or processes of the "
			"run are\n"
			"still alive. Records that a dead program left in its buffers are "
			"recovered\n"
			"first; --recover does only this.\n"
			"\n"
			"--time histogram and --time none cannot be undone, and such a trace "
			"cannot be\n"
			"sliced or anonymized: they need -o, which keeps TRACE, or --force.\n"
			"\n"
			"A packed trace is protected against flipped bits and short stretches of "
			"wrong\n"
			"bytes (up to about 5 % of the trace, at most some 200 KB in one place; a "
			"trace\n"
			"of some KB may not survive 256).\n"
			"Every verb repairs in memory and reports the number of wrong bytes; this "
			"does\n"
			"not count as damage, and the exit status is 0. --repair writes a correct "
			"file.\n"
			"If the end of the file is missing, calls of which all parts are before "
			"the cut\n"
			"can be read.\n"
			"\n"
			"Exit status 1: processes of the run are alive, another command is packing "
			"the\n"
			"trace, or --verify found wrong bytes but can read all records. 3: TRACE "
			"is\n"
			"damaged. It is packed only with -o, because packing in place would "
			"discard the\n"
			"unreadable part.\n",
		.examples = "  varve pack app.1234.varve\n"
			    "  varve pack --verify -o small.varve app.1234.varve\n"
			    "  varve pack --time histogram --workers 2 -o small.varve "
			    "app.1234.varve\n"
			    "  varve pack --time none --force app.1234.varve\n"
			    "  varve pack --files 8 large.varve\n"
			    "  varve pack --verify packed.varve\n"
			    "  varve pack --repair packed.varve\n"
			    "  varve pack --recover --format json app.1234.varve\n"
			    "  varve pack --recover --quiet app.1234.varve\n",
		.failure = EXIT_USAGE,
		.least = 1,
		.most = 1,
		.operands = {TRACE},
		.run = cmd_pack,
		.options =
			{
				{"output", 'o', "FILE",
				 "write the packed trace to FILE and keep TRACE", FOLDER},
				{"time", 0, "HOW",
				 "how times are stored: exact (default); histogram: only the\n"
				 "distribution for each place of the program, in a size that does\n"
				 "not grow with the number of calls; none. The times of single\n"
				 "calls are then lost for ever: histogram and none need -o or\n"
				 "--force",
				 WORD("exact histogram none")},
				{"force", 0, NULL,
				 "replace TRACE although --time removes its exact times", ANY},
				{"verify", 0, NULL,
				 "compare the packed trace with the source, record by record, "
				 "before\n"
				 "it replaces the source; if TRACE is packed, search all of it "
				 "for\n"
				 "damage",
				 ANY},
				{"files", 0, "N",
				 "spread a very large trace over up to N files (at most 256) in a\n"
				 "folder; the calls of one thread stay in one file",
				 ANY},
				{"workers", 0, "N",
				 "number of threads that pack (default: number of processors)",
				 ANY},
				{"recover", 0, NULL,
				 "recover records that a program left behind when it died", ANY},
				{"repair", 0, NULL,
				 "write a repaired copy, in place or to the file of -o; if it "
				 "cannot\n"
				 "be fully repaired, the file of -o gets the readable part; if\n"
				 "nothing can be read, no file is written",
				 ANY},
				OPTION_FORMAT_OBJECT,
			},
		.rules = {{"recover", RULE_EXCLUDES, "output time verify files workers repair",
			   "--recover does not pack"},
			  {"force", RULE_EXCLUDES, "output", "with --output, TRACE is kept"},
			  {"force", RULE_NEEDS, "time=histogram time=none",
			   "it confirms that exact times are removed"},
			  {"repair", RULE_EXCLUDES, "time verify files workers",
			   "--repair changes nothing but damaged bytes"}},
	},
	{
		.name = "doctor",
		.line = "check whether this machine and a program can be recorded",
		.usage = "doctor [OPTION...] [PROGRAM]",
		.second_usage = "doctor --clean [FOLDER]",
		.more = "Each finding has a reason and a remedy. `blocks`: nothing would be "
			"recorded.\n"
			"`limits`: some calls would not be recorded. `note`: good to know. A "
			"small\n"
			"program is recorded as a test. Exit status 1: something blocks or limits\n"
			"recording. FOLDER is for --clean only.\n",
		.examples = "  varve doctor\n"
			    "  varve doctor ./app\n"
			    "  varve doctor --format json /usr/bin/sudo\n"
			    "  varve doctor --root /srv/container /usr/bin/app\n"
			    "  varve doctor --clean\n"
			    "  varve doctor --clean /dev/shm/varve-1000-0123456789abcdef\n",
		.failure = EXIT_USAGE,
		.least = 0,
		.most = 1,
		.operands = {PROGRAM},
		.run = cmd_doctor,
		.options =
			{
				OPTION_FORMAT("text (default), json or csv"),
				{"root", 0, "DIR",
				 "check for a program that runs with root folder DIR (chroot,\n"
				 "container)",
				 FOLDER},
				{"clean", 0, NULL,
				 "check nothing; remove buffers in /dev/shm (lane folders) that "
				 "no\n"
				 "process uses, that have no records, and whose trace was\n"
				 "deleted. With FOLDER: remove this one, also with records",
				 ANY},
			},
		.rules = {{"clean", RULE_EXCLUDES, "format root", "--clean checks nothing"}},
	},
	{
		.name = "control",
		.line = "pause, resume or flush a recording while it runs",
		.usage = "control [OPTION...] PID pause|resume|flush|status",
		.more = "PID is the pid of a recorded process, or that of `varve record`: then the "
			"verb\n"
			"applies to all processes of the run. No signal is sent. During a pause, "
			"new\n"
			"calls are not recorded; calls that have already started are completed.\n"
			"\n"
			"`flush` moves records from memory to the trace. Each thread does this at "
			"its\n"
			"next call. Exit status 1: already paused or already recording; for flush, "
			"some\n"
			"threads made no call within --wait.\n",
		.examples = "  varve control 1234 pause\n"
			    "  varve control 1234 resume\n"
			    "  varve control 1234 status\n"
			    "  varve control --format json 1234 status\n"
			    "  varve control --wait 5s 1234 flush && varve dump app.1234.varve\n",
		.failure = EXIT_USAGE,
		.least = 2,
		.most = 2,
		.operands = {PID, WORD("pause resume flush status")},
		.run = cmd_control,
		.options =
			{
				{"wait", 'w', "TIME",
				 "flush: how long to wait for threads (default 1s)", ANY},
				OPTION_FORMAT_OBJECT,
			},
	},
	{
		.name = "config",
		.line = "show where the preload library is",
		.usage = "config [OPTION...]",
		.more = "Prints where the preload libraries are. With one of them preloaded, a "
			"program\n"
			"is recorded without `varve record`: see the first example.\n",
		.examples = "  LD_PRELOAD=$(varve config --preload) ./app\n"
			    "  VARVE_ALSO=sync LD_PRELOAD=$(varve config --preload-sync) ./app\n"
			    "  varve config --lanes\n"
			    "  varve config --version\n"
			    "  varve config --format json\n",
		.failure = EXIT_USAGE,
		.least = 0,
		.most = 0,
		.run = cmd_config,
		.options =
			{
				OPTION_FORMAT("text (default), json or csv"),
				{"preload", 0, NULL, "path of the library to preload", ANY},
				{"preload-sync", 0, NULL,
				 "path of the library that can also record layer sync", ANY},
				{"lanes", 0, NULL, "folder of the buffers while a program runs",
				 ANY},
				{"version", 0, NULL, "only the version", ANY},
			},
	},
	{
		.name = "version",
		.line = "show the version of Varve and of the trace format",
		.usage = "version [OPTION...]",
		.more = "",
		.examples = "  varve version\n"
			    "  varve version --format json\n",
		.failure = EXIT_USAGE,
		.least = 0,
		.most = 0,
		.run = cmd_version,
		.options = {OPTION_FORMAT("text (default), json or csv")},
	},
};

const size_t verbs_count = sizeof verbs / sizeof *verbs;

#define SUMMARY "`varve info TRACE` shows calls, failures, bytes and time by function"
#define RECORDS "`varve dump TRACE` prints every call"

const struct absent_verb absent_verbs[] = {
	{"stats", SUMMARY, true},
	{"stat", SUMMARY, false},
	{"statistics", SUMMARY, false},
	{"summary", SUMMARY, false},
	{"top", SUMMARY ", the largest sum of time first", false},
	{"analyze", SUMMARY, false},
	{"analyse", SUMMARY, false},
	{"diagnose", SUMMARY, true},
	{"explain", SUMMARY, true},
	{"timeline", SUMMARY, true},
	{"report", SUMMARY "; --format json or csv for other programs", true},
	{"show", "`varve info TRACE` shows a summary, `varve dump TRACE` every call", false},
	{"view", "`varve info TRACE` shows a summary, `varve dump TRACE` every call", true},
	{"open", "`varve info TRACE` shows a summary, `varve dump TRACE` every call", false},
	{"cat", RECORDS, false},
	{"print", RECORDS, false},
	{"list", RECORDS ", `varve info --files TRACE` lists the files", false},
	{"ls", "a trace is a file or folder NAME.varve: `varve info TRACE` shows its content",
	 false},
	{"files", "`varve info --files TRACE` lists the files of a trace", false},
	{"ps", "`varve info --processes TRACE` lists the processes of a trace", false},
	{"diff", "`varve info --format csv TRACE` of both traces can be compared with diff", true},
	{"compare", "`varve info --format csv TRACE` of both traces can be compared with diff",
	 false},
	{"plot", "`varve dump --format csv TRACE` writes a table for other programs", true},
	{"graph", "`varve dump --format csv TRACE` writes a table for other programs", false},
	{"dfg", "`varve dump --format csv TRACE` writes a table for other programs", true},
	{"export", "`varve dump --format csv TRACE` or `--format json` writes every call", true},
	{"csv", "`varve dump --format csv TRACE` writes every call", false},
	{"json", "`varve dump --format json TRACE` writes every call", false},
	{"convert", "`varve dump --format csv TRACE` or `--format json` writes every call", false},
	{"import", "Varve reads only its own traces; `varve record -- PROGRAM` makes one", true},
	{"replay", RECORDS " with its arguments", true},
	{"run", "`varve record -- PROGRAM` runs and records a program", false},
	{"trace", "`varve record -- PROGRAM` runs and records a program", false},
	{"start", "`varve record -- PROGRAM` runs and records a program", false},
	{"exec", "`varve record -- PROGRAM` runs and records a program", false},
	{"attach", "`varve record -- PROGRAM` records a program from its start", false},
	{"filter", "`varve dump --where FILTER TRACE` prints selected calls; see varve-filter(7)",
	 false},
	{"head", "`varve dump --limit 10 TRACE` prints the first calls", false},
	{"cut", "`varve slice --from 1s --to 2s TRACE -o NEW` writes a part of a trace", false},
	{"split", "`varve slice --from 1s --to 2s TRACE -o NEW` writes a part of a trace", false},
	{"anonymize", "`varve slice --anonymize TRACE -o NEW` removes readable names", false},
	{"merge", "`varve slice TRACE TRACE -o NEW` joins traces", false},
	{"join", "`varve slice TRACE TRACE -o NEW` joins traces", false},
	{"unpack", "`varve slice --no-pack TRACE -o NEW` writes a trace as a folder", false},
	{"verify", "`varve pack --verify TRACE` searches a packed trace for damage", false},
	{"check", "`varve pack --verify TRACE` searches a packed trace for damage", false},
	{"repair", "`varve pack --repair TRACE` repairs a packed trace", false},
	{"recover", "`varve pack --recover TRACE` recovers what a dead program left behind", false},
	{"pause", "`varve control PID pause` pauses a recording", false},
	{"resume", "`varve control PID resume` resumes a recording", false},
	{"flush", "`varve control PID flush` writes what is in memory to the trace", false},
	{"status", "`varve control PID status` shows the state of a recording", false},
};

const size_t absent_verbs_count = sizeof absent_verbs / sizeof *absent_verbs;

const struct verb_option option_help = {"help", 'h', NULL, "show this help", ANY};

const struct verb_option common_options[] = {
	{"color", 0, "WHEN",
	 "colour in text: always, never or auto (default: if standard output\n"
	 "is a terminal and NO_COLOR is not set)",
	 WORD("auto always never")},
	{"no-pager", 0, NULL, "do not use a pager, even on a terminal", ANY},
	{"quiet", 0, NULL,
	 "no notes and no progress on standard error; errors, losses and\n"
	 "damage are still reported",
	 ANY},
};

const size_t common_options_count = sizeof common_options / sizeof *common_options;
_Static_assert(sizeof common_options / sizeof *common_options <= COMMON_OPTIONS_MOST,
	       "room in struct arguments");
