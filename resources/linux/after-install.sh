#!/bin/sh
# After the installation of the .deb and the .rpm.
set -e

app=/opt/Tollgate
# The .deb contains both; the .rpm does not.
[ -e /usr/bin/tollgate ] || ln -s "$app/resources/bin/tollgate" /usr/bin/tollgate
chmod 4755 "$app/chrome-sandbox"

# Ubuntu since 24.04 allows user namespaces only to programs with such a profile. Older versions of AppArmor cannot read it,
# and do not need it.
profile="$app/resources/apparmor-profile"
if command -v apparmor_parser >/dev/null && apparmor_parser --skip-kernel-load "$profile" >/dev/null 2>&1; then
    cp "$profile" /etc/apparmor.d/tollgate
    apparmor_parser --replace --write-cache --skip-read-cache /etc/apparmor.d/tollgate >/dev/null 2>&1 || true
fi

if command -v update-desktop-database >/dev/null; then
    update-desktop-database -q /usr/share/applications || true
fi
if command -v gtk-update-icon-cache >/dev/null; then
    gtk-update-icon-cache -q -f /usr/share/icons/hicolor || true
fi
