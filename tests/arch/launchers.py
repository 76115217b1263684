"""Only src/base/program/launchers.c contains the environment variables of launchers: no other source names one, and
docs/howto/launchers.md names each."""
import os
import re

from _sources import ROOT, Report, sources

TABLE = "src/base/program/launchers.c"
VARIABLE = re.compile(r'"((?:env\.)?(?:PMIX?_|OMPI_COMM|OMPI_MCA_orte|MV2_|MPI_LOCAL|PALS_|FLUX_|SLURM_|HYDI_|PBS_JOB|LSB_JOB|COBALT_)\w+)"')
# Found by their prefix, so that a table without them is detected.
LEAST = {"PMIX_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "PALS_RANKID", "FLUX_TASK_RANK"}

report = Report()
known = set()
for source in sources():
    names = VARIABLE.findall(source.text)
    report.checked += 1
    if source.name == TABLE:
        known.update(names)
        continue
    for name in sorted(set(names)):
        report.complain(source.name, "names %s: that belongs into %s" % (name, TABLE))
for name in sorted(LEAST - known):
    report.complain(TABLE, "does not have %s" % name)

with open(os.path.join(ROOT, "docs", "howto", "launchers.md"), encoding="utf-8") as file:
    text = file.read()
# Variables that show that MPICH's launcher started a program, and the number of processors of a batch job: no rank, no size, no
# job.
for name in sorted(known - {"HYDI_CONTROL_FD", "SLURM_RESTART_COUNT", "SLURM_NTASKS", "SLURM_NNODES"}):
    if "`%s`" % name not in text:
        report.complain("docs/howto/launchers.md", "does not name %s, which %s reads" % (name, TABLE))
report.finish(least=10)
