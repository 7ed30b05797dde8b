import { historySections } from '../../../features/history/view/history-settings.tsx'
import { ruleSections } from '../../../features/rules/view/rule-settings.tsx'
import { includesWords } from '../../kit/search-field.tsx'
import { type SettingsSection, settingAnchor } from '../../parts/settings/section.tsx'
import { appSections } from './app-settings.tsx'
import { dataSections } from './data-settings.tsx'
import { gatewaySections } from './gateway-settings.tsx'

export const sections: readonly SettingsSection[] = [
  ...gatewaySections,
  ...ruleSections,
  ...dataSections,
  ...historySections,
  ...appSections,
]

/** The address of the section or row with this heading. */
export function settingHref(heading: string): string {
  return `/settings#${settingAnchor(heading)}`
}

/** The sections with the settings in which every word of the text occurs. `inDesktop`: those of the desktop app, too. */
export function findSettings(text: string, inDesktop: boolean): SettingsSection[] {
  return sections
    .map((section) => ({
      ...section,
      settings: section.settings.filter(
        ({ name, keywords, desktopOnly }) =>
          (inDesktop || !desktopOnly) && includesWords(`${name} ${section.title} ${keywords}`, text),
      ),
    }))
    .filter(({ settings }) => settings.length > 0)
}
