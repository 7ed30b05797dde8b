// The text of an entry in the activity history, and its link.

import {
  ArrowDownRight,
  ArrowUpRight,
  CalendarX2,
  CircleHelp,
  CirclePause,
  CirclePlay,
  Gauge,
  History,
  KeyRound,
  ListChecks,
  LogIn,
  type LucideIcon,
  ServerCog,
  ServerCrash,
  Tags,
} from 'lucide-react'
import type { Tone } from '../../../renderer/kit/badge.tsx'
import {
  chooseUsdDecimals,
  formatDate,
  formatTime,
  formatUsd,
  formatUsdExact,
  getDay,
  isolate,
  quoteName,
} from '../../../renderer/kit/format.ts'
import { isDesktop } from '../../../renderer/kit/is-desktop.ts'
import type { ActivityEntry, ActivityKind, RuleChangeKind } from '../../../shared/api/activity.ts'
import { limitHref } from '../../../shared/desktop/views.ts'
import { mainKind, nameLimit, nameOwnedLimit } from '../../../shared/limits/limits.ts'

interface EntryText {
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
  'rule-changed': 'Rules changed',
  'prices-updated': 'Prices updated',
  'provider-failing': 'Providers failing',
  'provider-recovered': 'Providers recovered',
  'report-doubted': 'Reports not believed',
  'model-retiring': 'Models retired soon',
  'secret-sent': 'Secrets sent',
  'secret-blocked': 'Secrets blocked',
  'backup-restored': 'Backups restored',
  'signed-in': 'Sign-ins',
}

export function describeEntry(entry: ActivityEntry, zone: string | undefined): EntryText {
  const { kind, subject, reason, address } = entry
  const who = describeActor(entry.actor)
  const name = quoteName(subject?.name ?? subject?.id ?? '')
  const provider = isolate(subject?.name ?? '')
  const key = linkTo('/keys', subject)
  const providers = linkTo('/providers', subject)
  switch (kind) {
    case 'limit-reached':
      return describeReached(entry)
    case 'limit-changed':
      return describeChange(entry, who)
    case 'key-paused':
      return write(CirclePause, 'warn', `${who} paused ${name}`, key, reason)
    case 'key-resumed':
      return write(CirclePlay, 'good', `${who} resumed ${name}`, key)
    case 'all-paused':
      return write(CirclePause, 'warn', `${who} paused everything`, '/')
    case 'all-resumed':
      return write(CirclePlay, 'good', `${who} resumed everything`, '/')
    case 'rule-changed':
      return write(
        ListChecks,
        'plain',
        `${who} ${RULE_WORDS[reason ?? ''] ?? 'changed'} the rule ${name}`,
        '/settings#rules',
      )
    case 'prices-updated':
      return write(Tags, 'plain', `${who} updated the prices: ${describeCount(entry.models ?? 0)}`, '/models')
    case 'provider-failing':
      return write(ServerCrash, 'bad', `${provider} has failed${formatSince(entry, zone)}`, providers, reason)
    case 'provider-recovered':
      return write(ServerCog, 'good', `${provider} works again`, providers)
    case 'report-doubted':
      return describeDoubted(entry)
    case 'model-retiring': {
      const day = entry.since === null ? 'soon' : `on ${formatDate(entry.since, 'UTC')}`
      return write(
        CalendarX2,
        'warn',
        `${isolate(subject?.name ?? '')} is retired ${day}`,
        linkTo('/models', subject),
        reason,
      )
    }
    case 'secret-sent':
      return write(
        KeyRound,
        'warn',
        `${name} sent a secret to a model`,
        subject?.kind === 'request' ? `/requests/${subject.id}` : key,
        reason,
      )
    case 'secret-blocked':
      return write(KeyRound, 'good', `${name} was kept from sending a secret`, '/requests', reason)
    case 'backup-restored':
      return describeRestore(entry, who, zone)
    case 'signed-in': {
      const from = address === null || isThisComputer(address) ? null : `From ${address}`
      return write(LogIn, 'plain', `Signed in from a browser with the key ${name}`, key, from)
    }
  }
}

const RULE_WORDS: Readonly<Record<string, string>> = {
  added: 'added',
  on: 'turned on',
  off: 'turned off',
  shadow: 'began to try',
  changed: 'changed',
  moved: 'moved',
  deleted: 'deleted',
} satisfies Record<RuleChangeKind, string>

function write(
  icon: LucideIcon,
  tone: Tone,
  text: string,
  href: string,
  detail: string | null = null,
): EntryText {
  return { icon, tone, text, href, detail }
}

function linkTo(path: string, subject: ActivityEntry['subject']): string {
  return subject?.id ? `${path}?edit=${encodeURIComponent(subject.id)}` : path
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
  const kind = limit ?? mainLimit(entry)
  const decimals = chooseUsdDecimals([spent, most])
  const amounts = `${formatUsd(spent, decimals)} of ${formatUsd(most, decimals)} spent`
  const what = isKey
    ? `${quoteName(subject.name ?? '')} reached its ${nameLimit(kind, most, 'cap', quoteName)}`
    : `The ${nameLimit(kind, most, 'limit', quoteName)} was reached`
  const href = isKey ? linkTo('/keys', subject) : limitHref(null, kind)
  const detail = warns ? 'Requests went on: this limit only warns.' : null
  return write(Gauge, warns ? 'warn' : 'bad', `${what}: ${amounts}`, href, detail)
}

/** The limit of an entry of version 0.1, which named only further limits. */
function mainLimit({ subject }: ActivityEntry) {
  return { ...mainKind(subject?.kind === 'key' ? subject.id : null), index: 0 }
}

function describeDoubted({ subject, spentUsd, limitUsd, reason }: ActivityEntry): EntryText {
  const [charged, reported] = [formatUsd(spentUsd ?? 0), formatUsd(limitUsd ?? 0)]
  return write(
    CircleHelp,
    'warn',
    `${isolate(subject?.name ?? '')} reported more than a request can cost`,
    reason === null ? '/requests' : `/requests/${reason}`,
    `It reported ${reported}, of which ${charged} is charged. The rest may be held for a while, up to the price of a full context window and output.`,
  )
}

function describeChange(entry: ActivityEntry, who: string): EntryText {
  const { subject, limit, limitUsd, previousLimitUsd } = entry
  const isKey = subject?.kind === 'key'
  const kind = limit ?? mainLimit(entry)
  const owner = isKey ? quoteName(subject.name ?? '') : 'all keys'
  const what = `the ${nameOwnedLimit(owner, kind, isKey ? 'cap' : 'limit', quoteName)}`
  const isRaised = limitUsd === null || (previousLimitUsd !== null && limitUsd > previousLimitUsd)
  const [now, previous] = [formatUsdExact(limitUsd ?? 0), formatUsdExact(previousLimitUsd ?? 0)]
  const change =
    limitUsd === null
      ? `removed ${what}, which was ${previous}`
      : previousLimitUsd === null
        ? `set ${what} to ${now}`
        : `${isRaised ? 'raised' : 'lowered'} ${what} from ${previous} to ${now}`
  const href = isKey ? linkTo('/keys', subject) : limitHref(null, kind)
  return write(isRaised ? ArrowUpRight : ArrowDownRight, 'plain', `${who} ${change}`, href)
}

function describeRestore(
  { actor, since, reason }: ActivityEntry,
  who: string,
  zone: string | undefined,
): EntryText {
  const made = since === null ? '' : ` of ${formatDate(since, zone)}, ${formatTime(since, zone)}`
  const wasRestored = `The backup${made}${made && ','} was restored`
  const text = actor.kind === 'gateway' ? wasRestored : `${who} restored the backup${made}`
  const damage = reason === 'damaged' ? 'The database was damaged or missing. ' : ''
  const detail = `${damage}It contains nothing that happened since, not even spend.`
  return write(History, 'warn', text, '/settings#backups', detail)
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
