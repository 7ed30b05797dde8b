import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { renderView } from '../testing/render.tsx'
import { ApiError } from './api-error.ts'
import { Form, useForm } from './form.tsx'
import { countText, usdText } from './number-input.ts'

const Limits = z.object({
  capUsd: usdText.meta({ label: 'Cap', hint: 'For a lifetime.' }),
  rpm: countText.refine((count) => count !== null, 'Enter a number.').meta({ label: 'Requests' }),
  strict: z.boolean().meta({ label: 'Strict' }),
  scope: z.enum(['full', 'admin']).meta({
    label: 'Scope',
    options: [
      { value: 'full', label: 'Full' },
      { value: 'admin', label: 'Admin' },
    ],
  }),
  hidden: z.string(),
})

function renderForm(save: (values: z.output<typeof Limits>) => Promise<void>, late = false) {
  function Example() {
    const form = useForm(
      Limits,
      (): z.input<typeof Limits> => ({ capUsd: '5', rpm: '', strict: false, scope: 'full', hidden: '' }),
      {
        late,
      },
    )
    return (
      <Form form={form} action="Save" save={save}>
        {form.field('capUsd')}
        {form.field('rpm')}
        {form.field('strict')}
        {form.field('scope')}
      </Form>
    )
  }
  return renderView(<Example />)
}

const press = () => screen.getByRole('button', { name: 'Save' })
const cap = (description: RegExp) => screen.getByRole('textbox', { name: 'Cap', description })

test('what is typed is saved as the schema reads it', async () => {
  const save = vi.fn(() => Promise.resolve())
  const { user } = renderForm(save)
  await user.clear(cap(/lifetime/))
  await user.type(screen.getByLabelText('Requests'), '1,000')
  await user.click(screen.getByRole('switch', { name: 'Strict' }))
  await user.click(screen.getByLabelText('Scope'))
  await user.click(await screen.findByRole('option', { name: 'Admin' }))
  await user.click(press())
  expect(save).toHaveBeenCalledWith({ capUsd: null, rpm: 1000, strict: true, scope: 'admin', hidden: '' })
})

test('a mistake is shown once its field was changed, and others when the form is submitted', async () => {
  const save = vi.fn(() => Promise.resolve())
  const { user } = renderForm(save)
  await user.type(cap(/lifetime/), 'x')
  expect(cap(/Enter an amount in USD/)).toBeDefined()
  expect(screen.queryByText('Enter a number.')).toBeNull()
  await user.click(press())
  expect(screen.getByText('Enter a number.')).toBeDefined()
  expect(save).not.toHaveBeenCalled()
})

test('a late form shows mistakes only when it is submitted', async () => {
  const { user } = renderForm(() => Promise.resolve(), true)
  await user.type(cap(/lifetime/), 'x')
  expect(cap(/lifetime/)).toBeDefined()
  await user.click(press())
  expect(cap(/Enter an amount in USD/)).toBeDefined()
})

test.each([
  ['limits[0].capUsd', 'at the field', 0],
  ['hidden', 'below the fields', 1],
  [undefined, 'below the fields', 1],
])('an error of the gateway about %s is shown %s', async (param, _where, alerts) => {
  const { user } = renderForm(() =>
    Promise.reject(new ApiError({ status: 400, type: 'invalid_request_error', message: 'Refused.', param })),
  )
  await user.type(screen.getByLabelText('Requests'), '1')
  await user.click(press())
  expect(await screen.findByText('Refused.')).toBeDefined()
  expect(screen.queryAllByRole('alert')).toHaveLength(alerts)
  expect(cap(alerts === 0 ? /Refused/ : /lifetime/)).toBeDefined()
})
