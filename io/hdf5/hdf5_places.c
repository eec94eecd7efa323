/* The driver reads and writes like HDF5's own driver for POSIX files. HDF5 writes a packed chunk by one call of the
 * driver with the type H5FD_MEM_DRAW, and reads nothing of the bytes itself, so gemp_h5_place_chunk has no bytes. */

#include "io/hdf5/hdf5_places.h"

#include "core/types.h"
#include "io/file/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct placed_file {
	H5FD_t base; /* first, since HDF5 knows the file by this part */
	int descriptor;
	haddr_t allocated, end; /* of the space that HDF5 has allocated, and of the file */
	bool placing;
	haddr_t place; /* of the last chunk; HADDR_UNDEF: none since `placing` was set */
} placed_file;

/* HDF5 prints the innermost message. gemp_h5_check takes the system's words out of this form. */
static herr_t failed(const char *what)
{
	const int error = errno;
	H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR, "%s: error message = '%s'",
	         what, strerror(error));
	return -1;
}

/* HDF5 owns the memory, since a file that failed stays open within HDF5 (gemp_h5_abandon). */
static H5FD_t *open_driver(const char *path, unsigned flags, hid_t access, haddr_t max)
{
	(void)access;
	(void)max;
	struct stat status;
	const int mode = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) |
	                 (flags & H5F_ACC_CREAT ? O_CREAT : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0) | O_CLOEXEC;
	placed_file *file = H5allocate_memory(sizeof *file, true);
	if (!file)
		return NULL;
	file->descriptor = open(path, mode, 0666);
	if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0) {
		failed("unable to open file");
		if (file->descriptor >= 0)
			close(file->descriptor);
		H5free_memory(file);
		return NULL;
	}
	file->end = (haddr_t)status.st_size;
	return &file->base;
}

static herr_t close_driver(H5FD_t *base)
{
	placed_file *file = (placed_file *)base;
	const herr_t code = close(file->descriptor) == 0 ? 0 : failed("unable to close file");
	H5free_memory(file);
	return code;
}

/* HDF5 gathers small pieces of metadata into larger writes. Chunks are large. */
static herr_t query_driver(const H5FD_t *base, unsigned long *flags)
{
	(void)base;
	*flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
	         H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
	return 0;
}

static haddr_t get_allocated(const H5FD_t *base, H5FD_mem_t type)
{
	(void)type;
	return ((const placed_file *)base)->allocated;
}

static herr_t set_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t end)
{
	(void)type;
	((placed_file *)base)->allocated = end;
	return 0;
}

static haddr_t get_end(const H5FD_t *base, H5FD_mem_t type)
{
	(void)type;
	return ((const placed_file *)base)->end;
}

static herr_t get_handle(H5FD_t *base, hid_t access, void **handle)
{
	(void)access;
	*handle = base;
	return 0;
}

/* Bytes after the end of the file are 0. */
static herr_t read_driver(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *bytes)
{
	const placed_file *file = (placed_file *)base;
	char *to = bytes;
	(void)type;
	(void)transfer;
	while (size) {
		const ssize_t got = pread(file->descriptor, to, size, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return failed("file read failed");
		if (got == 0) {
			memset(to, 0, size);
			break;
		}
		to += got;
		at += (haddr_t)got;
		size -= (size_t)got;
	}
	return 0;
}

static herr_t write_driver(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, const void *bytes)
{
	placed_file *file = (placed_file *)base;
	(void)transfer;
	file->end = gemp_max(file->end, at + size);
	if (file->placing && type == H5FD_MEM_DRAW) {
		file->place = at;
		return 0;
	}
	return gemp_file_write_at(file->descriptor, bytes, size, at) ? 0 : failed("file write failed");
}

/* The file gets the size that HDF5 has allocated. */
static herr_t truncate_driver(H5FD_t *base, hid_t transfer, hbool_t closing)
{
	placed_file *file = (placed_file *)base;
	(void)transfer;
	(void)closing;
	if (file->end == file->allocated)
		return 0;
	if (ftruncate(file->descriptor, (off_t)file->allocated) != 0)
		return failed("unable to extend file properly");
	file->end = file->allocated;
	return 0;
}

/* The number is free for private drivers, and hdf5_source has another one. */
static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
	.version = H5FD_CLASS_VERSION,
	.value = (H5FD_class_value_t)301,
#endif
	.name = "gemp-places",
	.maxaddr = INT64_MAX,
	.fc_degree = H5F_CLOSE_WEAK,
	.open = open_driver,
	.close = close_driver,
	.query = query_driver,
	.get_eoa = get_allocated,
	.set_eoa = set_allocated,
	.get_eof = get_end,
	.get_handle = get_handle,
	.read = read_driver,
	.write = write_driver,
	.truncate = truncate_driver,
	.fl_map = H5FD_FLMAP_DICHOTOMY,
};

herr_t gemp_h5_places_access(hid_t access)
{
	static hid_t driver = H5I_INVALID_HID;
	if (driver < 0)
		driver = H5FDregister(&driver_class);
	return driver < 0 ? -1 : H5Pset_driver(access, driver, NULL);
}

/* HDF5 wants a pointer to the bytes, which it gives to the driver. */
herr_t gemp_h5_place_chunk(hid_t id, hid_t dataset, uint64_t first, size_t bytes, uint64_t *place)
{
	void *handle = NULL;
	const hsize_t begin = first;
	if (H5Fget_vfd_handle(id, H5P_DEFAULT, &handle) < 0)
		return -1;
	placed_file *file = handle;
	file->place = HADDR_UNDEF;
	file->placing = true;
	const herr_t written = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &begin, bytes, file);
	file->placing = false;
	*place = file->place;
	if (written >= 0 && file->place == HADDR_UNDEF) {
		H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR,
		         "a chunk got no place");
		return -1;
	}
	return written;
}
