import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { queries } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { Requests } from '../../features/requests/requests.tsx'
import { Sessions } from '../../features/sessions/sessions.tsx'
import { desktopState, installDesktop, removeDesktop } from '../../testing/desktop.ts'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { requestRow, sessionRow } from '../../testing/rows.ts'
import { CopyLink } from './copy-link.tsx'

const REQUEST = `req_${'0a'.repeat(16)}`
const SESSION = `ses_${'0b'.repeat(16)}`
const copyButton = { name: 'Copy link' } as const

afterEach(removeDesktop)

test.each([
  ['request', <Requests key="" openId={REQUEST} />, `tollgate://requests/${REQUEST}`],
  ['session', <Sessions key="" openId={SESSION} />, `tollgate://sessions/${SESSION}`],
  ['receipt', <CopyLink key="" kind="receipts" id={REQUEST} />, `tollgate://receipts/${REQUEST}`],
])('the link of a %s is copied', async (_, view, link) => {
  installDesktop({ getState: () => Promise.resolve(desktopState) })
  const gateway = new FakeGateway()
    .on('getRequest', () => requestRow(REQUEST, 1))
    .on('getSession', () => sessionRow(SESSION))
  const { user } = renderView(view, { gateway })
  await user.click(await screen.findByRole('button', copyButton))
  await screen.findByRole('button', { name: 'Copied' })
  expect(await navigator.clipboard.readText()).toBe(link)
})

test.each([
  ['a browser', undefined],
  ['a desktop app that links do not open', { ...desktopState, handlesDeepLinks: false }],
])('%s has no links to copy', async (_, state) => {
  if (state) installDesktop({ getState: () => Promise.resolve(state) })
  renderView(<CopyLink kind="requests" id={REQUEST} />)
  await waitFor(() => expect(queryClient.getQueryData(queries.desktop.queryKey)).toEqual(state ?? null))
  expect(screen.queryByRole('button', copyButton)).toBeNull()
})
