import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import { caching } from '../../../renderer/testing/rows.ts'
import { PromptFacts, PromptReport } from './prompt-report.tsx'

const share = (part: number, usd = 0) => ({ share: part, usd })
const report = caching({
  ...{ requests: 10, promptUsd: 100, savedUsd: 30, lostUsd: 2, breaks: 3, rewriteFactor: 1.5 },
  parts: {
    ...{ system: share(0.2), tools: share(0.38, 41), history: share(0.3) },
    ...{ results: share(0.12), media: share(0) },
  },
  tools: { perRequest: 41, called: 6 },
  servers: [
    { server: 'github', tools: 30, called: 1, ...share(0.3, 33) },
    { server: '', tools: 11, called: 5, ...share(0.08, 8) },
  ],
  causes: [{ cause: 'tool-order', breaks: 3, lostTokens: 9_000, lostUsd: 2, advice: 'Keep the order.' }],
})

test('a session shows what fills its prompts, and why their cache broke', async () => {
  const gateway = new FakeGateway().on('getCaching', () => report)
  renderView(<PromptReport of={{ session: 'ses_1' }} />, { gateway })
  expect(
    await screen.findByText('41 tool definitions are 38% of the prompts; 6 tools were called: $41.00.'),
  ).toBeDefined()
  expect(gateway.listCalls('getCaching')[0]?.query).toEqual({ session: 'ses_1' })
  expect(screen.getByText(/^Caches saved \$30\.00; 3 breaks cost \$2\.00\./)).toBeDefined()
  const [github, own] = within(screen.getByRole('list', { name: 'Tools by MCP server' })).getAllByRole(
    'listitem',
  )
  expect(github?.textContent).toContain('30 tools, 1 called, 30%')
  expect(own?.textContent).toContain('Built-in tools')
  const breaks = within(screen.getByRole('list', { name: 'Breaks of the cache' }))
  expect(breaks.getByText('Tools reordered')).toBeDefined()
  expect(breaks.getByText('Keep the order.')).toBeDefined()
})

test('nothing is shown as long as no prompt was long enough', async () => {
  const gateway = new FakeGateway().on('getCaching', () => caching())
  renderView(<PromptReport of={{ session: 'ses_2' }} />, { gateway })
  await waitFor(() => expect(gateway.listCalls('getCaching')).toHaveLength(1))
  expect(screen.queryByRole('heading')).toBeNull()
})

test('a request shows its parts and what its cache lost', () => {
  const parts = { system: 0.25, tools: 0.5, history: 0.25, results: 0, media: 0 }
  const broken = { cause: 'lifetime' as const, lostTokens: 20_000, lostUsd: 0.2 }
  renderView(<PromptFacts prompt={{ parts, toolCount: 12, break: broken }} />)
  expect(screen.getByText('12 tools are defined')).toBeDefined()
  expect(screen.getByText(/The prompt cache broke: its time was over\./).textContent).toContain('$0.20')
  expect(screen.queryByText('Images and files')).toBeNull()
})
