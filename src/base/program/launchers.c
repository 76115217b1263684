/* Base: the programs and environment variables of launchers. See launchers.h.
 *
 * Owns the tables. docs/howto/launchers.md lists the same variables; a test compares the two. Never reads the environment itself,
 * allocates nothing.
 */
#include "base/program/launchers.h"

#include "base/key_values.h"

#include <string.h>

const struct launcher launchers[LAUNCHER_COUNT] = {
	/* Open MPI 4 numbers its jobs with 16 bits only; the address makes them unique. */
	{"pmix",
	 {"PMIX_RANK", "OMPI_COMM_WORLD_RANK"},
	 "OMPI_COMM_WORLD_SIZE",
	 {"OMPI_COMM_WORLD_LOCAL_SIZE"},
	 {"PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri"},
	 false},
	{"mvapich2",
	 {"MV2_COMM_WORLD_RANK"},
	 "MV2_COMM_WORLD_SIZE",
	 {"MV2_COMM_WORLD_LOCAL_SIZE"},
	 {NULL},
	 false},
	{"mpich", {"PMI_RANK"}, "PMI_SIZE", {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"}, {NULL}, false},
	{"pals", {"PALS_RANKID"}, NULL, {"PALS_LOCAL_SIZE"}, {"PALS_APID"}, false},
	{"flux", {"FLUX_TASK_RANK"}, "FLUX_JOB_SIZE", {NULL}, {"FLUX_JOB_ID"}, false},
	{"slurm",
	 {"SLURM_PROCID"},
	 "SLURM_STEP_NUM_TASKS",
	 {NULL},
	 {"SLURM_STEP_ID", "SLURM_JOB_ID", "SLURM_RESTART_COUNT"},
	 true},
};

static const char *const batch_jobs[] = {"SLURM_JOB_ID", "PBS_JOBID",	"LSB_JOBID",
					 "JOB_ID",	 "FLUX_JOB_ID", "COBALT_JOBID"};

static const char *const programs[] = {"mpirun",
				       "mpiexec",
				       "mpirun.openmpi",
				       "mpiexec.openmpi",
				       "mpirun.mpich",
				       "mpiexec.mpich",
				       "mpiexec.hydra",
				       "mpirun_rsh",
				       "orterun",
				       "orted",
				       "prterun",
				       "prte",
				       "prted",
				       "hydra_pmi_proxy",
				       "hydra_bstrap_proxy",
				       "hydra_nameserver",
				       "hydra_persist",
				       "srun",
				       "slurmstepd",
				       "aprun",
				       "jsrun",
				       "palsrun"};

static const char *value_of(launcher_get *get, const char *name)
{
	const char *value = name ? get(name) : NULL;
	return value && *value ? value : NULL;
}

static const char *first_value(launcher_get *get, const char *const *names, size_t count)
{
	const char *value = NULL;
	for (size_t i = 0; i < count && !value; i++)
		value = value_of(get, names[i]);
	return value;
}

const struct launcher *launcher_find(launcher_get *get, const char **variable)
{
	for (size_t i = 0; i < LAUNCHER_COUNT; i++)
		for (size_t k = 0; k < 2; k++) {
			*variable = launchers[i].rank[k];
			if (value_of(get, *variable))
				return &launchers[i];
		}
	return NULL;
}

const char *launcher_rank(launcher_get *get)
{
	const char *variable;
	return launcher_find(get, &variable) ? get(variable) : NULL;
}

/* The value of the variable in an environment; NULL: it is not set, or empty. */
static const char *value_in(char *const *environment, const char *name)
{
	for (; name && environment && *environment; environment++) {
		const char *value = key_value(*environment, name);
		if (value && *value)
			return value;
	}
	return NULL;
}

const char *launcher_rank_in(char *const *environment)
{
	const char *value = NULL;
	for (size_t i = 0; i < 2 * LAUNCHER_COUNT && !value; i++)
		value = value_in(environment, launchers[i / 2].rank[i % 2]);
	return value;
}

const char *launcher_size(launcher_get *get)
{
	const char *value = NULL;
	for (size_t i = 0; i < LAUNCHER_COUNT && !value; i++)
		value = value_of(get, launchers[i].size);
	return value;
}

const char *launcher_local(launcher_get *get)
{
	const char *value = NULL;
	for (size_t i = 0; i < LAUNCHER_COUNT && !value; i++)
		value = first_value(get, launchers[i].local, 2);
	return value;
}

const char *launcher_batch_job(launcher_get *get)
{
	return first_value(get, batch_jobs, sizeof batch_jobs / sizeof *batch_jobs);
}

bool launcher_names_none(launcher_get *get)
{
	return get("HYDI_CONTROL_FD") && !get(launchers[0].key[0]);
}

static bool name_same(const char *known, const char *name, size_t length)
{
	return known && strlen(known) == length && !memcmp(known, name, length);
}

bool launcher_number(const char *name, size_t length)
{
	bool found = false;
	for (size_t i = 0; i < LAUNCHER_COUNT && !found; i++) {
		const struct launcher *one = &launchers[i];
		found = name_same(one->size, name, length);
		for (size_t k = 0; k < 2 && !found; k++)
			found = name_same(one->rank[k], name, length) ||
				name_same(one->local[k], name, length);
	}
	for (size_t i = 0; i < sizeof batch_jobs / sizeof *batch_jobs && !found; i++)
		found = name_same(batch_jobs[i], name, length);
	return found || name_same("SLURM_NTASKS", name, length) ||
	       name_same("SLURM_NNODES", name, length);
}

bool launcher_program(const char *name, size_t length)
{
	bool found = false;
	for (size_t i = 0; i < sizeof programs / sizeof *programs && !found; i++)
		found = name_same(programs[i], name, length);
	return found;
}

const char *launcher_namespace(launcher_get *get)
{
	return get("PMIX_NAMESPACE");
}

const char *launcher_spawned(launcher_get *get)
{
	return get("PMI_SPAWNED");
}
