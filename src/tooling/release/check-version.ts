// `node src/tooling/release/check-version.ts v1.2.3`: whether the tag, package.json and CHANGELOG.md agree.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { appVersion } from '../../host/files.ts'
import { root } from '../commands.ts'
import { findMismatch } from './changelog.ts'

const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const problem = findMismatch(process.argv[2] ?? '', appVersion(), changelog)
if (problem !== null) {
  console.error(problem)
  process.exitCode = 1
}
