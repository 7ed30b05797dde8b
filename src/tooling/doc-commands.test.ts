// Runs the commands of README and docs in a shell, against a real gateway and with the real command line.

import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startCommandHost } from '../cli/testing/command-host.ts'
import { forFile } from '../gateway/testing/lifetime.ts'
import { PROGRAM_FILE } from '../gateway/testing/program.ts'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { tempDirForFile } from '../gateway/testing/temp-dir.ts'
import { GatewayClient } from '../host/gateway-client.ts'
import {
  type CommandBlock,
  findUnmarked,
  listBlocks,
  listPrograms,
  NOT_RUN,
  RUN,
  setupBlock,
} from './doc-blocks.ts'

const blocks = listBlocks()
const setup = ['claude-code'].map(setupBlock).filter((block) => block !== undefined)
const skipped = (block: CommandBlock) => listPrograms(block.code).some((program) => program in NOT_RUN)
const RUNNABLE = [...blocks.filter((block) => !skipped(block)), ...setup]

const dir = tempDirForFile()
let admin: string

const gateway = await forFile(startCommandHost())
const client = new GatewayClient(gateway.host.dataDir)
admin = (await client.call('createKey', { body: { name: 'docs', scope: 'admin' } })).secret
mkdirSync(join(dir, 'bin'))
writeScript('tollgate', `exec "${process.execPath}" ${SOURCE_FLAGS.join(' ')} "${PROGRAM_FILE}" "$@"`)
// In a copy of the repository, it finds the command there.
writeScript('npx', 'exec "$@"')
// An agent that sends one request to where the variables lead it, and starts the servers that it is given.
writeScript(
  'claude',
  `if [ "$1" = mcp ]; then while [ "$1" != -- ]; do shift; done; shift; exec "$@" </dev/null; fi
   exec curl -sS --fail-with-body "$ANTHROPIC_BASE_URL/v1/messages" -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "sandbox-small", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}'`,
)

function writeScript(name: string, code: string): void {
  const path = join(dir, 'bin', name)
  writeFileSync(path, `#!/usr/bin/env bash\n${code}\n`)
  chmodSync(path, 0o755)
}

test('every program in a block of commands is run, or there is a reason why not', () => {
  expect(blocks.length).toBeGreaterThan(9)
  expect(setup).toHaveLength(1)
  const unknown = blocks
    .filter((block) => !skipped(block))
    .flatMap(({ where, code }) =>
      listPrograms(code)
        .filter((program) => !RUN.has(program) && !(program in NOT_RUN))
        .map((program) => `${where}: ${program}`),
    )
  expect(unknown).toEqual([])
  expect(findUnmarked()).toEqual([])
})

// One after another: they change the same gateway.
test.runIf(process.platform !== 'win32').each(RUNNABLE)('$where works', async ({ code }) => {
  const { exitCode, output } = await runInShell(code)
  expect(exitCode, `${code}\n${output}`).toBe(0)
})

async function runInShell(code: string) {
  const { host } = new URL(gateway.baseUrl)
  const script = code.replaceAll('127.0.0.1:8655', host).replaceAll(/tg-(…|YOUR-\w+(-\w+)*)/g, admin)
  const home = mkdtempSync(join(dir, 'home-'))
  const child = spawn(
    'bash',
    ['-euo', 'pipefail', '-c', `curl() { command curl -sS --fail-with-body "$@"; }\n${script}`],
    {
      cwd: home,
      env: {
        ...gateway.env,
        HOME: home,
        PATH: `${join(dir, 'bin')}${delimiter}${process.env.PATH}`,
        TOLLGATE_KEY: admin,
        TOLLGATE_ADMIN_KEY: admin,
        ADMIN_KEY: admin,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const exited = new Promise<number | null>((done) => child.once('exit', done))
  const [exitCode, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)])
  return { exitCode, output: `${stdout}${stderr}` }
}
