/* Command line: `varve pack --recover`: makes what a dead program left in its lanes a part of its trace. */
#include "cli/output.h"
#include "cli/report.h"
#include "cli/verbs.h"
#include "sink/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* As an object on stdout; text for people is on stderr, as notes. */
static void put_result(const char *name, const struct collected *collected)
{
	put_json_member("{\"trace\":", name);
	put_format(",\"records\":%llu,\"threads\":%llu,\"alive\":",
		   (unsigned long long)collected->records, (unsigned long long)collected->lanes);
	if (collected->alive)
		put_format("true,\"alive_pid\":%d}\n", collected->alive_pid);
	else
		put_text("false}\n");
}

/* One data file, with the lanes that belong to it. */
static enum status recover_node(const char *path, uint32_t node, struct collected *sum,
				struct varve_causes *causes)
{
	struct run run;
	struct collected collected = {0};
	TRY(collect_open(path, node, &run, causes));
	enum status status = collect_finish(&run, RUN_RECOVERED, 0, &collected, causes);
	if (status == STATUS_OK)
		report_losses(run.control);
	run_detach(&run);
	sum->records += collected.records;
	sum->lanes += collected.lanes;
	sum->alive += collected.alive;
	if (collected.alive)
		sum->alive_pid = collected.alive_pid;
	return status;
}

/* All that can be reached from here; what cannot is said, and is the answer. */
static int recover_nodes(const char *path, struct collected *sum, bool *any)
{
	int worst = EXIT_YES;
	char data[RUN_PATH + 32];
	struct stat stat_buffer;
	for (uint32_t node = 0;; node++) {
		node_path(data, data + sizeof data, path, "data", node);
		if (stat(data, &stat_buffer))
			return worst;
		struct varve_causes causes = {0};
		enum status status = recover_node(path, node, sum, &causes);
		*any = *any || status != STATUS_ABSENT;
		if (status != STATUS_OK && status != STATUS_ABSENT) {
			int result = failed(status, &causes);
			worst = result > worst ? result : worst;
		}
	}
}

int cmd_pack(const struct arguments *arguments)
{
	enum output_format format = option_format(arguments);
	if (format == FORMAT_WRONG)
		return EXIT_USAGE;
	if (!option(arguments, "recover")) {
		message("pack: say --recover; it is all that pack does so far");
		return EXIT_USAGE;
	}
	const char *name = arguments->operands[0];
	struct stat stat_buffer;
	char data[RUN_PATH + 16];
	char *path = realpath(name, NULL);
	bool fits = path && snprintf(data, sizeof data, "%s/data.0", path) < RUN_PATH;
	if (!fits || stat(data, &stat_buffer)) {
		message("%s is not a Varve trace: it has no file data.0; give the folder that "
			"`varve record` made",
			name);
		free(path);
		return EXIT_DAMAGED;
	}
	struct collected collected = {0};
	bool any = false;
	int result = recover_nodes(path, &collected, &any);
	free(path);
	if (result != EXIT_YES)
		return result;
	if (format == FORMAT_JSON)
		put_result(name, &collected);
	else if (!any)
		note("%s: nothing is left to recover", name);
	else
		note("%s: %llu records of %llu threads recovered", name,
		     (unsigned long long)collected.records, (unsigned long long)collected.lanes);
	if (!collected.alive)
		return EXIT_YES;
	message("processes of the run are still alive (%d is one); call this again when they have "
		"ended",
		collected.alive_pid);
	return EXIT_NO;
}
