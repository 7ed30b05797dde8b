#!/usr/bin/env node
// Checks Node's version first: better-sqlite3 crashes an older Node without a message when it is used.
import { reuseCompiledCode } from './code-cache.ts'
import { ignoreOutputErrors } from './crash-handlers.ts'

const OLDEST = [22, 15] as const
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(
    `tollgate: Node.js ${process.versions.node} is too old; Tollgate needs ${OLDEST.join('.')} or later.\n`,
  )
  process.exit(5)
}
reuseCompiledCode()
ignoreOutputErrors()
void import('./program.ts')
  .then(({ run }) => run(process.argv.slice(2)))
  // Pipes are written in the background on some systems.
  .then((code) => process.stdout.write('', () => process.exit(code)))
