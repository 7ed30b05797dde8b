// Which packages end up in the build, and their licenses.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { formatLicenses, type LicensedPackage, requireFitting } from './licenses.ts'
import { findMissingLicense } from './missing-licenses.ts'
import { formatSbom } from './sbom.ts'

/**
 * The path from the project's node_modules to the folder of a package, the last in the path, so that nested packages count
 * too.
 */
const FOLDER = /(?<=^|[\\/])node_modules[\\/](?:.*[\\/]node_modules[\\/])?(?:@[^\\/]+[\\/])?[^\\/]+/
const LICENSE_FILE = /^(licen[cs]es?|copying|notice)([-._].*)?$/i

/** The workflow for releases publishes it. */
const SBOM_FILE = 'out/tollgate.cdx.json'

interface PackageManifest {
  name: string
  version: string
  license?: string
  dependencies?: Record<string, string>
}

/** Shipped, although no module of the build is theirs. */
const WITHOUT_MODULES = {
  /** Its base styles are part of the window's. */
  styles: ['tailwindcss'],
  runtime: ['electron'],
}

/**
 * Plugins for the builds of one app: `collect` for each, and `write` for the last one, which adds the files with the licenses and
 * the versions of everything that is shipped. The build fails if one is missing or does not fit.
 */
export function shippedPackages(
  root: string,
  fileName: string,
): { collect: () => Plugin; write: () => Plugin } {
  const folders = new Set(
    [...WITHOUT_MODULES.styles, ...WITHOUT_MODULES.runtime, ...listInstalled(root)].map((name) =>
      join(root, 'node_modules', name),
    ),
  )
  return {
    collect: () => ({
      name: 'collect-packages',
      apply: 'build',
      generateBundle(_options, bundle) {
        for (const file of Object.values(bundle)) {
          const sources = file.type === 'chunk' ? file.moduleIds : file.originalFileNames
          for (const source of sources) {
            const [folder] = FOLDER.exec(source) ?? []
            if (folder !== undefined) folders.add(join(root, folder))
          }
        }
      },
    }),
    write: () => ({
      name: 'write-licenses',
      apply: 'build',
      enforce: 'post',
      generateBundle() {
        const packages = [...folders].map((folder) => readPackage(root, folder))
        requireFitting(packages)
        this.emitFile({ type: 'asset', fileName, source: formatLicenses(packages) })
        const { name, version, license = null } = readManifest(root)
        writeFileSync(join(root, SBOM_FILE), formatSbom({ name, version, license }, packages))
      },
    }),
  }
}

/** The packages that are installed next to the build: those with native code, and their dependencies. */
function listInstalled(root: string): Set<string> {
  const found = new Set<string>()
  const add = (names: readonly string[]): void => {
    for (const name of names) {
      if (found.has(name)) continue
      found.add(name)
      add(Object.keys(readManifest(join(root, 'node_modules', name)).dependencies ?? {}))
    }
  }
  add(Object.keys(readManifest(root).dependencies ?? {}))
  return found
}

function readPackage(root: string, folder: string): LicensedPackage {
  const { name, version, license } = readManifest(folder)
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file))
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8'))
  if (texts.length === 0) texts.push(findMissingLicense(root, name) ?? '')
  return { name, version, license: license ?? null, texts }
}

function readManifest(folder: string): PackageManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
