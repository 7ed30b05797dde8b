import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { navigate } from 'wouter/use-browser-location'
import { settingAnchor } from '../../parts/settings/section.tsx'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { SettingsView } from './settings.tsx'
import { findSettings, sections, settingHref } from './settings-index.ts'

afterEach(() => navigate('/'))

test.each([
  ['docker', ['Containers']],
  ['RATE limit', ['Requests per minute', 'Tokens per minute']],
  ['rate limit docker', []],
  ['autostart', []],
])('“%s” finds settings by their names and other words for them', (text, names) => {
  const find = (inDesktop: boolean) =>
    findSettings(text, inDesktop).flatMap(({ settings }) => settings.map(({ name }) => name))
  expect(find(false)).toEqual(names)
  expect(find(true)).toEqual(text === 'autostart' ? ['Launch at login'] : names)
})

async function renderSettings() {
  const view = renderView(<SettingsView />, { gateway: new FakeGateway() })
  await screen.findByRole('heading', { name: 'Records' })
  await screen.findByRole('heading', { name: 'Limits' })
  return view
}

test('every setting has a row with its own address', async () => {
  await renderSettings()
  const headings = sections.flatMap(({ title, settings }) => [
    title,
    ...settings.filter(({ desktopOnly }) => !desktopOnly).map(({ name }) => name),
  ])
  expect(new Set(headings.map(settingAnchor)).size).toBe(headings.length)
  const shown = screen.getAllByRole('heading').map(({ textContent }) => textContent)
  expect(shown.toSorted()).toEqual(['Settings', ...headings].toSorted())
  for (const heading of headings) {
    expect(document.getElementById(settingAnchor(heading)), heading).not.toBeNull()
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
