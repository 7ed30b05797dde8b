import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SettingName } from '../../../renderer/parts/settings/section.tsx'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import type { Rehearsal } from '../api/rehearsal.ts'
import { describeRule, type Rule, RuleChange, RuleInput } from '../api/rules.ts'
import { GuardOffer } from './guard-offer.tsx'
import { ruleSections } from './rule-settings.tsx'

const none = { requests: 0, asked: 0, savedUsd: 0, rewriteUsd: 0, unpriced: 0 }
const at = '2026-11-20T12:00:00.000Z'
const names = { key: (id: string) => id }
const createRule = (id: string, input: Partial<RuleInput>): Rule => {
  const rule = {
    name: null,
    when: [],
    do: [{ kind: 'deny' as const }],
    at: 'start' as const,
    mode: 'off' as const,
    ...input,
  }
  return {
    ...rule,
    id,
    sentence: describeRule(rule, names),
    createdAt: at,
    changedAt: at,
    acted: none,
    shadowed: none,
  }
}
const REHEARSAL: Rehearsal = {
  ...{ from: at, timeZone: 'UTC', requests: 1_200, imported: 200, changed: 300, days: 2, firstAt: at },
  ...{ beforeUsd: 12, afterUsd: 4.5, savedUsd: 8, rewriteUsd: 0.5, unpriced: 0, unknown: 0 },
  data: [
    {
      ...{ requestId: null, importedSession: 'its own', at, program: 'claude-code', askedModel: 'big' },
      ...{ model: 'small', costUsd: 1, savedUsd: 0.75, rewriteUsd: 0.25 },
    },
  ],
}

function open(rules: Rule[]) {
  const gateway = new FakeGateway()
    .on('listRules', () => ({ data: rules }))
    .on('listKeys', () => ({ data: [] }))
    .on('rehearse', () => REHEARSAL)
    .on('createRule', ({ body }) => {
      const rule = createRule('rule_new', RuleInput.parse(body))
      rules.push(rule)
      return rule
    })
    .on('updateRule', ({ id: changed, body }) => {
      const { position, ...change } = RuleChange.parse(body)
      const from = rules.findIndex(({ id }) => id === changed)
      const rule = Object.assign(createRule(changed, {}), rules[from], change)
      rules.splice(from, 1)
      rules.splice(position ?? from, 0, rule)
      return rule
    })
    .on('deleteRule', ({ id }) => {
      rules.splice(
        rules.findIndex((rule) => rule.id === id),
        1,
      )
      return { id, deleted: true as const }
    })
  const [section] = ruleSections
  const data = { settings: {}, account: undefined, plans: [], desktop: null, info: null, updates: null }
  return renderView(
    <SettingName value="Your rules">{section?.settings[0]?.render(data as never)}</SettingName>,
    {
      gateway,
    },
  )
}

test('rules are sentences with their mode and what they did; one click turns one on, and one undoes it', async () => {
  const acted = { requests: 12, asked: 0, savedUsd: 3.2, rewriteUsd: 0, unpriced: 0 }
  const first = { ...createRule('rule_1', { when: [{ kind: 'caller', is: 'subagent' }] }), acted }
  const rules = [first, createRule('rule_2', { name: 'Second' })]
  const { user } = open(rules)
  await screen.findByText('Sub-agents are refused.')
  screen.getByText('Changed 12 requests in 30 days and saved $3.20 at the same tokens.')
  const list = screen.getByRole('list', { name: 'Rules' })
  const second = within(within(list).getByText('Second').closest('li') ?? list)
  await user.click(second.getByRole('radio', { name: 'On' }))
  await screen.findByText('“Second” is on, for sessions that begin from now on.')
  await waitFor(() => expect(rules[1]?.mode).toBe('on'))
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(rules[1]?.mode).toBe('off'))
  await user.click(second.getByRole('button', { name: 'Try it before the one above' }))
  await waitFor(() => expect(rules.map(({ id }) => id)).toEqual(['rule_2', 'rule_1']))
})

test('a ready rule opens the form, which says what it would have done', async () => {
  const rules: Rule[] = []
  const { user } = open(rules)
  await user.click(await screen.findByRole('button', { name: 'Add “Guard premium tiers”' }))
  await screen.findByText(
    'It would have changed 300 of 1,200 requests, 200 of them imported, on 2 days, first on 20 Nov: $4.50 instead of $12.00 at the same tokens. That includes $0.50 for caches written again.',
  )
  screen.getByText(/^Requests that ask for a premium tier, fast speed or a long context window go without/)
  const [inCondition] = screen.getAllByRole('button', { name: 'long context window' })
  if (inCondition) await user.click(inCondition)
  await user.click(screen.getByRole('button', { name: 'Add condition' }))
  await user.click(screen.getByRole('button', { name: 'Add, turned off' }))
  await waitFor(() => expect(rules).toHaveLength(1))
  expect(rules[0]).toMatchObject({
    name: 'Guard premium tiers',
    mode: 'off',
    when: [
      { kind: 'premium', any: ['tier', 'speed'] },
      { kind: 'budget', of: 'any', percent: 80 },
    ],
  })
})

test('the requests that a rule would have changed are listed; one click turns it on, and one undoes it', async () => {
  const rules: Rule[] = []
  const { user } = open(rules)
  await user.click(await screen.findByRole('button', { name: 'Add “Guard premium tiers”' }))
  await user.click(await screen.findByRole('button', { name: 'Show them' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'The last 30 days with this rule' }))
  const row = await dialog.findByRole('row', { name: /big → small.*\$1\.00.*\$0\.500000/ })
  expect(within(row).getByRole('link').getAttribute('href')).toBe('/sessions?origin=import&session=its%20own')
  dialog.getByText('And 299 more, with smaller differences.')
  await user.click(dialog.getByRole('button', { name: 'Turn on' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(rules).toMatchObject([{ name: 'Guard premium tiers', mode: 'on' }])
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(rules).toEqual([]))
})

test('a rule that is stored is tried from its row', async () => {
  const rules = [createRule('rule_1', { mode: 'shadow' })]
  const { user } = open(rules)
  await user.click(await screen.findByRole('button', { name: 'Try it on the last 30 days' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'The last 30 days with this rule' }))
  await user.click(await dialog.findByRole('button', { name: 'Turn on' }))
  await waitFor(() => expect(rules[0]?.mode).toBe('on'))
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(rules[0]?.mode).toBe('shadow'))
})

test('a rule cannot be saved before each field is filled in', async () => {
  const { user } = open([])
  await user.click(await screen.findByRole('button', { name: 'Add rule' }))
  expect(screen.getByRole('button', { name: 'Add, turned off' })).toHaveProperty('disabled', true)
  screen.getByText('Choose what it does, and fill in each field.')
  await user.click(screen.getByRole('button', { name: 'Add action' }))
  expect(screen.getByRole('button', { name: 'Add, turned off' })).toHaveProperty('disabled', true)
})

test('a rule that asks first does nothing else, and its trial says how often it would have asked', async () => {
  const rules: Rule[] = []
  const { user, gateway } = open(rules)
  gateway.on('rehearse', () => ({
    ...REHEARSAL,
    changed: 7,
    days: 1,
    afterUsd: REHEARSAL.beforeUsd,
    rewriteUsd: 0,
  }))
  await user.click(await screen.findByRole('button', { name: 'Add rule' }))
  await user.click(screen.getByRole('button', { name: 'Add action' }))
  await user.click(screen.getByRole('button', { name: 'Add action' }))
  const listKinds = async (name: string) => {
    await user.click(screen.getByRole('combobox', { name }))
    return (await screen.findAllByRole('option')).map(({ textContent }) => textContent)
  }
  expect(await listKinds('Kind of Effort of at most')).not.toContain('Ask me first')
  await user.keyboard('{Escape}')
  await user.click(screen.getByRole('button', { name: 'Remove Effort of at most' }))
  expect(await listKinds('Kind of Use another model')).toContain('Ask me first')
  await user.click(screen.getByRole('option', { name: 'Ask me first' }))
  expect(screen.queryByRole('button', { name: 'Add action' })).toBeNull()
  screen.getByText('Requests need permission.')
  await screen.findByText('It would have asked about 7 of 1,200 requests, 200 of them imported, on 20 Nov.')
  await user.click(screen.getByRole('button', { name: 'Add, turned off' }))
  await waitFor(() => expect(rules).toMatchObject([{ do: [{ kind: 'ask' }] }]))
})

test('a new user is offered the guard of premium tiers, which is off until they turn it on', async () => {
  const rules: Rule[] = []
  const gateway = new FakeGateway()
    .on('listRules', () => ({ data: rules }))
    .on('createRule', ({ body }) => {
      const rule = createRule('rule_1', RuleInput.parse(body))
      rules.push(rule)
      return rule
    })
  const { user } = renderView(<GuardOffer />, { gateway })
  const guard = await screen.findByRole('switch', { name: 'Guard premium tiers' })
  expect(guard.getAttribute('aria-checked')).toBe('false')
  await user.click(guard)
  await waitFor(() => expect(guard.getAttribute('aria-checked')).toBe('true'))
  expect(rules).toMatchObject([{ name: 'Guard premium tiers', mode: 'on' }])
})
