/* For tests/cli/test_doctor.py, which builds libraries with several names from it, to preload them. */
int nothing_in_particular;
