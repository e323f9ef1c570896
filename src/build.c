/* build.c - build_info from the header that the Makefile generates. */
#include "build.h"

#include "build_info.h"

const struct build_info build_info = {
    .version = BUILD_VERSION,
    .commit = BUILD_COMMIT,
    .compiler = BUILD_COMPILER,
    .flags = BUILD_FLAGS,
};
