/* The driver knows only what reading needs. Two open files are never the same file for HDF5, even if they have one
 * path: else it would read a second one through the source of the first, which may be freed earlier. */

#include "io/hdf5/hdf5_source.h"

#include "core/memory.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

enum { SMALL_READ = 4 * GEMP_BLOCK_BYTES };

/* What HDF5 knows of an open file. `base` comes first. */
typedef struct driven_file {
	H5FD_t base;
	gemp_h5_source *source;
	haddr_t end; /* of the addresses that HDF5 may read, as HDF5 has set it */
} driven_file;

/* The driver's information in a list of access properties. */
typedef struct driver_info {
	gemp_h5_source *source;
} driver_info;

/* HDF5 opens the files that external links and virtual datasets name with the same driver, which would read them from
 * the source of the first file. */
static H5FD_t *open_driven(const char *name, unsigned flags, hid_t access, haddr_t max)
{
	(void)max;
	const driver_info *info = H5Pget_driver_info(access);
	driven_file *file;
	if (!info || flags & H5F_ACC_RDWR)
		return NULL;
	if (strcmp(name, info->source->file.path) != 0) {
		H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_FILE, H5E_CANTOPENFILE,
		         "it refers to the file %.200s, which is not read", name);
		return NULL;
	}
	if (GEMP_NEW(file, 1) != GEMP_OK) {
		info->source->error = ENOMEM;
		return NULL;
	}
	file->source = info->source;
	return &file->base;
}

static herr_t close_driven(H5FD_t *base)
{
	gemp_free(base);
	return 0;
}

static int compare_driven(const H5FD_t *one, const H5FD_t *other)
{
	return one == other ? 0 : (uintptr_t)one < (uintptr_t)other ? -1 : 1;
}

static herr_t query_driven(const H5FD_t *base, unsigned long *flags)
{
	(void)base;
	*flags = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
	return 0;
}

static haddr_t get_end(const H5FD_t *base, H5FD_mem_t type)
{
	(void)type;
	return ((const driven_file *)base)->end;
}

static herr_t set_end(H5FD_t *base, H5FD_mem_t type, haddr_t end)
{
	(void)type;
	((driven_file *)base)->end = end;
	return 0;
}

static haddr_t get_size(const H5FD_t *base, H5FD_mem_t type)
{
	(void)type;
	return ((const driven_file *)base)->source->file.size;
}

/* HDF5 expects zeros behind the end of a file, where it may allocate space. */
static herr_t read_driven(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer)
{
	(void)type;
	(void)transfer;
	gemp_h5_source *source = ((driven_file *)base)->source;
	const uint64_t whole = source->file.size;
	const size_t stored = address >= whole ? 0 : (size_t)gemp_min(size, whole - address);
	const int error = stored <= SMALL_READ ? gemp_block_cache_read(&source->blocks, address, stored, buffer)
	                                       : gemp_sealed_read(&source->file, address, stored, buffer);
	memset((char *)buffer + stored, 0, size - stored);
	if (error)
		source->error = error;
	return error ? -1 : 0;
}

/* HDF5 registers only drivers that can write. It never calls this for a file that is open for reading. */
static herr_t write_driven(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void *buffer)
{
	(void)base, (void)type, (void)transfer, (void)address, (void)size, (void)buffer;
	return -1;
}

/* HDF5 1.13 and later look at `version`, and know each driver by a number, of which those from 256 on are free for
 * tests and private drivers. */
static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
	.version = H5FD_CLASS_VERSION,
	.value = (H5FD_class_value_t)300,
#endif
	.name = "gemp_sealed",
	.maxaddr = INT64_MAX,
	.fc_degree = H5F_CLOSE_WEAK,
	.fapl_size = sizeof(driver_info),
	.open = open_driven,
	.close = close_driven,
	.cmp = compare_driven,
	.query = query_driven,
	.get_eoa = get_end,
	.set_eoa = set_end,
	.get_eof = get_size,
	.read = read_driven,
	.write = write_driven,
	.fl_map = H5FD_FLMAP_SINGLE,
};

herr_t gemp_h5_source_use(hid_t access, gemp_h5_source *source)
{
	static hid_t id = H5I_INVALID_HID;
	if (id < 0)
		id = H5FDregister(&driver);
	return id < 0 ? -1 : H5Pset_driver(access, id, &(driver_info){ source });
}

gemp_code gemp_h5_source_open(gemp_h5_source **out, const char *path, bool trust)
{
	GEMP_TRY(GEMP_NEW(*out, 1));
	const gemp_code code = gemp_sealed_open(&(*out)->file, path, trust);
	(*out)->blocks = (gemp_block_cache){ .file = &(*out)->file };
	if (code != GEMP_OK) {
		gemp_h5_source_free(*out);
		*out = NULL;
	}
	return code;
}

void gemp_h5_source_free(gemp_h5_source *source)
{
	if (!source)
		return;
	gemp_block_cache_free(&source->blocks);
	gemp_sealed_close(&source->file);
	gemp_free(source);
}
