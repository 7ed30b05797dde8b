import { QueryClientProvider } from '@tanstack/react-query'
import { type RenderResult, render } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import userEvent from '@testing-library/user-event'
import { type ReactNode, useLayoutEffect } from 'react'
import { Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import { showAlert } from '../app/app.tsx'
import { Toasts } from '../app/toasts.tsx'
import { startLive } from '../data/live.ts'
import { queryClient } from '../data/query-client.ts'
import { FakeGateway } from './fake-gateway.ts'

interface RenderOptions {
  /** The address of the page, with its query. */
  path?: string
  gateway?: FakeGateway
}

interface RenderedView extends RenderResult {
  user: UserEvent
  gateway: FakeGateway
  /** The addresses so far, in order. */
  history: string[]
}

/** Renders a view as the signed-in window does: with live events, an address and a gateway that answers. */
export function renderView(
  view: ReactNode,
  { path = '/', gateway = new FakeGateway() }: RenderOptions = {},
): RenderedView {
  gateway.install()
  const [pathname = '/', search = ''] = path.split('?')
  const { hook, searchHook, history } = memoryLocation({ path: pathname, searchPath: search, record: true })
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>
      <Router hook={hook} searchHook={searchHook}>
        <Live>{children}</Live>
        <Toasts />
      </Router>
    </QueryClientProvider>
  )
  const result = render(view, { wrapper })
  return { ...result, gateway, history, user: userEvent.setup() }
}

function Live({ children }: { children: ReactNode }) {
  useLayoutEffect(() => startLive(showAlert), [])
  return children
}
