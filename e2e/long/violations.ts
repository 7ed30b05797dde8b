import { expect, type Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'

/** Axe runs these only if they are named. */
const OPTIONAL_RULES = ['color-contrast-enhanced', 'identical-links-same-purpose', 'target-size']

/** The rules that a theme can violate. The others see the same page in both. */
const COLOR_RULES = ['color-contrast', 'color-contrast-enhanced', 'link-in-text-block']

const themes: readonly { colorScheme: 'light' | 'dark'; options: RunOptions }[] = [
  {
    colorScheme: 'light',
    options: {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag2aaa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      rules: Object.fromEntries(OPTIONAL_RULES.map((rule) => [rule, { enabled: true }])),
    },
  },
  { colorScheme: 'dark', options: { runOnly: { type: 'rule', values: COLOR_RULES } } },
]

/** The violations of axe's rules, as `where, theme: rule: element`. */
export async function findViolations(window: Page, where: string): Promise<string[]> {
  const found: string[] = []
  for (const { colorScheme, options } of themes) {
    await window.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(window.locator('html')).toHaveAttribute('data-theme', colorScheme)
    await waitForTransitions(window)
    for (const { id, nodes } of await runAxe(window, { ...options, resultTypes: ['violations'] }))
      found.push(...nodes.map((html) => `${where}, ${colorScheme}: ${id}: ${html.slice(0, 160)}`))
  }
  return found
}

/** Reduced motion leaves transitions of a millisecond, which end with the next frame. Colors are measured after it. */
function waitForTransitions(window: Page): Promise<void> {
  return window.evaluate(async () => {
    const findRunning = () => document.getAnimations().filter(({ playState }) => playState === 'running')
    for (let running = findRunning(); running.length > 0; running = findRunning())
      await Promise.allSettled(running.map(({ finished }) => finished))
  })
}

/** `@axe-core/playwright` would load axe twice for each run, which takes longer than the run. */
async function runAxe(window: Page, options: RunOptions): Promise<{ id: string; nodes: string[] }[]> {
  if (!(await window.evaluate(() => 'axe' in globalThis))) await window.evaluate(axe.source)
  return window.evaluate(async (given) => {
    const { violations } = await (Reflect.get(globalThis, 'axe') as typeof axe).run(document, given)
    return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))
  }, options)
}
