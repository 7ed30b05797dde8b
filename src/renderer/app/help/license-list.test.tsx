import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { LICENSES_RULE } from '../../../shared/desktop/license-file.ts'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { Help } from './help.tsx'

const file = `Licenses\n\n${[
  ['lucide-react 1.75.0 (ISC)', 'Permission to use.'],
  ['react 19.3.1 (MIT)\n    Copyright (c) Meta\nzod 4.6.7 (MIT)', 'Permission is hereby granted.'],
]
  .map(([packages, text]) => `${LICENSES_RULE}\n${packages}\n${LICENSES_RULE}\n\n${text}\n`)
  .join('\n')}`

test('packages are found by name and license, and show their text', async () => {
  const gateway = new FakeGateway()
  gateway.files.set('/licenses.txt', file)
  const { user } = renderView(<Help />, { path: '/help/licenses', gateway })
  expect(await screen.findByText('3 packages')).toBeTruthy()
  await user.type(screen.getByRole('searchbox', { name: 'Search packages and licenses' }), 'mit')
  expect(screen.getByRole('status').textContent).toBe('2 of 3 packages')
  const react = screen.getByText('react 19.3.1').closest('details')
  if (!react) throw new Error('no details')
  await user.click(screen.getByText('react 19.3.1'))
  const text = await within(react).findByText(/Permission is hereby granted/)
  expect(text.textContent).toBe('Copyright (c) Meta\n\nPermission is hereby granted.')
})

test('without the file the page says why', async () => {
  renderView(<Help />, { path: '/help/licenses' })
  expect((await screen.findByRole('alert')).textContent).toContain('only a built window')
})
