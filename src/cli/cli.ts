#!/usr/bin/env node
// Checks Node's version first: better-sqlite3 crashes an older Node without a message when it is used.
import { reuseCompiledCode } from '../host/code-cache.ts'
import { ignoreOutputErrors } from '../host/crash-handlers.ts'
import { exitProcess } from '../host/exit-process.ts'

/** The version of Node's C interface that better-sqlite3 is built for: Node 22.14 and 23.6 are the first that have it. */
const NODE_API = 10

if (Number(process.versions.napi) < NODE_API) {
  process.stderr.write(
    `tollgate: Node.js ${process.versions.node} is too old; Tollgate needs 22.14, 23.6 or later.\n`,
  )
  process.exit(5)
}
reuseCompiledCode()
ignoreOutputErrors()
void import('./program.ts')
  .then(({ run }) => run(process.argv.slice(2)))
  // Pipes are written in the background on some systems.
  .then((code) => process.stdout.write('', () => exitProcess(code)))
