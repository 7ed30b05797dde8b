import { type Command, Option } from 'commander'
import { FlagError } from '../../host/exit-codes.ts'
import type { KeyMetadata, KeyUpdate, ResponseCache } from '../../shared/api/keys.ts'
import type { SpendLimit } from '../../shared/api/spend-limits.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { printable } from '../../shared/values/text.ts'
import { refuseInRun } from '../run/run-key.ts'
import { confirm } from '../terminal/confirm.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { findKey, formatKey, formatKeys } from './key-texts.ts'
import {
  addDataOptions,
  addExamples,
  connect,
  type DataOptions,
  parseCache,
  parseCap,
  parseCount,
  parseExpiry,
  parseLimits,
  parseModels,
  rejectOtherNames,
} from './options.ts'

interface KeyOptions extends DataOptions {
  cap?: number | null
  limit?: SpendLimit[]
  models?: string[] | null
  expires?: string | null
  tag?: string
  strict?: boolean
  cache?: ResponseCache | null
  rpm?: number
  tpm?: number
  maxSubagents?: number
}

export function define(command: Command): void {
  const list = command
    .command('list', { isDefault: true })
    .description('List the keys.')
    .option('--all', 'also those that are revoked')
    .action(listKeys)
  const create = command
    .command('create')
    .description('Create a key, and print its secret, which is shown only once.')
    .argument('<name>')
    .addOption(
      new Option('--scope <scope>', 'what it may do')
        .choices(['completions-only', 'full', 'read-only', 'telemetry-only', 'admin'])
        .default('completions-only'),
    )
    .action(createKey)
  const show = command.command('show').description('Show a key.').argument('<key>', KEY).action(showKey)
  const update = command
    .command('update')
    .description('Change a key.')
    .argument('<key>', KEY)
    .option('--name <name>', 'another name')
    .action(updateKey)
  const revoke = command
    .command('revoke')
    .description('Revoke a key. Its requests in flight end, and it cannot be undone.')
    .argument('<key>', KEY)
    .option('-y, --yes', 'do not ask')
    .action(revokeKey)
  for (const each of [create, update]) addKeyOptions(each)
  update.option('--no-strict', 'admit requests until the cap is spent; the last one may go over it')
  for (const each of [create, update, revoke]) each.hook('preAction', refuseInRun)
  for (const each of [list, create, show, update, revoke]) addDataOptions(each)
  rejectOtherNames(list)
  addExamples(command, [
    'tollgate keys',
    'tollgate keys create ci --cap 5 --limit 1/day --models "claude-*" --expires 7d',
    'export OPENAI_API_KEY=$(tollgate keys create notebook --cap 2)',
    'tollgate keys update ci --cap 10',
    'tollgate keys update ci --strict',
    'tollgate keys update evals --cache 7d/200MB',
    'tollgate keys revoke ci',
  ])
}

const KEY = 'name or id of the key'

function addKeyOptions(command: Command): void {
  command
    .option('--cap <usd>', 'the cap of what it spends, in USD, or none', parseCap)
    .option(
      '--limit <usd/period,…>',
      'further limits: 1/day, 5/week, 20/month, 3/session, 1/subagent, each with /ask or /warn if it should not stop; or none',
      parseLimits,
    )
    .option(
      '--strict',
      'admit a request only if its highest possible cost fits, so that no cap or limit is exceeded',
    )
    .option(
      '--models <ids>',
      'the only models that it may use, separated by commas, with *; or all',
      parseModels,
    )
    .option('--expires <when>', 'when it ends: 2h, 7d, a date-time, or never', parseExpiry)
    .option('--tag <project>', 'the project that its requests count for')
    .option('--cache <time>', 'repeat answers of equal requests for 1h, 7d or 1d/100MB, or none', parseCache)
    .option('--rpm <n>', 'requests per minute', parseCount)
    .option('--tpm <n>', 'tokens per minute', parseCount)
    .option('--max-subagents <n>', 'how many sub-agents of a session may work at the same time', parseCount)
}

/** The fields of the API; those that no option sets are undefined. */
function toFields({ cap, limit, models, expires, tag, cache, rpm, tpm, ...options }: KeyOptions): KeyUpdate {
  return {
    spendLimitUsd: cap,
    spendLimits: limit,
    strict: options.strict,
    allowedModels: models,
    expiresAt: expires,
    tag: tag === '' ? null : tag,
    responseCache: cache,
    rpmLimit: rpm,
    tpmLimit: tpm,
    maxSubagents: options.maxSubagents,
  }
}

async function listKeys(options: DataOptions & { all?: boolean }): Promise<void> {
  const { data } = await connect(options).call('listKeys')
  const keys = options.all ? data : data.filter(({ revokedAt }) => revokedAt === null)
  if (options.json) return printJson(keys)
  if (keys.length === 0) return note('There is no key. Create one: tollgate keys create NAME --cap 5\n')
  print(formatKeys(keys))
}

async function createKey(name: string, options: KeyOptions & { scope: KeyMetadata['scope'] }): Promise<void> {
  const client = connect(options)
  const body = { ...toFields(options), name, scope: options.scope }
  const created = await client.call('createKey', { body })
  if (options.json) return printJson(created)
  const limit =
    options.cap === undefined || options.cap === null ? 'no cap' : `a cap of ${formatUsd(options.cap)}`
  note(`Created ${printable(name)} (${created.id}) with ${limit}. The secret is shown only now:\n`)
  print(`${created.secret}\n`)
}

async function showKey(wanted: string, options: KeyOptions): Promise<void> {
  const key = await findKey(connect(options), wanted)
  if (options.json) return printJson(key)
  print(formatKey(key))
}

async function updateKey(wanted: string, options: KeyOptions & { name?: string }): Promise<void> {
  const body = { ...toFields(options), name: options.name }
  if (Object.values(body).every((value) => value === undefined))
    throw new FlagError('Nothing is to be changed: give an option.')
  const client = connect(options)
  const { id } = await findKey(client, wanted)
  const key = await client.call('updateKey', { params: { id }, body })
  if (options.json) return printJson(key)
  print(formatKey(key))
}

async function revokeKey(wanted: string, options: DataOptions & { yes?: boolean }) {
  const client = connect(options)
  const { id, name } = await findKey(client, wanted)
  if (!options.yes && !(await confirm(`Revoke ${printable(name)} (${id})?`))) return note('Not revoked.\n')
  const key = await client.call('revokeKey', { params: { id } })
  if (options.json) return printJson(key)
  note(`Revoked ${printable(name)} (${id}).\n`)
}
