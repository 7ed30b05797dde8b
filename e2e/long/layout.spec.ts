// Faults that only a real window shows: texts that are covered, cut or out of place in small windows.
import { expect, type Page } from '@playwright/test'
import { seed } from '../../src/tooling/seed/seed.ts'
import { type App, shareApp, test } from '../app.ts'
import { createKey, keyRow, open, views } from '../views.ts'

interface Size {
  width: number
  height: number
  /** The zoom factor; 2 is 200 %. */
  zoom?: number
}

async function resize({ electron, window }: App, { width, height, zoom = 1 }: Size): Promise<void> {
  await electron.evaluate(
    ({ BrowserWindow }, size) => {
      const [first] = BrowserWindow.getAllWindows()
      first?.setMinimumSize(1, 1)
      first?.setContentSize(size.width, size.height)
      first?.webContents.setZoomFactor(size.zoom)
    },
    { width, height, zoom },
  )
  await window.waitForFunction((px) => innerWidth === px, width / zoom)
  await window.waitForFunction((px) => innerHeight === px, height / zoom)
}

const fill = (dataDir: string) => seed(dataDir, { requests: 400, days: 30, now: Date.now() })
const shared = shareApp(fill)

for (const size of [
  { width: 480, height: 480 },
  { width: 900, height: 600, zoom: 2 },
]) {
  const name = `${size.width} × ${size.height} at ${(size.zoom ?? 1) * 100} %`
  test(`a confirmation shows all of its text above its buttons in ${name}`, async () => {
    const { app } = shared
    const { window } = app
    const key = `Continuous integration of the documentation in ${name}`
    await resize(app, { width: 1440, height: 900 })
    await createKey(window, key)
    await resize(app, size)
    await keyRow(window, key)
      .getByRole('button', { name: /^More actions for/ })
      .click()
    await window.getByRole('menuitem', { name: 'Revoke' }).click()
    const dialog = window.getByRole('alertdialog')
    await dialog.waitFor()
    const box = await dialog.evaluate((element) => {
      const id = element.getAttribute('aria-describedby') ?? ''
      const text = document.getElementById(id)
      const scroller = text?.parentElement
      if (!text || !scroller) throw new Error('The dialog has no description.')
      scroller.scrollTop = scroller.scrollHeight
      const button = element.querySelector('footer button:last-child')?.getBoundingClientRect()
      if (!button) throw new Error('The dialog has no buttons.')
      const outer = element.getBoundingClientRect()
      return {
        textBottom: text.getBoundingClientRect().bottom,
        buttonTop: button.top,
        belowButton: outer.bottom - button.bottom,
        outside: Math.max(outer.bottom - innerHeight, -outer.top),
      }
    })
    expect(box.textBottom).toBeLessThanOrEqual(box.buttonTop)
    expect(box.belowButton).toBeLessThanOrEqual(24)
    expect(box.outside).toBeLessThanOrEqual(0)
    await window.keyboard.press('Escape')
  })
}

/** Makes every amount that the window reads as many times as large. Playwright cannot pass on calls of the app's own scheme. */
async function enlargeAmounts(window: Page, factor: number): Promise<void> {
  await window.addInitScript((times) => {
    const enlarge = (name: string, value: unknown) =>
      name.endsWith('Usd') && typeof value === 'number' ? value * times : value
    const { json } = Response.prototype
    Response.prototype.json = async function enlarged() {
      return JSON.parse(JSON.stringify(await json.call(this)), enlarge)
    }
  }, factor)
  await window.reload()
}

/** The amounts of the page that something cuts off. */
function findCutAmounts(window: Page): Promise<string[]> {
  return window.evaluate(() => {
    const cut: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const amount = texts.currentNode
      if (!amount.textContent?.includes('$')) continue
      const range = document.createRange()
      range.selectNode(amount)
      const { left, right, width } = range.getBoundingClientRect()
      if (width === 0) continue
      for (let around = amount.parentElement; around; around = around.parentElement) {
        const { overflowX } = getComputedStyle(around)
        if (overflowX === 'auto' || overflowX === 'scroll') break
        const box = around.getBoundingClientRect()
        // Visible to screen readers only.
        if (box.width <= 1) break
        if (overflowX !== 'visible' && (right > box.right + 1 || left < box.left - 1)) {
          cut.push(amount.textContent)
          break
        }
      }
    }
    return cut
  })
}

test('a title starts where those of all other views do', async () => {
  const { app } = shared
  for (const width of [900, 1440]) {
    await resize(app, { width, height: 900 })
    const starts = new Map<string, number>()
    for (const view of [...views, 'Help'] as const) {
      if (view === 'Help') await app.window.evaluate(() => history.pushState(null, '', '/help/start'))
      else await open(app.window, view)
      const title = app.window.getByRole('heading', { name: view, level: 1 })
      starts.set(view, (await title.boundingBox())?.x ?? -1)
    }
    expect(new Set(starts.values()).size, JSON.stringify([...starts])).toBe(1)
  }
})

test('links in the cards of Overview and Models are targets of 24 px', async () => {
  const { window } = shared.app
  for (const view of ['Overview', 'Models'] as const) {
    await open(window, view)
    await expect(window.locator('main [aria-busy=true]')).toHaveCount(0)
    const small = await window.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('main :is(a[href], button)')].flatMap((element) => {
        element.scrollIntoView({ block: 'center' })
        const { left, width, top, height } = element.getBoundingClientRect()
        if (width === 0 || height >= 24 || element.closest('p, td, [role=row]')) return []
        const middle = { x: left + width / 2, y: top + height / 2 }
        const isHit = [-11, 11].every((by) =>
          element.contains(document.elementFromPoint(middle.x, middle.y + by)),
        )
        return isHit ? [] : [element.textContent ?? '']
      }),
    )
    expect(small).toEqual([])
  }
})

for (const { locale, amount, day } of [
  {
    locale: 'de_DE.UTF-8',
    amount: /^\$\d{1,3}\.\d{3},\d\d$/,
    day: /^\d\d? [A-Z][a-z]{2} \d\d:\d\d$/,
  },
  {
    locale: 'fr_FR.UTF-8',
    amount: /^\$\d{1,3}\s\d{3},\d\d$/,
    day: /^\d\d? [A-Z][a-z]{2} \d\d:\d\d$/,
  },
  {
    locale: 'en_US.UTF-8',
    amount: /^\$\d{1,3},\d{3}\.\d\d$/,
    day: /^[A-Z][a-z]{2} \d\d? \d\d?:\d\d\s[AP]M$/,
  },
]) {
  test(`amounts and dates are written as in ${locale}`, async ({ launcher }) => {
    const dataDir = launcher.newDataDir()
    fill(dataDir)
    const app = await launcher.launch({ dataDir, env: { LC_ALL: locale } })
    await enlargeAmounts(app.window, 54_321)
    await open(app.window, 'Overview')
    await expect(app.window.locator('main').getByText(amount).first()).toBeVisible()
    await open(app.window, 'Requests')
    await expect(app.window.locator('main').getByText(day).first()).toBeVisible()
    const cut = await app.window.evaluate(() =>
      [...document.querySelectorAll('main time')]
        .map((time) => time.closest('[role=gridcell], [role=cell], td') ?? time)
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    )
    expect(cut).toEqual([])
  })
}

test('the head of each model in the playground is above its answer', async () => {
  const { app } = shared
  const { window } = app
  await open(window, 'Playground')
  await window.getByRole('button', { name: 'Add model' }).click()
  await window.getByRole('textbox', { name: /^Message/ }).fill('Hello')
  await window.keyboard.press('Enter')
  const answers = window.getByRole('log').getByText('sandbox-large', { exact: true })
  await expect(answers).toBeVisible()
  for (const width of [1000, 1440, 1900]) {
    await resize(app, { width, height: 900 })
    const head = await window.getByRole('combobox', { name: 'Model 2' }).boundingBox()
    const answer = await answers.boundingBox()
    expect(Math.abs((head?.x ?? 0) - (answer?.x ?? 999)), `${width} px`).toBeLessThan(40)
  }
})

test('no amount is cut, however large, in a small window and at 200 %', async () => {
  const { app } = shared
  await enlargeAmounts(app.window, 54_321)
  for (const size of [
    { width: 1440, height: 900 },
    { width: 900, height: 600 },
    { width: 900, height: 600, zoom: 2 },
  ]) {
    await resize(app, size)
    for (const view of views) {
      await open(app.window, view)
      await expect(app.window.locator('main [aria-busy=true]')).toHaveCount(0)
      expect.soft(await findCutAmounts(app.window), `${view}, ${JSON.stringify(size)}`).toEqual([])
    }
  }
})
