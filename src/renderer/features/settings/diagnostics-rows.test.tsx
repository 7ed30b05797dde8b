import { screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { Check } from '../../../shared/desktop/checks.ts'
import type { CrashReport } from '../../../shared/desktop/crashes.ts'
import type { DesktopBridge } from '../../../shared/desktop/desktop.ts'
import { CrashBanner } from '../../app/banners.tsx'
import { renderView } from '../../testing/render.tsx'
import { CheckList } from './diagnostics-rows.tsx'

const REPORT: CrashReport = {
  id: '2027-01-31T12-00-00-000Z-0001-stopped',
  at: '2027-01-31T12:00:00.000Z',
  kind: 'stopped',
  summary: 'Tollgate was ended from outside: by the system, by a power cut, or by force.',
  details: 'SIGSEGV in libc.so.6 + 0x10',
  program: 'desktop',
  version: '0.1.0',
  runtime: 'Electron 45.4.1, Node.js 24.21.0, linux 6.1 x64',
  uptimeSeconds: 61,
  seen: false,
}

afterEach(() => {
  Object.assign(window, { desktop: undefined })
})

const check = (name: string, part: Partial<Check> = {}): Check => ({
  name,
  ok: true,
  state: 'ok',
  found: 'fine',
  meaning: 'It matters.',
  advice: null,
  ...part,
})

test('the last run is reported once, with a report to read, copy and delete', async () => {
  let reports = [REPORT]
  const change = (next: CrashReport[]) => {
    reports = next
    return Promise.resolve(reports)
  }
  const desktop: Partial<DesktopBridge> = {
    listCrashes: () => Promise.resolve(reports),
    markCrashesSeen: () => change(reports.map((report) => ({ ...report, seen: true }))),
    deleteCrash: (id) => change(reports.filter((report) => report.id !== id)),
  }
  Object.assign(window, { desktop })
  const { user } = renderView(<CrashBanner />)
  const banner = await screen.findByRole('alert')
  expect(banner.textContent).toMatch(
    /did not end properly.*by force\. No recorded charge was lost, and nothing was sent/,
  )
  await user.click(within(banner).getByRole('button', { name: 'Show report' }))
  const dialog = await screen.findByRole('dialog', { name: 'Crash report' })
  expect(dialog.textContent).toContain('SIGSEGV in libc.so.6')
  const writeText = vi.spyOn(navigator.clipboard, 'writeText')
  await user.click(within(dialog).getByRole('button', { name: 'Copy report' }))
  expect(writeText).toHaveBeenCalledWith(
    expect.stringContaining('when: 2027-01-31T12:00:00.000Z, after 61 s'),
  )
  await user.click(within(dialog).getByRole('button', { name: 'Delete report' }))
  await vi.waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  expect(reports).toEqual([])
})

test('what needs attention comes first, and says what to do; the copied report names no folder and no provider', async () => {
  const { user } = renderView(
    <CheckList
      checks={[
        check('Version', { found: 'Tollgate 0.1.0' }),
        check('Data folder', { found: '/home/maria/.config/Tollgate, only for you' }),
        check('Clock', { ok: false, state: 'warning', found: '3 min ahead', advice: 'Set the clock.' }),
        check('acme-gmbh', { ok: false, state: 'failed', found: 'ACME GmbH does not work', advice: 'Look.' }),
      ]}
    />,
  )
  expect(screen.getByRole('status').textContent).toBe('2 things need your attention.')
  const items = within(screen.getByRole('list', { name: 'Results' })).getAllByRole('listitem')
  expect(items.map((item) => within(item).getByRole('img').getAttribute('aria-label'))).toEqual([
    'Does not work',
    'Needs attention',
    'OK',
    'OK',
  ])
  expect(items[1]?.textContent).toContain('Set the clock. It matters.')
  const writeText = vi.spyOn(navigator.clipboard, 'writeText')
  await user.click(screen.getByRole('button', { name: 'Copy report' }))
  const copied = String(writeText.mock.calls.at(-1)?.[0])
  expect(copied.split('\n')).toEqual([
    'Version: ok, Tollgate 0.1.0',
    'Data folder: ok',
    'Clock: warning, 3 min ahead',
    'A provider: failed',
  ])
})
