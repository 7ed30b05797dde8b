// The file with the licenses of what is shipped: one section for each text, with the packages that have it.
import { LICENSES_RULE } from '../shared/desktop/license-file.ts'

export interface LicensedPackage {
  name: string
  version: string
  /** The SPDX expression of its package.json. */
  license: string | null
  texts: readonly string[]
}

/** The licenses that allow distribution within a program under MIT, with no more than their text. */
const FITTING = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
  ],
  'OFL-1.1',
  'Unlicense',
  'Zlib',
])

/** Why a package must not be shipped; null if it may. */
function findObstacle({ name, license, texts }: LicensedPackage): string | null {
  if (license === null) return `${name} names no license.`
  const choices = license.replaceAll(/[()]/g, '').split(' OR ')
  const fits = choices.some((choice) => choice.split(' AND ').every((part) => FITTING.has(part)))
  if (!fits) return `${name} has the license ${license}, which does not fit MIT.`
  return texts.some((text) => text.trim() !== '') ? null : `${name} has no license text.`
}

export function requireFitting(packages: readonly LicensedPackage[]): void {
  const obstacles = packages.map(findObstacle).filter((obstacle) => obstacle !== null)
  if (obstacles.length > 0) throw new Error(obstacles.join('\n'))
}

const INTRODUCTION = `Licenses

Tollgate is free software under the MIT License. It contains the packages below, which keep their licenses.
The desktop app also contains Chromium, whose licenses are in LICENSES.chromium.html next to the program.
`

const NOTICE = /^\s*(copyright\b.*(\d{4}|\(c\)|©|<)|\(c\) |© ).*$/i
const TITLE = /^[\s(#*]*(the )?(mit|isc|bsd|apache)( \w+)* licen[cs]e( \(\w+\))?[\s)*]*$/i

/** A text that many packages have is there once, below their names and notices of copyright. */
export function formatLicenses(packages: readonly LicensedPackage[]): string {
  const sections = new Map<string, { body: string; names: Set<string> }>()
  for (const { name, version, license, texts } of packages) {
    const { notices, body } = splitText([...new Set(texts)].join('\n\n'))
    const key = body.toLowerCase().replaceAll(/[^a-z]+/g, ' ')
    const section = sections.get(key) ?? { body, names: new Set() }
    section.names.add([`${name} ${version} (${license})`, ...notices.map((each) => `    ${each}`)].join('\n'))
    sections.set(key, section)
  }
  const written = [...sections.values()].map(
    ({ body, names }) =>
      `${LICENSES_RULE}\n${[...names].sort(compareCaseless).join('\n')}\n${LICENSES_RULE}\n\n${body}\n`,
  )
  return [INTRODUCTION, ...written.sort(compareCaseless)].join('\n')
}

/** The notices of copyright before the text of a license, and that text without its title. */
function splitText(text: string): { notices: string[]; body: string } {
  const lines = text
    .replaceAll('\r', '')
    .split('\n')
    .map((line) => line.trimEnd())
  const start = lines.findIndex(
    (line) =>
      line !== '' && !NOTICE.test(line) && !TITLE.test(line) && !/^all rights reserved/i.test(line.trim()),
  )
  const before = lines.slice(0, Math.max(start, 0)).map((line) => line.trim())
  return {
    notices: before.filter((line) => line !== '' && !TITLE.test(line)),
    body: lines.slice(Math.max(start, 0)).join('\n').trim(),
  }
}

function compareCaseless(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1
}
