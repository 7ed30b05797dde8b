import { fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { passTime } from '../testing/pass-time.ts'
import { renderView } from '../testing/render.tsx'
import { CopyButton, CopyIconButton } from './copy.tsx'

test('copying is confirmed briefly', async () => {
  vi.useFakeTimers()
  renderView(<CopyButton text="tg-1" label="Copy secret" />)
  const button = screen.getByRole('button', { name: 'Copy secret' })
  fireEvent.click(button)
  await passTime(100)
  expect(button.textContent).toBe('Copied')
  await passTime(1500)
  expect(button.textContent).toBe('Copy secret')
  vi.useRealTimers()
  expect(await navigator.clipboard.readText()).toBe('tg-1')
})

test('without a clipboard, the user is asked to copy manually', async () => {
  const { user } = renderView(<CopyIconButton text="tg-1" label="Copy secret" />)
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))
  await user.click(screen.getByRole('button', { name: 'Copy secret' }))
  expect(await screen.findByText(/Select the text and copy it manually/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Copied' })).toBeNull()
})
