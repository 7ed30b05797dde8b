import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderView } from '../testing/render.tsx'
import { CopyButton, CopyIconButton } from './copy.tsx'

test('copying is confirmed briefly', async () => {
  const { user } = renderView(<CopyButton text="tg-1" label="Copy secret" />)
  const button = screen.getByRole('button', { name: 'Copy secret' })
  await user.click(button)
  await waitFor(() => expect(button.textContent).toBe('Copied'))
  expect(await navigator.clipboard.readText()).toBe('tg-1')
  await waitFor(() => expect(button.textContent).toBe('Copy secret'))
})

test('without a clipboard, the user is asked to copy manually', async () => {
  const { user } = renderView(<CopyIconButton text="tg-1" label="Copy secret" />)
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))
  await user.click(screen.getByRole('button', { name: 'Copy secret' }))
  expect(await screen.findByText(/Select the text and copy it manually/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Copied' })).toBeNull()
})
