// Who calls the API of batches, and what they may see.
import type { IncomingHttpHeaders } from 'node:http'
import { UpstreamFailure } from '../../../gateway/formats/chat/failure.ts'
import type { Principal } from '../../../gateway/http/auth.ts'
import { describeClient } from '../../../gateway/http/describe-client.ts'
import { type FileBody, readFileBody } from '../../../gateway/http/read-body.ts'
import type { RequestContext } from '../../../gateway/http/request-context.ts'
import type { ApiKeys } from '../../../gateway/keys/api-keys.ts'
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import type { Clock } from '../../../gateway/platform/clock.ts'
import { findPause } from '../../../gateway/request/in-flight.ts'
import { type LiveSessions, readTag } from '../../../gateway/sessions/live-sessions.ts'
import type { AccountService } from '../../../gateway/spend/account.ts'
import type { BatchDetails } from './batch-rows.ts'
import type { LineSender } from './price-lines.ts'

export interface CallerDeps {
  account: AccountService
  clock: Clock
  keys: ApiKeys
  sessions: LiveSessions
}

/** The key that pays. Throws while nothing may be sent to a provider with it. */
export async function findPayer(principal: Principal, { keys, account }: CallerDeps): Promise<KeyState> {
  const key = principal.kind === 'owner' ? await keys.playground() : principal.key
  const paused = findPause(key, account)
  if (paused) throw paused
  return key
}

/** Whether the caller may see what the key has made. The owner of the machine sees all. */
export function maySee(principal: Principal, { keyId }: { keyId: string }): boolean {
  return principal.kind === 'owner' || principal.key.id === keyId
}

/** The key whose files and batches a caller lists; null for all. */
export function findListed(principal: Principal): string | null {
  return principal.kind === 'owner' ? null : principal.key.id
}

/**
 * Runs a call whose body is read while it arrives. When it fails, the rest of the body is read and discarded: a client that still sends
 * would not get the answer.
 */
export async function withBody<T>(
  context: RequestContext,
  file: FileBody,
  run: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const chunks = readFileBody(context, file)[Symbol.asyncIterator]()
  const next = () => chunks.next()
  try {
    // Without `return`, which would close the connection.
    return await run({ [Symbol.asyncIterator]: () => ({ next }) })
  } catch (error) {
    while (!(await next().catch(() => ({ done: true }))).done);
    throw error
  }
}

/** Where the call belongs in the log. */
export function enterSession(
  key: KeyState,
  headers: IncomingHttpHeaders,
  { sessions, clock, account }: CallerDeps,
): Pick<BatchDetails, 'client' | 'tag' | 'session' | 'plan'> {
  const { client, tag } = describeSender(key, headers)
  const session = sessions.enter({ keyId: key.id, headers, body: {}, client }, clock.now())
  return { client, tag, session: session.stored, plan: account.plan }
}

/** Who sends the lines of a batch. */
export function describeSender(key: KeyState, headers: IncomingHttpHeaders): LineSender {
  return { key, client: describeClient(headers), tag: key.tag ?? readTag(headers) }
}

/** Whether a provider has answered with 404. */
export function isMissing(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.status === 404
}
