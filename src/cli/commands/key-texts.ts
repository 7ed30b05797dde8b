// Finds keys by what users call them, and describes them.

import type { GatewayClient } from '../../host/gateway-client.ts'
import type { KeyMetadata } from '../../shared/api/keys.ts'
import { isMain, MAIN_PERIOD } from '../../shared/api/terms.ts'
import { PERIOD_WORDS } from '../../shared/limits/limits.ts'
import { formatOver, formatUsd } from '../../shared/money/format-usd.ts'
import { printable } from '../../shared/values/text.ts'
import { formatDuration, formatMoment, usdColumn } from '../terminal/amounts.ts'
import { type Column, formatTable } from '../terminal/table.ts'

/** The key with this id, or with this name that is not revoked. Throws an error for the user. */
export async function findKey(client: GatewayClient, wanted: string): Promise<KeyMetadata> {
  const { data } = await client.call('listKeys')
  const byId = data.find(({ id }) => id === wanted)
  if (byId) return byId
  const [found, another] = data.filter(({ name, revokedAt }) => name === wanted && revokedAt === null)
  if (!found) throw new Error(`There is no key “${printable(wanted)}”. List them: tollgate keys`)
  if (another) throw new Error(`Several keys are named “${printable(wanted)}”. Give the id: tollgate keys`)
  return found
}

export function formatKeys(keys: readonly KeyMetadata[]): string {
  const usd = usdColumn(keys.flatMap(({ spendUsd, spendLimitUsd }) => [spendUsd, spendLimitUsd]))
  const columns: Column<KeyMetadata>[] = [
    { title: 'NAME', flexible: true, cell: ({ name }) => name },
    { title: 'ID', cell: ({ id }) => id },
    { title: 'SCOPE', optional: true, cell: ({ scope }) => scope },
    { title: 'SPENT', align: 'right', cell: ({ spendUsd }) => usd(spendUsd) },
    { title: 'CAP', align: 'right', cell: ({ spendLimitUsd }) => usd(spendLimitUsd) },
    { title: 'PROJECT', optional: true, cell: ({ tag }) => tag ?? '–' },
    {
      title: 'LAST USED',
      optional: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : formatMoment(lastUsedAt)),
    },
    { title: 'STATE', cell: getState },
  ]
  return formatTable(columns, keys)
}

/** Whether the key itself is paused, and could go on. */
export function isPaused(key: KeyMetadata): boolean {
  return getState(key) === 'paused'
}

function getState({ revokedAt, pausedAt, expiresAt, spendUsd, spendLimitUsd }: KeyMetadata): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return 'expired'
  if (pausedAt !== null) return 'paused'
  return spendLimitUsd !== null && spendUsd >= spendLimitUsd ? 'cap reached' : 'active'
}

const ACTIONS = { stop: '', ask: ' (asks you)', warn: ' (warns only)' }

export function formatKey(key: KeyMetadata): string {
  const moment = (iso: string | null) => (iso === null ? null : formatMoment(iso))
  const others = key.spendLimits.filter((limit) => !isMain(limit, MAIN_PERIOD.key))
  const limits = others.map(({ usd, per, model, action }) => {
    const what = model === undefined ? '' : ` on ${model}`
    return `${formatUsd(usd)} ${PERIOD_WORDS[per].each}${what}${ACTIONS[action ?? 'stop']}`
  })
  const reserved = key.reservedUsd > 0 ? `, ${formatUsd(key.reservedUsd)} reserved` : ''
  const rows: [string, string | null][] = [
    ['Name', key.name],
    ['Id', key.id],
    ['Scope', key.scope],
    ['State', `${getState(key)}${key.pauseReason === null ? '' : `: ${key.pauseReason}`}`],
    ['Secret', key.secretHint === null ? null : `tg-…${key.secretHint}`],
    ['Spent', `${formatUsd(key.spendUsd)}${reserved}`],
    ['Cap', describeCap(key)],
    ['Limits', limits.length > 0 ? limits.join(', ') : null],
    ['Strict', key.strict ? 'yes' : null],
    ['Project', key.tag],
    ['Models', key.allowedModels?.join(', ') ?? null],
    ['Per minute', perMinute(key)],
    ['Sub-agents', key.maxSubagents === null ? null : `${key.maxSubagents} at a time`],
    ['Cache', describeCache(key)],
    ['Created', moment(key.createdAt)],
    ['Last used', moment(key.lastUsedAt) ?? 'never'],
    ['Expires', moment(key.expiresAt)],
    ['Revoked', moment(key.revokedAt)],
  ]
  return formatFields(rows)
}

function describeCap({ spendUsd, spendLimitUsd }: KeyMetadata): string {
  if (spendLimitUsd === null) return 'none'
  const over = formatOver(spendUsd, spendLimitUsd)
  return `${formatUsd(spendLimitUsd)}${over === null ? '' : `, ${over}`}`
}

function describeCache({ responseCache }: KeyMetadata): string | null {
  if (responseCache === null) return null
  const { ttlSeconds, maxBytes } = responseCache
  return `answers are repeated for ${formatDuration(ttlSeconds * 1_000)}, up to ${Math.round(maxBytes / (1024 * 1024))} MB`
}

function perMinute({ rpmLimit, tpmLimit }: KeyMetadata): string | null {
  const limits = [
    ...(rpmLimit === null ? [] : [`${rpmLimit} requests`]),
    ...(tpmLimit === null ? [] : [`${tpmLimit} tokens`]),
  ]
  return limits.length > 0 ? limits.join(', ') : null
}

/** Names and values, without those that are null. */
export function formatFields(rows: readonly (readonly [name: string, value: string | null])[]): string {
  const shown = rows.flatMap(([name, value]) => (value === null ? [] : [[name, printable(value)] as const]))
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('')
}
