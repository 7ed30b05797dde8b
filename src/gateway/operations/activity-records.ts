// Which calls of the API the activity history records: those that changed something, and by whom.

import {
  ACCOUNT,
  type Activity,
  type Entry,
  keySubject,
  limitChanges,
} from '../../features/activity/gateway/activity.ts'
import type { ActivityActor } from '../../shared/api/activity.ts'
import { usdToNano } from '../../shared/money/money.ts'
import { clientName } from '../../shared/values/client-name.ts'
import type { Principal } from '../http/auth.ts'
import type { Call, JsonHandlers } from '../http/calls.ts'
import type { GatewayServices } from './services.ts'

/** A page that is loaded again, or opened in another tab, is not another sign-in. */
const SAME_SIGN_IN_MS = 12 * 60 * 60 * 1000

export function toActor(principal: Principal): ActivityActor {
  if (principal.kind === 'owner') return { kind: 'owner', id: null, name: null }
  const { id, name } = principal.key
  return { kind: 'key', id, name }
}

type RecordedHandlers = Pick<
  JsonHandlers,
  'pauseKey' | 'resumeKey' | 'pauseAll' | 'resumeAll' | 'updateKey' | 'updateAccount' | 'getCallingKey'
>

/** Wraps the handlers so that they also record what they changed. */
export function recordActivity(handlers: RecordedHandlers, services: GatewayServices): RecordedHandlers {
  const { account, activity, keys } = services

  /** Compares what `read` finds before and after, even if the handler fails: a pause takes effect before it can be stored. */
  function comparing<C, R, S>(
    handle: (call: C) => R | Promise<R>,
    read: (call: C) => S,
    describe: (before: S, after: S, call: C) => Entry[],
  ) {
    return async (call: C): Promise<R> => {
      const before = read(call)
      try {
        return await handle(call)
      } finally {
        for (const entry of describe(before, read(call), call)) activity.record(entry)
      }
    }
  }

  const readKey = ({ id }: { id: string }) => {
    const key = keys.get(id)
    return key && { ...key }
  }

  const comparingPauses = <C extends { id: string; principal: Principal }, R>(
    handle: (call: C) => R | Promise<R>,
  ) =>
    comparing(handle, readKey, (before, after, { principal }) => {
      if (!before || !after || before.pausedAt === after.pausedAt) return []
      const entry = { actor: toActor(principal), subject: keySubject(after) }
      const { pausedAt, pauseReason: reason } = after
      if (pausedAt === null) return [{ kind: 'key-resumed', ...entry }]
      return [{ kind: 'key-paused', ...entry, ...(reason && { reason }) }]
    })

  const comparingPauseOfAll = <C extends { principal: Principal }, R>(handle: (call: C) => R | Promise<R>) =>
    comparing(
      handle,
      () => account.pausedAt,
      (before, after, { principal }) => {
        if (before === after) return []
        const kind = after === null ? 'all-resumed' : 'all-paused'
        return [{ kind, actor: toActor(principal), subject: ACCOUNT }]
      },
    )

  return {
    pauseKey: comparingPauses(handlers.pauseKey),
    resumeKey: comparingPauses(handlers.resumeKey),
    pauseAll: comparingPauseOfAll(handlers.pauseAll),
    resumeAll: comparingPauseOfAll(handlers.resumeAll),
    updateKey: comparing(handlers.updateKey, readKey, (before, after, { principal }) => {
      if (!before || !after) return []
      return limitChanges(toActor(principal), keySubject(after), before.spendLimits, after.spendLimits)
    }),
    updateAccount: comparing(
      handlers.updateAccount,
      () => account.spendLimits,
      (before, after, { principal }) => limitChanges(toActor(principal), ACCOUNT, before, after),
    ),
    getCallingKey: async (call) => {
      const key = await handlers.getCallingKey(call)
      recordSignIn(call, activity)
      return key
    },
  }
}

/** A limit of a key or of the account, with its amount. */
interface RaisedLimit {
  keyId: string
  keyName: string
  limit: NonNullable<Entry['limit']>
  ofAccount: boolean
  limitUsd: number
}

/** The owner has allowed so many more USD under a limit that asks. */
export function toLimitChange(
  { keyId: id, keyName: name, limit, ofAccount, limitUsd }: RaisedLimit,
  usd: number,
  by: Principal,
): Entry {
  return {
    kind: 'limit-changed',
    actor: toActor(by),
    limit,
    subject: ofAccount ? ACCOUNT : keySubject({ id, name }),
    previousNano: usdToNano(limitUsd - usd),
    limitNano: usdToNano(limitUsd),
  }
}

/** Records a sign-in of the window in a browser, which begins with the key that the user has entered. */
function recordSignIn({ principal, headers, context }: Call<'getCallingKey'>, activity: Activity): void {
  if (principal.kind === 'owner' || principal.key.scope !== 'admin') return
  if (clientName(headers['user-agent'] ?? null) !== 'Browser') return
  const address = context.request.socket.remoteAddress ?? ''
  activity.recordOnce(`${principal.key.id} ${address}`, SAME_SIGN_IN_MS, {
    kind: 'signed-in',
    actor: toActor(principal),
    subject: keySubject(principal.key),
    address,
  })
}
