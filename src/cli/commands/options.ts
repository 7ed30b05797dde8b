// Options and arguments that several commands have.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { chooseDataDir } from '../../host/data-dir.ts'
import { FlagError } from '../../host/exit-codes.ts'
import { GatewayClient } from '../../host/gateway-client.ts'
import { ResponseCache } from '../../shared/api/keys.ts'
import { SpendLimit } from '../../shared/api/spend-limits.ts'
import { wrap } from '../terminal/text.ts'

export interface DataDirOptions {
  dataDir?: string
}

export function dataDirOption(): Option {
  return new Option('--data-dir <dir>', 'the data folder of the gateway; also TOLLGATE_DATA_DIR')
}

/** The arguments of `option`. */
export const LOG_LEVEL = [
  '--log-level <level>',
  'debug, info (default), warn or error; also TOLLGATE_LOG_LEVEL',
] as const

export interface DataOptions extends DataDirOptions {
  json?: boolean
}

/** `--json` and `--data-dir`: the options of a command that prints what a data folder has. */
export function addDataOptions(command: Command): void {
  command.option('--json', 'print JSON').addOption(dataDirOption())
}

export function connect({ dataDir }: DataDirOptions): GatewayClient {
  return new GatewayClient(chooseDataDir(dataDir))
}

/** Lines that are longer than this are hard to read. */
const MAX_TEXT_WIDTH = 100

/** Examples and further text below the help of a command. */
export function addExamples(command: Command, examples: readonly string[], text = ''): void {
  const lines = examples.map((example) => `  ${example}\n`).join('')
  command.addHelpText('after', () => {
    const wrapped = wrap(text, Math.min(process.stdout.columns ?? 80, MAX_TEXT_WIDTH))
    return `\nExamples:\n${lines}${wrapped === '' ? '' : `\n${wrapped}\n`}`
  })
}

/** For the subcommand that runs when none is named: another word is one that does not exist. */
export function rejectOtherNames(byDefault: Command): void {
  byDefault.allowExcessArguments().hook('preAction', ({ args, parent }) => {
    const names = parent?.commands.map((each) => each.name()).join(', ')
    if (args.length > 0)
      throw new FlagError(`Unknown command '${parent?.name()} ${args[0]}'. There are ${names}.`)
  })
}

/** An amount in USD: `2`, `0.50`, `$5`. */
export function parseUsd(text: string): number {
  const match = /^\$?(\d+(?:\.\d+)?|\.\d+)$/.exec(text.trim())
  if (!match) throw new InvalidArgumentError('Give an amount in USD, such as 5 or 0.50.')
  return Number(match[1])
}

/** Commander turns null, which a parser returns for `none`, `all` and `never`, into a blank text. */
export function restoreNulls(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName()
    if (option.parseArg && command.getOptionValue(name) === '') command.setOptionValue(name, null)
  }
}

/** An amount, or null for `none`. */
export function parseCap(text: string): number | null {
  return text === 'none' ? null : parseUsd(text)
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give a whole number above 0.')
  return Number(text)
}

/** `a,b`; null for `all`. */
export function parseModels(text: string): string[] | null {
  if (text === 'all') return null
  const models = text.split(',').map((each) => each.trim())
  if (models.includes('')) throw new InvalidArgumentError('Give model ids, separated by commas.')
  return models
}

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** A duration from now (`90m`, `2h`, `7d`) or a date-time, as a date-time. */
export function parseMoment(text: string, now: number, direction: 1 | -1): string {
  const [, amount, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  const moment =
    amount === undefined
      ? Date.parse(/^\d{4}-/.test(text) ? text : '')
      : now + direction * Number(amount) * (UNIT_MS[unit] ?? 0)
  if (Number.isNaN(moment)) {
    throw new InvalidArgumentError(
      'Give a duration such as 90m, 2h or 7d, or a date such as 2026-12-31T18:00.',
    )
  }
  return new Date(moment).toISOString()
}

const MB = 1024 * 1024

/** `1d` or `1d/100MB`; null for `none`. */
export function parseCache(text: string): ResponseCache | null {
  if (text === 'none') return null
  const [, amount, unit = '', mb] = /^(\d{1,6})([smhdw])(?:\/(\d{1,5})MB)?$/i.exec(text) ?? []
  const cache = ResponseCache.safeParse({
    ttlSeconds: (Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? 0)) / 1_000,
    ...(mb !== undefined && { maxBytes: Number(mb) * MB }),
  })
  if (cache.success) return cache.data
  throw new InvalidArgumentError(
    'Give a time of up to 30 days, and if you like a size of up to 1024 MB: 1h, 7d, 1d/100MB.',
  )
}

/** When a key ends; null for `never`. */
export function parseExpiry(text: string): string | null {
  return text === 'never' ? null : parseMoment(text, Date.now(), 1)
}

/** `1/day,3/session/ask`, or `none`. */
export function parseLimits(text: string): SpendLimit[] {
  if (text === 'none') return []
  return text.split(',').map((each) => {
    const [usd = '', per, action] = each.trim().split('/')
    const limit = SpendLimit.safeParse({ usd: parseUsd(usd), per, action })
    if (!limit.success) throw new InvalidArgumentError('Give limits such as 1/day or 3/session/ask.')
    return limit.data
  })
}
