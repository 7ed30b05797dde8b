#!/bin/sh
# After the removal or an update of the .deb and the .rpm. The data of the users stays.
set -e

# An update of either package runs this too: dpkg with "upgrade", rpm with the number of versions that stay.
case "${1-}" in
    remove | purge | 0) ;;
    *) exit 0 ;;
esac

if [ "$(readlink /usr/bin/tollgate)" = /opt/Tollgate/resources/bin/tollgate ]; then
    rm -f /usr/bin/tollgate
fi
if [ -f /etc/apparmor.d/tollgate ]; then
    if command -v apparmor_parser >/dev/null; then
        apparmor_parser --remove /etc/apparmor.d/tollgate >/dev/null 2>&1 || true
    fi
    rm -f /etc/apparmor.d/tollgate
fi
if command -v update-desktop-database >/dev/null; then
    update-desktop-database -q /usr/share/applications || true
fi
