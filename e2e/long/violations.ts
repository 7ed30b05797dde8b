import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const LEVELS = ['wcag2a', 'wcag2aa', 'wcag2aaa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Axe runs these only if they are named. */
const OPTIONAL_RULES = ['color-contrast-enhanced', 'identical-links-same-purpose', 'target-size']

/** The violations of axe's rules in both themes, as `where, theme: rule: element`. */
export async function findViolations(window: Page, where: string): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await window.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(window.locator('html')).toHaveAttribute('data-theme', colorScheme)
    // axe's default mode opens a second page, which Electron does not support.
    const axe = new AxeBuilder({ page: window }).setLegacyMode().options({
      resultTypes: ['violations'],
      runOnly: LEVELS,
      rules: Object.fromEntries(OPTIONAL_RULES.map((rule) => [rule, { enabled: true }])),
    })
    const { violations } = await axe.analyze()
    for (const { id, nodes } of violations) {
      found.push(...nodes.map(({ html }) => `${where}, ${colorScheme}: ${id}: ${html.slice(0, 160)}`))
    }
  }
  return found
}
