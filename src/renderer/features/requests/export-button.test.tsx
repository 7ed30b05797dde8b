import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { requestRow, requestTotals } from '../../testing/rows.ts'
import { Requests } from './requests.tsx'

test('the requests of a filter and a range are exported, in the columns of the table', async () => {
  const gateway = new FakeGateway()
    .on('listRequests', () => ({ data: [requestRow('a', 1), requestRow('b', 2)], nextCursor: null }))
    .on('getRequestTotals', () => ({ ...requestTotals, requests: 2 }))
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
  const dialog = within(await screen.findByRole('dialog', { name: 'Export requests' }))
  expect(await dialog.findByText('2')).toBeDefined()
  await user.click(dialog.getByRole('radio', { name: 'JSON' }))
  await user.click(dialog.getByRole('radio', { name: 'Same as the table' }))
  await user.click(dialog.getByRole('button', { name: 'Export JSON' }))
  expect(await screen.findByText('2 requests exported.')).toBeDefined()
  expect(gateway.listCalls('listRequests').at(-1)?.query).toEqual({
    limit: '500',
    status: 'succeeded',
    from: '2026-11-21T00:00:00.000Z',
    to: '2026-11-22T00:00:00.000Z',
  })
  const [first] = JSON.parse((await files[0]?.text()) ?? '')
  expect(Object.keys(first)).toContain('keyName')
  expect(Object.keys(first)).not.toContain('keyId')
})
