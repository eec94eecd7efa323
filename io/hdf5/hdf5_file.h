/* hdf5_file: files of HDF5, which nothing but io reads and writes. All functions are collective and return the same
 * code on all ranks, unless they say otherwise.
 *
 * With parallel HDF5 all ranks open the file together and move their parts of a dataset in collective calls. With
 * serial HDF5 each rank reads its parts independently, and rank 0 writes for all ranks: the others send it their parts
 * in bounded messages. Callers of these functions do not see the difference. HDF5's own error stack is silenced;
 * GEMP_HDF5 takes the innermost message from it.
 *
 * A path may be NULL on a rank that had no memory for it: the collective functions that make or open an object then
 * return GEMP_ENOMEM on all ranks, so callers need not check the paths that gemp_h5_join returns.
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
/* Closes such a file and gives it the name `path`; removes it instead if `code` is an error or the file cannot be
 * closed. Returns the first error. Takes {0} after a failure. */
gemp_code gemp_h5_commit(gemp_h5 *h5, const char *path, gemp_code code);
void gemp_h5_discard(gemp_h5 *h5);                             /* local: removes such a file; takes {0} */
gemp_code gemp_h5_create_local(gemp_h5 *h5, const char *path); /* local, as all calls with this h5 */
gemp_code gemp_h5_open(gemp_h5 *h5, const gemp_comm *comm, const char *path); /* read only */
/* Local. The file, of any program, is read by this rank for itself, without MPI; all calls with this h5 are local, too.
 * A file that is not HDF5 is GEMP_EDATA with the remedy. */
gemp_code gemp_h5_open_local(gemp_h5 *h5, const char *path, const char *remedy);
gemp_code gemp_h5_close(gemp_h5 *h5); /* closes a file that is read also after a failure; takes {0} */
/* After a failure to write. The file stays open within HDF5, since closing would try to write again, and parallel HDF5
 * would wait there for ranks that met no error. */
void gemp_h5_abandon(gemp_h5 *h5);

/* Names may hold any bytes: '%', '/' and a leading '.' are written as %25, %2F and %2E, an empty name as a lone '%'. */
void gemp_h5_encode(const char *name, gemp_text *out);      /* appends */
gemp_code gemp_h5_decode(const char *encoded, char **name); /* caller frees */

/* Before a call that changes the file. Parallel HDF5 may wait within such a call for ranks that do not make it, so the
 * ranks agree on `code` and on having the path; with serial HDF5 the result is this rank's own. */
gemp_code gemp_h5_before_change(const gemp_h5 *h5, gemp_code code, const char *path);

typedef struct gemp_h5_texts {
	char **text; /* [count] owned */
	size_t count;
} gemp_h5_texts;
void gemp_h5_texts_free(gemp_h5_texts *texts); /* takes {0} */

/* Local. HDF5 types of elements; the caller releases them. */
hid_t gemp_h5_make_type(gemp_h5_type type);
hid_t gemp_h5_make_string_type(void); /* of variable length, UTF-8 */
/* Local. Closes any object of HDF5 but a file; does nothing for H5I_INVALID_HID. */
void gemp_h5_release(hid_t id);
GEMP_RELEASE(gemp_h5_release, hid_t)

enum { GEMP_H5_DIMENSIONS = 3 };
/* Local. The number of dimensions, and their sizes; the size of a dimension beyond that number is 1. */
gemp_code gemp_h5_extent(const gemp_h5 *h5, hid_t dataset, int *dimensions, hsize_t size[GEMP_H5_DIMENSIONS]);
/* Moves rows [first, first + count) of a dataset, with all their columns, between file and memory: writes them if the
 * file is open for writing, else reads them as elements of `type`. Local, but with parallel HDF5 all ranks must
 * call. */
gemp_code gemp_h5_move(const gemp_h5 *h5, hid_t dataset, hid_t type, uint64_t first, uint64_t count, void *data);

/* Local. Splits "G.h5:/a/b" into "G.h5" (*path, which the caller frees) and "/a/b" (*dataset, NULL if the place names
 * none). False for a place that is no HDF5 file. */
bool gemp_h5_split_place(const char *place, char **path, const char **dataset);

/* Local. "GROUP/NAME", and "GROUP/NAME/PART" (PART "": "GROUP/NAME") with NAME encoded. The caller frees; NULL if out
 * of memory. */
char *gemp_h5_join(const char *group, const char *name);
char *gemp_h5_join_encoded(const char *group, const char *name, const char *part);

#endif
