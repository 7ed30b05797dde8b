import type { Command } from 'commander'
import type { Check } from '../../shared/desktop/checks.ts'
import { printable } from '../../shared/values/text.ts'
import { examine as runChecks } from '../doctor/examine.ts'
import { note, print, printJson, styled } from '../terminal/print.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from './options.ts'

interface DoctorOptions extends DataOptions {
  test?: boolean
}

export function define(command: Command): void {
  command.option('--test', 'also call every provider, to read its list of models').action(examine)
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate doctor', 'tollgate doctor --test'],
    'Ends with 1 if something has to be done. The output has no secret, prompt or answer.',
  )
}

async function examine(options: DoctorOptions): Promise<void> {
  const { dataDir } = connect(options)
  const checks = await runChecks(dataDir, {
    calls: options.test === true,
    ...(options.json ? {} : { report: (check) => print(formatCheck(check)) }),
  })
  if (options.json) printJson(checks)
  const problems = checks.filter(({ ok }) => !ok).length
  if (problems === 0) return
  process.exitCode = 1
  if (!options.json)
    note(`\n${problems === 1 ? 'One thing needs' : `${problems} things need`} your attention.\n`)
}

const NAME_WIDTH = 14

const MARKS = {
  ok: styled('✓', 'green'),
  warning: styled('!', 'yellow'),
  failed: styled('✗', 'red'),
}

function formatCheck({ name, state, found, advice }: Check): string {
  const mark = MARKS[state]
  const rest = advice === null ? '' : `\n${' '.repeat(NAME_WIDTH + 3)}${advice}`
  return `${mark} ${name.padEnd(NAME_WIDTH)} ${printable(found)}${rest}\n`
}
