// `tollgate statusline`: one line for the status line of Claude Code or the prompt of a shell. It is run again and again, so
// it loads as little as possible, and never waits long: without an answer it prints nothing.
import { fstatSync } from 'node:fs'
import { chooseDataDir } from '../host/data-dir.ts'
import { findSocket } from '../host/find-socket.ts'
import type { Account } from '../shared/api/account.ts'
import type { KeyMetadata } from '../shared/api/keys.ts'
import type { PlanState } from '../shared/api/plans.ts'
import type { Session } from '../shared/api/sessions.ts'
import { leftUsd, limitsOfAccount, limitsOfKey } from '../shared/limits/limits.ts'
import { formatPlanTimes, formatUsed } from '../shared/limits/plan-text.ts'
import { formatUsd } from '../shared/money/format-usd.ts'
import { readLocally } from './read-locally.ts'

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

/** Answers of the gateway; null where there is none. */
export interface Facts {
  /** The session of the status line. */
  session: Pick<Session, 'keyId' | 'costUsd' | 'worthUsd'> | null
  /** The key that pays. */
  key: Pick<KeyMetadata, 'id' | 'spendUsd' | 'pausedAt' | 'spendLimits'> | null
  account: Pick<Account, 'todaySpendUsd' | 'spendLimits'> | null
  /** The plans whose windows the session or the day uses. */
  plans: Pick<PlanState, 'windows'>[]
}

/** Null without a gateway. Rejects when it does not answer. */
export async function readStatus(dataDir: string, { input, runKey }: Context): Promise<string | null> {
  const socket = findSocket(dataDir)
  if (socket === null) return null
  const read = <T>(path: string) => readLocally<T>(socket, path)
  const sessionId = readSessionId(input)
  const ofKey = runKey ? `&key=${encodeURIComponent(runKey)}` : ''
  const { data: sessions } =
    sessionId === null
      ? { data: [] }
      : await read<{ data: Session[] }>(`/v1/sessions?limit=${RECENT}${ofKey}`).catch(() => ({ data: [] }))
  const session = sessions.find(({ clientSessionId }) => clientSessionId === sessionId) ?? null
  const keyId = session?.keyId ?? runKey
  const key = keyId
    ? await read<KeyMetadata>(`/v1/keys/${encodeURIComponent(keyId)}`).catch(() => null)
    : null
  const account = key === null ? await read<Account>('/v1/account') : null
  const usesPlan = session === null ? key === null : session.worthUsd > 0
  const { data: plans } = usesPlan
    ? await read<{ data: PlanState[] }>('/v1/plan-windows').catch(() => ({ data: [] }))
    : { data: [] }
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

/** The session id in what Claude Code writes to a status line command; null if it is something else. */
export function readSessionId(input: string): string | null {
  try {
    const { session_id: id } = JSON.parse(input)
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}

/** `$0.42 this session · $1.58 left`. */
export function describeStatus({ session, key, account, plans }: Facts): string {
  const spend = session
    ? `${formatUsd(session.costUsd)} this session`
    : key
      ? `${formatUsd(key.spendUsd)} spent`
      : `${formatUsd(account?.todaySpendUsd ?? 0)} today`
  const worth = session && session.worthUsd > 0 ? [`worth ${formatUsd(session.worthUsd)}`] : []
  return [spend, ...worth, ...plans.flatMap(describeWindows), ...describeRest(key, account)].join(' · ')
}

/** The windows whose use is known: `5 hours 42%, resets 16:40`. */
function describeWindows({ windows }: Facts['plans'][number]): string[] {
  return windows.flatMap(({ label, utilization, ...times }) => {
    const when = formatPlanTimes(times, Date.now())
    return utilization === null
      ? []
      : [`${label} ${formatUsed(utilization)}${when === '' ? '' : `, ${when}`}`]
  })
}

const PERIODS: Readonly<Record<string, string>> = {
  day: ' today',
  week: ' this week',
  month: ' this month',
  session: ' in this session',
}

/** The least that a limit leaves. */
function describeRest(key: Facts['key'], account: Facts['account']): string[] {
  if (key && key.pausedAt !== null) return ['paused']
  const limits = [...(key ? limitsOfKey(key) : []), ...(account ? limitsOfAccount(account) : [])]
  const [least] = limits
    .filter(({ warnsOnly, kind: { model, tag } }) => !warnsOnly && model === undefined && tag === undefined)
    .map((limit) => ({ usd: leftUsd(limit), per: limit.kind.per }))
    .toSorted((a, b) => a.usd - b.usd)
  return least ? [`${formatUsd(least.usd)} left${PERIODS[least.per] ?? ''}`] : []
}
