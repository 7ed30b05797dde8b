// `node src/tooling/release/check-version.ts v1.2.3`: whether the tag, package.json and CHANGELOG.md agree.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from '../commands.ts'
import { findMismatch } from './changelog.ts'

const read = (name: string) => readFileSync(join(root, name), 'utf8')
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')))
const problem = findMismatch(process.argv[2] ?? '', version, read('CHANGELOG.md'))
if (problem !== null) {
  console.error(problem)
  process.exitCode = 1
}
