// The times of test files and of the parts of `npm test`, from their last run on this machine.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { cacheDir, root } from './commands.ts'

/** Seconds, by the path of a test file from the root of the project, or the title of a part. */
type Times = Record<string, number>

const KINDS = { files: 'test-files.json', parts: 'test-parts.json' } as const
const SLOWEST = 10

/** The longest that a file may take without a reason, in seconds, when nothing else runs. */
const FILE_LIMIT = 2

/** Why these files take longer. */
const SLOW_FILES: Readonly<Record<string, string>> = {
  'src/cli/cli.test.ts': 'starts the program for each way to end',
  'src/cli/commands/past.test.ts': 'compares exports in a thread',
  'src/cli/run/run-command.test.ts': 'starts the program, which starts commands',
  'src/contract/backups.test.ts': 'starts the program again for each restore',
  'src/contract/caps.test.ts': 'sends two crowds of 200 requests',
  'src/contract/clients.test.ts': 'waits between the attempts of a request',
  'src/contract/connections.test.ts': 'sends 150 MB',
  'src/contract/headless.test.ts': 'waits for the five seconds that a stream gets at the end',
  'src/contract/idempotency.test.ts': 'kills the program, and waits between attempts',
  'src/contract/mcp.test.ts': 'starts a server for each client',
  'src/contract/money.test.ts': 'kills the program',
  'src/contract/rejected.test.ts': 'rejects more requests than are listed',
  'src/contract/response-sockets.test.ts': 'waits between the attempts of a turn',
  'src/contract/sandbox.test.ts': 'waits between the attempts of a request',
  'src/contract/upstream.test.ts': 'waits between the attempts of a request',
  'src/contract/vendor-types.test.ts': 'compiles all answers with the types of the vendors',
  'src/contract/websockets.test.ts': 'sends 150 MB',
  'src/features/response-cache/gateway/response-cache.test.ts': 'reads streams of the sandbox',
  'src/gateway/maintenance/maintenance.test.ts': 'fills logs that are pruned',
  'src/gateway/models/catalog/model-data.test.ts': 'reads the published prices of all models',
  'src/gateway/models/providers/vertex.test.ts': 'loads the library of Google',
  'src/gateway/request/failing-writes.test.ts': 'fails each write of each kind of request',
  'src/gateway/request/faults.test.ts': 'fails each step of each kind of request',
  'src/gateway/request/odd-answers.test.ts': 'replaces each member of each kind of event',
  'src/gateway/request/prompt-cache.test.ts': 'counts the tokens of long prompts',
  'src/gateway/spend/budget.test.ts': 'draws random runs of many requests',
  'src/gateway/store/engine/backup-import.test.ts': 'checks and copies databases',
  'src/gateway/store/engine/open.test.ts': 'migrates and checks databases',
  'src/gateway/store/engine/restore.test.ts': 'checks and copies databases',
  'src/gateway/testing/simulation/simulation.test.ts': 'simulates worlds of a hundred requests',
  'src/host/plan-sign-in.test.ts': 'waits for the five seconds that a stream gets at the end',
  'src/host/thread/gateway-thread.test.ts': 'starts gateways in threads',
  'src/tool-setup/changes.property.test.ts': 'draws random files',
  'src/tooling/doc-commands.test.ts': 'runs the commands of the documentation',
}

export function readTimes(kind: keyof typeof KINDS): Times {
  const file = join(cacheDir, KINDS[kind])
  return existsSync(file)
    ? z.record(z.string(), z.number()).parse(JSON.parse(readFileSync(file, 'utf8')))
    : {}
}

/** Replaces the times of those that ran. */
export function writeTimes(kind: keyof typeof KINDS, ran: Times): void {
  mkdirSync(cacheDir, { recursive: true })
  const times = { ...readTimes(kind), ...ran }
  writeFileSync(join(cacheDir, KINDS[kind]), JSON.stringify(times, null, 1))
}

/** The files that took longest, one a line. */
export function formatSlowest(times: Times): string {
  return Object.entries(times)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([file, seconds]) => `${seconds.toFixed(1).padStart(6)} s  ${file}`)
    .join('\n')
}

/** The test files that took too long in their last run, one a line; empty if none did. */
export function reportSlowFiles(): string {
  const slow = Object.entries(readTimes('files')).filter(
    ([file, seconds]) => seconds > FILE_LIMIT && !(file in SLOW_FILES) && existsSync(join(root, file)),
  )
  if (slow.length === 0) return ''
  return `${slow.length} test files took longer than ${FILE_LIMIT} s:\n${formatSlowest(Object.fromEntries(slow))}`
}

/** Minutes and seconds, such as `4:05`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
