import type { Command } from 'commander'
import { FlagError } from '../../host/exit-codes.ts'
import type { KeyPause } from '../../shared/api/keys.ts'
import { printable } from '../../shared/values/text.ts'
import { note, printJson } from '../terminal/print.ts'
import { findKey } from './key-texts.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from './options.ts'

interface PauseOptions extends DataOptions {
  end?: boolean
  reason?: string
}

export function define(command: Command): void {
  command
    .description('Stop all requests to models, or those of one key, until they are resumed.')
    .argument('[key]', 'name or id of the key; without it, everything is paused')
    .option('--end', 'end the requests that are running, instead of letting them finish')
    .option('--reason <text>', 'why, as the users of the key see it')
    .action((key: string | undefined, options: PauseOptions) =>
      key === undefined ? pauseAll(options) : pauseKey(key, options),
    )
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate pause', 'tollgate pause --end', 'tollgate pause ci --reason "over budget until Monday"'],
    `New requests are refused with a message that agents show. Requests that models are answering finish, or with --end
end, and what they consumed is charged. A pause lasts until tollgate resume, also after a restart.`,
  )
}

async function pauseAll({ end, reason, json, ...options }: PauseOptions): Promise<void> {
  if (reason !== undefined) throw new FlagError('A reason is only for a key: give its name.')
  const account = await connect(options).call('pauseAll', { body: { running: chooseRunning(end) } })
  if (json) return printJson(account)
  note(
    `Everything is paused: no request is sent to a model. ${describeRunning(end)} To go on: tollgate resume\n`,
  )
}

async function pauseKey(wanted: string, { end, reason, json, ...options }: PauseOptions): Promise<void> {
  const client = connect(options)
  const { id } = await findKey(client, wanted)
  const body = { running: chooseRunning(end), reason }
  const key = await client.call('pauseKey', { params: { id }, body })
  if (json) return printJson(key)
  note(
    `Paused ${printable(key.name)} (${id}). ${describeRunning(end)} To let it go on: tollgate resume ${id}\n`,
  )
}

function chooseRunning(end: boolean | undefined): KeyPause['running'] {
  return end ? 'end' : 'finish'
}

function describeRunning(end: boolean | undefined): string {
  return end ? 'Running requests were ended.' : 'Running requests finish.'
}
