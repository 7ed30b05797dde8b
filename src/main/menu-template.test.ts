import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, type Mock, test, vi } from 'vitest'
import { type AppHref, VIEWS } from '../shared/desktop/views.ts'
import { menuTemplate } from './menu-template.ts'

interface Item {
  menu: string
  label: string
  accelerator: string
  role: string
}

function menuOn(
  platform: NodeJS.Platform,
  { packaged = true, isPaused = false } = {},
): {
  items: Item[]
  choose(label: string): void
  opened: (AppHref | undefined)[]
  revealLog: Mock
  resume: Mock
  toggleMeter: Mock
} {
  const opened: (AppHref | undefined)[] = []
  const revealLog = vi.fn()
  const resume = vi.fn()
  const toggleMeter = vi.fn()
  const template = menuTemplate({
    platform,
    packaged,
    isPaused,
    open: (href) => void opened.push(href),
    revealLog,
    toggleMeter,
    resume,
  })
  const flat = template.flatMap((menu): { menu: string; item: MenuItemConstructorOptions }[] =>
    Array.isArray(menu.submenu)
      ? menu.submenu.map((item) => ({ menu: menu.label ?? menu.role ?? '', item }))
      : [],
  )
  return {
    opened,
    revealLog,
    resume,
    toggleMeter,
    items: flat.map(({ menu, item: { label = '', accelerator = '', role = '' } }) => ({
      menu,
      label,
      role,
      accelerator: String(accelerator),
    })),
    choose(label) {
      const click = flat.find(({ item }) => item.label === label)?.item.click
      if (click) Reflect.apply(click, undefined, [])
    },
  }
}

describe.each(['linux', 'win32', 'darwin'] as const)('the menu on %s', (platform) => {
  test('opens every view, the first nine with Ctrl or Cmd and their number in the list', () => {
    const { items, choose, opened } = menuOn(platform)
    const go = items.filter(({ menu }) => menu === 'Go')
    expect(go.map(({ label, accelerator }) => [label, accelerator])).toEqual(
      VIEWS.map(({ name }, at) => [name, at < 9 ? `CmdOrCtrl+${at + 1}` : '']),
    )
    for (const { label } of go) choose(label)
    expect(opened).toEqual(VIEWS.map(({ href }) => href))
  })

  test('opens the settings with Ctrl or Cmd and a comma', () => {
    const { items, choose, opened } = menuOn(platform)
    expect(items.find(({ label }) => label === 'Settings…')?.accelerator).toBe('CmdOrCtrl+,')
    choose('Settings…')
    expect(opened).toEqual(['/settings'])
  })

  test('has the pages of the help', () => {
    const { items, choose, opened } = menuOn(platform)
    for (const { label } of items.filter(({ menu }) => menu === 'help')) choose(label)
    expect(opened).toEqual(['/help/start', '/help/shortcuts', '/help/whats-new', '/help/report'])
    expect(items.map(({ role }) => role)).toContain('about')
  })

  test('pauses everything, or resumes it', () => {
    const { choose, opened } = menuOn(platform)
    choose('Pause Everything…')
    expect(opened).toEqual(['/?pause=everything'])
    const paused = menuOn(platform, { isPaused: true })
    paused.choose('Resume Everything')
    expect(paused.resume).toHaveBeenCalledOnce()
    expect(paused.items.map(({ label }) => label)).not.toContain('Pause Everything…')
  })

  test('opens the taximeter', () => {
    const { choose, toggleMeter } = menuOn(platform)
    choose('Taximeter')
    expect(toggleMeter).toHaveBeenCalledOnce()
  })

  test('reveals the log', () => {
    const { choose, revealLog } = menuOn(platform)
    choose('Reveal Log')
    expect(revealLog).toHaveBeenCalledOnce()
  })

  test('has no shortcut twice, and the developer’s items in development only', () => {
    const shortcuts = menuOn(platform)
      .items.map(({ accelerator }) => accelerator)
      .filter((accelerator) => accelerator !== '')
    expect(new Set(shortcuts).size).toBe(shortcuts.length)
    const roles = (packaged: boolean) => menuOn(platform, { packaged }).items.map(({ role }) => role)
    expect(roles(true)).not.toContain('toggleDevTools')
    expect(roles(false)).toContain('toggleDevTools')
    expect(roles(true)).toContain('quit')
  })
})

test('macOS has its standard roles', () => {
  const roles = menuOn('darwin').items.map(({ role }) => role)
  for (const role of ['about', 'services', 'hide', 'hideOthers', 'unhide']) expect(roles).toContain(role)
})
