import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { requestRow, storedBodies } from '../../testing/rows.ts'
import { Compare } from './compare.tsx'

const system = { role: 'system' as const, content: 'Be brief.' }
const user = (content: string) => ({ role: 'user' as const, content })

function openComparison(more: Partial<RequestRecord> = {}) {
  const usage = { ...NO_USAGE, cacheWrite5m: 90 }
  const first = requestRow('a', 1, { bodiesKept: true, tokensIn: 100, costUsd: 0.02, usage })
  const second = requestRow('b', 9, { bodiesKept: true, tokensIn: 120, costUsd: 0.03, ...more })
  const ofFirst = storedBodies({ messages: [system, user('Where is Bern?')] }, [
    { role: 'assistant', content: 'There.' },
  ])
  const ofSecond = storedBodies({ messages: [system, user('Where is Rome?')], temperature: 0 }, [
    { role: 'assistant', content: 'Here.' },
  ])
  const gateway = new FakeGateway()
    .on('getRequest', ({ id }) => (id === 'a' ? first : second))
    .on('getRequestBodies', ({ id }) => (id === 'a' ? ofFirst : ofSecond))
  return renderView(<Compare before="a" after="b" />, { gateway, path: '/compare/a/b' })
}

test('two requests are compared: facts, the place where the prefix broke, parameters, messages and answer', async () => {
  const { user: typist, history } = openComparison()
  const row = await screen.findByRole('row', { name: /^Cost/ })
  expect(row.textContent).toBe('Cost$0.020000$0.030000')
  const part = async (name: string) => within(await screen.findByRole('region', { name }))
  expect(
    (await part('Cached prefix')).getByText(
      /^The prefix breaks at message 2 \(user\)\. The part before it is equal\./,
    ),
  ).toBeDefined()
  expect((await part('Parameters')).getByText('Only in the second')).toBeDefined()
  const messages = await part('Messages')
  expect(messages.getByText('1 equal message')).toBeDefined()
  expect(messages.getByText('Changed; the cached prefix breaks here')).toBeDefined()
  expect(messages.getByRole('figure').textContent).toContain('−Where is Bern?+Where is Rome?')
  expect((await part('Answer')).getByRole('figure').textContent).toContain('−There.+Here.')
  await typist.click(screen.getByRole('button', { name: 'Swap' }))
  expect(history?.at(-1)).toBe('/compare/b/a')
})

test('without stored prompts, what is recorded is compared, and storing can be turned on', async () => {
  openComparison({ bodiesKept: false })
  expect(await screen.findByRole('row', { name: /^Tokens in/ })).toBeDefined()
  expect(await screen.findByText('Prompt and answer are not stored')).toBeDefined()
  expect(screen.queryByRole('region', { name: 'Cached prefix' })).toBeNull()
})

test('caches are not shared between models', async () => {
  openComparison({ model: 'other' })
  expect(await screen.findByText(/caches are not shared between them/)).toBeDefined()
})
