// Owns working the window with the keyboard alone: every control is reached with Tab or the arrows, never by script.
import { expect, type Locator, type Page } from '@playwright/test'
import type { Hand } from './input-driver.ts'

const MOST_STEPS = 250
/** A finger is not faster; what an arrow key does to a group of choices happens while it is down. */
const HELD_MS = 30

/** Presses a key until the element has the focus. */
async function reach(window: Page, target: Locator, key: string): Promise<void> {
  await target.waitFor({ state: 'attached' })
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await window.keyboard.press(key, { delay: key === 'Tab' ? 0 : HELD_MS })
  }
  await expect(target, `is reached with ${key}`).toBeFocused()
}

export function byKeyboard(window: Page): Hand {
  const { keyboard } = window
  const tabTo = (target: Locator) => reach(window, target, 'Tab')
  const press = async (target: Locator) => {
    await tabTo(target)
    await keyboard.press('Enter')
  }
  const command = async (name: string) => {
    await keyboard.press('ControlOrMeta+k')
    await expect(window.getByPlaceholder('Go to a view, or do something')).toBeFocused()
    await keyboard.type(name)
    await keyboard.press('Enter')
  }
  return {
    name: 'keyboard',
    press,
    command,
    async go(view) {
      await command(view)
      await expect(window.getByRole('heading', { name: view, exact: true })).toBeVisible()
    },
    async flip(target) {
      await tabTo(target)
      await keyboard.press('Space')
    },
    async write(field, text) {
      await tabTo(field)
      await keyboard.press('ControlOrMeta+a')
      await keyboard.type(text)
    },
    send: () => keyboard.press('Enter'),
    async choose(trigger, name) {
      await press(trigger)
      const item = window.getByRole('option', { name }).or(window.getByRole('menuitem', { name }))
      await item.waitFor()
      // It takes the focus once it has found its place; until then, keys go to what opened it.
      await window.locator('[role=listbox]:focus-within, [role=menu]:focus-within').waitFor()
      await keyboard.press('Home')
      await reach(window, item, 'ArrowDown')
      await keyboard.press('Enter')
    },
    async find(trigger, text) {
      await press(trigger)
      await keyboard.type(text)
      await expect(window.getByRole('option', { selected: true })).toContainText(text)
      await keyboard.press('Enter')
    },
    async take(group, name) {
      await tabTo(group.getByRole('radio', { checked: true }))
      const wanted = group.getByRole('radio', { name, exact: true })
      await reach(window, wanted, 'ArrowRight')
      await expect(wanted).toBeChecked()
    },
    async turnTo(tabs, name) {
      await tabTo(tabs.getByRole('tab', { selected: true }))
      await reach(window, tabs.getByRole('tab', { name, exact: true }), 'ArrowDown')
    },
    async slide(thumb) {
      await tabTo(thumb)
      await keyboard.press('ArrowRight')
    },
    async openFirst(rows) {
      await tabTo(rows.and(window.locator('[tabindex="0"]')))
      await keyboard.press('Home')
      await expect(rows.first()).toBeFocused()
      await keyboard.press('Enter')
    },
    async stepTo(rowBelow) {
      await keyboard.press('ArrowDown')
      await expect(rowBelow).toBeFocused()
    },
    moveUp: (item) => press(item.getByRole('button', { name: /^Move .* up$/ })),
    async leave(panel) {
      await keyboard.press('Escape')
      await expect(panel).toBeHidden()
    },
  }
}
