import { LICENSES_RULE } from './license-file.ts'

export interface ShippedPackage {
  /** The name with its version. */
  name: string
  /** The SPDX expression. */
  license: string
  /** The notices of copyright and the text. */
  text: string
}

/** Every package of the file, by name. */
export function readLicenses(file: string): ShippedPackage[] {
  const [, ...parts] = file.replaceAll('\r', '').split(`${LICENSES_RULE}\n`)
  const packages: ShippedPackage[] = []
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const text = (parts[index + 1] ?? '').trim()
    for (const entry of (parts[index] ?? '').trim().split(/\n(?! {4})/)) {
      const [heading = '', ...notices] = entry.split('\n').map((line) => line.trim())
      const [, name, license] = /^(.+) \((.+)\)$/.exec(heading) ?? []
      if (name === undefined || license === undefined) continue
      packages.push({ name, license, text: [notices.join('\n'), text].filter(Boolean).join('\n\n') })
    }
  }
  return packages.sort((a, b) => a.name.localeCompare(b.name, 'en'))
}
