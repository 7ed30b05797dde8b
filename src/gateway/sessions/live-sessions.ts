import { createHash } from 'node:crypto'
import type { SessionSource } from '../../shared/api/sessions.ts'
import { clientName } from '../../shared/values/client-name.ts'
import { hasHidden } from '../../shared/values/text.ts'
import { invalidRequest } from '../platform/errors.ts'
import { decodeHeader } from '../platform/ids.ts'
import type { NewSession, RecentSession } from '../store/store.ts'

/** After a pause of this length, requests that name no session begin a new one. */
export const PAUSE_MS = 30 * 60_000

/** How long vendors keep a prompt in their caches after its last use. */
const SHORT_CACHE_MS = 5 * 60_000
const LONG_CACHE_MS = 60 * 60_000

const MAX_REMEMBERED = 10_000
const ID_DIGITS = 32

/** A session that had a request a short time ago. */
export class LiveSession {
  readonly id: string
  /** The row that the store needs to record it. */
  readonly stored: NewSession
  /** Which of two credentials pays for it; undefined until that matters. */
  payer: Promise<'plan' | 'key'> | undefined
  /** How many requests came so late that a prompt cache of five minutes was over: within the hour, and later. */
  readonly pauses = { withinHour: 0, longer: 0 }
  /** Epoch milliseconds of the last sign of life. */
  #lastAt: number
  /** When the last request began. */
  #begunAt: number
  /** Requests that are not over. */
  #running = 0

  constructor(stored: NewSession, lastAt: number) {
    this.id = stored.id
    this.stored = stored
    this.#lastAt = lastAt
    this.#begunAt = lastAt
  }

  /** There is no pause as long as a request is running. */
  hasPaused(now: number): boolean {
    return this.#running === 0 && now - this.#lastAt > PAUSE_MS
  }

  touch(now: number): void {
    this.#lastAt = now
  }

  beginRequest(now: number): void {
    const pause = now - this.#begunAt
    if (pause > LONG_CACHE_MS) this.pauses.longer += 1
    else if (pause > SHORT_CACHE_MS) this.pauses.withinHour += 1
    this.#begunAt = now
    this.#running += 1
  }

  endRequest(now: number): void {
    this.#running -= 1
    this.#lastAt = now
  }
}

const BY_PAUSE: Omit<SentSession, 'value'> = { source: 'pause', persistsAcrossRuns: true }

interface Caller extends Omit<SentRequest, 'clientName'> {
  keyId: string
  /** How the client describes itself. */
  client: string | null
}

/**
 * Finds the session of each request, in memory. A session that a client names is found by its name; others go on until
 * the key and client have made no request for half an hour, also across a restart.
 */
export class LiveSessions {
  /** The sessions by key, source and name, in the order in which they were first seen. */
  readonly #byName = new Map<string, LiveSession>()

  /** `recent`: those that a pause has not ended yet. */
  constructor(recent: readonly RecentSession[]) {
    for (const { lastAt, ...stored } of recent) {
      const { keyId, source, clientName, clientSessionId } = stored
      const name = getName({ keyId, source, value: clientSessionId ?? clientName })
      this.#byName.set(name, new LiveSession(stored, lastAt))
    }
  }

  /** The session of a request that comes now. Throws 400 for an invalid header. */
  enter({ keyId, headers, body, client }: Caller, now: number): LiveSession {
    const program = clientName(client)
    const sent = readSession({ headers, body, clientName: program })
    const { source, value, persistsAcrossRuns } = sent ?? { ...BY_PAUSE, value: program }
    const name = getName({ keyId, source, value })
    const knownSession = this.#byName.get(name)
    if (knownSession && !(persistsAcrossRuns && knownSession.hasPaused(now))) {
      knownSession.touch(now)
      return knownSession
    }
    const id = createSessionId({ keyId, source, value }, persistsAcrossRuns ? now : undefined)
    const clientSessionId = sent ? value : null
    const session = new LiveSession({ id, source, clientSessionId, keyId, clientName: program }, now)
    // To its end, so that the oldest are removed first.
    this.#byName.delete(name)
    this.#byName.set(name, session)
    if (this.#byName.size > MAX_REMEMBERED) this.#forgetOld(now)
    return session
  }

  /** The session that a request names, which need not be for a model; null if it names none. Throws as `enter` does. */
  findNamed(caller: Caller, now: number): LiveSession | null {
    const sent = { ...caller, clientName: clientName(caller.client) }
    return readSession(sent) && this.enter(caller, now)
  }

  /** Sessions that a client names are found again by their name. */
  #forgetOld(now: number): void {
    for (const [name, session] of this.#byName) {
      if (this.#byName.size <= MAX_REMEMBERED / 2) return
      if (session.stored.source !== 'pause' || session.hasPaused(now)) this.#byName.delete(name)
    }
  }
}

interface SessionName {
  keyId: string
  source: SessionSource
  value: string
}

function getName({ keyId, source, value }: SessionName): string {
  return `${keyId}\n${source}\n${value}`
}

/** The id of a session. `startedAt`: of one that a pause ends. */
export function createSessionId(named: SessionName, startedAt?: number): string {
  const name = startedAt === undefined ? getName(named) : `${getName(named)}\n${startedAt}`
  return `ses_${createHash('sha256').update(name).digest('hex').slice(0, ID_DIGITS)}`
}

// How a request tells to which session it belongs: one row for each place in which clients put an id. The first row that has
// a usable value counts. docs/sessions.md has the same table for users.

const SESSION_HEADER = 'X-Tollgate-Session'
const TAG_HEADER = 'X-Tollgate-Tag'

const MAX_SESSION_LENGTH = 200
const MAX_TAG_LENGTH = 100
/** A value may have more than the session in it. Longer ones are not looked at, which would take long. */
const MAX_SENT_LENGTH = 1_000

type Headers = NodeJS.Dict<string | string[]>

/** The part of a request from which its session is read. */
export interface SentRequest {
  headers: Headers
  body: Readonly<Record<string, unknown>>
  /** The name of the calling program; '' for none. */
  clientName: string
}

export interface SentSession {
  source: SessionSource
  /** The client's own id of its session. */
  value: string
  /** Whether the value may stay the same for ever, so that a pause must begin a new session. */
  persistsAcrossRuns: boolean
}

interface Row {
  source: SessionSource
  header?: string
  /** The member of the body, or of an object in it. */
  member?: readonly [name: string, inner?: string]
  /** Only of this program. */
  client?: string
  /** The session part of the value; null for none. */
  read?(value: string): string | null
  persistsAcrossRuns?: true
}

const ANY_CLIENT: readonly Row[] = [
  { source: 'claude-code', header: 'x-claude-code-session-id' },
  { source: 'claude-code', member: ['metadata', 'user_id'], read: sessionOfUserId },
  // The session of a sub-agent is part of the one that started it.
  { source: 'opencode', header: 'x-parent-session-id', client: 'opencode' },
  { source: 'opencode', header: 'x-opencode-session' },
]

/** Names that others use, too; the program decides their meaning here. */
const CODEX: readonly Row[] = [
  ...['session-id', 'session_id', 'conversation_id', 'thread-id'].map((header) => ({ header })),
  { member: ['client_metadata', 'session_id'] as const },
  { member: ['prompt_cache_key'] as const },
].map((row) => ({ source: 'codex', client: 'Codex', ...row }))

const OPENCODE: readonly Row[] = [
  ...['x-session-id', 'x-session-affinity'].map((header) => ({ header })),
  { member: ['prompt_cache_key'] as const },
].map((row) => ({ source: 'opencode', client: 'opencode', ...row }))

const OTHER_HEADERS: readonly Row[] = [
  'x-parent-session-id',
  'x-session-id',
  'session-id',
  'session_id',
  'x-conversation-id',
  'conversation-id',
  'conversation_id',
  'thread-id',
  'x-session-affinity',
  'x-qwen-code-session-id',
  'helicone-session-id',
  'x-litellm-session-id',
  'x-task-id',
  'x-kilocode-taskid',
].map((header) => ({ source: 'header', header }))

const METADATA: readonly Row[] = [
  ...['session_id', 'sessionId', 'conversation_id', 'conversationId', 'thread_id'].map(
    (inner) => ['metadata', inner] as const,
  ),
  ['session_id'] as const,
  ['litellm_session_id'] as const,
].map((member) => ({ source: 'metadata', member }))

const FIELDS: readonly Row[] = [
  // Programs also send a constant name here, under which the provider caches their prompt.
  { source: 'metadata', member: ['prompt_cache_key'], read: uuidOnly },
  { source: 'user', member: ['user'], read: namedSession, persistsAcrossRuns: true },
]

const ROWS: readonly Row[] = [...ANY_CLIENT, ...CODEX, ...OPENCODE, ...OTHER_HEADERS, ...METADATA, ...FIELDS]

/** The session that a request names; null for none. Throws 400 for an invalid `X-Tollgate-Session`. */
export function readSession(sent: SentRequest): SentSession | null {
  const namedSession = readOwnHeader(sent.headers, SESSION_HEADER, MAX_SESSION_LENGTH)
  if (namedSession !== null) return { source: 'header', value: namedSession, persistsAcrossRuns: false }
  for (const row of ROWS) {
    if (row.client !== undefined && row.client !== sent.clientName) continue
    const text = row.header === undefined ? getMember(sent.body, row.member) : sent.headers[row.header]
    if (typeof text !== 'string' || text === '' || text.length > MAX_SENT_LENGTH) continue
    const value = row.read ? row.read(text) : text
    if (value !== null && isVisible(value, MAX_SESSION_LENGTH))
      return { source: row.source, value, persistsAcrossRuns: row.persistsAcrossRuns ?? false }
  }
  return null
}

/** The tag that a request states; null for none. Throws 400 for an invalid one. */
export function readTag(headers: Headers): string | null {
  return readOwnHeader(headers, TAG_HEADER, MAX_TAG_LENGTH)
}

/** An empty header counts as none: scripts send it for a variable that is not set. */
function readOwnHeader(headers: Headers, name: string, maxLength: number): string | null {
  const sent = headers[name.toLowerCase()]
  if (typeof sent !== 'string' || sent === '') return null
  const value = decodeHeader(sent)
  if (isVisible(value, maxLength)) return value
  throw invalidRequest(`The header "${name}" must have 1 to ${maxLength} visible characters.`, {
    param: name,
  })
}

function getMember(body: SentRequest['body'], [name, inner]: Row['member'] = ['']): unknown {
  const value = body[name]
  if (inner === undefined) return value
  return typeof value === 'object' && value !== null ? Reflect.get(value, inner) : undefined
}

function isVisible(value: string, maxLength: number): boolean {
  return value.length <= maxLength * 2 && [...value].length <= maxLength && !hasHidden(value)
}

/** `user_…_account_…_session_ID`, or the JSON text of an object with a `session_id`. The rest identifies a person. */
function sessionOfUserId(value: string): string | null {
  const named = /_session_([\w-]+)$/.exec(value)?.[1]
  if (named !== undefined) return named
  if (!value.startsWith('{')) return null
  try {
    const parsed: unknown = JSON.parse(value)
    const id = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'session_id') : null
    return typeof id === 'string' && id !== '' ? id : null
  } catch {
    return null
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function uuidOnly(value: string): string | null {
  return UUID.test(value) ? value : null
}

/** Only a value that says what it is: any other could be the id of a person. */
function namedSession(value: string): string | null {
  return /^(session|ses|sess|conversation|conv|thread|chat|run|task)[-_:.][\w:.-]{4,}$/i.test(value)
    ? value
    : null
}
