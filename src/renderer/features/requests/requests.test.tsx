import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { useConnection } from '../../kit/connection.ts'
import { FakeError, FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { requestRow, requestTotals, runningRow } from '../../testing/rows.ts'
import { Requests } from './requests.tsx'

const list = <Requests openId={null} />

/** The ids of the rows that are rendered, in their order on the screen. */
function rows(): string[] {
  const elements = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  return elements
    .toSorted((a, b) => Number(a.ariaRowIndex) - Number(b.ariaRowIndex))
    .map(({ dataset }) => dataset.row ?? '')
}

function createGatewayWith(...data: RequestRecord[]): FakeGateway {
  return new FakeGateway().on('listRequests', () => ({ data, nextCursor: null }))
}

async function connected(): Promise<void> {
  await waitFor(() => expect(useConnection.getState().state).toBe('live'))
}

test('requests are listed as they arrive and as they end', async () => {
  const { gateway } = renderView(list, { gateway: createGatewayWith(requestRow('a', 1)) })
  await waitFor(() => expect(rows()).toEqual(['a']))
  await connected()
  gateway.send({ type: 'request', request: requestRow('b', 2, { status: 'running' }) })
  await waitFor(() => expect(rows()).toEqual(['b', 'a']))
  expect(screen.getByText('Running')).toBeDefined()
  gateway.send({ type: 'request', request: requestRow('b', 2, { status: 'failed', httpStatus: 502 }) })
  expect(await screen.findByText('Failed')).toBeDefined()
  expect(gateway.listCalls('listRequests')).toHaveLength(1)
})

test('a running request shows what has come of it, in its row and its panel, and can be stopped in both', async () => {
  const data = ['a', 'b'].map((id) =>
    requestRow(id, 1, {
      ...{
        status: 'running',
        costStatus: 'pending',
        costUsd: null,
        tokensIn: 0,
        tokensOut: 0,
        provider: null,
      },
      timings: { queueMs: null, firstByteMs: null, totalMs: null },
    }),
  )
  const stopped = (id: string) =>
    requestRow(id, 1, { status: 'canceled', costUsd: 0.06, costStatus: 'estimated', tokensIn: 1_200 })
  let elapsedMs = 2_000
  const gateway = createGatewayWith(...data)
    .on('listRunningRequests', () => ({
      data: [runningRow('a'), runningRow('b', { elapsedMs })],
      todaySpendUsd: 0,
    }))
    .on('getRequest', () => data[1] ?? requestRow('b', 1))
    .on('stopRequest', ({ id }) => stopped(id))
  const { user } = renderView(<Requests openId="b" />, { gateway, path: '/requests/b' })
  const cells = async (id: string) => {
    const row = await waitFor(() => {
      const found = document.querySelector<HTMLElement>(`[data-row="${id}"]`)
      if (!found) throw new Error(`The row ${id} is not shown.`)
      return found
    })
    return within(row)
  }
  const first = await cells('a')
  for (const text of ['1,200 / 340', '2.00 s']) expect(await first.findByText(text)).toBeDefined()
  expect(first.getByTitle(/^So far/).textContent).toBe('~$0.050000')
  const panel = within(screen.getByRole('dialog'))
  expect(await panel.findByText('2.00 s · 1,200 tokens in, 340 out so far · $0.31 reserved')).toBeDefined()
  elapsedMs = 5_000
  expect(await panel.findByText(/^5\.00 s · /)).toBeDefined()

  await user.click(first.getByRole('button', { name: 'Stop this request' }))
  expect(await screen.findByText('Stopped. $0.06 was charged.')).toBeDefined()
  expect(gateway.listCalls('stopRequest').map(({ id }) => id)).toEqual(['a'])
  expect(await first.findByText('Canceled')).toBeDefined()

  await user.click(panel.getByRole('button', { name: 'Stop' }))
  expect(await panel.findByText('Canceled')).toBeDefined()
  expect(panel.queryByRole('button', { name: 'Stop' })).toBeNull()
})

test('a request that ends while the list is refreshed is newer than the response', async () => {
  const running = requestRow('a', 1, { status: 'running' })
  const { gateway, user } = renderView(list, { gateway: createGatewayWith(running) })
  await screen.findByText('Running')
  await connected()
  const { answer } = gateway.hold('listRequests')
  await user.click(screen.getByRole('button', { name: 'Refresh' }))
  gateway.send({ type: 'request', request: requestRow('a', 1) })
  await screen.findByText('Succeeded')
  answer({ data: [running], nextCursor: null })
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(screen.getByText('Succeeded')).toBeDefined()
  expect(screen.queryByText('Running')).toBeNull()
})

test('the filter in the address selects the requests, and live ones too', async () => {
  const gateway = createGatewayWith(requestRow('a', 1, { status: 'failed' }))
  renderView(list, { gateway, path: '/requests?status=failed&q=time-out' })
  await waitFor(() => expect(rows()).toEqual(['a']))
  const query = gateway.listCalls('listRequests').at(-1)?.query
  expect(query).toEqual({ limit: '60', status: 'failed', q: 'time-out' })
  await connected()
  const found = requestRow('c', 3, { status: 'failed', model: 'time-out-model' })
  gateway.on('listRequests', () => ({
    data: [found, requestRow('a', 1, { status: 'failed' })],
    nextCursor: null,
  }))
  gateway.send({ type: 'request', request: requestRow('b', 2, { model: 'time-out-model' }) })
  gateway.send({ type: 'request', request: found })
  await waitFor(() => expect(rows()).toEqual(['c', 'a']))
})

test('the down arrow moves from the search to the first row', async () => {
  const { user } = renderView(list, { gateway: createGatewayWith(requestRow('b', 2), requestRow('a', 1)) })
  await waitFor(() => expect(rows()).toEqual(['b', 'a']))
  await user.click(screen.getByLabelText('Search requests'))
  await user.keyboard('{ArrowDown}')
  expect((document.activeElement as HTMLElement).dataset.row).toBe('b')
  await user.keyboard('{ArrowDown}')
  expect((document.activeElement as HTMLElement).dataset.row).toBe('a')
})

test('while a filter is applied, the earlier rows stay; without a match the list shows a message', async () => {
  const { user, gateway, history } = renderView(list, { gateway: createGatewayWith(requestRow('a', 1)) })
  await waitFor(() => expect(rows()).toEqual(['a']))
  const { answer } = gateway.hold('listRequests')
  await user.type(screen.getByLabelText('Search requests'), 'nothing')
  await waitFor(() => expect(screen.getByRole('table').getAttribute('aria-busy')).toBe('true'))
  expect(rows()).toEqual(['a'])
  expect(history.at(-1)).toBe('/requests?q=nothing')
  answer({ data: [], nextCursor: null })
  await screen.findByText('No request matches')

  await user.click(screen.getByText('Clear filter'))
  await waitFor(() => expect(rows()).toEqual(['a']))
})

test('rows of an earlier filter are not shown for one that could not be read', async () => {
  const { user, gateway } = renderView(list, { gateway: createGatewayWith(requestRow('a', 1)) })
  await waitFor(() => expect(rows()).toEqual(['a']))
  gateway.fail('listRequests', 'The database is locked.')
  await user.type(screen.getByLabelText('Search requests'), 'x')
  await screen.findByText('The database is locked.')
  expect(rows()).toEqual([])
})

test('older pages are read once each, near the end of the list', async () => {
  const gateway = new FakeGateway().on('listRequests', ({ query }) =>
    query.cursor
      ? { data: [requestRow('old', 1)], nextCursor: null }
      : { data: [requestRow('new', 2)], nextCursor: 'next' },
  )
  renderView(list, { gateway })
  await waitFor(() => expect(rows()).toEqual(['new', 'old']))
  expect(gateway.listCalls('listRequests').map(({ query }) => query)).toEqual([
    { limit: '60' },
    { limit: '100', cursor: 'next' },
  ])
})

test('older requests that could not be read are requested again on demand', async () => {
  let fails = true
  const gateway = new FakeGateway().on('listRequests', ({ query }) => {
    if (!query.cursor) return { data: [requestRow('new', 2)], nextCursor: 'next' }
    if (fails) throw new FakeError(500, 'The database is locked.')
    return { data: [requestRow('old', 1)], nextCursor: null }
  })
  const { user } = renderView(list, { gateway })
  await screen.findByText(/Older requests could not be loaded/)
  fails = false
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(rows()).toEqual(['new', 'old']))
})

test('a failing refresh keeps the list and warns that it may be out of date', async () => {
  const { user, gateway } = renderView(list, { gateway: createGatewayWith(requestRow('a', 1)) })
  await waitFor(() => expect(rows()).toEqual(['a']))
  await connected()
  gateway.fail('listRequests', 'The database is locked.')
  await user.click(screen.getByRole('button', { name: 'Refresh' }))
  await screen.findByText('This list may be out of date. The database is locked.')
  expect(rows()).toEqual(['a'])
})

test('the open request shows the data of the list immediately, then that of the gateway', async () => {
  const row = requestRow('a', 1, { model: 'gpt-5.5', costUsd: 0.25 })
  const gateway = createGatewayWith(row)
  const { answer } = gateway.hold('getRequest')
  const { rerender } = renderView(list, { gateway })
  await waitFor(() => expect(rows()).toEqual(['a']))
  rerender(<Requests openId="a" />)
  const panel = await screen.findByRole('dialog')
  expect(within(panel).getByText('gpt-5.5')).toBeDefined()
  answer({ ...row, client: 'aider/0.9', clientName: 'aider' })
  expect(await within(panel).findByText('aider/0.9')).toBeDefined()
})

test('a request that cannot be read shows the error', async () => {
  const gateway = new FakeGateway().fail('getRequest', 'No such request.', 404)
  renderView(<Requests openId="gone" />, { gateway, path: '/requests/gone' })
  const panel = await screen.findByRole('dialog')
  expect(await within(panel).findByText('No such request.')).toBeDefined()
})

test('a call that was counted in an earlier record links to that record', async () => {
  const counted = requestRow('first', 1, { status: 'rejected', count: 3 })
  const gateway = new FakeGateway().on('getRequest', () => counted)
  const { history } = renderView(<Requests openId="third" />, { gateway, path: '/requests/third' })
  await waitFor(() => expect(history.at(-1)).toBe('/requests/first'))
})

test('a click on the head of a column sorts the list, in both orders; new requests wait for a click', async () => {
  const gateway = createGatewayWith(requestRow('a', 1, { costUsd: 3 }))
  const { user, history } = renderView(list, { gateway, path: '/requests?status=succeeded' })
  await waitFor(() => expect(rows()).toEqual(['a']))
  const head = () => screen.getByRole('columnheader', { name: /^Cost/ })
  const order = () => gateway.listCalls('listRequests').at(-1)?.query
  expect(screen.getByRole('columnheader', { name: /^Time/ }).getAttribute('aria-sort')).toBe('descending')
  await user.click(within(head()).getByRole('button'))
  expect(history.at(-1)).toBe('/requests?status=succeeded&sort=cost')
  await waitFor(() => expect(order()).toEqual({ limit: '60', status: 'succeeded', sort: 'cost' }))
  expect(head().getAttribute('aria-sort')).toBe('descending')
  await user.click(within(head()).getByRole('button'))
  await waitFor(() => expect(order()).toMatchObject({ sort: 'cost', order: 'asc' }))
  expect(head().getAttribute('aria-sort')).toBe('ascending')

  await connected()
  await waitFor(() => expect(rows()).toEqual(['a']))
  const arrived = [requestRow('c', 3), requestRow('b', 2)]
  gateway.on('listRequests', () => ({ data: [...arrived, requestRow('a', 1)], nextCursor: null }))
  for (const request of arrived) gateway.send({ type: 'request', request })
  const more = await screen.findByRole('button', { name: '2 new requests' })
  const before = gateway.listCalls('listRequests').length
  await user.click(more)
  await waitFor(() => expect(gateway.listCalls('listRequests')).toHaveLength(before + 1))
  await waitFor(() => expect(screen.queryByText(/new requests?$/)).toBeNull())
})

test('the totals of the filter are shown, and follow new requests', async () => {
  let requests = 329
  const gateway = createGatewayWith(requestRow('a', 1)).on('getRequestTotals', () => ({
    ...requestTotals,
    requests,
    costUsd: 3.01,
    tokensIn: 1_000_000,
    tokensOut: 200_000,
    unpriced: 4,
  }))
  const { user, history } = renderView(list, { gateway, path: '/requests?client=Claude%20Code&sort=cost' })
  const totals = await screen.findByRole('group', { name: 'Totals' })
  expect(totals.textContent).toBe('329 requests·$3.01·1.2M tokens·4 without a price')
  expect(gateway.listCalls('getRequestTotals').at(-1)?.query).toEqual({ client: 'Claude Code' })
  await connected()
  requests = 330
  gateway.send({ type: 'request', request: requestRow('b', 2) })
  await waitFor(() => expect(totals.textContent).toContain('330 requests'))
  await user.click(within(totals).getByRole('button', { name: '4 without a price' }))
  expect(history.at(-1)).toBe('/requests?client=Claude+Code&costStatus=unknown&sort=cost')
})

test('columns can be chosen, and stay chosen', async () => {
  const gateway = createGatewayWith(requestRow('a', 1, { clientName: 'Claude Code', attempts: [] }))
  const { user } = renderView(list, { gateway })
  await waitFor(() => expect(rows()).toEqual(['a']))
  const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(heads()).not.toContain('Client')
  await user.click(screen.getByRole('button', { name: 'Columns' }))
  await user.click(await screen.findByRole('checkbox', { name: 'Client' }))
  await user.click(screen.getByRole('checkbox', { name: 'Provider' }))
  await user.keyboard('{Escape}')
  expect(heads()).toContain('Client')
  expect(heads()).not.toContain('Provider')
  expect(screen.getByText('Claude Code')).toBeDefined()
  expect(localStorage.getItem('tollgate.request-columns')).toContain('client')
  await user.click(screen.getByRole('button', { name: 'Columns' }))
  await user.click(await screen.findByRole('button', { name: 'Default columns' }))
  expect(heads()).not.toContain('Client')
})

test('a list of held amounts shows each of them', async () => {
  const gateway = createGatewayWith(
    requestRow('a', 1, { heldUsd: 0.31, heldUntil: '2026-11-21T12:00:00.000Z' }),
  )
  renderView(list, { gateway, path: '/requests?held=true' })
  await waitFor(() => expect(rows()).toEqual(['a']))
  expect(screen.getByRole('columnheader', { name: 'Held' })).toBeDefined()
  expect(screen.getByText('$0.31')).toBeDefined()
})

test('a row has a menu for the other requests of its key, model and provider', async () => {
  const gateway = new FakeGateway().on('listRequests', () => ({
    data: [requestRow('req_1', 1, { model: 'gpt-5.5', provider: 'openai' })],
    nextCursor: null,
  }))
  const { user, history } = renderView(<Requests openId={null} />, { path: '/requests', gateway })
  const row = await screen.findByRole('row', { name: /gpt-5\.5/ })
  await user.pointer({ keys: '[MouseRight]', target: row })
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
    'Open',
    'Copy ID',
    'Compare with…',
    'Only this key',
    'Only this model',
    'Only this provider',
  ])
  await user.click(screen.getByRole('menuitem', { name: 'Only this model' }))
  expect(history?.at(-1)).toBe('/requests?model=gpt-5.5')
})

test('two rows are compared by their menus, the older one first', async () => {
  const gateway = new FakeGateway().on('listRequests', () => ({
    data: [requestRow('req_2', 2, { model: 'newer' }), requestRow('req_1', 1, { model: 'older' })],
    nextCursor: null,
  }))
  const { user, history } = renderView(<Requests openId={null} />, { path: '/requests', gateway })
  const choose = async (name: RegExp, item: string) => {
    await user.pointer({ keys: '[MouseRight]', target: await screen.findByRole('row', { name }) })
    await user.click(await screen.findByRole('menuitem', { name: item }))
  }
  await choose(/newer/, 'Compare with…')
  expect((await screen.findByText(/to compare it with/)).textContent).toContain('newer')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await choose(/newer/, 'Compare with…')
  await choose(/older/, 'Compare with newer')
  expect(history?.at(-1)).toBe('/compare/req_1/req_2')
  expect(screen.queryByText(/to compare it with/)).toBeNull()
})

test('rows are marked with Ctrl and Shift, summed up and compared, the older one first', async () => {
  const gateway = createGatewayWith(
    ...['d', 'c', 'b', 'a'].map((id, at) => requestRow(id, 4 - at, { costUsd: 0.5 })),
  )
  const { user, history } = renderView(list, { gateway, path: '/requests' })
  await waitFor(() => expect(rows()).toEqual(['d', 'c', 'b', 'a']))
  const row = (id: string) => document.querySelector<HTMLElement>(`[data-row="${id}"]`) ?? document.body
  const marked = () => rows().filter((id) => row(id).getAttribute('aria-description') === 'Selected')
  await user.keyboard('{Control>}')
  await user.click(row('c'))
  await user.click(row('a'))
  await user.keyboard('{/Control}')
  expect(marked()).toEqual(['c', 'a'])
  expect(history.at(-1)).toBe('/requests')
  const bar = within(screen.getByText('2 selected').closest<HTMLElement>('[role=status]') ?? document.body)
  expect(bar.getByText('$1.00')).toBeDefined()
  await user.keyboard('{Shift>}')
  await user.click(row('d'))
  await user.keyboard('{/Shift}')
  expect(marked()).toEqual(['d', 'c', 'b', 'a'])
  expect(bar.queryByRole('button', { name: 'Compare' })).toBeNull()
  row('a').focus()
  await user.keyboard('{Escape}')
  expect(marked()).toEqual([])
  await user.keyboard('{Control>} {/Control}{Shift>}{ArrowUp}{/Shift}')
  expect(marked()).toEqual(['b', 'a'])
  await user.click(screen.getByRole('button', { name: 'Compare' }))
  expect(history.at(-1)).toBe('/compare/a/b')
})

test('a rejected call is marked, but not compared', async () => {
  const gateway = createGatewayWith(requestRow('b', 2, { status: 'rejected' }), requestRow('a', 1))
  const { user } = renderView(list, { gateway, path: '/requests' })
  await waitFor(() => expect(rows()).toEqual(['b', 'a']))
  document.querySelector<HTMLElement>('[data-row="b"]')?.focus()
  await user.keyboard('{Control>} {/Control}{Shift>}{ArrowDown}{/Shift}')
  expect(screen.getByText('2 selected')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Compare' })).toBeNull()
})
