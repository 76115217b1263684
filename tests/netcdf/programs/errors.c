/* Run by netcdf/serial: calls that fail with an error of NetCDF (`text` is not a NetCDF file, 4711 not an open one) and with one of
 * the system.
 */
#include <netcdf.h>

int main(void)
{
	int file;
	nc_open("text", NC_NOWRITE, &file);
	nc_open("nowhere.nc", NC_NOWRITE, &file);
	return nc_close(4711) != NC_EBADID;
}
