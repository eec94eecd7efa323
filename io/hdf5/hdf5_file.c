/* Files, links, types and transfers of HDF5. One interface covers parallel and serial HDF5.
 *
 * A call of HDF5 has failed if it returns a negative number. The innermost entry of HDF5's error stack becomes the
 * reason in our message. A file that failed while it was written is abandoned and never closed: closing would write
 * again and, with parallel HDF5, wait for ranks that met no error. A file gets its final name at the end
 * (gemp_h5_commit). */

#include "io/hdf5/hdf5_file.h"

#include "core/limits.h"
#include "core/memory.h"
#include "io/file/output.h"
#include "io/file/seal.h"
#include "io/hdf5/hdf5_filter.h"
#include "io/hdf5/hdf5_places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef GEMP_PARALLEL_HDF5
enum { PARALLEL = 1 };
#else
enum { PARALLEL = 0 };
#endif

/* HDF5 wraps the operating system's message in several lines with times and addresses. Only the operating system's
 * words are kept. */
static herr_t keep_innermost(unsigned depth, const H5E_error2_t *error, void *text)
{
	static const char before[] = "error message = '";
	const char *found = strstr(error->desc, before), *reason = found ? found + strlen(before) : NULL;
	if (depth == 0 && reason)
		snprintf(text, 256, "%.*s: %.*s", (int)strcspn(error->desc, ":"), error->desc, (int)strcspn(reason, "'"),
		         reason);
	else if (depth == 0)
		snprintf(text, 256, "%s", error->desc);
	return 0;
}

/* HDF5's stack holds a chain of messages, and only the innermost one gives the cause. */
gemp_code gemp_h5_check(const gemp_h5 *h5, long long result, const char *call)
{
	if (result >= 0)
		return GEMP_OK;
	if (h5->source && h5->source->error)
		return gemp_sealed_failed(&h5->source->file, "its structure", h5->source->error);
	char reason[256] = "";
	H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, reason);
	H5Eclear2(H5E_DEFAULT);
	const char *from = strstr(call, "H5"), *name = from ? from : "HDF5"; /* a function of hdf5_places */
	const int length = (int)strcspn(name, "(");
	if (h5->writing)
		return gemp_fail(GEMP_EIO, "%s: writing failed in %.*s: %s; is there room, and may you write there?", h5->path,
		                 length, name, reason);
	return gemp_fail(GEMP_EDATA, "%s: not readable: %.*s: %s; is it a whole HDF5 file?", h5->path, length, name,
	                 reason);
}

gemp_code gemp_h5_dataset_failed(const gemp_sealed_file *file, const char *path, int error)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text part = { 0 };
	gemp_text_print(&part, "dataset '%s'", path);
	return gemp_sealed_failed(file, gemp_text_status(&part) == GEMP_OK ? part.data : "a dataset", error);
}

/* The ranks that write. With parallel HDF5 all ranks do. Otherwise rank 0 does alone, or asks for the places of chunks
 * (hdf5_places), to which all ranks write. */
typedef enum file_writers { TOGETHER, RANK_0, RANK_0_PLACES } file_writers;

/* Local. Fills *h5, which gemp_h5_abandon accepts even after a failure. HDF5's own messages on stderr are silenced,
 * since each failure gets one line of ours. */
static gemp_code begin_file(gemp_h5 *h5, const gemp_comm *comm, const char *path, bool writing, file_writers writers)
{
	H5dont_atexit(); /* HDF5 would flush an abandoned file at exit; see also gemp_comm_forbid_finalize */
	H5open();
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	gemp_h5_filter_register();
	*h5 = (gemp_h5){ .comm = comm, .file = H5I_INVALID_HID, .transfer = H5I_INVALID_HID, .writing = writing };
	/* A single rank writes without MPI, since it would pay for setting up MPI-IO and gain nothing. Besides, all
	 * processes without mpirun have one folder for MPI's shared files, which the first one to end removes. */
	h5->parallel = PARALLEL && writing && !gemp_limits_now()->h5_serial && writers == TOGETHER && comm->size > 1;
	h5->active = h5->parallel || !writing || comm->rank == 0;
	h5->path = gemp_strdup(path);
	return h5->path ? GEMP_OK : GEMP_ENOMEM;
}

#ifdef GEMP_PARALLEL_HDF5
/* Transfers are collective, but each rank moves its own bytes, without two-phase buffering. */
static gemp_code set_mpi_access(gemp_h5 *h5, hid_t access)
{
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_fapl_mpio(access, h5->comm->world, MPI_INFO_NULL)));
	GEMP_TRY(GEMP_HDF5(h5, H5Pset_dxpl_mpio(h5->transfer, H5FD_MPIO_COLLECTIVE)));
	/* A rank's part is contiguous, so nothing is gained if some ranks read or write for others. */
	return GEMP_HDF5(h5, H5Pset_dxpl_mpio_collective_opt(h5->transfer, H5FD_MPIO_INDIVIDUAL_IO));
}
#else
static gemp_code set_mpi_access(gemp_h5 *h5, hid_t access)
{
	(void)h5;
	(void)access;
	return GEMP_OK;
}
#endif

/* Local, but with parallel HDF5 all ranks must call this function. A file stores no times, so the same graph gives the
 * same bytes. */
static gemp_code open_file(gemp_h5 *h5, file_writers writers)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t access = H5I_INVALID_HID, creation = H5I_INVALID_HID;
	if (!h5->active)
		return GEMP_OK;
	GEMP_TRY(GEMP_HDF5(h5, access = H5Pcreate(H5P_FILE_ACCESS)));
	GEMP_TRY(GEMP_HDF5(h5, h5->transfer = H5Pcreate(H5P_DATASET_XFER)));
	if (h5->parallel)
		GEMP_TRY(set_mpi_access(h5, access));
	if (writers == RANK_0_PLACES)
		GEMP_TRY(GEMP_HDF5(h5, gemp_h5_places_access(access)));
	if (h5->writing) {
		GEMP_TRY(GEMP_HDF5(h5, creation = H5Pcreate(H5P_FILE_CREATE)));
		GEMP_TRY(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
		GEMP_TRY(GEMP_HDF5(h5, h5->file = H5Fcreate(h5->path, H5F_ACC_TRUNC, creation, access)));
	} else {
		GEMP_TRY(GEMP_HDF5(h5, gemp_h5_source_use(access, h5->source)));
		GEMP_TRY(GEMP_HDF5(h5, h5->file = H5Fopen(h5->path, H5F_ACC_RDONLY, access)));
	}
	return GEMP_OK;
}

/* Rank 0 first makes the file by fopen, since HDF5 would not say why a path cannot be written to. The ranks agree
 * before they open the file, since parallel HDF5 would wait for a rank that has failed. */
static gemp_code create_file(gemp_h5 *h5, const gemp_comm *comm, const char *path, file_writers writers)
{
	gemp_code code = begin_file(h5, comm, path, true, writers);
	if (code == GEMP_OK && comm->rank == 0) {
		FILE *file = fopen(path, "wb");
		if (!file || fclose(file) != 0)
			code = gemp_fail(GEMP_EIO, "%s: cannot be written: %s", path, strerror(errno));
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	return gemp_comm_agree(comm, open_file(h5, writers));
}

gemp_code gemp_h5_create(gemp_h5 *h5, const gemp_comm *comm, const char *path)
{
	return create_file(h5, comm, path, TOGETHER);
}

/* All ranks use the same temporary name, since with parallel HDF5 each of them opens the file. */
static gemp_code create_temporary(gemp_h5 *h5, const gemp_comm *comm, const char *path, file_writers writers)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text temporary = { 0 };
	GEMP_TRY(gemp_output_temporary(comm, path, &temporary));
	gemp_code code = create_file(h5, comm, temporary.data, writers);
	if (code == GEMP_OK)
		return GEMP_OK;
	gemp_h5_abandon(h5);
	return gemp_output_commit(comm, temporary.data, path, code);
}

gemp_code gemp_h5_create_temporary(gemp_h5 *h5, const gemp_comm *comm, const char *path, bool serial)
{
	return create_temporary(h5, comm, path, serial ? RANK_0 : TOGETHER);
}

gemp_code gemp_h5_create_placed(gemp_h5 *h5, const gemp_comm *comm, const char *path)
{
	return create_temporary(h5, comm, path, RANK_0_PLACES);
}

/* MPI_COMM_SELF need not be a constant expression, so it cannot be part of the static initialiser. */
static const gemp_comm *this_rank(void)
{
	static gemp_comm comm = { .size = 1, .node_size = 1 };
	comm.world = comm.node = MPI_COMM_SELF;
	return &comm;
}

gemp_code gemp_h5_create_local(gemp_h5 *h5, const char *path)
{
	return create_file(h5, this_rank(), path, RANK_0);
}

/* Local. HDF5's signature lies at the start of the file, or behind a user's block of 512, 1024, 2048 ... bytes. */
static bool is_hdf5(const gemp_sealed_file *file)
{
	static const char signature[8] = "\211HDF\r\n\032\n";
	char found[sizeof signature];
	for (uint64_t at = 0; at < file->size; at = at ? at * 2 : 512)
		if (gemp_sealed_read(file, at, sizeof found, found) == 0 && memcmp(found, signature, sizeof found) == 0)
			return true;
	return false;
}

/* Each rank opens the file by itself, so damage is an error on each rank and no rank waits for another. */
static gemp_code open_source(gemp_h5 *h5, const char *path, bool trust, const char *remedy)
{
	GEMP_TRY(gemp_h5_source_open(&h5->source, path, trust));
	if (!is_hdf5(&h5->source->file))
		return gemp_fail(GEMP_EDATA, "%s: not an HDF5 file; %s", path, remedy);
	return open_file(h5, TOGETHER);
}

static gemp_code open_checked(gemp_h5 *h5, const gemp_comm *comm, const char *path, bool trust, const char *remedy)
{
	gemp_code code = begin_file(h5, comm, path, false, TOGETHER);
	GEMP_THEN(open_source(h5, path, trust, remedy));
	return gemp_comm_agree(comm, code);
}

gemp_code gemp_h5_open(gemp_h5 *h5, const gemp_comm *comm, const char *path, bool trust)
{
	return open_checked(h5, comm, path, trust, "make a graph file with 'gemp-mpi import'");
}

gemp_code gemp_h5_open_local(gemp_h5 *h5, const char *path, bool trust, const char *remedy)
{
	return open_checked(h5, this_rank(), path, trust, remedy);
}

/* A full disk must be found before HDF5 closes the file, since the ranks could not agree on a failure during the close.
 * posix_fallocate fills the holes of the file and ensures that the file can grow by GROWTH bytes. */
static gemp_code allocate_file(const gemp_h5 *h5)
{
	enum { GROWTH = 4 << 20 };
	struct stat status;
	int file = open(h5->path, O_WRONLY), error = 0;
	if (file < 0 || fstat(file, &status) != 0)
		error = errno;
	else
		error = posix_fallocate(file, 0, status.st_size + GROWTH);
	if (file >= 0 && error == 0 && ftruncate(file, status.st_size) != 0)
		error = errno;
	if (file >= 0)
		close(file);
	if (error && error != EINVAL && error != EOPNOTSUPP)
		return gemp_fail(GEMP_EIO, "%s: cannot be written: %s", h5->path, strerror(error));
	return GEMP_OK;
}

/* The file stays open within HDF5. gemp_comm_forbid_finalize keeps MPI_Finalize from closing it. */
void gemp_h5_abandon(gemp_h5 *h5)
{
	if (h5->comm && h5->writing && h5->file >= 0)
		gemp_comm_forbid_finalize();
	if (h5->comm && h5->active && h5->transfer >= 0)
		H5Pclose(h5->transfer);
	gemp_h5_source_free(h5->source);
	gemp_free(h5->path);
	*h5 = (gemp_h5){ 0 };
}

/* After a successful close h5->file is invalid, so gemp_h5_abandon then only frees memory. */
static gemp_code close_file(gemp_h5 *h5)
{
	gemp_code code = GEMP_OK;
	if (!h5->comm)
		return GEMP_OK;
	if (h5->writing)
		GEMP_TRY(gemp_comm_agree(h5->comm, h5->comm->rank == 0 ? allocate_file(h5) : GEMP_OK));
	if (h5->active && h5->file >= 0)
		code = GEMP_HDF5(h5, H5Fclose(h5->file));
	code = gemp_comm_agree(h5->comm, code);
	if (code == GEMP_OK)
		h5->file = H5I_INVALID_HID;
	return code;
}

/* Memory and handles are released even if closing fails. */
gemp_code gemp_h5_close(gemp_h5 *h5)
{
	gemp_code code = close_file(h5);
	gemp_h5_abandon(h5);
	return code;
}

/* If closing fails, rank 0 removes the file instead of renaming it, as after a failed write. */
gemp_code gemp_h5_commit(gemp_h5 *h5, const char *path, gemp_code code)
{
	GEMP_THEN(close_file(h5));
	if (h5->comm && h5->sealed)
		GEMP_THEN(gemp_seal_file(h5->comm, h5->path));
	if (h5->comm)
		code = gemp_output_commit(h5->comm, h5->path, path, code);
	gemp_h5_abandon(h5);
	return code;
}

/* Rank 0 has created the file, so rank 0 removes it. */
void gemp_h5_discard(gemp_h5 *h5)
{
	if (h5->comm && h5->comm->rank == 0 && h5->path)
		gemp_file_discard(h5->path);
	gemp_h5_abandon(h5);
}

/* NAMES */

/* HDF5 separates groups by slashes and takes the name "." for the group itself, so both are encoded. */
void gemp_h5_encode(const char *name, gemp_text *out)
{
	if (!*name)
		gemp_text_add(out, "%", 1);
	for (const char *at = name; *at; at++)
		if (*at == '%' || *at == '/' || (*at == '.' && at == name))
			gemp_text_print(out, "%%%02X", (unsigned char)*at);
		else
			gemp_text_add(out, at, 1);
}

/* A percent sign that fewer than two characters follow is dropped. gemp_h5_encode writes such a sign only for an empty
 * name. */
gemp_code gemp_h5_decode(const char *encoded, char **name)
{
	*name = gemp_strdup(encoded);
	if (!*name)
		return GEMP_ENOMEM;
	char *to = *name;
	for (const char *at = encoded; *at; at++) {
		char digits[3] = { at[0] == '%' ? at[1] : '\0', at[0] == '%' && at[1] ? at[2] : '\0', '\0' };
		if (digits[0] && digits[1]) {
			*to++ = (char)strtoul(digits, NULL, 16);
			at += 2;
		} else if (*at != '%') {
			*to++ = *at;
		}
	}
	*to = '\0';
	return GEMP_OK;
}

/* With serial HDF5 the ranks do not agree here: an agreement costs a reduction over all ranks, and a graph file has
 * hundreds of objects. */
gemp_code gemp_h5_before_change(const gemp_h5 *h5, gemp_code code, const char *path)
{
	GEMP_THEN(path ? GEMP_OK : GEMP_ENOMEM);
	return h5->parallel && h5->writing ? gemp_comm_agree(h5->comm, code) : code;
}

void gemp_h5_texts_free(gemp_h5_texts *texts)
{
	for (size_t i = 0; texts->text && i < texts->count; i++)
		gemp_free(texts->text[i]);
	gemp_free(texts->text);
	*texts = (gemp_h5_texts){ 0 };
}

/* TYPES */

gemp_h5_type gemp_h5_type_of(gemp_h5_kind kind)
{
	static const size_t size[] = { 1, 2, 4, 8, 1, 4, 8, 8, 1, 1 };
	return (gemp_h5_type){ kind, size[kind] };
}

/* h5py stores booleans as an 8-bit enum with these names. */
static hid_t make_bool(void)
{
	hid_t type = H5Tenum_create(H5T_STD_I8LE);
	H5Tenum_insert(type, "FALSE", &(int8_t){ 0 });
	H5Tenum_insert(type, "TRUE", &(int8_t){ 1 });
	return type;
}

/* A string of fixed length needs no heap in the file. Parallel HDF5 can write only such strings. */
static hid_t make_text(size_t size)
{
	hid_t type = H5Tcopy(H5T_C_S1);
	H5Tset_size(type, size);
	H5Tset_strpad(type, H5T_STR_NULLPAD);
	H5Tset_cset(type, H5T_CSET_UTF8);
	return type;
}

/* Other programs read strings of variable length best, but parallel HDF5 cannot write them in datasets. */
hid_t gemp_h5_make_string_type(void)
{
	hid_t type = H5Tcopy(H5T_C_S1);
	H5Tset_size(type, H5T_VARIABLE);
	H5Tset_cset(type, H5T_CSET_UTF8);
	return type;
}

/* H5Idec_ref closes types, spaces, datasets, attributes, groups and property lists. */
void gemp_h5_release(hid_t id)
{
	if (id >= 0)
		H5Idec_ref(id);
}

/* Types are little-endian and of fixed width, so files are the same on all machines. */
hid_t gemp_h5_make_type(gemp_h5_type type)
{
	switch (type.kind) {
	case GEMP_H5_I8: return H5Tcopy(H5T_STD_I8LE);
	case GEMP_H5_I16: return H5Tcopy(H5T_STD_I16LE);
	case GEMP_H5_I32: return H5Tcopy(H5T_STD_I32LE);
	case GEMP_H5_I64: return H5Tcopy(H5T_STD_I64LE);
	case GEMP_H5_U8: return H5Tcopy(H5T_STD_U8LE);
	case GEMP_H5_U32: return H5Tcopy(H5T_STD_U32LE);
	case GEMP_H5_U64: return H5Tcopy(H5T_STD_U64LE);
	case GEMP_H5_F64: return H5Tcopy(H5T_IEEE_F64LE);
	case GEMP_H5_BOOL: return make_bool();
	case GEMP_H5_TEXT: return make_text(type.size);
	}
	return H5I_INVALID_HID;
}

/* ROWS OF DATASETS */

/* For a dataset without dimensions, or with more than GEMP_H5_DIMENSIONS, all sizes are 1. The caller refuses it by its
 * number of dimensions. */
gemp_code gemp_h5_extent(const gemp_h5 *h5, hid_t dataset, int *dimensions, hsize_t size[GEMP_H5_DIMENSIONS])
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t space = H5I_INVALID_HID;
	GEMP_TRY(GEMP_HDF5(h5, space = H5Dget_space(dataset)));
	*dimensions = H5Sget_simple_extent_ndims(space);
	for (int d = 0; d < GEMP_H5_DIMENSIONS; d++)
		size[d] = 1;
	if (*dimensions < 1 || *dimensions > GEMP_H5_DIMENSIONS)
		return GEMP_OK;
	return GEMP_HDF5(h5, H5Sget_simple_extent_dims(space, size, NULL));
}

/* Calls of parallel HDF5 are collective, so a rank without elements takes part with an empty selection. */
gemp_code gemp_h5_move(const gemp_h5 *h5, hid_t dataset, hid_t type, uint64_t first, uint64_t count, void *data)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t memory = H5I_INVALID_HID, file = H5I_INVALID_HID;
	hsize_t start[GEMP_H5_DIMENSIONS] = { first }, size[GEMP_H5_DIMENSIONS], elements;
	int dimensions;
	char nothing[1];
	GEMP_TRY(gemp_h5_extent(h5, dataset, &dimensions, size));
	size[0] = count;
	elements = gemp_max(size[0] * size[1] * size[2], 1);
	GEMP_TRY(GEMP_HDF5(h5, memory = H5Screate_simple(1, &elements, NULL)));
	GEMP_TRY(GEMP_HDF5(h5, file = H5Dget_space(dataset)));
	if (count) {
		GEMP_TRY(GEMP_HDF5(h5, H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL)));
	} else {
		GEMP_TRY(GEMP_HDF5(h5, H5Sselect_none(file)));
		GEMP_TRY(GEMP_HDF5(h5, H5Sselect_none(memory)));
		data = nothing;
	}
	return h5->writing ? GEMP_HDF5(h5, H5Dwrite(dataset, type, memory, file, h5->transfer, data))
	                   : GEMP_HDF5(h5, H5Dread(dataset, type, memory, file, h5->transfer, data));
}

/* PLACES */

/* The colon in ".h5:" separates file and dataset. Any other colon belongs to the path. */
bool gemp_h5_split_place(const char *place, char **path, const char **dataset)
{
	const char *colon = strstr(place, ".h5:"), *end = place + strlen(place);
	*path = NULL;
	*dataset = NULL;
	if (!colon && (end - place < 3 || strcmp(end - 3, ".h5") != 0))
		return false;
	*dataset = colon ? colon + 4 : NULL;
	*path = gemp_strndup(place, colon ? (size_t)(colon + 3 - place) : (size_t)(end - place));
	return true;
}

/* Returns NULL if memory did not suffice, since the text would be a truncated path. */
static char *path_of(gemp_text *text)
{
	if (text->failed)
		gemp_text_free(text);
	return text->data;
}

/* If the group is NULL the result is NULL, so a caller can join several times and check once. */
char *gemp_h5_join(const char *group, const char *name)
{
	gemp_text text = { .failed = !group };
	gemp_text_print(&text, "%s/%s", !group || strcmp(group, "/") == 0 ? "" : group, name);
	return path_of(&text);
}

char *gemp_h5_join_encoded(const char *group, const char *name, const char *part)
{
	gemp_text text = { .failed = !group };
	gemp_text_print(&text, "%s/", group ? group : "");
	gemp_h5_encode(name, &text);
	gemp_text_print(&text, "%s%s", *part ? "/" : "", part);
	return path_of(&text);
}
