import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { writeCsvHead, writeCsvRows } from '../../kit/download.ts'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { requestRow } from '../../testing/rows.ts'
import { requestFields } from './export-button.tsx'
import { Requests } from './requests.tsx'

test('all requests of a filter and a range are exported, page by page', async () => {
  const gateway = new FakeGateway().on('listRequests', ({ query }) =>
    query.cursor
      ? { data: [requestRow('c', 3)], nextCursor: null }
      : { data: [requestRow('a', 1), requestRow('b', 2)], nextCursor: query.limit === '500' ? 'next' : null },
  )
  const files: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    if (file instanceof Blob) files.push(file)
    return 'blob:file'
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  const { user } = renderView(<Requests openId={null} />, {
    gateway,
    path: '/requests?status=succeeded&from=2026-11-21&to=2026-11-21&sort=cost',
  })
  await screen.findByRole('table')
  await user.click(screen.getByRole('button', { name: 'Export' }))
  expect(await screen.findByText('3 requests exported.')).toBeDefined()
  expect(gateway.listCalls('listRequests').at(-1)?.query).toEqual({
    limit: '500',
    cursor: 'next',
    status: 'succeeded',
    from: '2026-11-21T00:00:00.000Z',
    to: '2026-11-22T00:00:00.000Z',
  })
  const lines = (await files[0]?.text())?.split('\r\n') ?? []
  expect(lines.map((line) => line.split(',')[0])).toEqual(['id', 'a', 'b', 'c', ''])
})

const record = requestRow('req_1', 0, {
  keyName: 'Editor, "main"',
  requestedModel: 'gpt',
  model: 'gpt',
  tokensOut: 2,
  costUsd: 1.2e-8,
  timings: { queueMs: 0, firstByteMs: null, totalMs: 12.5 },
  client: '=HYPERLINK("http://evil")',
  clientName: '=HYPERLINK',
})

test('a CSV row quotes where needed and writes money in full', () => {
  const row = writeCsvRows(requestFields, [record])
  expect(row).toContain('key_1,"Editor, ""main""",gpt')
  expect(row).toContain(',0.000000012,exact,,,0,,12.5,0,')
})

test('text from a client cannot become a formula', () => {
  expect(writeCsvRows(requestFields, [record])).toContain(`"'=HYPERLINK(""http://evil"")"`)
})

test('a CSV row has as many cells as the head', () => {
  const plain = { ...record, keyName: 'Editor', client: null }
  const head = writeCsvHead(requestFields).split(',')
  expect(writeCsvRows(requestFields, [plain]).split(',')).toHaveLength(head.length)
})
