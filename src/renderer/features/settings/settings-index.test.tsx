import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { navigate } from 'wouter/use-browser-location'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { SettingsView } from './settings.tsx'
import { SECTION_TITLES, settingAnchor, settingHref, settingsIndex } from './settings-index.ts'

afterEach(() => navigate('/'))

async function renderSettings() {
  const view = renderView(<SettingsView />, { gateway: new FakeGateway() })
  await screen.findByRole('heading', { name: 'Records' })
  await screen.findByRole('heading', { name: 'Limits' })
  return view
}

test('every row of the view is in the index, and has its own address', async () => {
  await renderSettings()
  const rows = screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)
  const names = settingsIndex.filter(({ desktopOnly }) => !desktopOnly).map(({ name }) => name)
  expect(rows.toSorted()).toEqual(names.toSorted())
  const sections = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent ?? '')
  expect(SECTION_TITLES).toEqual(expect.arrayContaining(sections))
  const anchors = [...SECTION_TITLES, ...names].map(settingAnchor)
  expect(new Set(anchors).size).toBe(anchors.length)
  for (const anchor of [...sections, ...names].map(settingAnchor)) {
    expect(document.getElementById(anchor), anchor).not.toBeNull()
  }
})

test('the address of a row scrolls to it, also a second time', async () => {
  const scrolled: string[] = []
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    scrolled.push(this.id)
  })
  await renderSettings()
  navigate(settingHref('Time zone'))
  await waitFor(() => expect(scrolled).toEqual(['time-zone']))
  navigate(settingHref('Time zone'))
  await waitFor(() => expect(scrolled).toEqual(['time-zone', 'time-zone']))
  navigate(settingHref('Browser access (CORS)'))
  await waitFor(() => expect(scrolled.at(-1)).toBe('browser-access-cors'))
})
