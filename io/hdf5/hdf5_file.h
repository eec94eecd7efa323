/* hdf5_file: HDF5 files, which only the layer io reads and writes. Unless their comment says otherwise, functions are
 * collective and return the same code on all ranks.
 *
 * Each rank reads its parts independently, and every byte is compared with the seal of the file if it has one
 * (hdf5_source.h). To write with parallel HDF5, all ranks open the file together and move their parts of a dataset in
 * collective calls. With serial HDF5 the ranks send their parts to rank 0 in bounded messages, and rank 0 writes all
 * parts. Callers do not see the difference. HDF5's own error messages are silenced; GEMP_HDF5 takes the innermost
 * message from the error stack.
 *
 * A path may be NULL on a rank that had no memory for it. The collective functions that make or open an object then
 * return GEMP_ENOMEM on all ranks, so callers need not check the result of gemp_h5_join.
 *
 * The datasets of hdf5_dataset have one dimension. They are contiguous and have no filters, or are compressed
 * (hdf5_packed.h). Their attribute `checksum` is the sum modulo 2^64, over all elements, of XXH3 of the element's bytes
 * with the element's index as the seed. In a file without a seal, the checksum is compared whenever the ranks together
 * read all elements. */

#ifndef GEMP_IO_HDF5_HDF5_FILE_H
#define GEMP_IO_HDF5_HDF5_FILE_H

#include "comm/comm.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/hdf5/hdf5_source.h"

#include <hdf5.h>
#include <stdio.h>

typedef struct gemp_h5 {
	const gemp_comm *comm;  /* borrowed */
	char *path;             /* owned; for messages, see gemp_h5_check */
	hid_t file;             /* valid on active ranks */
	hid_t transfer;         /* HDF5's property list for reads and writes */
	gemp_h5_source *source; /* of a file that is read; owned */
	bool active;            /* this rank calls HDF5; false on the ranks above 0 when rank 0 writes for all */
	bool parallel;          /* all ranks write together */
	bool writing;
	bool sealed;     /* a file that is written gets a seal in gemp_h5_commit */
	bool constants;  /* a dataset that is written takes no space if its elements are equal (hdf5_dataset.h) */
	bool compressed; /* datasets that are written are compressed (hdf5_packed.h); not with `parallel` */
} gemp_h5;

/* Types of elements, little-endian in the file. GEMP_H5_TEXT is UTF-8, padded with 0 to `size` bytes. GEMP_H5_BOOL is
 * h5py's enum. */
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

gemp_h5_type gemp_h5_type_of(gemp_h5_kind kind); /* for every kind but GEMP_H5_TEXT */

/* Local. Usage: code = GEMP_HDF5(h5, id = H5Gopen2(...)). If the result of the call is negative, the code is GEMP_EIO
 * for a file that is written and GEMP_EDATA for a file that is read. The message gives the file, the call and HDF5's
 * reason. */
#define GEMP_HDF5(h5, call) gemp_h5_check((h5), (long long)(call), #call)
gemp_code gemp_h5_check(const gemp_h5 *h5, long long result, const char *call);

/* Local. The code and the message of an error of gemp_sealed_read, for a dataset. */
gemp_code gemp_h5_dataset_failed(const gemp_sealed_file *file, const char *path, int error);

gemp_code gemp_h5_create(gemp_h5 *h5, const gemp_comm *comm, const char *path);
/* Creates the file under a temporary name beside `path` (io/file/output.h). After a failure no file is left. serial:
 * rank 0 alone opens the file. */
gemp_code gemp_h5_create_temporary(gemp_h5 *h5, const gemp_comm *comm, const char *path, bool serial);
/* The same for a file whose chunks get places by gemp_h5_place_chunk (hdf5_places.h). Rank 0 alone opens it. */
gemp_code gemp_h5_create_placed(gemp_h5 *h5, const gemp_comm *comm, const char *path);
/* Closes a file of these two functions and renames it to `path`. If `code` is an error or closing fails, removes
 * the file instead. Returns the first error. *h5 may be {0}, as after a failed creation. */
gemp_code gemp_h5_commit(gemp_h5 *h5, const char *path, gemp_code code);
void gemp_h5_discard(gemp_h5 *h5);                             /* local; removes such a file; *h5 may be {0} */
gemp_code gemp_h5_create_local(gemp_h5 *h5, const char *path); /* local, as all later calls with this h5 */
/* Opens a graph file for reading. trust: its seal is ignored. */
gemp_code gemp_h5_open(gemp_h5 *h5, const gemp_comm *comm, const char *path, bool trust);
/* Local, as all later calls with this h5. Opens a file of any program for reading by this rank alone, without MPI.
 * GEMP_EDATA: the file is not HDF5; the message ends in `remedy`. */
gemp_code gemp_h5_open_local(gemp_h5 *h5, const char *path, bool trust, const char *remedy);
gemp_code gemp_h5_close(gemp_h5 *h5); /* a file that is read is also closed after a failure; *h5 may be {0} */
/* Local. Frees h5 after a failed write. The file stays open within HDF5: closing would try to write again, and parallel
 * HDF5 would wait there for ranks that met no error. */
void gemp_h5_abandon(gemp_h5 *h5);

/* A name may hold any bytes. '%', '/' and a leading '.' are encoded as %25, %2F and %2E, and an empty name as a single
 * '%'. */
void gemp_h5_encode(const char *name, gemp_text *out);      /* appends to out */
gemp_code gemp_h5_decode(const char *encoded, char **name); /* the caller frees *name */

/* Call this before a call that changes the file. Parallel HDF5 may wait within that call for ranks that do not make it.
 * So with parallel HDF5 the ranks agree on `code` and on having memory for the path. With serial HDF5 the result is
 * this rank's own. */
gemp_code gemp_h5_before_change(const gemp_h5 *h5, gemp_code code, const char *path);

typedef struct gemp_h5_texts {
	char **text; /* [count], owned */
	size_t count;
} gemp_h5_texts;
void gemp_h5_texts_free(gemp_h5_texts *texts); /* *texts may be {0} */

/* Local. An HDF5 type of elements, which the caller releases. */
hid_t gemp_h5_make_type(gemp_h5_type type);
hid_t gemp_h5_make_string_type(void); /* strings of variable length, UTF-8 */
/* Local. Closes an HDF5 object of any kind but a file. Does nothing for H5I_INVALID_HID. */
void gemp_h5_release(hid_t id);
GEMP_RELEASE(gemp_h5_release, hid_t)

enum { GEMP_H5_DIMENSIONS = 3 };
/* Local. The number of dimensions and the size of each. The sizes of missing dimensions are 1. */
gemp_code gemp_h5_extent(const gemp_h5 *h5, hid_t dataset, int *dimensions, hsize_t size[GEMP_H5_DIMENSIONS]);
/* Moves rows [first, first + count) of a dataset, with all their columns, between file and memory. Writes the rows if
 * the file is open for writing, and otherwise reads them; in memory the elements have the given type. Local, but with
 * parallel HDF5 all ranks must call this function. */
gemp_code gemp_h5_move(const gemp_h5 *h5, hid_t dataset, hid_t type, uint64_t first, uint64_t count, void *data);

/* Local. Splits "G.h5:/a/b" into *path "G.h5", which the caller frees, and *dataset "/a/b", which is NULL if the place
 * names no dataset. False: the place is not an HDF5 file. */
bool gemp_h5_split_place(const char *place, char **path, const char **dataset);

/* Local. gemp_h5_join makes "GROUP/NAME". gemp_h5_join_encoded encodes NAME and makes "GROUP/NAME/PART", or
 * "GROUP/NAME" for the part "". The caller frees the result, which is NULL if the group is NULL or memory does not
 * suffice. */
char *gemp_h5_join(const char *group, const char *name);
char *gemp_h5_join_encoded(const char *group, const char *name, const char *part);

#endif
