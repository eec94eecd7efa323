#ifndef GEMP_ANALYTICS_HALO_HALO_HOST_H
#define GEMP_ANALYTICS_HALO_HALO_HOST_H

#include "analytics/halo/halo_message.h"

/* HOST: waits for kernels before. */
gemp_code gemp_halo_pack_host(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *changed,
                              const gemp_halo_read *look);
gemp_code gemp_halo_unpack_host(gemp_halo *mail, const gemp_buffer *values, const gemp_buffer *arrived);

void gemp_halo_few_free(gemp_halo *mail);

void gemp_halo_host_free(gemp_halo *mail);

#endif
