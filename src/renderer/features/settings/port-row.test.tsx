import { useQuery } from '@tanstack/react-query'
import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { DesktopBridge, DesktopState } from '../../../shared/desktop/desktop.ts'
import { queries } from '../../data/queries.ts'
import { desktopState, installDesktop, removeDesktop } from '../../testing/desktop.ts'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow } from '../../testing/rows.ts'
import { PortRow } from './port-row.tsx'

let state: DesktopState

/** A desktop on which only one port is in use by another program. */
function installPorts(taken: number) {
  const listening = (port: number) => ({
    ...state,
    port,
    listenError: null,
    baseUrl: `http://127.0.0.1:${port}`,
  })
  const desktop: Partial<DesktopBridge> = {
    getState: () => Promise.resolve(state),
    setPort: (port) => {
      state =
        port === taken
          ? { ...state, port, baseUrl: null, listenError: `Port ${port} is in use.`, suggestedPort: port + 1 }
          : listening(port)
      return Promise.resolve(state)
    },
  }
  state = desktopState
  installDesktop(desktop)
}

afterEach(removeDesktop)

function Row() {
  const { data } = useQuery(queries.desktop)
  return data ? <PortRow desktop={data} /> : null
}

async function renderRow() {
  const now = new Date().toISOString()
  const gateway = new FakeGateway().on('listKeys', () => ({
    data: [
      keyRow('a', { name: 'Editor', lastUsedAt: now }),
      keyRow('b', { name: 'Old script', lastUsedAt: '2026-01-01T00:00:00.000Z' }),
      keyRow('c', { name: 'Revoked', lastUsedAt: now, revokedAt: now }),
      keyRow('d', { name: 'Playground', lastUsedAt: now, purpose: 'playground' }),
      keyRow('e', { name: 'Agent', lastUsedAt: now }),
    ],
  }))
  const view = renderView(<Row />, { gateway })
  const field = await screen.findByRole('textbox', { name: 'Port' })
  const enter = async (port: number) => {
    await view.user.clear(field)
    await view.user.type(field, `${port}{Enter}`)
  }
  return { ...view, enter, field }
}

test('after a change it shows the new base URL, and whose tools need it', async () => {
  installPorts(80)
  const { user, enter, field } = await renderRow()
  expect(screen.queryByRole('button', { name: 'Copy base URL' })).toBeNull()
  await enter(9000)
  expect(await screen.findByText('http://127.0.0.1:9000/v1')).toBeDefined()
  expect(
    screen.getByText(/were used in the last day and need it: (Agent, Editor|Editor, Agent)\./),
  ).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Copy base URL' }))
  expect(await navigator.clipboard.readText()).toBe('http://127.0.0.1:9000/v1')
  await user.click(screen.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('http://127.0.0.1:8655/v1')).toBeDefined()
  expect(field).toHaveProperty('value', '8655')
})

test('a port that is in use is reported, and another one is offered', async () => {
  installPorts(9000)
  const { user, enter } = await renderRow()
  await enter(9000)
  expect((await screen.findAllByText('Port 9000 is in use.')).length).toBeGreaterThan(0)
  expect(screen.queryByRole('button', { name: 'Copy base URL' })).toBeNull()
  await user.click(await screen.findByRole('button', { name: 'Use 9001' }))
  expect(await screen.findByText('http://127.0.0.1:9001/v1')).toBeDefined()
  await waitFor(() => expect(screen.queryByText('Port 9000 is in use.')).toBeNull())
})
