import { Cable, Settings } from 'lucide-react'
import { settingHref, settingsIndex } from '../../features/settings/settings-index.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { buildSnippets, DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import type { Entry, Navigate } from './entry.ts'

export function createSettingEntries(navigate: Navigate): Entry[] {
  return settingsIndex
    .filter(({ desktopOnly }) => isDesktop || desktopOnly === undefined)
    .map(({ name, section, keywords }) => ({
      id: `setting ${name}`,
      group: 'Settings',
      icon: Settings,
      label: name,
      hint: section,
      keywords: `${keywords} ${section.toLowerCase()} setting`,
      run: () => navigate(settingHref(name)),
    }))
}

/** Only their names are used. */
const tools = buildSnippets({ baseUrl: DEFAULT_BASE_URL, secret: '', model: '' })

export function createToolEntries(navigate: Navigate): Entry[] {
  return tools.map(({ id, name }) => ({
    id: `tool ${id}`,
    group: 'Tools',
    icon: Cable,
    label: `Connect ${name}`,
    keywords: 'set up tool',
    run: () => navigate(`/connect?tool=${id}`),
  }))
}
