// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../../api-error.ts'
import { renderView } from '../../testing/render.tsx'
import { SavedField } from './saved-field.tsx'

function renderField(save: (port: number) => Promise<void>) {
  function Field() {
    const [stored, setStored] = useState('8655')
    return (
      <SavedField
        label="Port"
        stored={stored}
        parse={(text) => (/^\d+$/.test(text) ? { value: Number(text) } : 'Enter a port.')}
        save={async (port) => {
          await save(port)
          setStored(String(port))
        }}
      />
    )
  }
  return renderView(<Field />)
}

const field = () => screen.getByRole('textbox', { name: 'Port' })
const saveButton = () => screen.getByRole('button', { name: 'Save port' })

test('it can be saved once it was changed', async () => {
  const save = vi.fn(() => Promise.resolve())
  const { user } = renderField(save)
  expect(saveButton()).toHaveProperty('disabled', true)
  await user.clear(field())
  await user.type(field(), '9000')
  await user.click(saveButton())
  expect(save.mock.calls).toEqual([[9000]])
  expect(await screen.findByText('Port saved.')).toBeDefined()
  expect(saveButton()).toHaveProperty('disabled', true)
})

test('Enter saves it', async () => {
  const save = vi.fn(() => Promise.resolve())
  const { user } = renderField(save)
  await user.type(field(), '1{Enter}')
  expect(save.mock.calls).toEqual([[86_551]])
})

test('an invalid value is reported until it is changed, and not saved', async () => {
  const save = vi.fn(() => Promise.resolve())
  const { user } = renderField(save)
  await user.type(field(), 'x{Enter}')
  expect(screen.getByRole('alert').textContent).toBe('Enter a port.')
  expect(field().getAttribute('aria-invalid')).toBe('true')
  await user.type(field(), '{Backspace}')
  expect(screen.queryByRole('alert')).toBeNull()
  expect(field().getAttribute('aria-invalid')).toBe('false')
  expect(save).not.toHaveBeenCalled()
})

test('a failed save shows the error and keeps what was typed', async () => {
  const taken = new ApiError({ status: 409, type: 'invalid_request_error', message: 'The port is in use.' })
  const { user } = renderField(() => Promise.reject(taken))
  await user.type(field(), '1{Enter}')
  expect((await screen.findByRole('alert')).textContent).toBe('The port is in use.')
  expect(field()).toHaveProperty('value', '86551')
  expect(saveButton()).toHaveProperty('disabled', false)
})

test('it cannot be saved twice at the same time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const save = vi.fn(() => promise)
  const { user } = renderField(save)
  await user.type(field(), '1')
  await user.dblClick(saveButton())
  expect(saveButton().getAttribute('aria-busy')).toBe('true')
  resolve()
  await waitFor(() => expect(saveButton().getAttribute('aria-busy')).toBeNull())
  expect(save).toHaveBeenCalledTimes(1)
})
