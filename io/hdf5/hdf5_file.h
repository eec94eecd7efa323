/* hdf5_file: files of HDF5, which nothing but io reads and writes. All functions are collective and return the same
 * code on all ranks, unless they say otherwise.
 *
 * Parallel HDF5: all ranks open the file together and move their parts of a dataset in collective calls. Serial HDF5:
 * each rank reads its parts independently, and rank 0 writes for all: the others send their parts to it in bounded
 * pieces. Callers of these functions do not see the difference. HDF5's own error stack is silenced; GEMP_HDF5 takes the
 * innermost message from it.
 *
 * Datasets have one dimension, are contiguous, without filters, and carry `checksum`: the sum modulo 2^64 over their
 * elements of XXH3 (bytes of the element, seed: its index). It is compared whenever the ranks together read all
 * elements.
 */

#ifndef GEMP_IO_HDF5_HDF5_FILE_H
#define GEMP_IO_HDF5_HDF5_FILE_H

#include "comm/comm.h"
#include "core/memory.h"
#include "core/text.h"

#include <hdf5.h>
#include <stdio.h>

typedef struct gemp_h5 {
	const gemp_comm *comm; /* borrowed */
	char *path;            /* owned; for messages, see gemp_h5_call */
	hid_t file;            /* on active ranks */
	hid_t transfer;        /* property list of reads and writes */
	bool active;           /* this rank calls HDF5 (all but the ranks above 0 that write through rank 0) */
	bool parallel;
	bool writing;
} gemp_h5;

/* Element types; little-endian in the file. GEMP_H5_TEXT has `size` bytes, UTF-8, padded with 0. GEMP_H5_BOOL is
 * h5py's. */
typedef enum gemp_h5_kind {
	GEMP_H5_I8,
	GEMP_H5_I16,
	GEMP_H5_I32,
	GEMP_H5_I64,
	GEMP_H5_U8,
	GEMP_H5_U32,
	GEMP_H5_U64,
	GEMP_H5_F64,
	GEMP_H5_BOOL,
	GEMP_H5_TEXT
} gemp_h5_kind;

typedef struct gemp_h5_type {
	gemp_h5_kind kind;
	size_t size; /* bytes of one element */
} gemp_h5_type;

gemp_h5_type gemp_h5_type_of(gemp_h5_kind kind); /* any but GEMP_H5_TEXT */

/* code = GEMP_HDF5(h5, id = H5Gopen2(...)): a negative result is GEMP_EIO when writing and GEMP_EDATA when reading,
 * with the file, the call and HDF5's reason. Local. */
#define GEMP_HDF5(h5, call) gemp_h5_check((h5), (long long)(call), #call)
gemp_code gemp_h5_check(const gemp_h5 *h5, long long result, const char *call);

gemp_code gemp_h5_create(gemp_h5 *h5, const gemp_comm *comm, const char *path);
/* Creates the file under a temporary name beside `path` (io/file/output.h); a failure leaves no file. serial: rank 0
 * alone has the file, as variable-length strings in datasets need it. */
gemp_code gemp_h5_create_temporary(gemp_h5 *h5, const gemp_comm *comm, const char *path, bool serial);
/* Closes such a file and gives it the name `path`, or removes it if `code`, or closing it, is an error; returns the
 * first error. Takes {0} after a failure. */
gemp_code gemp_h5_commit(gemp_h5 *h5, const char *path, gemp_code code);
void gemp_h5_discard(gemp_h5 *h5);                             /* local: removes such a file; takes {0} */
gemp_code gemp_h5_create_local(gemp_h5 *h5, const char *path); /* local, as all calls with this h5 */
gemp_code gemp_h5_open(gemp_h5 *h5, const gemp_comm *comm, const char *path); /* read only */
/* Local. The file, of any program, is read by this rank for itself, without MPI; all calls with this h5 are local, too.
 * A file that is not HDF5 is GEMP_EDATA with the remedy. */
gemp_code gemp_h5_open_local(gemp_h5 *h5, const char *path, const char *remedy);
gemp_code gemp_h5_close(gemp_h5 *h5); /* of a file that is read also after a failure; takes {0} */
/* After a failure to write: HDF5 is left alone with the file, since closing would try again, and parallel HDF5 would
 * wait there for ranks that met no error. */
void gemp_h5_abandon(gemp_h5 *h5);

/* Names may hold any bytes: '%', '/' and a leading '.' are written as %25, %2F and %2E, an empty name as a lone '%'. */
void gemp_h5_encode(const char *name, gemp_text *out);      /* appends */
gemp_code gemp_h5_decode(const char *encoded, char **name); /* caller frees */

gemp_code gemp_h5_link(const gemp_h5 *h5, const char *target, const char *path); /* hard */
gemp_code gemp_h5_exists(const gemp_h5 *h5, const char *path, bool *exists);
typedef struct gemp_h5_texts {
	char **text; /* [count] owned */
	size_t count;
} gemp_h5_texts;
void gemp_h5_texts_free(gemp_h5_texts *texts); /* takes {0} */
/* Names in a group in bytewise order, still encoded. */
gemp_code gemp_h5_list(const gemp_h5 *h5, const char *group, gemp_h5_texts *names);
/* Paths of all datasets below the root, each once. */
gemp_code gemp_h5_list_datasets(const gemp_h5 *h5, gemp_h5_texts *paths);

/* Local. HDF5 types of elements; the caller releases them. */
hid_t gemp_h5_make_type(gemp_h5_type type);
hid_t gemp_h5_make_string_type(void); /* of variable length, UTF-8 */
/* Local. Closes an object of HDF5 (but a file) after a failure or not: H5I_INVALID_HID is passed over. */
void gemp_h5_release(hid_t id);
GEMP_RELEASE(gemp_h5_release, hid_t)

enum { GEMP_H5_DIMENSIONS = 3 };
/* Local. The number of dimensions and their sizes, 1 where there is none. */
gemp_code gemp_h5_extent(const gemp_h5 *h5, hid_t dataset, int *dimensions, hsize_t size[GEMP_H5_DIMENSIONS]);
/* Moves rows [first, first + count) of a dataset, in all its columns, between file and memory: writes them if the file
 * is written, else reads them as elements of `type`. Local, but in parallel HDF5 each call is made by all ranks. */
gemp_code gemp_h5_move(const gemp_h5 *h5, hid_t dataset, hid_t type, uint64_t first, uint64_t count, void *data);

/* "G.h5:/a/b" -> path, which the caller frees, and "/a/b"; dataset NULL: none is named. False: it is no such place. */
bool gemp_h5_split_place(const char *place, char **path, const char **dataset);

/* Collective. "path/name", and the path of a part ("": all) of a relation below `top`; the caller frees. */
gemp_code gemp_h5_join(const gemp_h5 *h5, const char *path, const char *name, char **out);

#endif
