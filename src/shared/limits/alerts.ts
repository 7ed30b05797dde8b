// The texts of alerts, for notifications, the window and the webhook.

import { describeApproval } from '../../features/approvals/api/texts.ts'
import { describeBatch } from '../../features/batches/api/texts.ts'
import type { GuardAlert } from '../api/account.ts'
import type { AlertEvent, CapAlert } from '../api/events.ts'
import type { PlanAlert } from '../api/plans.ts'
import { type KeyHref, type LimitHref, limitHref } from '../desktop/views.ts'
import { chooseUsdDecimals, formatUsd } from '../money/format-usd.ts'
import { nameLimit } from './limits.ts'

export interface AlertText {
  title: string
  body: string
  /** Where the user can do something about it. */
  href: LimitHref | KeyHref | '/'
}

/** The text of an alert, for notifications, the window and the webhook. */
export function formatAlert(event: AlertEvent): AlertText {
  if (event.type === 'cap-alert') return formatCapAlert(event.alert)
  if (event.type === 'approval-alert') return { ...describeApproval(event.alert), href: '/' }
  if (event.type === 'batch-alert') return { ...describeBatch(event.alert), href: '/' }
  return event.type === 'guard-alert' ? formatGuardAlert(event.alert) : formatPlanAlert(event.alert)
}

export interface CapAlertText {
  title: string
  body: string
  /** Where the user can raise the limit. */
  href: LimitHref
}

/** The text of an alert of a limit. */
export function formatCapAlert({ keyId, name, percent, spentUsd, limitUsd, limit }: CapAlert): CapAlertText {
  const full = spentUsd >= limitUsd
  const decimals = chooseUsdDecimals([spentUsd, limitUsd])
  const spent = `${formatUsd(spentUsd, decimals)} of ${formatUsd(limitUsd, decimals)} spent`
  const what = nameLimit(limit, limitUsd, keyId === null ? 'limit' : 'cap')
  const ofKey = full ? `${name} has reached its ${what}` : `${name} has used ${percent}% of its ${what}`
  const ofAccount = full ? `The ${what} is reached` : `${percent}% of the ${what} is used`
  return {
    title: keyId === null ? ofAccount : ofKey,
    body: full
      ? `${spent}. ${describeConsequence(limit)}`
      : `${spent}, ${formatUsd(limitUsd - spentUsd, decimals)} left.`,
    href: limitHref(keyId, limit),
  }
}

function describeConsequence({ action, per, window }: CapAlert['limit']): string {
  if (action === 'warn') return 'Requests go on: this limit only warns.'
  if (action === 'ask') return 'Requests wait until you allow more.'
  if (per === 'session') return 'Requests of this session are rejected until the limit is raised.'
  if (per === 'subagent') return 'Requests of this sub-agent are rejected until the limit is raised.'
  if (per === 'lifetime') return 'Requests are rejected until the limit is raised.'
  return window === 'rolling'
    ? 'Requests are rejected until older spend no longer counts, or the limit is raised.'
    : `Requests are rejected until the ${per} is over, or the limit is raised.`
}

export interface GuardAlertText {
  title: string
  body: string
  /** Where the user sees why, and can resume the key. */
  href: KeyHref
}

/** The text of an alert of the runaway guard. */
export function formatGuardAlert({ keyId, name, reason }: GuardAlert): GuardAlertText {
  return {
    title: `${name} was paused`,
    body: `${reason} Requests with this key are refused until you resume it.`,
    href: `/keys?edit=${keyId}`,
  }
}

/** The text of an alert of a plan's window. */
export function formatPlanAlert(
  { name, window, kind, percent, resetsAt }: PlanAlert,
  now = Date.now(),
): AlertText {
  const left = resetsAt === null ? null : formatLeft(Date.parse(resetsAt) - now)
  const used = `${percent}% of the window of ${window} is used`
  if (kind === 'reset')
    return {
      title: `${name}: the window of ${window} resets ${left ?? 'soon'}`,
      body: `${used}.`,
      href: '/',
    }
  if (kind === 'overflow')
    return {
      title: `${name} is used up: a new session is billed by API key`,
      body: `Its costs count under the limits of its key. The window of ${window} resets ${left ?? 'later'}.`,
      href: '/',
    }
  const body = left === null ? 'Its reset time is unknown.' : `It resets ${left}.`
  return { title: `${name}: ${used}`, body, href: '/' }
}

function formatLeft(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 60) return `in ${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} days`
}
