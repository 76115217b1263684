/* Command line: `varve info`: the tree of processes with how each began and ended, and the programs that were not recorded. */
#include "cli/info/info.h"
#include "cli/report.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { PROCESSES_SHOWN = 50, UNTRACED_SHOWN = 20, DEPTH_SHOWN = 20, COMMAND_SHOWN = 160 };

const char *began_text(enum varve_began began)
{
	static const char *const texts[] = {
		[VARVE_BEGAN_UNKNOWN] = "unknown", [VARVE_BEGAN_RUN] = "start",
		[VARVE_BEGAN_FORK] = "fork",	   [VARVE_BEGAN_CLONE] = "clone",
		[VARVE_BEGAN_VFORK] = "vfork",	   [VARVE_BEGAN_SPAWN] = "spawn",
		[VARVE_BEGAN_EXEC] = "exec",	   [VARVE_BEGAN_LIBRARY] = "libc"};
	return texts[began];
}

const char *ended_text(enum varve_ended ended)
{
	static const char *const texts[] = {
		[VARVE_ENDED_UNKNOWN] = "unknown",   [VARVE_ENDED_EXITED] = "exited",
		[VARVE_ENDED_KILLED] = "killed",     [VARVE_ENDED_REPLACED] = "replaced",
		[VARVE_ENDED_VANISHED] = "vanished", [VARVE_ENDED_RUNNING] = "running"};
	return texts[ended];
}

bool put_words(const char *(*value)(const void *from, const char *key, size_t nth),
	       const void *from, const char *key, size_t most)
{
	size_t count = 0, used = 0;
	const char *word;
	for (; (word = value(from, key, count)); count++) {
		if (count)
			put_char(' ');
		size_t bytes = strlen(word);
		bool plain = *word && !word[strcspn(word, " \t\n\"'\\$`*?[]{}()<>|&;#~")];
		if (used + bytes > most) {
			put_text("...");
			break;
		}
		used += bytes + 1;
		if (plain)
			put_escaped(word, bytes, 0x7f);
		else
			put_quoted(word, bytes);
	}
	return count > 0;
}

static void put_end(const struct varve_tree_process *process)
{
	char text[64];
	const char *name;
	switch (process->ended) {
	case VARVE_ENDED_EXITED:
		snprintf(text, sizeof text, "exit %d", process->status);
		break;
	case VARVE_ENDED_KILLED:
		name = sigabbrev_np(process->status);
		if (name)
			snprintf(text, sizeof text, "SIG%s%s", name, process->core ? " core" : "");
		else
			snprintf(text, sizeof text, "signal %d", process->status);
		break;
	case VARVE_ENDED_REPLACED:
	case VARVE_ENDED_VANISHED:
		snprintf(text, sizeof text, "exec");
		break;
	case VARVE_ENDED_RUNNING:
		snprintf(text, sizeof text, "runs");
		break;
	case VARVE_ENDED_UNKNOWN:
	default:
		snprintf(text, sizeof text, "?");
	}
	put_padded(text, -9);
}

static void put_process(const struct info *info, size_t place)
{
	size_t at = info->tree.order[place];
	const struct varve_process *process = varve_process_at(info->trace, at);
	const struct varve_tree_process *entry = &info->tree.processes[at];
	char text[32];
	snprintf(text, sizeof text, "%u", process->number);
	put_padded(text, 6);
	snprintf(text, sizeof text, "%d", process->pid);
	put_padded(text, 9);
	snprintf(text, sizeof text, "%" PRIu64, entry->records);
	put_padded(text, 10);
	put_text("  ");
	put_padded(began_text(entry->began), -8);
	put_end(entry);
	uint32_t depth = info->tree.depth[place];
	for (uint32_t i = 0; i < depth && i < DEPTH_SHOWN; i++)
		put_text("  ");
	const char *host = varve_process_value(process, "host", 0);
	bool hosts = varve_node_count(info->trace) > 1 && host;
	if (process->rank >= 0 || hosts)
		put_char('[');
	if (process->rank >= 0)
		put_format("rank %d", process->rank);
	const char *world = varve_process_value(process, "spawn", 0);
	if (process->rank >= 0 && world)
		put_format(", world %s", world);
	if (process->rank >= 0 && hosts)
		put_text(", ");
	if (hosts)
		put_escaped(host, strlen(host), 0x7f);
	if (process->rank >= 0 || hosts)
		put_text("] ");
	if (!put_words(argument_of_process, process, "argv", COMMAND_SHOWN)) {
		const char *exe = varve_process_value(process, "exe", 0);
		put_escaped(exe ? exe : "?", strlen(exe ? exe : "?"), 0x7f);
	}
	if (process->streams > 1)
		put_format("  (%zu threads)", process->streams);
	put_char('\n');
}

void info_processes(const struct info *info)
{
	size_t count = info->tree.count;
	size_t shown = info->all_processes || count < PROCESSES_SHOWN ? count : PROCESSES_SHOWN;
	put_padded("processes", -14);
	put_format("%zu, threads %zu%s\n", count, varve_stream_count(info->trace),
		   info->filter ? " (of the whole trace)" : "");
	if (count)
		put_heading("number      pid   records  began   ended    command");
	for (size_t i = 0; i < shown; i++)
		put_process(info, i);
	if (count > shown)
		put_format("  ... %zu more; --processes shows all\n", count - shown);
	if (info->tree.unstarted)
		put_format("  and %" PRIu64 " forked %s that ended before the first record\n",
			   info->tree.unstarted, info->tree.unstarted == 1 ? "child" : "children");
}

void info_untraced(const struct info *info)
{
	const struct varve_tree *tree = &info->tree;
	size_t shown = info->all_processes || tree->untraced_count < UNTRACED_SHOWN
			       ? tree->untraced_count
			       : UNTRACED_SHOWN;
	for (size_t i = 0; i < shown; i++) {
		const struct varve_untraced *untraced = &tree->untraced[i];
		if (!untraced->process && info_own_program_lost(info))
			continue;
		put_padded("not recorded", -14);
		if (untraced->path)
			put_escaped(untraced->path, strlen(untraced->path), 0x7f);
		else
			put_text(untraced_unnamed(untraced));
		put_format(" (%s%s)", untraced_words(info->trace, untraced->why),
			   untraced->why ? "" : "; `varve doctor` shows why");
		if (untraced->count > 1)
			put_format(", %" PRIu64 " times", untraced->count);
		if (untraced->process)
			put_format(", started by process %u\n", untraced->process);
		else
			put_text(", started by `varve record`\n");
	}
	if (tree->untraced_count > shown || tree->untraced_more) {
		put_padded("not recorded", -14);
		put_format("%s more\n",
			   counted(tree->untraced_count - shown + tree->untraced_more, "programs")
				   .text);
	}
}
