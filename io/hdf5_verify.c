/* Every dataset of a file read by all ranks together, so that its checksum is compared. */
#include "core/memory.h"
#include "io/hdf5.h"

enum { PART = 16 << 20 }; /* bytes a rank holds at a time */

typedef struct path_list {
	char **paths;
	size_t count, capacity;
	gemp_code code;
} path_list;

static herr_t note_dataset(hid_t file, const char *name, const H5O_info_t *info, void *list_)
{
	(void)file;
	path_list *list = list_;
	if (info->type != H5O_TYPE_DATASET)
		return 0;
	list->code = GEMP_RESERVE(list->paths, list->capacity, list->count + 1);
	char *copy = list->code == GEMP_OK ? gemp_strdup(name) : NULL;
	if (!copy) {
		list->code = GEMP_ENOMEM;
		return 1;
	}
	list->paths[list->count++] = copy;
	return 0;
}

/* Each dataset once, whatever hard links it has. */
static gemp_code list_datasets(const gemp_h5 *h5, path_list *list)
{
	gemp_code code = GEMP_HDF5(h5, H5Ovisit2(h5->file, H5_INDEX_NAME, H5_ITER_INC, note_dataset, list, H5O_INFO_BASIC));
	return gemp_comm_agree(h5->comm, code == GEMP_OK ? list->code : code);
}

/* This rank's share of the dataset, piece by piece; the ranks agree on each, since in parallel they read together. */
static gemp_code sum_share(const gemp_h5 *h5, hid_t dataset, hid_t id, size_t size, uint64_t total, char *buffer,
                           uint64_t *sum)
{
	gemp_code code = GEMP_OK;
	uint64_t ranks = (uint64_t)h5->comm->size, share = total / ranks + 1, step = PART / size ? PART / size : 1;
	uint64_t begin = share * (uint64_t)h5->comm->rank, end = begin + share;
	begin = begin < total ? begin : total;
	end = end < total ? end : total;
	for (uint64_t at = 0; at < share && code == GEMP_OK; at += step) {
		uint64_t first = begin + at < end ? begin + at : end, count = end - first < step ? end - first : step;
		code = gemp_comm_agree(h5->comm, gemp_h5_move(h5, dataset, id, first, count, buffer));
		*sum += code == GEMP_OK ? gemp_h5_sum(buffer, size, first, count) : 0;
	}
	return code;
}

static gemp_code verify_dataset(const gemp_h5 *h5, const char *path, char *buffer)
{
	gemp_code code = GEMP_OK;
	hid_t dataset = H5I_INVALID_HID, id = H5I_INVALID_HID;
	gemp_h5_type type = { 0 };
	uint64_t total = 0, sum = 0;
	code = gemp_h5_open_dataset(h5, path, &dataset, &type, &total);
	if (code == GEMP_OK && type.size > PART)
		code = gemp_fail(GEMP_EDATA, "%s: dataset '%s' has elements of %zu bytes", h5->path, path, type.size);
	if (code == GEMP_OK)
		code = GEMP_HDF5(h5, id = gemp_h5_make_type(type));
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	if (total)
		GEMP_TRY(sum_share(h5, dataset, id, type.size, total, buffer, &sum));
	GEMP_TRY(gemp_h5_compare_checksum(h5, path, gemp_comm_sum1(h5->comm, sum)));
done:
	if (id >= 0)
		H5Tclose(id);
	if (dataset >= 0)
		H5Dclose(dataset);
	return code;
}

gemp_code gemp_h5_verify(const gemp_h5 *h5)
{
	gemp_code code = GEMP_OK;
	path_list list = { 0 };
	char *buffer = NULL;
	GEMP_TRY(list_datasets(h5, &list));
	code = GEMP_NEW(buffer, PART);
	GEMP_TRY(gemp_comm_agree(h5->comm, code));
	for (size_t i = 0; i < list.count && code == GEMP_OK; i++)
		code = verify_dataset(h5, list.paths[i], buffer);
done:
	gemp_h5_free_texts(list.paths, list.count);
	gemp_free(buffer);
	return code;
}
