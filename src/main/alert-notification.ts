// What a notification about an alert says, and what its buttons do.
import { formatCapAlert } from '../shared/cap-alert.ts'
import type { LiveEvent } from '../shared/events.ts'
import { formatGuardAlert } from '../shared/guard-alert.ts'
import type { KeyMetadata, KeyUpdate } from '../shared/keys.ts'
import { isCapUsedUp, RAISE_USD, raisedCap } from '../shared/raise-cap.ts'
import type { AppHref } from '../shared/views.ts'

export type AlertEvent = Extract<LiveEvent, { type: 'cap-alert' | 'guard-alert' }>

/** A request to the gateway, as the owner. */
export interface OwnerCall {
  method: 'POST' | 'PATCH'
  path: string
  body?: KeyUpdate
}

export interface AlertButton {
  label: string
  /** Made one after the other. */
  calls: readonly OwnerCall[]
  /** What is opened then. What cannot be undone is confirmed in the window. */
  open?: AppHref
}

export interface AlertNotification {
  title: string
  body: string
  /** What a click opens. */
  href: AppHref
  buttons: readonly AlertButton[]
}

/** `key`: the one that the alert is about, as it is now; null for the monthly limit, or if it cannot be read. */
export function describeAlert(event: AlertEvent, key: KeyMetadata | null): AlertNotification {
  const text = event.type === 'cap-alert' ? formatCapAlert(event.alert) : formatGuardAlert(event.alert)
  const { title, body, href } = text
  return { title, body, href, buttons: key === null || key.revokedAt !== null ? [] : buttonsFor(event, key) }
}

function buttonsFor({ type }: AlertEvent, key: KeyMetadata): AlertButton[] {
  const path = `/v1/keys/${key.id}`
  const resume: OwnerCall = { method: 'POST', path: `${path}/resume` }
  const raise: OwnerCall = { method: 'PATCH', path, body: { spendLimitUsd: raisedCap(key) } }
  const raiseButton = {
    label: `Raise by $${RAISE_USD}`,
    calls: key.pausedAt === null ? [raise] : [raise, resume],
  }
  const raising = isCapUsedUp(key) ? [raiseButton] : []
  if (type === 'cap-alert') return raising
  return [
    ...raising,
    { label: 'Resume', calls: [resume] },
    { label: 'Revoke…', calls: [], open: `/keys?revoke=${key.id}` },
  ]
}
