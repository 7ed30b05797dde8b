// `tollgate statusline`: one line for the status line of Claude Code or the prompt of a shell. It is run again and again, so
// it loads as little as possible, and never waits long: without an answer it prints nothing.
import { fstatSync } from 'node:fs'
import { connect } from 'node:net'
import { chooseDataDir } from '../host/data-dir.ts'
import { findSocket } from '../host/find-socket.ts'
import { formatPlanTimes, formatUsed } from '../shared/limits/plan-text.ts'
import { formatUsd } from '../shared/money/format-usd.ts'

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
  const usesPlan = session === null ? key === null : (toNumber(session, 'worthUsd') ?? 0) > 0
  const plans = usesPlan ? await read('/v1/plan-windows').catch(() => null) : null
  return describeStatus({ session, key, account, plans })
}

/** Claude Code writes JSON to stdin. A shell's prompt leaves its terminal there, which is not read. */
async function readInput(): Promise<string> {
  const stdin = fstatSync(0)
  if (!stdin.isFIFO() && !stdin.isSocket() && !stdin.isFile()) return ''
  let input = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk
  return input
}

// The text of the status line. It loads no schemas, which would take longer than everything else: an unexpected member is
// left out.

/** Answers of the gateway; null where there is none. */
export interface Facts {
  /** The session of the status line. */
  session: unknown
  /** The one that pays. */
  key: unknown
  account: unknown
  /** The windows of plans, if the session uses one. */
  plans: unknown
}

/** The session id in what Claude Code writes to a status line command; null if it is something else. */
export function readSessionId(input: string): string | null {
  try {
    return getText(JSON.parse(input), 'session_id')
  } catch {
    return null
  }
}

/** The session that has the client's id, in the answer of `GET /v1/sessions`. */
export function pickSession(list: unknown, clientSessionId: string): unknown {
  return (
    readList(list, 'data').find((session) => getText(session, 'clientSessionId') === clientSessionId) ?? null
  )
}

/** `$0.42 this session · $1.58 left`; null if nothing is known. */
export function describeStatus(facts: Facts): string | null {
  const { session, key, account, plans } = facts
  const parts = [
    ...describeSpend(facts),
    ...describeWorth(session),
    ...describePlans(plans),
    ...describeRest(key, account),
  ]
  return parts.length > 0 ? parts.join(' · ') : null
}

function describeWorth(session: unknown): string[] {
  const usd = toNumber(session, 'worthUsd') ?? 0
  return usd > 0 ? [`worth ${formatUsd(usd)}`] : []
}

/** The windows whose use is known: `5 hours 42%, resets 16:40`. */
function describePlans(plans: unknown): string[] {
  return readList(plans, 'data').flatMap((plan) =>
    readList(plan, 'windows').flatMap((window) => {
      const utilization = toNumber(window, 'utilization')
      if (utilization === null) return []
      const times = { resetsAt: getText(window, 'resetsAt'), fullAt: getText(window, 'fullAt') }
      const when = formatPlanTimes(times, Date.now())
      return [`${getText(window, 'label')} ${formatUsed(utilization)}${when === '' ? '' : `, ${when}`}`]
    }),
  )
}

function describeSpend({ session, key, account }: Omit<Facts, 'plans'>): string[] {
  for (const [object, name, label] of [
    [session, 'costUsd', 'this session'],
    [key, 'spendUsd', 'spent'],
    [account, 'todaySpendUsd', 'today'],
  ] as const) {
    const usd = toNumber(object, name)
    if (usd !== null) return [`${formatUsd(usd)} ${label}`]
  }
  return []
}

interface Rest {
  usd: number
  of: string
}

/** The rest of the nearest limit. */
function describeRest(key: unknown, account: unknown): string[] {
  if (getText(key, 'pausedAt') !== null) return ['paused']
  const rests = [...readList(key, 'spendLimits'), ...readList(account, 'spendLimits')]
    .filter((limit) => getText(limit, 'action') !== 'warn')
    .filter((limit) => getText(limit, 'model') === null && getText(limit, 'tag') === null)
    .flatMap((limit): Rest[] => {
      const [usd, spentUsd] = [toNumber(limit, 'usd'), toNumber(limit, 'spentUsd')]
      return usd === null || spentUsd === null
        ? []
        : [{ usd: Math.max(0, usd - spentUsd), of: getPeriod(limit) }]
    })
    .toSorted((a, b) => a.usd - b.usd)
  return rests.slice(0, 1).map(({ usd, of }) => `${formatUsd(usd)} left${of}`)
}

const PERIODS: Readonly<Record<string, string>> = {
  day: ' today',
  week: ' this week',
  month: ' this month',
  session: ' in this session',
}

function getPeriod(limit: unknown): string {
  return PERIODS[getText(limit, 'per') ?? ''] ?? ''
}

function getMember(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined
}

function getText(object: unknown, name: string): string | null {
  const value = getMember(object, name)
  return typeof value === 'string' ? value : null
}

function toNumber(object: unknown, name: string): number | null {
  const value = getMember(object, name)
  return typeof value === 'number' ? value : null
}

function readList(object: unknown, name: string): unknown[] {
  const value = getMember(object, name)
  return Array.isArray(value) ? value : []
}

/** The key that pays for a session. */
export function readKeyId(session: unknown): string | null {
  return getText(session, 'keyId')
}

// The smallest client of the local socket. Node's HTTP client takes longer to load than all else that a prompt needs.

/** Reads JSON over HTTP/1.0, in which the end of the connection ends the response. Rejects unless its status is 200. */
export function readLocally(socketPath: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(socketPath)
    socket.setEncoding('utf8')
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('end', () => {
      const head = received.indexOf('\r\n\r\n')
      if (/^HTTP\/1\.\d 200 /.test(received)) resolve(JSON.parse(received.slice(head + 4)))
      else reject(new Error(received.slice(0, Math.max(0, head))))
    })
    socket.write(`GET ${path} HTTP/1.0\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
  })
}
