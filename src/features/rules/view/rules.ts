// The rules, and their changes.
import { api } from '../../../renderer/data/api.ts'
import { saveWithUndo } from '../../../renderer/data/mutations.ts'
import { refresh, volatileQuery } from '../../../renderer/data/query-client.ts'
import type { Rule, RuleChange, RuleInput } from '../api/rules.ts'
import type { RULE_MODES } from '../api/terms.ts'
import { titleRule } from '../api/texts.ts'

export type RuleMode = (typeof RULE_MODES)[number]

export const rulesQuery = volatileQuery(['rules'], async () => (await api('listRules')).data)

/** The members of a rule that can be changed. */
export function toInput({ name, when, do: actions, at, mode }: Rule): RuleInput {
  return { name, when, do: actions, at, mode }
}

export async function saveRule(id: string | null, { mode, ...rule }: RuleInput): Promise<void> {
  if (id === null) await api('createRule', { body: { mode, ...rule } })
  else await api('updateRule', { params: { id }, body: rule })
  await refresh(rulesQuery)
}

async function change(id: string, body: RuleChange): Promise<void> {
  await api('updateRule', { params: { id }, body })
  await refresh(rulesQuery)
}

const MODE_TEXTS: Readonly<Record<RuleMode, string>> = {
  off: 'is off.',
  shadow: 'only records what it would do.',
  on: 'is on, for sessions that begin from now on.',
}

export function setMode(rule: Rule, mode: RuleMode): Promise<void> {
  return saveWithUndo({
    message: `“${titleRule(rule)}” ${MODE_TEXTS[mode]}`,
    save: () => change(rule.id, { mode }),
    undo: () => change(rule.id, { mode: rule.mode }),
  })
}

export function moveRule({ id }: Rule, position: number): Promise<void> {
  return change(id, { position })
}

/** `position`: its place in the list, to which it returns if that is undone. */
export function removeRule(rule: Rule, position: number): Promise<void> {
  return saveWithUndo({
    message: `“${titleRule(rule)}” is deleted.`,
    save: async () => {
      await api('deleteRule', { params: { id: rule.id } })
      await refresh(rulesQuery)
    },
    undo: async () => {
      const { id } = await api('createRule', { body: toInput(rule) })
      await change(id, { position })
    },
  })
}
