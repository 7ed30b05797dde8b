import type { Command } from 'commander'
import { printable } from '../../shared/values/text.ts'
import { refuseInRun } from '../run/run-key.ts'
import { note, printJson } from '../terminal/print.ts'
import { findKey, isPaused } from './key-texts.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from './options.ts'

export function define(command: Command): void {
  command
    .description('Let requests go on after a pause of everything, or of one key.')
    .argument('[key]', 'name or id of the key; without it, the pause of everything ends')
    .hook('preAction', refuseInRun)
    .action((key: string | undefined, options: DataOptions) =>
      key === undefined ? resumeAll(options) : resumeKey(key, options),
    )
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate resume', 'tollgate resume ci'],
    'Keys that are paused themselves, by you or by the runaway guard, stay paused when everything is resumed.',
  )
}

async function resumeAll({ json, ...options }: DataOptions): Promise<void> {
  const client = connect(options)
  const account = await client.call('resumeAll')
  if (json) return printJson(account)
  const paused = (await client.call('listKeys')).data.filter(isPaused)
  const names = paused.map(({ name }) => printable(name)).join(', ')
  note(
    `Requests go on.${names === '' ? '' : ` Still paused: ${names}. To let one go on: tollgate resume KEY`}\n`,
  )
}

async function resumeKey(wanted: string, { json, ...options }: DataOptions): Promise<void> {
  const client = connect(options)
  const { id } = await findKey(client, wanted)
  const key = await client.call('resumeKey', { params: { id } })
  if (json) return printJson(key)
  const { pausedAt } = await client.call('getAccount')
  const rest = pausedAt === null ? '' : ' But everything is paused: tollgate resume'
  note(`${printable(key.name)} (${id}) goes on.${rest}\n`)
}
