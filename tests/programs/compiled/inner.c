/* For tests/cli/test_objects.py: the library that plugin.c loads. */
int inner(void);

int inner(void)
{
	return 7;
}
