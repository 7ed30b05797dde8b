// How translated requests use the cache of prompts that a provider keeps. Native requests say so themselves.
import type { CacheLifetime, PromptCache, Target } from '../formats/chat/codec-types.ts'
import type { Offer } from '../models/catalog/offers.ts'
import type { LiveSession } from '../sessions/live-sessions.ts'

type CachingTarget = Pick<Target, 'hosting' | 'promptCache'>

/** Null if the user has turned it off for the provider. */
export function choosePromptCache(
  offer: Pick<Offer, 'price'>,
  target: CachingTarget,
  session: Pick<LiveSession, 'id' | 'pauses'>,
): PromptCache | null {
  if (!target.promptCache) return null
  return { session: session.id, lifetime: chooseLifetime(offer, target, session) }
}

/**
 * An hour if it would have been cheaper for the session until now. With five minutes, each pause within the hour costs the
 * whole prompt as a write instead of a read. With an hour, the prompt costs the dearer write: once, and again after each
 * longer pause. The pauses change only when five minutes are over, so a cache in use never changes its lifetime. Other hosts
 * do not all have both lifetimes.
 */
function chooseLifetime(
  { price }: Pick<Offer, 'price'>,
  { hosting }: Pick<CachingTarget, 'hosting'>,
  { pauses: { withinHour, longer } }: Pick<LiveSession, 'pauses'>,
): CacheLifetime {
  if (!price || hosting !== null) return '5m'
  const { cacheRead: read, cacheWrite5m: short, cacheWrite1h: long } = price.rates(0)
  return long > short && withinHour * (short - read) > (1 + longer) * (long - short) ? '1h' : '5m'
}
