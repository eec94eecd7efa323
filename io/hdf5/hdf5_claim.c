/* HDF5 answers from the dataset's header, except for the stored bytes of a chunked dataset, for which it visits the
 * list of chunks. So they are asked for only if the dataset is large. */

#include "io/hdf5/hdf5_claim.h"

#include "core/quantity.h"
#include "core/status.h"
#include "io/file/claim.h"

/* Multiplies, or sets *product to the maximum if the result does not fit. */
static void multiply(uint64_t *product, uint64_t by)
{
	if (__builtin_mul_overflow(*product, by, product))
		*product = UINT64_MAX;
}

static gemp_code refuse_other_files(const gemp_h5 *h5, const char *name)
{
	return gemp_fail(
		GEMP_EDATA,
		"%s: dataset '%s' has its values in other files, which are not read; copy them into the file, as by "
		"g['x'] = f['x'][...] in h5py",
		h5->path, name);
}

/* HDF5 reads whole chunks, and a chunk may be larger than the dataset. *bytes becomes the bytes of a chunk. */
static gemp_code measure_chunk(const gemp_h5 *h5, hid_t creation, size_t size, uint64_t *bytes)
{
	hsize_t sides[H5S_MAX_RANK];
	int dimensions = 0;
	GEMP_TRY(GEMP_HDF5(h5, dimensions = H5Pget_chunk(creation, H5S_MAX_RANK, sides)));
	*bytes = size;
	for (int d = 0; d < dimensions; d++)
		multiply(bytes, sides[d]);
	return GEMP_OK;
}

gemp_code gemp_h5_check_claim(const gemp_h5 *h5, hid_t dataset, const char *name)
{
	GEMP_OWNED_BY(gemp_h5_release_at)
	hid_t space = H5I_INVALID_HID, type = H5I_INVALID_HID, creation = H5I_INVALID_HID;
	hssize_t elements = 0;
	size_t sources = 0;
	uint64_t chunk = 0;
	GEMP_TRY(GEMP_HDF5(h5, space = H5Dget_space(dataset)));
	GEMP_TRY(GEMP_HDF5(h5, elements = H5Sget_simple_extent_npoints(space)));
	GEMP_TRY(GEMP_HDF5(h5, type = H5Dget_type(dataset)));
	GEMP_TRY(GEMP_HDF5(h5, creation = H5Dget_create_plist(dataset)));
	const H5D_layout_t layout = H5Pget_layout(creation);
	if (layout == H5D_VIRTUAL)
		GEMP_TRY(GEMP_HDF5(h5, H5Pget_virtual_count(creation, &sources)));
	if (sources || H5Pget_external_count(creation) > 0)
		return refuse_other_files(h5, name);
	uint64_t claimed = H5Tget_size(type);
	if (layout == H5D_CHUNKED)
		GEMP_TRY(measure_chunk(h5, creation, claimed, &chunk));
	multiply(&claimed, (uint64_t)elements);
	claimed = gemp_max(claimed, chunk);
	if (gemp_claim_is_backed(claimed, 0, false))
		return GEMP_OK;
	const uint64_t stored = gemp_min(H5Dget_storage_size(dataset), h5->source->file.size);
	if (gemp_claim_is_backed(claimed, stored, layout == H5D_CHUNKED))
		return GEMP_OK;
	return gemp_fail(
		GEMP_EDATA,
		"%s: dataset '%s' is of %s, and the file stores %s of it; the file is damaged or cut, or the dataset "
		"was never written: write its values",
		h5->path, name, gemp_shown_bytes(claimed).text, gemp_shown_bytes(stored).text);
}
