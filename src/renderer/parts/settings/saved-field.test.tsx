import { screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../../kit/api-error.ts'
import { renderView } from '../../testing/render.tsx'
import { SavedField } from './section.tsx'

function renderField(save: (port: number) => Promise<void> = () => Promise.resolve()) {
  const saved = vi.fn(save)
  function Field() {
    const [stored, setStored] = useState('8655')
    return (
      <>
        <SavedField
          label="Port"
          stored={stored}
          parse={(text) => (/^\d+$/.test(text) ? { value: Number(text) } : 'Enter a port.')}
          warn={(port) =>
            port === 80 ? { title: 'Use port 80?', text: 'It is well known.', action: 'Use it' } : null
          }
          save={async (port) => {
            await saved(port)
            setStored(String(port))
          }}
        />
        <button type="button">Elsewhere</button>
      </>
    )
  }
  return { ...renderView(<Field />), saved }
}

const field = () => screen.getByRole('textbox', { name: 'Port' })
const elsewhere = () => screen.getByRole('button', { name: 'Elsewhere' })

test('it is saved when the focus leaves it, and that can be undone', async () => {
  const { user, saved } = renderField()
  await user.clear(field())
  await user.type(field(), '9000')
  expect(saved).not.toHaveBeenCalled()
  await user.click(elsewhere())
  expect(await screen.findByText('Port saved.')).toBeDefined()
  expect(saved.mock.calls).toEqual([[9000]])
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(field()).toHaveProperty('value', '8655'))
  expect(saved.mock.calls).toEqual([[9000], [8655]])
})

test('Enter saves it, once', async () => {
  const { user, saved } = renderField()
  await user.type(field(), '1{Enter}')
  await user.click(elsewhere())
  expect(saved.mock.calls).toEqual([[86_551]])
})

test('it is saved when its view is left by a shortcut, but not a value that needs a confirmation', async () => {
  const left = renderField()
  await left.user.type(field(), '1')
  left.unmount()
  expect(left.saved.mock.calls).toEqual([[86_551]])
  const warned = renderField()
  await warned.user.clear(field())
  await warned.user.type(field(), '80')
  warned.unmount()
  expect(warned.saved).not.toHaveBeenCalled()
})

test('an unchanged value is not saved', async () => {
  const { user, saved } = renderField()
  await user.type(field(), '1{Backspace}{Enter}')
  await user.click(elsewhere())
  expect(saved).not.toHaveBeenCalled()
})

test('a wrong value is reported while it is typed, and never saved; Escape restores the stored one', async () => {
  const { user, saved } = renderField()
  await user.type(field(), 'x')
  expect(screen.getByRole('alert').textContent).toBe('Enter a port.')
  expect(field().getAttribute('aria-invalid')).toBe('true')
  await user.type(field(), '{Backspace}')
  expect(screen.queryByRole('alert')).toBeNull()
  await user.type(field(), 'x{Enter}')
  await user.click(elsewhere())
  expect(screen.getByRole('alert').textContent).toBe('Enter a port.')
  await user.type(field(), '{Escape}')
  expect(field()).toHaveProperty('value', '8655')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(saved).not.toHaveBeenCalled()
})

test('a value with a warning is saved after it was confirmed', async () => {
  const { user, saved } = renderField()
  await user.clear(field())
  await user.type(field(), '80')
  expect(screen.getByRole('status').textContent).toBe('It is well known.')
  await user.type(field(), '{Enter}')
  const dialog = await screen.findByRole('alertdialog', { name: 'Use port 80?' })
  expect(saved).not.toHaveBeenCalled()
  await user.click(within(dialog).getByRole('button', { name: 'Use it' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(saved.mock.calls).toEqual([[80]])
  expect(field()).toHaveProperty('value', '80')
})

test('a warning that is declined restores the stored value', async () => {
  const { user, saved } = renderField()
  await user.clear(field())
  await user.type(field(), '80')
  await user.click(elsewhere())
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(field()).toHaveProperty('value', '8655')
  expect(saved).not.toHaveBeenCalled()
})

test('a failed save shows the error and keeps what was typed', async () => {
  const taken = new ApiError({ status: 409, type: 'invalid_request_error', message: 'The port is in use.' })
  const { user } = renderField(() => Promise.reject(taken))
  await user.type(field(), '1{Enter}')
  expect((await screen.findByRole('alert')).textContent).toBe('The port is in use.')
  expect(field()).toHaveProperty('value', '86551')
})

test('it is not saved twice at the same time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { user, saved } = renderField(() => promise)
  await user.type(field(), '1{Enter}{Enter}')
  expect(field().getAttribute('aria-busy')).toBe('true')
  await user.click(elsewhere())
  resolve()
  await waitFor(() => expect(field().getAttribute('aria-busy')).toBe('false'))
  expect(saved).toHaveBeenCalledTimes(1)
})
