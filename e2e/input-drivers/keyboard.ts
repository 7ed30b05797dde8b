import { expect, type Locator, type Page } from '@playwright/test'
import type { InputDriver } from './input-driver.ts'

const MAX_KEY_PRESSES = 250
/** About as long as a person holds a key: a radio group changes its selection while the arrow key is down. */
const KEY_DOWN_MS = 30

const ENABLED_ITEM = ':is([role=option], [role=menuitem]):not([data-disabled])'

/** Presses `key` until `target` has the focus. */
async function moveFocusTo(window: Page, target: Locator, key: string): Promise<void> {
  await target.waitFor({ state: 'attached' })
  for (let step = 0; step < MAX_KEY_PRESSES; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await window.keyboard.press(key, { delay: key === 'Tab' ? 0 : KEY_DOWN_MS })
  }
  await expect(target, `can be reached with ${key}`).toBeFocused()
}

/** Uses the keyboard alone: every control is reached with Tab or the arrow keys, never by script. */
export function keyboardDriver(window: Page): InputDriver {
  const { keyboard } = window
  const tabTo = (target: Locator) => moveFocusTo(window, target, 'Tab')
  const press = async (target: Locator) => {
    await tabTo(target)
    await keyboard.press('Enter')
  }
  const moveToRow = async (row: Locator) => {
    await tabTo(window.locator('[role=treegrid] tr[tabindex="0"]'))
    await keyboard.press('Home')
    await moveFocusTo(window, row, 'ArrowDown')
  }
  const runCommand = async (name: string) => {
    await keyboard.press('ControlOrMeta+k')
    await expect(window.getByPlaceholder('Search or run a command')).toBeFocused()
    await keyboard.type(name)
    await keyboard.press('Enter')
  }
  return {
    name: 'keyboard',
    press,
    runCommand,
    async goTo(view) {
      await runCommand(view)
      await expect(window.getByRole('heading', { name: view, exact: true })).toBeVisible()
    },
    async toggle(target) {
      await tabTo(target)
      await keyboard.press('Space')
    },
    async fill(field, text) {
      await tabTo(field)
      await keyboard.press('ControlOrMeta+a')
      await keyboard.type(text)
    },
    submit: () => keyboard.press('Enter'),
    leaveField: () => keyboard.press('Enter'),
    async select(trigger, name) {
      await press(trigger)
      const item = window.getByRole('option', { name }).or(window.getByRole('menuitem', { name }))
      await item.waitFor()
      // The list takes the focus only after it was positioned; until then, key presses go to the trigger.
      await window.locator('[role=listbox]:focus-within, [role=menu]:focus-within').waitFor()
      await keyboard.press('Home')
      // Radix moves the focus in a timeout; an ArrowDown before that would skip the first item.
      await expect(window.locator(ENABLED_ITEM).first()).toBeFocused()
      await moveFocusTo(window, item, 'ArrowDown')
      await keyboard.press('Enter')
    },
    async searchAndSelect(trigger, text) {
      await press(trigger)
      await keyboard.type(text)
      await expect(window.getByRole('option', { selected: true })).toContainText(text)
      await keyboard.press('Enter')
    },
    async selectSegment(group, name) {
      await tabTo(group.getByRole('radio', { checked: true }))
      const wanted = group.getByRole('radio', { name, exact: true })
      await moveFocusTo(window, wanted, 'ArrowRight')
      await expect(wanted).toBeChecked()
    },
    async selectTab(tabs, name) {
      await tabTo(tabs.getByRole('tab', { selected: true }))
      const isVertical = (await tabs.getAttribute('aria-orientation')) === 'vertical'
      const key = isVertical ? 'ArrowDown' : 'ArrowRight'
      await moveFocusTo(window, tabs.getByRole('tab', { name, exact: true }), key)
    },
    async moveSlider(thumb) {
      await tabTo(thumb)
      await keyboard.press('ArrowRight')
    },
    async openFirstRow(rows) {
      await tabTo(rows.and(window.locator('[tabindex="0"]')))
      await keyboard.press('Home')
      await expect(rows.first()).toBeFocused()
      await keyboard.press('Enter')
    },
    async expandRow(row) {
      await moveToRow(row)
      await keyboard.press('ArrowRight')
    },
    async openRow(row) {
      await moveToRow(row)
      await keyboard.press('Enter')
    },
    async openLastColumn(chart) {
      await tabTo(chart.getByRole('group'))
      await keyboard.press('End')
      await keyboard.press('Enter')
    },
    async openNextRow(rowBelow) {
      await keyboard.press('ArrowDown')
      await expect(rowBelow).toBeFocused()
    },
    async moveUp(item) {
      const handle = item.locator('[data-handle]')
      if ((await handle.count()) === 0) return press(item.getByRole('button', { name: /^Move .* up$/ }))
      await tabTo(handle)
      await keyboard.press('ArrowUp')
    },
    async close(panel) {
      await keyboard.press('Escape')
      await expect(panel).toBeHidden()
    },
  }
}
