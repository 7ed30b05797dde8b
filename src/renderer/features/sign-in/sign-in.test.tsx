import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { useSession } from '../../data/session.ts'
import { FakeError, FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow } from '../../testing/rows.ts'
import { SignIn } from './sign-in.tsx'

beforeEach(() => {
  sessionStorage.clear()
  useSession.setState({ state: 'signed-out', error: null, pending: false })
})

const enterKey = async (gateway: FakeGateway, key: string) => {
  const { user } = renderView(<SignIn />, { gateway })
  const field = screen.getByLabelText('Admin key')
  expect(document.activeElement).toBe(field)
  await user.type(field, `${key}{Enter}`)
}

test('an admin key signs in and is stored for this tab only', async () => {
  const gateway = new FakeGateway().on('getCallingKey', () => ({
    ...keyRow('key_1', { scope: 'admin' }),
    remainingUsd: null,
  }))
  await enterKey(gateway, '  tg-admin ')
  await waitFor(() => expect(useSession.getState().state).toBe('signed-in'))
  expect(sessionStorage.getItem('tollgate.adminKey')).toBe('tg-admin')
  expect(JSON.stringify(localStorage)).not.toContain('tg-admin')
})

test('a key of another scope is rejected and not stored', async () => {
  const gateway = new FakeGateway().on('getCallingKey', () => ({
    ...keyRow('key_1', { scope: 'read-only' }),
    remainingUsd: null,
  }))
  await enterKey(gateway, 'tg-reader')
  expect((await screen.findByRole('alert')).textContent).toMatch(/“read-only”.*An admin key is needed/)
  expect(useSession.getState().state).toBe('signed-out')
  expect(sessionStorage.getItem('tollgate.adminKey')).toBeNull()
})

test('an unknown key is rejected with a message', async () => {
  const gateway = new FakeGateway().on('getCallingKey', () => {
    throw new FakeError(401, 'Unauthorized', 'authentication_error')
  })
  await enterKey(gateway, 'tg-unknown')
  expect((await screen.findByRole('alert')).textContent).toMatch(/does not know this key/)
  expect(screen.getByRole('button', { name: 'Sign in' })).toHaveProperty('disabled', false)
})

test('blanks are not sent', async () => {
  const gateway = new FakeGateway()
  await enterKey(gateway, '   ')
  expect(screen.getByRole('button', { name: 'Sign in' })).toHaveProperty('disabled', true)
  expect(gateway.listCalls('getCallingKey')).toEqual([])
})
