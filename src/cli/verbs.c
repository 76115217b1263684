/* Command line: the table of verbs. Help, options, man pages and completion are made from it; a verb stands here when it
 * works. */
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
		"stream", RULE_EXCLUDES, "process", "--stream names the process too"               \
	}

#define OPTION_WHERE {"where", 'w', "FILTER", "only records that the filter wants, as in\n" \
		      "'size < 4KiB and path like \"/scratch/*\"'; varve-filter(7) has the language", ANY}

#define OPTION_RANK {"rank", 'r', "LIST", "only these ranks, as in 0,4-7 or 0:64:16", ANY}

/* Which records are meant: read by selection.c and where.c. */
#define OPTIONS_SELECTION \
	{"stream", 's', "P.T", "only thread T of process P, as `info` numbers them", ANY}, \
	{"process", 'p', "P", "only process P", ANY}, \
	{"function", 0, "NAME,...", "only these functions; patterns as in '*stat*'", FUNCTIONS}, \
	{"layer", 'l', "NAME,...", "only these layers: region, hdf5, netcdf, pnetcdf, mpiio, mpi,\n" \
	 "posix, stdio, socket, async, process, sync, varve", LAYERS("varve")}, \
	OPTION_RANK, \
	{"from", 0, "TIME", "only calls that began at this time after the start of the run,\n" \
	 "or later", ANY}, \
	{"to", 0, "TIME", "only calls that began before", ANY}, \
	OPTION_WHERE

/* What the values of settings are: one line for each of sink/run/settings.def. */
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
		.more = "The trace is complete and packed into one file when this command returns, "
			"however the program ended.\n"
			"Returns the program's exit status; 128+n when signal n ended it, 125 when "
			"Varve itself failed,\n"
			"126 when the program cannot be run, 127 when it is not found. When all "
			"went well it prints one\n"
			"line at a terminal, which names the trace, and else nothing.\n"
			"Each option has a variable (VARVE_LIMIT for --limit, VARVE_TRACE for "
			"--output) and may stand in a\n"
			"settings file, as `limit = 2G`: that of --settings or VARVE_SETTINGS, "
			"else ~/.config/varve/settings.\n"
			"An option wins over its variable, a variable over the file.\n"
			"Programs that one launcher starts as a job make one trace, whichever way "
			"round it is "
			"written: the first\n"
			"makes it, others join it, the last one out completes it. See "
			"docs/howto/launchers.md.\n",
		.examples =
			"  varve record -- ./app input.nc\n"
			"  varve record -o run7.varve --buffer 4M -- mpirun -n 4 ./app\n"
			"  varve record -o '%e-%h-%p.varve' --limit 2G -- make -j4\n"
			"  varve record --resolution 1us --clock monotonic --lanes /tmp -- ./app\n"
			"  varve record --pointers --no-follow --no-pack -- ./app\n"
			"  varve record --quiet --time histogram -- ./app\n"
			"  varve record --layer posix,stdio --skip 'f*' --also sync -- ./app\n"
			"  varve record --also function -- ./app   # built with "
			"-finstrument-functions; varve-regions(7)\n"
			"  varve record --only 'open*,*stat*' --settings none -- make\n"
			"  varve record --include '/scratch/*' --exclude '*.log' -- ./app\n"
			"  varve record --ranks 0:3,64 -- mpirun -n 128 ./app\n"
			"  varve record --codec peephole --window 7 -- ./app\n"
			"  varve record --start-after 10s --stop-after 1min -- ./app\n"
			"  mpirun -n 4 varve record -o run8.varve -- ./app\n"
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
				 "read settings from this file; `none`: from no file", A_FILE},
				{"quiet", 0, NULL,
				 "at a terminal: do not print the line that names the trace at the "
				 "end",
				 ANY},
			},
		.rules =
			{
				{"time", RULE_EXCLUDES, "no-pack",
				 "times are changed when the trace is packed"},
				{"resolution", RULE_EXCLUDES, "time=none", "no times are kept"},
				{"window", RULE_NEEDS, "codec=peephole",
				 "only the peephole codec has a window"},
			},
	},
	{
		.name = "info",
		.line = "what is in a trace: program, processes, counts, losses",
		.usage = "info [OPTION...] TRACE",
		.more = "What is missing or damaged stands first. JSON is one object; CSV has one "
			"row per function.\nBytes are those that each call moved: its result, the "
			"length of a line, 1 for a character; calls that do not report how many "
			"(wide "
			"characters, fscanf, inlined getc_unlocked) count none.\n",
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
				 "read headers only: damage inside blocks is not looked for, "
				 "paths\n"
				 "are not counted, ends of processes not looked up",
				 ANY},
				{"processes", 'p', NULL,
				 "show all processes (in text, else 50 at most)", ANY},
				{"files", 0, NULL,
				 "what was done with each file, by layer, most bytes first (in "
				 "CSV\n"
				 "instead of functions); a packed trace tells it without reading "
				 "records",
				 ANY},
				OPTION_RANK,
				OPTION_WHERE,
				{"codec-stats", 0, NULL,
				 "instead: what each codec takes, and what peephole, the "
				 "encoding of\n"
				 "Recorder 2.0, compresses or would compress",
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
				 "it reads whole blocks and prints text or JSON of its own"},
				{"window", RULE_NEEDS, "codec-stats",
				 "it is the window of the encoding that is counted"},
				{"processes", RULE_EXCLUDES, "format=csv",
				 "CSV has no rows for processes"},
			},
	},
	{
		.name = "dump",
		.line = "every record as text, JSON lines or CSV",
		.usage = "dump [OPTION...] TRACE",
		.more = "Calls stand in order of their start, indented by nesting. An unfinished "
			"call never returned;\n"
			"an exec that succeeded shows the process that it became (JSON: "
			"\"unfinished\" with \"image\").\n"
			"An address that was not recorded (see record --pointers) is ?, a call "
			"that returned one ends in\n"
			"= ok; both are null in JSON. Text and CSV have words for times, wait "
			"statuses, system calls,\n"
			"socket options and more requests of ioctl; JSON has their numbers. An "
			"error code of NetCDF has its "
			"name behind it.\n"
			"JSON: one object per line; times are ns since the start of the run. "
			"Flags, enums and modes are strings\n"
			"as in text (\"O_RDWR|O_CREAT\", \"0644\"). \"path\" is as the program "
			"gave it, \"absolute\" with its folder;\n"
			"\"identity\" tells whether device and inode were seen at this file or "
			"assumed from its name. A byte\n"
			"that is not UTF-8 is written as \\udcXX, which Python's "
			"errors='surrogateescape' turns back.\n"
			"CSV: RFC 4180 with a header line; the arguments are one field, as in "
			"text. world, fd, offset,\n"
			"size and runtime are what filters call so; image is the process that an "
			"exec became.\n",
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
				 "one thread after the other instead of merged by time", ANY},
				{"recorder", 0, NULL,
				 "text: records of layer varve too, which the recorder makes of "
				 "its own\n"
				 "work; --layer, --function or --where select them too. JSON and "
				 "CSV have\n"
				 "them always",
				 ANY},
				{"definitions", 0, NULL,
				 "names, handles, processes and threads instead of calls", ANY},
			},
		.rules =
			{
				{"definitions", RULE_EXCLUDES,
				 "function layer from to where rank by-stream recorder",
				 "definitions are no calls"},
				ONE_THREAD,
				{"by-stream", RULE_EXCLUDES, "stream",
				 "one thread is in order already"},
				{"recorder", RULE_EXCLUDES, "function layer",
				 "these name the records that are shown, layer varve too"},
			},
	},
	{
		.name = "slice",
		.line = "a part of a trace as a new trace",
		.usage = "slice [OPTION...] TRACE... -o NEW",
		.more = "The new trace shows what `varve dump` with the same options shows of the "
			"old one (--recorder with it), line by line. Without\n"
			"options it is a whole copy. Several traces become one: parts of one run "
			"that share no process, parts by\n"
			"time (--from, --to) of one trace, or, with --join, runs of one job. What "
			"was lost or damaged stays so, and\n"
			"is said.\n"
			"The new trace is packed when all of the old ones are.\n"
			"--anonymize makes names of files, hosts and users unreadable: the same "
			"name becomes the same letters\n"
			"everywhere, extensions and depths of paths stay. Names of regions and "
			"functions, times, sizes and numbers\n"
			"of devices, inodes and processes stay as they are.\n"
			"Exit status 3: the new trace is there, and made of a damaged one.\n",
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
				 "pack it, as `varve pack` does (default when TRACE is packed)",
				 ANY},
				{"no-pack", 0, NULL, "leave it as a folder", ANY},
				{"force", 0, NULL, "replace a trace that has this name", ANY},
				{"file", 0, "PATTERN,...",
				 "only calls on these files; a pattern fits the whole path, "
				 "absolute\n"
				 "or as it was given",
				 ANY},
				OPTIONS_SELECTION,
				{"join", 0, NULL, "traces may be of different runs of one job",
				 ANY},
				{"anonymize", 0, NULL,
				 "make names of files, hosts and users unreadable", ANY},
				{"key", 0, "FILE",
				 "with the key in this file the same name becomes the same letters "
				 "in\n"
				 "each slice (default: a random key that is not kept)",
				 A_FILE},
				{"key-text", 0, "TEXT",
				 "the same with this text as the key; other users can see it "
				 "(`ps`)",
				 ANY},
				{"keep-system", 0, NULL,
				 "/usr, /lib, /etc, /dev, /proc, /sys, /tmp and the like stay "
				 "readable,\n"
				 "not what is in them",
				 ANY},
				OPTION_FORMAT_OBJECT,
			},
		.rules =
			{
				ONE_THREAD,
				{"packed", RULE_EXCLUDES, "no-pack",
				 "a trace is packed or a folder"},
				{"key", RULE_EXCLUDES, "key-text", "there is one key"},
				{"key-text", RULE_NEEDS, "anonymize",
				 "it is what names are changed with"},
				{"key", RULE_NEEDS, "anonymize",
				 "it is what names are changed with"},
				{"keep-system", RULE_NEEDS, "anonymize",
				 "without it all names stay as they are"},
			},
	},
	{
		.name = "pack",
		.line = "make a trace small: loops folded, ranks merged, one file",
		.usage = "pack [OPTION...] TRACE",
		.more = "The packed trace takes the place of the folder; every verb reads both and "
			"answers the same. The\n"
			"folder goes when the packed trace is complete and on disk; whatever "
			"happens "
			"before that changes\n"
			"nothing. `varve record` packs at the end, unless --no-pack is given or "
			"processes still run. What a\n"
			"dead program left in its buffers becomes a part of the trace first; "
			"--recover does that alone.\n"
			"A packed trace can repair flipped bits and short stretches of wrong "
			"bytes. Every verb does so in\n"
			"memory and says how many bytes were wrong; that does not count as damage, "
			"and the "
			"exit status is 0. --repair writes\n"
			"a sound file. If the file was truncated, everything before the cut can "
			"still be read.\n\n"
			"Exit status 1: processes of the run are still alive, another command "
			"packs the trace, or --verify\n"
			"has found wrong bytes, though all records can be read. 3: the source is "
			"damaged; it is "
			"packed only with -o, for what\n"
			"cannot be read would be gone with it.\n",
		.examples = "  varve pack app.1234.varve\n"
			    "  varve pack --verify -o small.varve app.1234.varve\n"
			    "  varve pack --time histogram --workers 2 app.1234.varve\n"
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
				{"output", 'o', "FILE", "write the packed trace here; TRACE stays",
				 FOLDER},
				{"time", 0, "HOW",
				 "exact (default); histogram: how times were spread at each place "
				 "of\n"
				 "the program, in a size that does not grow with the calls; none",
				 WORD("exact histogram none")},
				{"verify", 0, NULL,
				 "hold the packed trace against the source, record by record, "
				 "before\nit takes its place; of a trace that is packed already, "
				 "look for damage in all of it",
				 ANY},
				{"files", 0, "N",
				 "spread a very large trace over up to N files (at most 256): "
				 "TRACE "
				 "is\n"
				 "a folder then. Calls of one thread stay in one file",
				 ANY},
				{"workers", 0, "N",
				 "threads that pack (default: as many as there are processors)",
				 ANY},
				{"recover", 0, NULL,
				 "make what a dead program left a part of its trace", ANY},
				{"repair", 0, NULL,
				 "write a repaired copy, in place or with -o; if it cannot be "
				 "fully\n"
				 "repaired, -o gets the readable part",
				 ANY},
				OPTION_FORMAT_OBJECT,
			},
		.rules = {{"recover", RULE_EXCLUDES, "output time verify files workers repair",
			   "--recover does not pack"},
			  {"repair", RULE_EXCLUDES, "time verify files workers",
			   "a trace that is repaired is what it was"}},
	},
	{
		.name = "doctor",
		.line = "whether this machine and a program can be recorded, and what to do if not",
		.usage = "doctor [OPTION...] [PROGRAM|FOLDER]",
		.more = "Each finding has a reason and a remedy: `blocks` means that nothing would "
			"be "
			"recorded, `limits` not\n"
			"everything, a `note` is good to know. A small program is recorded as a "
			"trial. Exit status 1: something\n"
			"blocks or limits recording.\n",
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
				 "the program will run with DIR as its root folder (chroot, "
				 "container)",
				 FOLDER},
				{"clean", 0, NULL,
				 "only remove leftover lane folders whose trace was deleted and "
				 "that no\nprocess uses, if they hold no records; with FOLDER as "
				 "operand that one,\nwith the records that it holds",
				 ANY},
			},
		.rules = {{"clean", RULE_EXCLUDES, "format root", "--clean looks at nothing else"}},
	},
	{
		.name = "control",
		.line = "pause, resume or flush a run while it goes on",
		.usage = "control [OPTION...] PID pause|resume|flush|status",
		.more = "PID is a process that is being recorded, or a `varve record`: then the "
			"whole "
			"run is meant. No signal\n"
			"is sent. A pause leaves out calls that begin in it; calls that have begun "
			"are completed. After\n"
			"`flush` what had been recorded before is in the trace and no longer only "
			"in "
			"memory; a thread does\n"
			"this at its next call. Exit status 1: it is so already, or threads made "
			"no "
			"call in time.\n",
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
				{"wait", 'w', "TIME", "how long to wait for threads (default 1s)",
				 ANY},
				OPTION_FORMAT_OBJECT,
			},
	},
	{
		.name = "config",
		.line = "where the preload library is, for use without `varve record`",
		.usage = "config [OPTION...]",
		.more = "",
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
				 "of the one that also sees layer sync (VARVE_ALSO=sync)", ANY},
				{"lanes", 0, NULL, "where buffers live while a program runs", ANY},
				{"version", 0, NULL, "the version alone", ANY},
			},
	},
	{
		.name = "version",
		.line = "the version of Varve and of the trace format",
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

const struct verb_option option_help = {"help", 'h', NULL, "how to use this verb, with examples",
					ANY};

const struct verb_option common_options[] = {
	{"color", 0, "WHEN",
	 "colour in text: auto (default: when stdout is a terminal and NO_COLOR\n"
	 "is not set), always or never",
	 WORD("auto always never")},
	{"no-pager", 0, NULL, "no pager, even if stdout is a terminal", ANY},
	{"quiet", 0, NULL,
	 "neither notes nor progress on stderr; what is wrong, missing or\n"
	 "damaged is still said",
	 ANY},
};

const size_t common_options_count = sizeof common_options / sizeof *common_options;
_Static_assert(sizeof common_options / sizeof *common_options <= COMMON_OPTIONS_MOST,
	       "room in struct arguments");
