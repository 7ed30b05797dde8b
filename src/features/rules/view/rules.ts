// The rules, and their changes.
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../renderer/data/api.ts'
import { saveWithUndo } from '../../../renderer/data/mutations.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { refresh, volatileQuery } from '../../../renderer/data/query-client.ts'
import type { Names } from '../api/conditions.ts'
import type { Rule, RuleChange, RuleInput } from '../api/rules.ts'
import type { RULE_MODES } from '../api/terms.ts'
import { titleRule } from '../api/texts.ts'

export type RuleMode = (typeof RULE_MODES)[number]

export const rulesQuery = volatileQuery(['rules'], async () => (await api('listRules')).data)

/** The names in the sentences of rules. */
export function useRuleNames(): Names {
  const { data: keys = [] } = useQuery(queries.keys)
  return { key: (id) => keys.find((key) => key.id === id)?.name ?? id }
}

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

/** Adds the rule, or changes the one with the id, and turns it on. */
export async function enableRule(id: string | null, rule: RuleInput): Promise<void> {
  const on: RuleInput = { ...rule, mode: 'on' }
  const { data } = await api('listRules')
  const before = data.find((one) => one.id === id)
  let added: string | null = null
  await saveWithUndo({
    message: `The rule ${MODE_TEXTS.on}`,
    save: async () => {
      if (before) return change(before.id, on)
      added = (await api('createRule', { body: on })).id
      await refresh(rulesQuery)
    },
    undo: async () => {
      if (before) return change(before.id, toInput(before))
      if (added !== null) await deleteRule(added)
    },
  })
}

async function deleteRule(id: string): Promise<void> {
  await api('deleteRule', { params: { id } })
  await refresh(rulesQuery)
}

export function moveRule({ id }: Rule, position: number): Promise<void> {
  return change(id, { position })
}

/** `position`: its place in the list, to which it returns if that is undone. */
export function removeRule(rule: Rule, position: number): Promise<void> {
  return saveWithUndo({
    message: `“${titleRule(rule)}” is deleted.`,
    save: () => deleteRule(rule.id),
    undo: async () => {
      const { id } = await api('createRule', { body: toInput(rule) })
      await change(id, { position })
    },
  })
}
