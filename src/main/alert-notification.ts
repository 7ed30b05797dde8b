// The text of a notification about an alert, and the effect of its buttons.

import type { Approval } from '../features/approvals/api/approvals.ts'
import { listAnswers } from '../features/approvals/api/texts.ts'
import type { Account } from '../shared/api/account.ts'
import type { AlertEvent } from '../shared/api/events.ts'
import type { KeyMetadata } from '../shared/api/keys.ts'
import type { AppHref } from '../shared/desktop/views.ts'
import { formatAlert } from '../shared/limits/alerts.ts'
import {
  computeRaise,
  isSameLimit,
  isUsedUp,
  type Limit,
  limitsOfAccount,
  limitsOfKey,
  limitsThatStop,
  RAISE_USD,
} from '../shared/limits/limits.ts'

/** A request to the gateway, as the owner. */
export interface OwnerCall {
  method: 'POST' | 'PATCH'
  path: string
  body?: object
}

export interface AlertButton {
  label: string
  /** Made one after the other. */
  calls: readonly OwnerCall[]
  /** The address to open then. Anything that cannot be undone is confirmed in the window. */
  open?: AppHref
}

export interface AlertNotification {
  title: string
  body: string
  /** The address that a click opens. */
  href: AppHref
  buttons: readonly AlertButton[]
}

/** The current state that an alert is about; null for parts that cannot be read. */
export interface AlertState {
  /** Null for a limit of the account, too. */
  key: KeyMetadata | null
  account: Account | null
}

export function describeAlert(event: AlertEvent, state: AlertState): AlertNotification {
  if (event.type === 'plan-alert' || event.type === 'batch-alert')
    return { ...formatAlert(event), buttons: [] }
  const buttons = event.type === 'approval-alert' ? answerButtons(event.alert) : buttonsFor(event, state)
  return { ...formatAlert(event), buttons }
}

function answerButtons(approval: Approval): AlertButton[] {
  const path = `/v1/approvals/${approval.id}`
  return listAnswers(approval).map(({ label, decision: body }) => ({
    label,
    calls: [{ method: 'POST', path, body }],
  }))
}

type LimitEvent = Extract<AlertEvent, { type: 'cap-alert' | 'guard-alert' }>

function buttonsFor(event: LimitEvent, { key, account }: AlertState): AlertButton[] {
  if (event.alert.keyId !== null && (key === null || key.revokedAt !== null)) return []
  const resume: OwnerCall[] = key === null ? [] : [{ method: 'POST', path: `/v1/keys/${key.id}/resume` }]
  const raised = computeRaise(limitsToRaise(event, { key, account }), key, account)
  const raise: OwnerCall[] = [
    ...(key && raised.key
      ? [{ method: 'PATCH' as const, path: `/v1/keys/${key.id}`, body: raised.key }]
      : []),
    ...(raised.account ? [{ method: 'PATCH' as const, path: '/v1/account', body: raised.account }] : []),
  ]
  const isPaused = key !== null && key.pausedAt !== null
  const calls = isPaused ? [...raise, ...resume] : raise
  const raising = raise.length === 0 ? [] : [{ label: `Raise by $${RAISE_USD}`, calls }]
  if (event.type === 'cap-alert' || key === null) return raising
  return [
    ...raising,
    { label: 'Resume', calls: resume },
    { label: 'Revoke…', calls: [], open: `/keys?revoke=${key.id}` },
  ]
}

/** The limit that the alert is about; of a key that the guard has paused, all that stop it. */
function limitsToRaise(event: LimitEvent, { key, account }: AlertState): Limit[] {
  if (event.type === 'guard-alert') return key === null ? [] : limitsThatStop(key, account)
  const { limit: about, keyId } = event.alert
  const limits = keyId === null ? account && limitsOfAccount(account) : key && limitsOfKey(key)
  const limit = limits?.[about.index]
  return limit && isSameLimit(limit.kind, about) && isUsedUp(limit) ? [limit] : []
}
