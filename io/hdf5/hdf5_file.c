/* Parallel and serial HDF5 behind one interface. Errors of HDF5 are found where a call returns a negative
 * number; the innermost entry of its error stack becomes the reason in our message. A file that failed
 * while it was written is abandoned, since closing it would write again and, in parallel, wait for ranks
 * that met no error. */

#include "io/hdf5/hdf5_file.h"

#include "core/limits.h"
#include "core/status.h"

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

/* Of what the system said, which HDF5 gives with times and addresses on several lines, only that. */
static herr_t keep_innermost(unsigned depth, const H5E_error2_t *error, void *text)
{
	static const char before[] = "error message = '";
	const char *said = strstr(error->desc, before);
	if (depth == 0 && said)
		snprintf(text, 256, "%.*s: %.*s", (int)strcspn(error->desc, ":"), error->desc,
		         (int)strcspn(said + strlen(before), "'"), said + strlen(before));
	else if (depth == 0)
		snprintf(text, 256, "%s", error->desc);
	return 0;
}

/* HDF5's stack holds a chain of messages of which only the innermost says what went wrong. */
gemp_code gemp_h5_check(const gemp_h5 *h5, long long result, const char *call)
{
	if (result >= 0)
		return GEMP_OK;
	char reason[256] = "";
	H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, reason);
	H5Eclear2(H5E_DEFAULT);
	const char *name = strstr(call, "H5");
	int length = name ? (int)strcspn(name, "(") : 0;
	if (h5->writing)
		return gemp_fail(GEMP_EIO, "%s: writing failed in %.*s: %s; is there room, and may you write there?", h5->path,
		                 length, name ? name : "", reason);
	return gemp_fail(GEMP_EDATA, "%s: not readable: %.*s: %s; is it a whole HDF5 file?", h5->path, length,
	                 name ? name : "", reason);
}

/* HDF5's own messages on stderr are silenced, as failures get one line of ours. */
static gemp_code begin_file(gemp_h5 *h5, const gemp_comm *comm, const char *path, bool writing, bool serial)
{
	H5dont_atexit(); /* an abandoned file would be flushed again; see gemp_comm_forbid_finalize, too */
	H5open();
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	*h5 = (gemp_h5){ .comm = comm, .file = H5I_INVALID_HID, .transfer = H5I_INVALID_HID, .writing = writing };
	/* MPI's way to a file takes longer to set up than one rank takes to read a graph of a million edges. */
	h5->parallel = PARALLEL && !gemp_limits_now()->h5_serial && !serial && (writing || comm->size > 1);
	h5->active = h5->parallel || !writing || comm->rank == 0;
	h5->path = gemp_strdup(path);
	return gemp_comm_agree(comm, h5->path ? GEMP_OK : GEMP_ENOMEM);
}

#ifdef GEMP_PARALLEL_HDF5
/* Collective transfers, but without two-phase buffering. */
static gemp_code set_mpi_access(gemp_h5 *h5, hid_t access)
{
	GEMP_PROPAGATE(GEMP_HDF5(h5, H5Pset_fapl_mpio(access, h5->comm->world, MPI_INFO_NULL)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, H5Pset_dxpl_mpio(h5->transfer, H5FD_MPIO_COLLECTIVE)));
	/* A rank's part is in one piece, so that nothing is gained by some ranks reading or writing for others. */
	return GEMP_HDF5(h5, H5Pset_dxpl_mpio_collective_opt(h5->transfer, H5FD_MPIO_INDIVIDUAL_IO));
}
#else
static gemp_code share(gemp_h5 *h5, hid_t access)
{
	(void)h5;
	(void)access;
	return GEMP_OK;
}
#endif

/* Times are not stored in files, so that the same graph gives the same bytes. */
static gemp_code open_file(gemp_h5 *h5)
{
	GEMP_OWNED_BY(gemp_h5_release_at) hid_t access = H5I_INVALID_HID, creation = H5I_INVALID_HID;
	if (!h5->active)
		return GEMP_OK;
	GEMP_PROPAGATE(GEMP_HDF5(h5, access = H5Pcreate(H5P_FILE_ACCESS)));
	GEMP_PROPAGATE(GEMP_HDF5(h5, h5->transfer = H5Pcreate(H5P_DATASET_XFER)));
	if (h5->parallel)
		GEMP_PROPAGATE(set_mpi_access(h5, access));
	if (h5->writing) {
		GEMP_PROPAGATE(GEMP_HDF5(h5, creation = H5Pcreate(H5P_FILE_CREATE)));
		GEMP_PROPAGATE(GEMP_HDF5(h5, H5Pset_obj_track_times(creation, false)));
		GEMP_PROPAGATE(GEMP_HDF5(h5, h5->file = H5Fcreate(h5->path, H5F_ACC_TRUNC, creation, access)));
	} else {
		GEMP_PROPAGATE(GEMP_HDF5(h5, h5->file = H5Fopen(h5->path, H5F_ACC_RDONLY, access)));
	}
	return GEMP_OK;
}

/* A plain fopen comes first, since HDF5 would not say why a place cannot be written to. */
static gemp_code create_file(gemp_h5 *h5, const gemp_comm *comm, const char *path, bool serial)
{
	gemp_code code = GEMP_OK;
	GEMP_PROPAGATE(begin_file(h5, comm, path, true, serial));
	if (comm->rank == 0) { /* HDF5 would not say why it fails */
		FILE *file = fopen(path, "wb");
		if (!file || fclose(file) != 0)
			code = gemp_fail(GEMP_EIO, "%s: cannot be written: %s", path, strerror(errno));
	}
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	return gemp_comm_agree(comm, open_file(h5));
}

gemp_code gemp_h5_create(gemp_h5 *h5, const gemp_comm *comm, const char *path)
{
	return create_file(h5, comm, path, false);
}

gemp_code gemp_h5_create_serial(gemp_h5 *h5, const gemp_comm *comm, const char *path)
{
	return create_file(h5, comm, path, true);
}

/* MPI_COMM_SELF need not be a constant, so that this is no initialised object. */
static const gemp_comm *this_rank(void)
{
	static gemp_comm comm = { .size = 1, .node_size = 1 };
	comm.world = comm.node = MPI_COMM_SELF;
	return &comm;
}

gemp_code gemp_h5_create_local(gemp_h5 *h5, const char *path)
{
	return create_file(h5, this_rank(), path, true);
}

/* What is wrong with the file is found by opening it without MPI first: parallel HDF5 would hang or abort. */
static gemp_code check_file(const gemp_h5 *h5, const char *remedy)
{
	struct stat status;
	if (access(h5->path, R_OK) != 0 || stat(h5->path, &status) != 0)
		return gemp_fail(GEMP_ENOINPUT, "%s: cannot be read: %s", h5->path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return gemp_fail(GEMP_ENOINPUT, "%s: %s", h5->path, strerror(EISDIR));
	if (H5Fis_hdf5(h5->path) <= 0) {
		H5Eclear2(H5E_DEFAULT);
		return gemp_fail(GEMP_EDATA, "%s: not an HDF5 file; %s", h5->path, remedy);
	}
	hid_t id = H5I_INVALID_HID;
	GEMP_PROPAGATE(GEMP_HDF5(h5, id = H5Fopen(h5->path, H5F_ACC_RDONLY, H5P_DEFAULT)));
	return GEMP_HDF5(h5, H5Fclose(id));
}

/* Rank 0 looks at the file before all ranks open it together. */
static gemp_code open_checked(gemp_h5 *h5, const gemp_comm *comm, const char *path, const char *remedy)
{
	GEMP_PROPAGATE(begin_file(h5, comm, path, false, false));
	GEMP_PROPAGATE(gemp_comm_agree(comm, comm->rank == 0 ? check_file(h5, remedy) : GEMP_OK));
	return gemp_comm_agree(comm, open_file(h5));
}

gemp_code gemp_h5_open(gemp_h5 *h5, const gemp_comm *comm, const char *path)
{
	return open_checked(h5, comm, path, "make a graph file with 'gemp-mpi import'");
}

gemp_code gemp_h5_open_local(gemp_h5 *h5, const char *path, const char *remedy)
{
	return open_checked(h5, this_rank(), path, remedy);
}

/* Room for what HDF5 writes when it closes, since a failure there could not be agreed on: the holes of the file are filled,
 * and its end is seen to be able to grow. */
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

/* Closing would try to write again, and wait for ranks that met no error; so the file is left open. */
void gemp_h5_abandon(gemp_h5 *h5)
{
	if (h5->comm && h5->writing && h5->file >= 0)
		gemp_comm_forbid_finalize();
	if (h5->comm && h5->active && h5->transfer >= 0)
		H5Pclose(h5->transfer);
	gemp_free(h5->path);
	*h5 = (gemp_h5){ 0 };
}

/* What closing writes is given its room before, since a full disk could not be agreed on afterwards. */
gemp_code gemp_h5_close(gemp_h5 *h5)
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
done:
	gemp_h5_abandon(h5);
	return code;
}

/* Slashes separate groups in HDF5, and a name that is a single point would be the group itself. */
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

/* A percent sign without two digits stands for nothing; only gemp_h5_encode writes them. */
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

/* A hard link costs no copy of the data. */
gemp_code gemp_h5_link(const gemp_h5 *h5, const char *target, const char *path)
{
	gemp_code code = GEMP_OK;
	if (h5->active)
		code = GEMP_HDF5(h5, H5Lcreate_hard(h5->file, target, h5->file, path, H5P_DEFAULT, H5P_DEFAULT));
	return gemp_comm_agree(h5->comm, code);
}

/* Ranks that do not call HDF5 see false; callers that depend on it use the active ranks' answer. */
gemp_code gemp_h5_exists(const gemp_h5 *h5, const char *path, bool *exists)
{
	htri_t found = 0;
	gemp_code code = GEMP_OK;
	if (h5->active)
		code = GEMP_HDF5(h5, found = H5Lexists(h5->file, path, H5P_DEFAULT));
	*exists = found > 0;
	return gemp_comm_agree(h5->comm, code);
}

void gemp_h5_free_texts(char **texts, size_t count)
{
	for (size_t i = 0; texts && i < count; i++)
		gemp_free(texts[i]);
	gemp_free(texts);
}

typedef struct name_list {
	char **names;
	size_t count, capacity;
	gemp_code code;
} name_list;

/* Called by H5Literate for each link, in the bytewise order of names. */
static herr_t note_name(hid_t group, const char *name, const H5L_info_t *info, void *list_)
{
	(void)group;
	(void)info;
	name_list *list = list_;
	list->code = GEMP_RESERVE(list->names, list->capacity, list->count + 1);
	char *copy = list->code == GEMP_OK ? gemp_strdup(name) : NULL;
	if (!copy) {
		list->code = GEMP_ENOMEM;
		return 1;
	}
	list->names[list->count++] = copy;
	return 0;
}

/* The list belongs to this rank; all ranks get the same one. */
gemp_code gemp_h5_list(const gemp_h5 *h5, const char *path, char ***names, size_t *count)
{
	name_list list = { 0 };
	hid_t group = H5I_INVALID_HID;
	gemp_code code = GEMP_HDF5(h5, group = H5Gopen2(h5->file, path, H5P_DEFAULT));
	if (code == GEMP_OK) {
		code = GEMP_HDF5(h5, H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, note_name, &list));
		H5Gclose(group);
	}
	code = gemp_comm_agree(h5->comm, code == GEMP_OK ? list.code : code);
	if (code != GEMP_OK) {
		gemp_h5_free_texts(list.names, list.count);
		return code;
	}
	*names = list.names;
	*count = list.count;
	return GEMP_OK;
}

gemp_h5_type gemp_h5_type_of(gemp_h5_kind kind)
{
	static const size_t size[] = { 1, 2, 4, 8, 1, 4, 8, 8, 1, 1 };
	return (gemp_h5_type){ kind, size[kind] };
}

/* h5py stores booleans as an enum of 8 bits with these names. */
static hid_t make_bool(void)
{
	hid_t type = H5Tenum_create(H5T_STD_I8LE);
	H5Tenum_insert(type, "FALSE", &(int8_t){ 0 });
	H5Tenum_insert(type, "TRUE", &(int8_t){ 1 });
	return type;
}

/* Strings of fixed length need no heap of the file, so that parallel HDF5 can write them. */
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

/* HDF5 counts references of all objects alike. */
void gemp_h5_release(hid_t id)
{
	if (id >= 0)
		H5Idec_ref(id); /* closes types, spaces, datasets, attributes, groups and property lists alike */
}

/* Little-endian and of fixed width, so that files are the same on all machines. */
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

/* A colon behind .h5 divides file and dataset; other colons belong to the path. */
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

/* Collective only by the agreement on memory. */
gemp_code gemp_h5_join(const gemp_h5 *h5, const char *path, const char *name, char **out)
{
	gemp_text text = { 0 };
	gemp_text_print(&text, "%s/%s", path, name);
	*out = text.data;
	return gemp_comm_agree(h5->comm, gemp_text_status(&text));
}
