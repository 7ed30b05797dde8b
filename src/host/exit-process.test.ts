import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'

const modules = ['exit-process.ts', 'keychain.ts'].map((name) => join(import.meta.dirname, name))
/** Its keychain keeps a thread waiting, as one does that asks for its password: here for the other end of a pipe. */
const PROGRAM = `
const [{ exitProcess }, { keychainCredentials }] = await Promise.all(${JSON.stringify(modules)}.map((path) => import(path)))
const { open } = await import('node:fs/promises')
const load = () => ({ getPassword: () => open('pipe', 'r') })
await keychainCredentials({ load, limitMs: 1_100 }).get('account').catch((error) => console.log(error.message))
exitProcess(3)`

test.skipIf(process.platform === 'win32')(
  'a keychain that waits for its password does not keep the process',
  async () => {
    const cwd = tempDirForTest()
    execFileSync('mkfifo', ['pipe'], { cwd })
    const args = [...SOURCE_FLAGS, '--input-type=module', '--eval', PROGRAM]
    const ended = await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd, timeout: 30_000 }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      )
    })
    expect(ended).toEqual({ code: 3, stdout: expect.stringContaining('Unlock it'), stderr: '' })
  },
)
