// The configuration of electron-builder. See docs/packaging.md.
import type { Configuration } from 'electron-builder'

export const APP_ID = 'dev.tollgate.app'
export const PRODUCT = 'Tollgate'
/** The name of the executable, the Debian package and the links that open the app. */
export const NAME = 'tollgate'
const SYNOPSIS = 'Metered gateway to language models'
export const MAINTAINER = 'The Tollgate authors'
/** Debian and RPM packages must name an address. */
export const MAINTAINER_EMAIL = 'tollgate-app@users.noreply.github.com'

/**
 * What electron-builder packs for a platform besides the common files: only the native modules of this system and
 * processor. The list must not consist of exclusions only, or electron-builder packs the whole project.
 */
function nativeModules(system: 'linux' | 'darwin' | 'win32'): string[] {
  return ['package.json', `!**/prebuilds/!(${system}-\${arch}|${system}-\${arch}.node){,/**}`]
}

/** The file behind `tollgate` in a terminal. */
const LAUNCHER = [{ from: 'resources/bin', to: 'bin' }]

export const configuration: Configuration = {
  appId: APP_ID,
  productName: PRODUCT,
  copyright: 'Copyright © The Tollgate authors, MIT License',
  directories: { output: 'dist', buildResources: 'resources' },
  files: [
    'out/**',
    'package.json',
    'resources/*.png',
    'resources/update-feed.json',
    '!out/npm{,/**}',
    '!**/*.{map,ts,mts,cts,gyp,gypi,c,cc,cpp,h,hpp,o,a}',
    '!**/node_modules/**/{README,CHANGELOG,HISTORY,CONTRIBUTING,SECURITY}*',
    '!**/node_modules/**/{test,tests,__tests__,doc,docs,example,examples,benchmark,benchmarks,.github}/**',
    '!**/node_modules/{better-sqlite3,@github/keytar}/{deps,src,build,script}/**',
    // Headers, for those who compile a native module.
    '!**/node_modules/node-addon-api/**',
  ],
  asar: true,
  asarUnpack: ['**/*.node'],
  // The window and its dates are in English; Chromium's own texts in 54 other languages would take 46 MB.
  electronLanguages: ['en-US'],
  npmRebuild: false,
  // Writes the feeds of updates, which `npm run release:sign` signs, and what the updater of the app needs. The repository is
  // that of package.json. Nothing is published without `--publish`.
  publish: { provider: 'github' },
  electronFuses: {
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    onlyLoadAppFromAsar: true,
    enableEmbeddedAsarIntegrityValidation: true,
    enableCookieEncryption: true,
    grantFileProtocolExtraPrivileges: false,
    resetAdHocDarwinSignature: true,
  },
  protocols: [{ name: PRODUCT, schemes: [NAME] }],
  linux: {
    // The .deb is made by ./deb.ts.
    target: ['AppImage', 'rpm'],
    files: nativeModules('linux'),
    executableName: NAME,
    icon: 'resources/icons',
    category: 'Development',
    extraResources: [...LAUNCHER, { from: 'resources/linux/apparmor-profile', to: 'apparmor-profile' }],
    synopsis: SYNOPSIS,
    maintainer: `${MAINTAINER} <${MAINTAINER_EMAIL}>`,
  },
  rpm: { afterInstall: 'resources/linux/after-install.sh', afterRemove: 'resources/linux/after-remove.sh' },
  mac: {
    target: ['dmg', 'zip'],
    icon: 'resources/icons/1024x1024.png',
    files: nativeModules('darwin'),
    extraResources: LAUNCHER,
    category: 'public.app-category.developer-tools',
    hardenedRuntime: true,
  },
  win: { target: ['nsis'], files: nativeModules('win32'), icon: 'resources/icons/256x256.png' },
  nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
}
