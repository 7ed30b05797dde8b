// `tollgate statusline`: one line for the status line of Claude Code or the prompt of a shell. It is run again and again, so
// it loads as little as possible, and never waits long: without an answer it prints nothing.
import { fstatSync } from 'node:fs'
import { chooseDataDir } from '../host/data-dir.ts'
import { findSocket } from '../host/find-socket.ts'
import { readLocally } from './read-locally.ts'
import { describeStatus, pickSession, readKeyId, readSessionId } from './statusline-text.ts'

const LIMIT_MS = 300
/** Sessions that were active last, among which that of the status line is. */
const RECENT = 100

/** Runs the command. Always ends with 0: a prompt must not show an error. */
export async function statusline(args: readonly string[]): Promise<number> {
  const at = args.indexOf('--data-dir')
  const dataDir = chooseDataDir(at < 0 ? undefined : args[at + 1])
  const limit = new Promise<null>((resolve) => setTimeout(() => resolve(null), LIMIT_MS))
  const reading = readInput().then((input) =>
    readStatus(dataDir, { input, runKey: process.env.TOLLGATE_KEY_ID }),
  )
  const line = await Promise.race([limit, reading.catch(() => null)])
  if (line !== null) process.stdout.write(`${line}\n`)
  return 0
}

interface Context {
  /** The input from the program that shows the line; empty for none. */
  input: string
  /** The key of the `tollgate run` around this. */
  runKey: string | undefined
}

/** Null without a gateway. Rejects when it does not answer. */
export async function readStatus(dataDir: string, { input, runKey }: Context): Promise<string | null> {
  const socket = findSocket(dataDir)
  if (socket === null) return null
  const read = (path: string) => readLocally(socket, path)
  const sessionId = readSessionId(input)
  const ofKey = runKey ? `&key=${encodeURIComponent(runKey)}` : ''
  const session =
    sessionId === null
      ? null
      : await read(`/v1/sessions?limit=${RECENT}${ofKey}`).then(
          (list) => pickSession(list, sessionId),
          () => null,
        )
  const keyId = readKeyId(session) ?? runKey
  const key = keyId ? await read(`/v1/keys/${encodeURIComponent(keyId)}`).catch(() => null) : null
  const account = key === null ? await read('/v1/account') : null
  return describeStatus({ session, key, account })
}

/** Claude Code writes JSON to stdin. A shell's prompt leaves its terminal there, which is not read. */
async function readInput(): Promise<string> {
  const stdin = fstatSync(0)
  if (!stdin.isFIFO() && !stdin.isSocket() && !stdin.isFile()) return ''
  let input = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk
  return input
}
