/* build.h - what was built, from what and how: for --version and the provenance in every output. */
#ifndef SRC_BUILD_H
#define SRC_BUILD_H

struct build_info {
    const char *version;
    const char *commit; /* git commit, `+dirty` with changes that are not in it; `unknown` outside a checkout */
    const char *compiler;
    const char *flags;
};

extern const struct build_info build_info;

#endif
