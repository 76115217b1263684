/* For tests/cli/test_doctor.py and test_unseen.py, as a program and as a library: it imports a function of Sun RPC, which has no
 * row. The function is not called. */
extern int svc_getreq(int);
__asm__(".symver svc_getreq, svc_getreq@GLIBC_2.2.5");

int rpc(int count);

int rpc(int count)
{
	return count > 9 ? svc_getreq(0) : 0;
}

int main(int count, char **words)
{
	(void)words;
	return rpc(count);
}
