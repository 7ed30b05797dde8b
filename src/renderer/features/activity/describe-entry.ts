// The text of an entry in the activity history, and its link.

import {
  ArrowDownRight,
  ArrowUpRight,
  CircleHelp,
  CirclePause,
  CirclePlay,
  Gauge,
  History,
  LogIn,
  type LucideIcon,
  ServerCog,
  ServerCrash,
  Tags,
} from 'lucide-react'
import type { ActivityEntry, ActivityKind } from '../../../shared/api/activity.ts'
import { limitHref } from '../../../shared/desktop/views.ts'
import { nameLimit, nameOwnedLimit } from '../../../shared/limits/limits.ts'
import type { Tone } from '../../kit/badge.tsx'
import {
  chooseUsdDecimals,
  formatDate,
  formatTime,
  formatUsd,
  formatUsdExact,
  getDay,
  isolate,
  quoteName,
} from '../../kit/format.ts'
import { isDesktop } from '../../kit/is-desktop.ts'

export interface EntryText {
  icon: LucideIcon
  tone: Tone
  text: string
  /** A second line. */
  detail: string | null
  /** Where its subject is. */
  href: string
}

/** In the order of the filter. */
export const KIND_NAMES: Readonly<Record<ActivityKind, string>> = {
  'limit-reached': 'Limits reached',
  'limit-changed': 'Limits changed',
  'key-paused': 'Keys paused',
  'key-resumed': 'Keys resumed',
  'all-paused': 'Everything paused',
  'all-resumed': 'Everything resumed',
  'prices-updated': 'Prices updated',
  'provider-failing': 'Providers failing',
  'provider-recovered': 'Providers recovered',
  'report-doubted': 'Reports not believed',
  'backup-restored': 'Backups restored',
  'signed-in': 'Sign-ins',
}

export function describeEntry(entry: ActivityEntry, zone: string | undefined): EntryText {
  const { kind, subject, reason } = entry
  const who = describeActor(entry.actor)
  const name = quoteName(subject?.name ?? subject?.id ?? '')
  const providerHref = subject?.id ? `/providers?edit=${encodeURIComponent(subject.id)}` : '/providers'
  switch (kind) {
    case 'limit-reached':
      return describeReached(entry)
    case 'limit-changed':
      return describeChange(entry, who)
    case 'key-paused':
      return {
        icon: CirclePause,
        tone: 'warn',
        text: `${who} paused ${name}`,
        detail: reason,
        href: keyHref(entry),
      }
    case 'key-resumed':
      return {
        icon: CirclePlay,
        tone: 'good',
        text: `${who} resumed ${name}`,
        detail: null,
        href: keyHref(entry),
      }
    case 'all-paused':
      return { icon: CirclePause, tone: 'warn', text: `${who} paused everything`, detail: null, href: '/' }
    case 'all-resumed':
      return { icon: CirclePlay, tone: 'good', text: `${who} resumed everything`, detail: null, href: '/' }
    case 'prices-updated':
      return {
        icon: Tags,
        tone: 'plain',
        text: `${who} updated the prices: ${describeCount(entry.models ?? 0)}`,
        detail: null,
        href: '/models',
      }
    case 'provider-failing':
      return {
        icon: ServerCrash,
        tone: 'bad',
        text: `${isolate(subject?.name ?? '')} has failed${formatSince(entry, zone)}`,
        detail: reason,
        href: providerHref,
      }
    case 'provider-recovered':
      return {
        icon: ServerCog,
        tone: 'good',
        text: `${isolate(subject?.name ?? '')} works again`,
        detail: null,
        href: providerHref,
      }
    case 'report-doubted':
      return describeDoubted(entry)
    case 'backup-restored':
      return describeRestore(entry, who, zone)
    case 'signed-in':
      return {
        icon: LogIn,
        tone: 'plain',
        text: `Signed in from a browser with the key ${name}`,
        detail: entry.address === null || isThisComputer(entry.address) ? null : `From ${entry.address}`,
        href: keyHref(entry),
      }
  }
}

/** Describes actors: "you" in this window; the owner for the app while this is a browser. */
function describeActor({ kind, name }: ActivityEntry['actor']): string {
  switch (kind) {
    case 'owner':
      return isDesktop ? 'You' : 'The owner of this computer'
    case 'key':
      return `The key ${quoteName(name ?? '')}`
    case 'guard':
      return 'The runaway guard'
    case 'gateway':
      return 'Tollgate'
  }
}

function describeReached(entry: ActivityEntry): EntryText {
  const { subject, limit, spentUsd, limitUsd } = entry
  const [spent, most] = [spentUsd ?? 0, limitUsd ?? 0]
  const isKey = subject?.kind === 'key'
  const warns = limit?.action === 'warn'
  const decimals = chooseUsdDecimals([spent, most])
  const amounts = `${formatUsd(spent, decimals)} of ${formatUsd(most, decimals)} spent`
  const what = isKey
    ? `${quoteName(subject.name ?? '')} reached its ${limit ? nameLimit(limit, most, 'cap', quoteName) : 'cap'}`
    : `The ${limit ? nameLimit(limit, most, 'limit', quoteName) : 'monthly limit'} was reached`
  return {
    icon: Gauge,
    tone: warns ? 'warn' : 'bad',
    text: `${what}: ${amounts}`,
    detail: warns ? 'Requests went on: this limit only warns.' : null,
    href: isKey ? keyHref(entry) : limitHref(null, limit?.index ?? null),
  }
}

function describeDoubted({ subject, spentUsd, limitUsd, reason }: ActivityEntry): EntryText {
  const [charged, reported] = [formatUsd(spentUsd ?? 0), formatUsd(limitUsd ?? 0)]
  return {
    icon: CircleHelp,
    tone: 'warn',
    text: `${isolate(subject?.name ?? '')} reported more than a request can cost`,
    detail: `It reported ${reported}, of which ${charged} is charged. The rest may be held for a while, up to the price of a full context window and output.`,
    href: reason === null ? '/requests' : `/requests/${reason}`,
  }
}

function describeChange(entry: ActivityEntry, who: string): EntryText {
  const { subject, limit, limitUsd, previousLimitUsd } = entry
  const isKey = subject?.kind === 'key'
  const kind = limit ?? ({ per: isKey ? 'lifetime' : 'month' } as const)
  const owner = isKey ? quoteName(subject.name ?? '') : 'all keys'
  const what = `the ${nameOwnedLimit(owner, kind, isKey ? 'cap' : 'limit', quoteName)}`
  const isRaised = limitUsd === null || (previousLimitUsd !== null && limitUsd > previousLimitUsd)
  return {
    icon: isRaised ? ArrowUpRight : ArrowDownRight,
    tone: 'plain',
    text: `${who} ${describe()}`,
    detail: null,
    href: isKey ? keyHref(entry) : limitHref(null, limit?.index ?? null),
  }

  function describe(): string {
    if (limitUsd === null) return `removed ${what}, which was ${formatUsdExact(previousLimitUsd ?? 0)}`
    if (previousLimitUsd === null) return `set ${what} to ${formatUsdExact(limitUsd)}`
    return `${isRaised ? 'raised' : 'lowered'} ${what} from ${formatUsdExact(previousLimitUsd)} to ${formatUsdExact(limitUsd)}`
  }
}

function describeRestore(
  { actor, since, reason }: ActivityEntry,
  who: string,
  zone: string | undefined,
): EntryText {
  const made = since === null ? '' : ` of ${formatDate(since, zone)}, ${formatTime(since, zone)}`
  const wasRestored = `The backup${made}${made && ','} was restored`
  return {
    icon: History,
    tone: 'warn',
    text: actor.kind === 'gateway' ? wasRestored : `${who} restored the backup${made}`,
    detail: `${reason === 'damaged' ? 'The database was damaged or missing. ' : ''}It contains nothing that happened since, not even spend.`,
    href: '/settings#backups',
  }
}

function keyHref({ subject }: ActivityEntry): string {
  return subject?.id ? `/keys?edit=${encodeURIComponent(subject.id)}` : '/keys'
}

function describeCount(models: number): string {
  if (models === 0) return 'no price changed'
  return models === 1 ? '1 model changed' : `${models} models changed`
}

/** " since 14:02", or " since 21 Nov 2026, 14:02" from another day. */
function formatSince({ since, at }: ActivityEntry, zone: string | undefined): string {
  if (since === null) return ''
  const sameDay = getDay(Date.parse(since), zone) === getDay(Date.parse(at), zone)
  return ` since ${sameDay ? '' : `${formatDate(since, zone)}, `}${formatTime(since, zone)}`
}

function isThisComputer(address: string): boolean {
  return address === '::1' || address.replace('::ffff:', '').startsWith('127.')
}
