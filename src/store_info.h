/* store_info.h - texts of the provenance that the file shares with the journal folder. */
#ifndef SRC_STORE_INFO_H
#define SRC_STORE_INFO_H

#include "store.h"

/* Every --set, one a line; freed by the caller, NULL without memory. */
char *store_info_sets(const struct provenance *prov);
/* All runs that wrote journals of this output, one a line; without any, the command line of `prov`. */
char *store_info_history(const char *output, const struct provenance *prov);

#endif
