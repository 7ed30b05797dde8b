import { expect, type Locator, type Page } from '@playwright/test'
import { open } from '../views.ts'
import type { InputDriver } from './input-driver.ts'

const DRAG_PX = 60
/** The distance from the right edge of a chart to its last column. */
const CHART_EDGE_PX = 12

/** Uses the mouse alone; the keyboard only types text into a field that was clicked. */
export function mouseDriver(window: Page): InputDriver {
  const click = (target: Locator) => target.click()
  return {
    name: 'mouse',
    goTo: (view) => open(window, view),
    press: click,
    toggle: click,
    submit: click,
    leaveField: () => window.getByRole('heading', { level: 1 }).click(),
    openFirstRow: (rows) => rows.first().click(),
    expandRow: (row) => row.getByRole('button', { name: /^Show the parts/ }).click(),
    openRow: click,
    openNextRow: click,
    async fill(field, text) {
      await field.click({ clickCount: 3 })
      await window.keyboard.type(text)
    },
    async select(trigger, name) {
      await trigger.click()
      await window.getByRole('option', { name }).or(window.getByRole('menuitem', { name })).click()
    },
    async searchAndSelect(trigger, text) {
      await trigger.click()
      await window.keyboard.type(text)
      await window.getByRole('option').filter({ hasText: text }).first().click()
    },
    selectSegment: (group, name) => group.getByRole('radio', { name, exact: true }).click(),
    selectTab: (tabs, name) => tabs.getByRole('tab', { name, exact: true }).click(),
    async openLastColumn(chart) {
      const box = await chart.boundingBox()
      if (box === null) throw new Error('the chart is not visible')
      await chart.click({ position: { x: box.width - CHART_EDGE_PX, y: box.height / 4 } })
    },
    async moveSlider(thumb) {
      const box = await thumb.boundingBox()
      if (box === null) throw new Error('the slider is not visible')
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
      await window.mouse.move(x, y)
      await window.mouse.down()
      await window.mouse.move(x + DRAG_PX, y, { steps: 4 })
      await window.mouse.up()
    },
    async moveUp(item, above) {
      const handle = item.locator('[data-handle]')
      await ((await handle.count()) === 0 ? item : handle).dragTo(above)
    },
    async close(panel) {
      await panel.getByRole('button', { name: 'Close' }).click()
      await expect(panel).toBeHidden()
    },
    async runCommand(name) {
      await window.getByRole('button', { name: 'Search and commands' }).click()
      await window.getByRole('option', { name }).click()
    },
  }
}
