import type { Command } from 'commander'
import { addDataOptions, addExamples, connect, type DataOptions } from '../../../cli/commands/options.ts'
import { refuseInRun } from '../../../cli/run/run-key.ts'
import { note, print, printJson } from '../../../cli/terminal/print.ts'
import { formatTable } from '../../../cli/terminal/table.ts'
import { printable } from '../../../shared/values/text.ts'
import { PRESETS } from '../api/presets.ts'
import { type Rule, RuleInput } from '../api/rules.ts'
import { RULE_MODES } from '../api/terms.ts'
import {
  describeRehearsal,
  describeSums,
  explainRehearsal,
  getRehearsedKind,
  titleRule,
} from '../api/texts.ts'

const ACTIONS = ['list', 'add', 'try', ...RULE_MODES, 'delete'] as const
type Action = (typeof ACTIONS)[number]

interface RulesOptions extends DataOptions {
  model?: string
  rule?: string
}

export function define(command: Command): void {
  const ready = PRESETS.map(({ id }) => id).join(', ')
  command
    .addArgument(
      command
        .createArgument('[action]', 'what to do')
        .choices([...ACTIONS])
        .default('list'),
    )
    .argument('[rule]', `the id of a rule; to add or try one, also a ready one: ${ready}`)
    .option('--model <id>', 'the other model of a ready rule')
    .option('--rule <json>', 'the rule to add or try, as the API takes it')
    .action((action: Action, id: string | undefined, options: RulesOptions) => runAction(action, id, options))
  addDataOptions(command)
  addExamples(
    command,
    [
      'tollgate rules',
      'tollgate rules add guard-premium',
      'tollgate rules try step-down --model claude-haiku-5-5',
      'tollgate rules on rule_0123456789ab',
    ],
    'A rule that was added is off: turn it on, or to "shadow" to see first what it would do.',
  )
}

async function runAction(action: Action, id: string | undefined, options: RulesOptions): Promise<void> {
  const client = connect(options)
  if (action !== 'list' && action !== 'try') refuseInRun()
  if (action === 'list') {
    const list = await client.call('listRules')
    return options.json ? printJson(list) : print(formatRules(list.data))
  }
  if (action === 'add' || action === 'try') {
    const { data } = await client.call('listRules')
    const stored = data.find((rule) => rule.id === id)
    if (action === 'add') {
      const rule = await client.call('createRule', { body: readRule(id, options) })
      return options.json
        ? printJson(rule)
        : note(`${rule.id} is added, and off: ${printable(rule.sentence)}\n`)
    }
    const { name = null, when = [], do: actions = [], at = 'start' } = stored ?? readRule(id, options)
    const rule = { name, when, do: actions, at, mode: 'off' as const }
    const rehearsal = await client.call('rehearse', { body: { rule, ...(stored && { id: stored.id }) } })
    if (options.json) return printJson(rehearsal)
    return print(
      `${[describeRehearsal(rehearsal, getRehearsedKind({ rule })), ...explainRehearsal(rehearsal)].join(' ')}\n`,
    )
  }
  if (id === undefined) throw new Error('Give the id of a rule: "tollgate rules" lists them.')
  if (action === 'delete') {
    const deleted = await client.call('deleteRule', { params: { id } })
    return options.json ? printJson(deleted) : note(`${printable(id)} is deleted.\n`)
  }
  const rule = await client.call('updateRule', { params: { id }, body: { mode: action } })
  return options.json ? printJson(rule) : note(`${printable(titleRule(rule))} – ${MODE_TEXTS[rule.mode]}\n`)
}

const MODE_TEXTS: Readonly<Record<Rule['mode'], string>> = {
  off: 'is off.',
  shadow: 'only records what it would do.',
  on: 'is on, for sessions that begin from now on.',
}

function readRule(id: string | undefined, { model, rule }: RulesOptions): RuleInput {
  if (rule !== undefined) return RuleInput.parse(JSON.parse(rule))
  const preset = PRESETS.find((each) => each.id === id)
  if (!preset) throw new Error('Give a ready rule, or one with --rule.')
  if (preset.needsModel && model === undefined) throw new Error('Give the other model with --model.')
  return preset.create(model ?? '')
}

function formatRules(rules: readonly Rule[]): string {
  if (rules.length === 0) return 'There are no rules.\n'
  const table = formatTable(
    [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'MODE', cell: ({ mode }) => mode },
      { title: 'RULE', cell: (rule) => printable(rule.sentence) },
    ],
    rules,
  )
  const sums = rules.flatMap((rule) => {
    const text = describeSums(rule)
    return text === null ? [] : [`${rule.id}: ${text}\n`]
  })
  return sums.length === 0 ? table : `${table}\n${sums.join('')}`
}
