#!/bin/bash
# Makes sure that what the build and the tests need is there: installs it when root on Debian, otherwise says how.
set -euo pipefail

packages="gcc make pkg-config libhdf5-dev hdf5-tools libyaml-dev librandom123-dev libxxhash-dev libgsl-dev libcmocka-dev
    python3-h5py python3-h5netcdf python3-xarray python3-scipy python3-matplotlib python3-pytest"
[ "${MPI:-1}" = 0 ] || packages="$packages libopenmpi-dev openmpi-bin"
[ -z "${TCPSWEEP_LONG:-}" ] || packages="$packages valgrind"

if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: packages are not checked (README, \"On a cluster\", names what is needed)" >&2
    exit 0
fi

missing=
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    # shellcheck disable=SC2086
    apt-get install -y -q --no-install-recommends $missing
else
    echo "missing packages; install them with" >&2
    echo "    sudo apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
