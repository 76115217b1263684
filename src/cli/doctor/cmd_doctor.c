/* Command line: `varve doctor`: checks whether this machine and a program can be recorded.
 *
 * The checks are in doctor_*.c; this file sorts and prints their findings.
 */
#include "cli/doctor/doctor.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const severity_names[] = {"blocks", "limits", "note"};

void doctor_find(struct doctor *doctor, enum severity severity, const char *check, const char *why,
		 const char *remedy, const char *format, ...)
{
	if (doctor->count == FINDINGS_MOST)
		return;
	struct finding *finding = &doctor->findings[doctor->count++];
	*finding = (struct finding){
		.severity = severity, .check = check, .why = why, .remedy = remedy};
	va_list list;
	va_start(list, format);
	vsnprintf(finding->what, sizeof finding->what, format, list);
	va_end(list);
}

static bool anything_wrong(const struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->count; i++)
		if (doctor->findings[i].severity != SEVERITY_NOTE)
			return true;
	return false;
}

static void put_finding(const struct finding *finding)
{
	put_padded(severity_names[finding->severity], -8);
	put_escaped(finding->what, strlen(finding->what), 0x7f);
	put_format("\n        why: %s\n", finding->why);
	if (strcmp(finding->remedy, "nothing") != 0)
		put_format("        do:  %s\n", finding->remedy);
}

static void put_findings_text(const struct doctor *doctor, const char *program)
{
	if (!anything_wrong(doctor)) {
		put_text("fine    ");
		if (program)
			put_escaped(program, strlen(program), 0x7f);
		else
			put_text("programs");
		put_text(" can be recorded here\n");
	}
	for (int severity = SEVERITY_BLOCKS; severity <= SEVERITY_NOTE; severity++)
		for (size_t i = 0; i < doctor->count; i++)
			if ((int)doctor->findings[i].severity == severity)
				put_finding(&doctor->findings[i]);
}

static void put_findings_json(const struct doctor *doctor, const char *program)
{
	bool first = true;
	put_format("{\"fine\":%s,\"recorded_trial\":%s", anything_wrong(doctor) ? "false" : "true",
		   doctor->tried ? "true" : "false");
	if (program)
		put_json_member(",\"program\":", program);
	if (*doctor->root)
		put_json_member(",\"root\":", doctor->root);
	put_json_member(",\"library\":", doctor->library);
	put_text(",\"findings\":[");
	for (int severity = SEVERITY_BLOCKS; severity <= SEVERITY_NOTE; severity++) {
		for (size_t i = 0; i < doctor->count; i++) {
			const struct finding *finding = &doctor->findings[i];
			if ((int)finding->severity != severity)
				continue;
			put_format("%s{\"severity\":\"%s\"", first ? "" : ",",
				   severity_names[severity]);
			put_json_member(",\"check\":", finding->check);
			put_json_member(",\"what\":", finding->what);
			put_json_member(",\"why\":", finding->why);
			put_json_member(",\"do\":", finding->remedy);
			put_char('}');
			first = false;
		}
	}
	put_text("]}\n");
}

static void put_findings_csv(const struct doctor *doctor)
{
	put_text("severity,check,what,why,do\n");
	for (int severity = SEVERITY_BLOCKS; severity <= SEVERITY_NOTE; severity++)
		for (size_t i = 0; i < doctor->count; i++) {
			const struct finding *finding = &doctor->findings[i];
			if ((int)finding->severity != severity)
				continue;
			put_format("%s,%s,", severity_names[severity], finding->check);
			put_csv(finding->what, strlen(finding->what));
			put_char(',');
			put_csv(finding->why, strlen(finding->why));
			put_char(',');
			put_csv(finding->remedy, strlen(finding->remedy));
			put_char('\n');
		}
}

/* The folder of --root, without a slash at its end; NULL after a message. */
static const char *root_folder(const struct arguments *arguments, char room[DOCTOR_PATH])
{
	const char *given = option(arguments, "root");
	struct stat found;
	room[0] = 0;
	if (!given)
		return room;
	int error = stat(given, &found) ? errno : S_ISDIR(found.st_mode) ? 0 : ENOTDIR;
	if (error) {
		message("doctor: --root must be the path of a folder, not '%s': %s", given,
			strerror(error));
		return NULL;
	}
	size_t length = strlen(given);
	while (length && given[length - 1] == '/')
		length--;
	if (length >= DOCTOR_PATH / 2) {
		message("doctor: the path of --root is too long; use a symbolic link");
		return NULL;
	}
	memcpy(room, given, length);
	room[length] = 0;
	return room;
}

int cmd_doctor(const struct arguments *arguments)
{
	enum output_format format = option_format(arguments);
	char root[DOCTOR_PATH];
	if (option(arguments, "clean"))
		return doctor_clean(arguments->count ? arguments->operands[0] : NULL);
	struct doctor *doctor = calloc(1, sizeof *doctor);
	if (!doctor) {
		message("doctor: out of memory; free some memory, or raise the limit (`ulimit "
			"-v`)");
		return EXIT_SYSTEM;
	}
	doctor->root = root_folder(arguments, root);
	const char *program = arguments->count ? arguments->operands[0] : NULL;
	int result = EXIT_USAGE;
	if (doctor->root) {
		doctor_environment(doctor);
		bool done = doctor_machine(doctor);
		doctor_lanes(doctor);
		if (program)
			doctor_program(doctor, program);
		if (format == FORMAT_JSON)
			put_findings_json(doctor, program);
		else if (format == FORMAT_CSV)
			put_findings_csv(doctor);
		else
			put_findings_text(doctor, program);
		output_flush();
		result = !done ? EXIT_SYSTEM : anything_wrong(doctor) ? EXIT_NO : EXIT_YES;
	}
	free(doctor);
	return result;
}
