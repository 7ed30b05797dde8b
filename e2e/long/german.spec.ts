// The app in German. That no text is missing is a test of its catalogs, src/tooling/translation.test.ts.
import { expect, type Page } from '@playwright/test'
import { test } from '../app.ts'
import { open } from '../views.ts'

/** Words that are in most English sentences, and in no German one. */
const ENGLISH = /\b(the|of|and|with|is|are|this|your|not|when|until|all)\b/i

/** The texts of the page in English: neither code nor the documents of the help, which say that they are. */
function findEnglish(window: Page): Promise<string[]> {
  return window.evaluate((source) => {
    const english = new RegExp(source, 'i')
    const isShown = (element: Element | null) => element?.closest('code, pre, kbd, [lang=en]') === null
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode
      if (isShown(parentElement) && english.test(textContent ?? '')) found.push(textContent ?? '')
    }
    for (const name of ['aria-label', 'title', 'placeholder']) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        const text = element.getAttribute(name) ?? ''
        if (isShown(element) && english.test(text)) found.push(text)
      }
    }
    return found
  }, ENGLISH.source)
}

test('every view and the menus are in German once it is chosen', async ({ launcher }) => {
  const { electron, window } = await launcher.launch()
  await open(window, 'Settings')
  await window.getByRole('combobox', { name: 'Language' }).click()
  await window.getByRole('option', { name: 'Deutsch' }).click()
  await expect(window.locator('html')).toHaveAttribute('lang', 'de')

  const links = window.getByRole('navigation', { name: 'Ansichten' }).getByRole('link')
  await expect(links.first()).toHaveText('Übersicht')
  for (const link of await links.all()) {
    await link.click()
    const name = (await link.textContent()) ?? ''
    await expect(window.getByRole('heading', { level: 1, name, exact: true })).toBeVisible()
    await expect(window.locator('main [role=status][aria-label="Wird geladen"]')).toHaveCount(0)
    expect(await findEnglish(window), name).toEqual([])
    const wide = await window.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(wide, name).toBeLessThanOrEqual(0)
  }

  const menus = await electron.evaluate(({ Menu }) =>
    Menu.getApplicationMenu()?.items.map(({ label }) => label),
  )
  expect(menus).toEqual(['Tollgate', 'Bearbeiten', 'Ansicht', 'Gehe zu', 'Fenster', 'Hilfe'])
})
