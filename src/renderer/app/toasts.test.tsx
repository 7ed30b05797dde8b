import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { toast } from 'sonner'
import { expect, test } from 'vitest'
import { showError } from '../kit/show-error.ts'
import { useToastBottom, useToastClearance } from '../kit/toast-clearance.ts'
import { renderView } from '../testing/render.tsx'

test('an error is shown once, and stays until it is closed', async () => {
  renderView(null)
  act(() => {
    showError('The export failed.')
    showError('The export failed.')
  })
  const error = await screen.findByText('The export failed.')
  expect(toast.getToasts().map((one) => ('duration' in one ? one.duration : null))).toEqual([
    Number.POSITIVE_INFINITY,
  ])
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(error.isConnected).toBe(false))
})

test('toasts stay above buttons at the bottom right, and go back when these are gone', () => {
  const Composer = () => <footer ref={useToastClearance()} />
  // jsdom computes no layout.
  const place = (top: number, right: number) => {
    Element.prototype.getBoundingClientRect = () => new DOMRect(0, top, right, window.innerHeight - top)
    act(() => void window.dispatchEvent(new Event('resize')))
    return useToastBottom.getState().bottom
  }
  const { innerHeight, innerWidth } = window
  const { rerender } = renderView(<Composer />)
  expect(place(innerHeight - 90, innerWidth - 20)).toBe(98)
  expect(place(innerHeight - 90, 300)).toBe(16)
  place(innerHeight - 90, innerWidth - 20)
  rerender(null)
  expect(useToastBottom.getState().bottom).toBe(16)
})
