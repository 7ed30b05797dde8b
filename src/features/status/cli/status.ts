// `tollgate status`: status bars run it again and again, so it loads as little as possible.
import { parseArgs } from 'node:util'
import { readLocally } from '../../../cli/read-locally.ts'
import { chooseDataDir } from '../../../host/data-dir.ts'
import { EXIT, FlagError } from '../../../host/exit-codes.ts'
import { findSocket } from '../../../host/find-socket.ts'
import { formatUsd } from '../../../shared/money/format-usd.ts'
import type { Status } from '../api/status.ts'

/** The answer without a gateway. */
const NOT_RUNNING = { version: 1, running: false }

export async function status(args: readonly string[]): Promise<number> {
  const { json, format, dataDir } = readOptions(args)
  const answer = await readStatus(chooseDataDir(dataDir))
  process.stdout.write(`${write(answer, { json, format })}\n`)
  return EXIT.done
}

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean' }, format: { type: 'string' }, 'data-dir': { type: 'string' } },
    })
    return { json: values.json ?? false, format: values.format ?? null, dataDir: values['data-dir'] }
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error))
  }
}

/** Null without a gateway that answers. */
async function readStatus(dataDir: string): Promise<Status | null> {
  const socket = findSocket(dataDir)
  if (socket === null) return null
  return readLocally<Status>(socket, '/v1/status').catch(() => null)
}

interface Form {
  json: boolean
  format: string | null
}

export function write(answer: Status | null, { json, format }: Form): string {
  if (json) return JSON.stringify(answer ?? NOT_RUNNING)
  const fields = answer ? describe(answer) : null
  if (format !== null)
    return format.replace(/\{(\w+)\}/g, (whole, name: string) =>
      fields === null ? '' : (fields[name] ?? whole),
    )
  if (fields === null) return 'Tollgate is not running.'
  return Object.entries(fields)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n')
}

/** The texts of a line, by their names in a template; empty for what does not apply. */
function describe({ today, month, paused, limit, keys, plans, session }: Status): Record<string, string> {
  const limits = [limit, ...keys.map((key) => key.limit)].flatMap((each) =>
    each === null || each.warnsOnly ? [] : [each.leftUsd],
  )
  const left = limits.length > 0 ? `${formatUsd(Math.min(...limits))} left` : ''
  const windows = plans
    .flatMap((plan) => plan.windows)
    .flatMap(({ label, usedPercent }) =>
      usedPercent === null ? [] : [`${label} ${Math.round(usedPercent)}%`],
    )
  return {
    today: formatUsd(today.spendUsd),
    month: formatUsd(month.spendUsd),
    left: paused ? 'paused' : left,
    plan: windows.join(', '),
    session: session ? formatUsd(session.costUsd) : '',
  }
}
