// The text files of the Debian package. See the Debian Policy Manual, chapters 5 (control files) and 12 (copyright), and
// freedesktop.org's Desktop Entry Specification.
import { APP_ID, MAINTAINER, MAINTAINER_EMAIL, NAME, PRODUCT, SYNOPSIS } from './config.ts'

/**
 * The packages of the libraries that the binaries are linked with; for each the name since Debian 13 first where it changed.
 */
const DEPENDS = `
  libasound2t64 | libasound2
  libatk-bridge2.0-0t64 | libatk-bridge2.0-0
  libatk1.0-0t64 | libatk1.0-0
  libatspi2.0-0t64 | libatspi2.0-0
  libc6 (>= 2.34)
  libcairo2
  libcups2t64 | libcups2
  libdbus-1-3
  libexpat1
  libgbm1
  libgcc-s1
  libglib2.0-0t64 | libglib2.0-0
  libgtk-3-0t64 | libgtk-3-0
  libnspr4
  libnss3
  libpango-1.0-0
  libsecret-1-0
  libstdc++6
  libudev1
  libx11-6
  libxcb1
  libxcomposite1
  libxdamage1
  libxext6
  libxfixes3
  libxkbcommon0
  libxrandr2
`
  .trim()
  .split(/\n */)

/** For the keychain, notifications, and links to vendors' pages. */
const RECOMMENDS = ['gnome-keyring | kwalletmanager', 'libnotify4', 'xdg-utils']

interface Package {
  version: string
  arch: string
  homepage: string
  installedKilobytes: number
  isForTests: boolean
}

export function control({ version, arch, homepage, installedKilobytes, isForTests }: Package): string {
  return `Package: ${NAME}
Version: ${version}
Architecture: ${arch}
Maintainer: ${MAINTAINER} <${MAINTAINER_EMAIL}>
Installed-Size: ${installedKilobytes}
Depends: ${DEPENDS.join(', ')}
Recommends: ${RECOMMENDS.join(', ')}
Section: devel
Priority: optional
Homepage: ${homepage}
Description: ${SYNOPSIS.toLowerCase()}
 Serves the APIs of OpenAI, Anthropic and Google on 127.0.0.1 and passes
 requests on to every provider you use. It meters what each key, project and
 session costs, stops at caps, and shows all of it in a window, on the command
 line and in a browser.
${isForTests ? ' .\n For tests only: built with a copy of Electron that is not the official one.\n' : ''}`
}

export const desktopEntry = `[Desktop Entry]
Type=Application
Name=${PRODUCT}
GenericName=Model gateway
Comment=${SYNOPSIS}
Exec=/usr/bin/${NAME} %u
Icon=${NAME}
Terminal=false
StartupNotify=true
StartupWMClass=${PRODUCT}
Categories=Development;
Keywords=LLM;AI;OpenAI;Anthropic;cost;
MimeType=x-scheme-handler/${NAME};
`

/** The text in software centers. See freedesktop.org's AppStream specification. */
export function metainfo({ version, homepage, bugs, builtAt }: Release): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>${APP_ID}</id>
  <launchable type="desktop-id">${NAME}.desktop</launchable>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>MIT</project_license>
  <name>${PRODUCT}</name>
  <summary>${SYNOPSIS}</summary>
  <developer id="${APP_ID.split('.').slice(0, 2).join('.')}"><name>${MAINTAINER}</name></developer>
  <description>
    <p>Tollgate serves the APIs of OpenAI, Anthropic and Google on your own machine and passes requests on to every provider you use.</p>
    <p>It meters what each key, project and session costs, stops at caps, and shows all of it in a window, on the command line and in a browser.</p>
  </description>
  <categories><category>Development</category></categories>
  <icon type="stock">${NAME}</icon>
  <url type="homepage">${homepage}</url>
  <url type="bugtracker">${bugs}</url>
  <screenshots>
    <screenshot type="default">
      <caption>Spend today and this month, by day, and the caps of each key</caption>
      <image>${homepage}images/overview-light.png</image>
    </screenshot>
  </screenshots>
  <provides>
    <binary>${NAME}</binary>
    <mediatype>x-scheme-handler/${NAME}</mediatype>
  </provides>
  <content_rating type="oars-1.1"/>
  <releases>
    <release version="${version}" date="${builtAt.toISOString().slice(0, 10)}"/>
  </releases>
</component>
`
}

interface Release {
  version: string
  homepage: string
  bugs: string
  builtAt: Date
}

export function copyright(license: string): string {
  const text = license
    .trim()
    .split('\n')
    .map((line) => (line.trim() === '' ? ' .' : ` ${line}`))
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${PRODUCT}
Comment: The licenses of Electron and Chromium are in /opt/${PRODUCT}/LICENSE.electron.txt and
 LICENSES.chromium.html, those of its parts are in its window under Help, Licenses.

Files: *
Copyright: ${MAINTAINER}
License: MIT
${text.join('\n')}
`
}

export function changelog({ version, homepage, builtAt }: Release): string {
  const when = builtAt.toUTCString().replace('GMT', '+0000')
  return `${NAME} (${version}) stable; urgency=medium

  * See ${homepage} for what is new.

 -- ${MAINTAINER} <${MAINTAINER_EMAIL}>  ${when}
`
}

/** The tags that lintian expects of Debian's own packages, and not of a binary release that brings its libraries. */
export const lintianOverrides = [
  'dir-or-file-in-opt',
  'elevated-privileges 4755 root/root [opt/Tollgate/chrome-sandbox]',
  'embedded-library',
  'unstripped-binary-or-object',
  'hardening-no-pie',
]
  .map((tag) => `${NAME}: ${tag}\n`)
  .join('')
