// Owns working the window with the mouse alone; the keyboard is touched only to type text into a field that was clicked.
import { expect, type Locator, type Page } from '@playwright/test'
import { open } from '../views.ts'
import type { Hand } from './input-driver.ts'

const DRAG_PX = 60

export function byMouse(window: Page): Hand {
  const click = (target: Locator) => target.click()
  return {
    name: 'mouse',
    go: (view) => open(window, view),
    press: click,
    flip: click,
    send: click,
    openFirst: (rows) => rows.first().click(),
    stepTo: click,
    async write(field, text) {
      await field.click({ clickCount: 3 })
      await window.keyboard.type(text)
    },
    async choose(trigger, name) {
      await trigger.click()
      await window.getByRole('option', { name }).or(window.getByRole('menuitem', { name })).click()
    },
    async find(trigger, text) {
      await trigger.click()
      await window.keyboard.type(text)
      await window.getByRole('option').filter({ hasText: text }).first().click()
    },
    take: (group, name) => group.getByRole('radio', { name, exact: true }).click(),
    turnTo: (tabs, name) => tabs.getByRole('tab', { name, exact: true }).click(),
    async slide(thumb) {
      const box = await thumb.boundingBox()
      if (box === null) throw new Error('the slider is not in sight')
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
      await window.mouse.move(x, y)
      await window.mouse.down()
      await window.mouse.move(x + DRAG_PX, y, { steps: 4 })
      await window.mouse.up()
    },
    moveUp: (item, above) => item.dragTo(above),
    async leave(panel) {
      await panel.getByRole('button', { name: 'Close' }).click()
      await expect(panel).toBeHidden()
    },
    async command(name) {
      await window.getByRole('button', { name: 'Search and commands' }).click()
      await window.getByRole('option', { name }).click()
    },
  }
}
