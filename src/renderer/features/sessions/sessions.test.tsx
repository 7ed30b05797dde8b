import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { useConnection } from '../../kit/connection.ts'
import { writeCsv } from '../../kit/download.ts'
import { useLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { importedHistory, requestRow, sessionRow } from '../../testing/rows.ts'
import { sessionFields } from './session-export.tsx'
import { Sessions } from './sessions.tsx'

const list = <Sessions openId={null} />
const tidy = sessionRow('ses_1', { title: 'Tidy up the tests', lastAt: '2026-11-21T14:07:00.000Z' })
const unnamed = sessionRow('ses_2', {
  ...{ tag: 'tollgate', errors: 1, models: ['a', 'b', 'c'] },
  ...{ costUsd: 0.02, sampleUsd: 0.02 },
})

function createGateway(): FakeGateway {
  return new FakeGateway()
    .on('listSessions', () => ({ data: [tidy, unnamed], nextCursor: null }))
    .on('getSession', ({ id }) => (id === 'ses_1' ? tidy : unnamed))
    .on('listSessionSteps', () => ({
      data: [{ requestId: 'req_2', text: '', tools: [{ name: 'Bash', argument: 'npm test' }] }],
    }))
    .on('listRequests', () => ({
      data: [
        requestRow('req_2', 300, { costUsd: 0.4, sessionId: 'ses_1' }),
        requestRow('req_1', 0, { costUsd: 0.1, sessionId: 'ses_1', status: 'failed' }),
      ],
      nextCursor: null,
    }))
}

const row = (name: string | RegExp) => screen.findByRole('row', { name })

test('sessions are listed with what they are called, did and cost', async () => {
  renderView(list, { gateway: createGateway() })
  const first = within(await row('Tidy up the tests'))
  expect(first.getByText('75%')).toBeDefined()
  expect(first.getByText('5 min')).toBeDefined()
  expect(first.getByText('$0.50')).toBeDefined()
  const second = within(await row(/^Claude Code in tollgate, 21 Nov 14:02$/))
  expect(second.getByText('1 error')).toBeDefined()
  expect(second.getByText('+2')).toBeDefined()
  expect(second.getByText('sample')).toBeDefined()
  expect(first.queryByText('sample')).toBeNull()
})

test('filters and order are sent to the gateway and are part of the address', async () => {
  const { gateway, user, history } = renderView(list, {
    gateway: createGateway(),
    path: '/sessions?tag=tollgate&range=30d',
  })
  await row('Tidy up the tests')
  await user.click(screen.getByRole('button', { name: 'Cost' }))
  await waitFor(() => expect(history.at(-1)).toBe('/sessions?range=30d&tag=tollgate&sort=cost'))
  await waitFor(() =>
    expect(gateway.listCalls('listSessions').at(-1)?.query).toMatchObject({ tag: 'tollgate', sort: 'cost' }),
  )
})

test('single requests are left out, counted, and listed when they are wanted', async () => {
  const { gateway, user, history } = renderView(list, {
    gateway: createGateway().on('getSessionTotals', ({ query }) => ({
      ...{ sessions: 34, costUsd: 12.4, medianUsd: 0.21 },
      hidden: query.minRequests === '2' ? { sessions: 212, costUsd: 0.34 } : { sessions: 0, costUsd: 0 },
    })),
    path: '/sessions',
  })
  expect(await screen.findByText('34 sessions · $12.40 · median $0.21')).toBeDefined()
  expect(gateway.listCalls('listSessions').at(-1)?.query).toMatchObject({ minRequests: '2' })
  await user.click(await screen.findByRole('button', { name: '+ 212 single requests, $0.34' }))
  await waitFor(() => expect(history.at(-1)).toBe('/sessions?singles='))
  await waitFor(() =>
    expect(gateway.listCalls('listSessions').at(-1)?.query).not.toHaveProperty('minRequests'),
  )
  await user.click(await screen.findByRole('button', { name: 'Hide single requests' }))
  await waitFor(() => expect(history.at(-1)).toBe('/sessions'))
})

test('sessions are searched once the user pauses', async () => {
  const { gateway, user, history } = renderView(list, { gateway: createGateway(), path: '/sessions' })
  await user.type(await screen.findByRole('searchbox', { name: 'Search sessions' }), 'tidy up')
  await waitFor(() => expect(history.at(-1)).toBe('/sessions?q=tidy+up'))
  await waitFor(() => expect(gateway.listCalls('listSessions').at(-1)?.query).toMatchObject({ q: 'tidy up' }))
})

test('the export has a line for each session, to the last nano-dollar', () => {
  const [head, first, ...rest] = writeCsv(sessionFields, [{ ...tidy, costUsd: 0.000000001 }])
    .replace('\u{feff}', '')
    .split('\r\n')
  const names = head?.split(',') ?? []
  expect(first?.split(',')[names.indexOf('costUsd')]).toBe('0.000000001')
  expect([first?.startsWith('ses_1,Tidy up the tests,'), rest]).toEqual([true, ['']])
})

test('sessions are marked with Ctrl and Shift, and summed up', async () => {
  const { user, history } = renderView(list, { gateway: createGateway(), path: '/sessions' })
  const first = await row('Tidy up the tests')
  const isMarked = () =>
    screen.getAllByRole('row').map((one) => one.getAttribute('aria-description') === 'Selected')
  await user.keyboard('{Control>}')
  await user.click(first)
  await user.keyboard('{/Control}')
  expect(isMarked()).toEqual([false, true, false])
  const bar = within(screen.getByText('1 selected').closest<HTMLElement>('[role=status]') ?? document.body)
  expect(bar.getByText('$0.50')).toBeDefined()
  await user.keyboard('{Shift>}')
  await user.click(await row(/^Claude Code in tollgate/))
  await user.keyboard('{/Shift}')
  expect(isMarked()).toEqual([false, true, true])
  expect(bar.getByText('2 selected')).toBeDefined()
  expect(bar.getByText('$0.52')).toBeDefined()
  expect(history.at(-1)).toBe('/sessions')
  await user.click(bar.getByRole('button', { name: 'Clear selection' }))
  expect(isMarked()).toEqual([false, false, false])
})

test('sessions can be filtered by the branches that they worked on', async () => {
  const branches = [{ repository: 'github.com/ann/shop', branch: 'fix' }]
  const { gateway, user, history } = renderView(list, {
    gateway: createGateway().on('listSessions', () => ({ data: [{ ...tidy, branches }], nextCursor: null })),
    path: '/sessions',
  })
  await user.click(await screen.findByRole('combobox', { name: 'Branch' }))
  await user.click(await screen.findByRole('option', { name: 'fix in ann/shop' }))
  const branch = 'github.com/ann/shop fix'
  await waitFor(() => expect(history.at(-1)).toBe(`/sessions?${new URLSearchParams({ branch })}`))
  await waitFor(() => expect(gateway.listCalls('listSessions').at(-1)?.query).toMatchObject({ branch }))
})

test('a row changes with its session, and a new session appears', async () => {
  const gateway = createGateway()
  renderView(list, { gateway })
  await row('Tidy up the tests')
  await waitFor(() => expect(useConnection.getState().state).toBe('live'))
  gateway.on('listSessions', () => ({
    data: [sessionRow('ses_3', { title: 'Third' }), tidy],
    nextCursor: null,
  }))
  gateway.send({ type: 'session', session: { ...tidy, costUsd: 7, running: 1 } })
  expect(await within(await row('Tidy up the tests')).findByText('$7.00')).toBeDefined()
  expect(within(await row('Tidy up the tests')).getByText('Active')).toBeDefined()
  await row('Third')
})

test('an open session shows its steps in their order, which lead to their requests', async () => {
  const { user, history } = renderView(<Sessions openId="ses_1" />, {
    gateway: createGateway(),
    path: '/sessions/ses_1',
  })
  const panel = within(await screen.findByRole('dialog', { name: 'Session' }))
  // What the stored answer did.
  expect(await panel.findByText('Bash npm test')).toBeDefined()
  const steps = within(panel.getByRole('list', { name: 'Steps' })).getAllByRole('link')
  expect(steps.map((step) => step.getAttribute('aria-label'))).toEqual([
    'After 0:00, sandbox-small, answer, Failed, 2 ms, 2 tokens, $0.10, $0.10 in all',
    'After 5:00, sandbox-small, Bash npm test, Succeeded, 2 ms, 2 tokens, $0.40, $0.50 in all',
  ])
  expect(panel.getByText('5 min pause')).toBeDefined()
  steps[0]?.focus()
  await user.keyboard('{ArrowDown}{Enter}')
  await waitFor(() => expect(history.at(-1)).toBe('/requests/req_2?session=ses_1'))
})

test('the agents of a session are a tree, and one of them shows its steps only', async () => {
  const main = { id: null, parentId: null, type: null, role: 'main', toolMs: { Bash: 2_000 } } as const
  const explore = { ...main, id: 'a1', type: 'Explore', role: 'subagent', toolMs: {} } as const
  const gateway = createGateway().on('listRequests', () => ({
    data: [
      requestRow('req_2', 300, { costUsd: 0.4, sessionId: 'ses_1', agent: explore }),
      requestRow('req_1', 0, { costUsd: 0.1, sessionId: 'ses_1', agent: main }),
    ],
    nextCursor: null,
  }))
  const { user } = renderView(<Sessions openId="ses_1" />, { gateway, path: '/sessions/ses_1' })
  const panel = within(await screen.findByRole('dialog', { name: 'Session' }))
  const agents = await panel.findAllByRole('button', { name: /in models/ })
  expect(agents.map((agent) => agent.textContent)).toEqual([
    'Main agent$0.10 1 request · 2 tokens · 2 ms in models · 2.00 s in tools (Bash 2.00 s)',
    'Explore$0.40 1 request · 2 tokens · 2 ms in models',
  ])
  await user.click(panel.getByRole('button', { name: /^Explore/ }))
  const steps = within(panel.getByRole('list', { name: 'Steps' })).getAllByRole('link')
  expect(steps.map((step) => step.getAttribute('href'))).toEqual(['/requests/req_2?session=ses_1'])
})

test('a cap per session is set from a session', async () => {
  const { user } = renderView(<Sessions openId="ses_1" />, { gateway: createGateway() })
  await user.click(await screen.findByRole('button', { name: 'Set a cap per session' }))
  expect(useLimitDialog.getState().editing).toEqual({ keyId: 'key_1', kind: { per: 'session' } })
})

test('without a session it is said what makes one', async () => {
  renderView(list)
  expect(await screen.findByText('No sessions in this period')).toBeDefined()
  expect(screen.getByText('X-Tollgate-Session')).toBeDefined()
  expect(await screen.findByRole('link', { name: 'Connect a tool' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Show the last 12 months' })).toBeNull()
})

test('a step that calls the same tools again says so', async () => {
  const again = (requestId: string) => ({
    requestId,
    text: '',
    tools: [{ name: 'Bash', argument: 'npm test' }],
  })
  const gateway = createGateway()
    .on('listSessionSteps', () => ({ data: [again('req_3'), again('req_2')] }))
    .on('listRequests', () => ({
      data: [
        requestRow('req_3', 310, { sessionId: 'ses_1' }),
        requestRow('req_2', 300, { sessionId: 'ses_1' }),
      ],
      nextCursor: null,
    }))
  renderView(<Sessions key="" openId="ses_1" />, { gateway, path: '/sessions/ses_1' })
  expect(await screen.findByRole('link', { name: /Bash npm test.*Same calls as at 0:00/ })).toBeDefined()
  expect(screen.getByText('2 steps, 1 of them repeated')).toBeDefined()
})

test('a step whose prompt had a secret says so', async () => {
  const secrets = [{ kind: 'npm token', position: 'input[2]' }]
  const gateway = createGateway().on('listRequests', () => ({
    data: [requestRow('req_2', 300, { sessionId: 'ses_1', secrets })],
    nextCursor: null,
  }))
  renderView(<Sessions key="" openId="ses_1" />, { gateway, path: '/sessions/ses_1' })
  expect(await screen.findByRole('link', { name: /The prompt had a secret: npm token/ })).toBeDefined()
})

test('a step that a rule changed names the rule and both models, and one that it asked about the answer', async () => {
  const changes = [{ field: 'model', asked: 'big', sent: 'small' }]
  const effect = {
    ruleId: 'r',
    ruleName: 'Step down',
    shadow: false,
    changes,
    answer: null,
    unable: null,
    savedUsd: 1,
    rewriteUsd: 0,
  }
  const asked = { ...effect, ruleName: 'Ask first', changes: [], answer: 'allowed' as const }
  const gateway = createGateway().on('listRequests', () => ({
    data: [
      requestRow('req_2', 300, {
        sessionId: 'ses_1',
        requestedModel: 'big',
        model: 'small',
        rules: [effect],
      }),
      requestRow('req_1', 200, { sessionId: 'ses_1', rules: [asked] }),
      requestRow('req_0', 100, { sessionId: 'ses_1', rules: [{ ...asked, answer: 'allowed-earlier' }] }),
    ],
    nextCursor: null,
  }))
  renderView(<Sessions key="" openId="ses_1" />, { gateway, path: '/sessions/ses_1' })
  expect(await screen.findByRole('link', { name: /Rule “Step down”: small instead of big/ })).toBeDefined()
  expect(screen.getAllByRole('link', { name: /Rule “Ask first”: You allowed it\./ })).toHaveLength(1)
})

test('sessions from the logs of agents are a list of their own, with their sub-agents', async () => {
  const gateway = new FakeGateway()
    .on('getHistory', () => importedHistory)
    .on('listImportedSessions', () => ({
      data: [
        {
          ...{
            tool: 'claude-code',
            name: 'Claude Code',
            origin: 'import',
            id: 's1',
            project: '/work/shop',
            branch: 'main',
          },
          ...{ models: ['a'], firstAt: '2026-11-01T00:00:00Z', lastAt: '2026-11-02T00:00:00Z' },
          ...{ calls: 3, tokensIn: 300, tokensOut: 30, costUsd: 4, unpriced: 0 },
          agents: [{ id: 'a1', calls: 1, costUsd: 1.5 }],
        },
      ],
      nextCursor: null,
    }))
  const { user } = renderView(<Sessions openId={null} />, { gateway, path: '/sessions' })
  await user.click(await screen.findByRole('radio', { name: 'From logs' }))
  const row = await screen.findByRole('row', { name: 'Claude Code in shop' })
  for (const text of ['main · s1', '3', '$4.00']) expect(within(row).getByText(text)).toBeDefined()
  await user.click(within(row).getByRole('button', { name: /^Show/ }))
  expect(within(await screen.findByRole('row', { name: /Sub-agent a1/ })).getByText('$1.50')).toBeDefined()
  await user.click(screen.getByRole('radio', { name: 'Tollgate' }))
  await waitFor(() => expect(screen.queryByRole('row', { name: 'Claude Code in shop' })).toBeNull())
})

test('a link to a session from logs lists that one, until the filter is cleared', async () => {
  const gateway = new FakeGateway()
    .on('getHistory', () => importedHistory)
    .on('listImportedSessions', () => ({ data: [], nextCursor: null }))
  const path = '/sessions?origin=import&session=s1'
  const { user, history } = renderView(<Sessions openId={null} />, { gateway, path })
  await screen.findByText('No imported session in this period')
  expect(gateway.listCalls('listImportedSessions')[0]?.query).toEqual({ session: 's1', limit: '50' })
  await user.click(screen.getByRole('button', { name: 'Clear filter' }))
  expect(history.at(-1)).toBe('/sessions?origin=import')
})
