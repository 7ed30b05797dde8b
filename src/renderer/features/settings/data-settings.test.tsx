import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { createGatewayWith, renderSettings } from './testing/render-settings.tsx'

test('the retention is chosen from a list', async () => {
  const { user, updates } = await renderSettings('retention')
  const select = screen.getByRole('combobox', { name: 'Keep requests for' })
  expect(select.textContent).toBe('90 days')
  await user.click(select)
  await user.click(await screen.findByRole('option', { name: 'Forever' }))
  await waitFor(() => expect(select.textContent).toBe('Forever'))
  expect(updates()).toEqual([{ retentionDays: null }])
})

test('prompts are not stored by default; they can be always or for half an hour, and a failure is shown', async () => {
  const { user, gateway, updates } = await renderSettings('capture')
  const storage = screen.getByRole('combobox', { name: 'Store prompts and answers' })
  const choose = async (name: string) => {
    await user.click(storage)
    await user.click(await screen.findByRole('option', { name }))
  }
  expect(storage.textContent).toBe('Off')
  await choose('For 30 minutes')
  await waitFor(() => expect(storage.textContent).toMatch(/^Until \d/))
  await choose('Always')
  await waitFor(() => expect(storage.textContent).toBe('Always'))
  expect(updates()).toEqual([
    { storeBodies: false, storeBodiesUntil: expect.stringMatching(/^\d{4}-.*Z$/) },
    { storeBodies: true, storeBodiesUntil: null },
  ])
  gateway.fail('updateSettings', 'The disk is full.')
  await choose('Off')
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full.')
  expect(storage.textContent).toBe('Always')
})

test('stored prompts are deleted after a confirmation', async () => {
  const gateway = createGatewayWith().on('deleteBodies', () => ({ deleted: 3 }))
  const { user } = await renderSettings('stored prompts', gateway)
  await user.click(screen.getByRole('button', { name: 'Delete…' }))
  const dialog = screen.getByRole('alertdialog', { name: 'Delete all stored prompts and answers?' })
  expect(gateway.listCalls('deleteBodies')).toEqual([])
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('Deleted the prompts and answers of 3 requests.')).toBeDefined()
})
