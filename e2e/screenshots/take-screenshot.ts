import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ElectronApplication } from '@playwright/test'
import type { App } from '../app.ts'

const folder = resolve(import.meta.dirname, '../../.cache/screenshots')

export const themes = ['light', 'dark'] as const
type Theme = (typeof themes)[number]

export interface Size {
  width: number
  height: number
  /** The zoom factor; 2 is 200 %. */
  zoom?: number
}

export const widths: readonly Size[] = [
  { width: 900, height: 600 },
  { width: 1440, height: 900 },
]
export const extremes: readonly Size[] = [
  { width: 1440, height: 900, zoom: 2 },
  { width: 3840, height: 2160 },
]

/** Part of a file name: `1440`, or `1440x2` at 200 %. */
const formatSize = ({ width, zoom = 1 }: Size) => (zoom === 1 ? String(width) : `${width}x${zoom}`)

/** How long a view may take until it no longer changes. */
const SETTLE_MS = 6_000

export interface Capture {
  /** Sets the window's theme and size. */
  resize(theme: Theme, size: Size): Promise<void>
  /** Saves a screenshot of the window under this name. */
  save(name: string): Promise<void>
}

/** Empties the folder of a state and saves screenshots there. */
export function createCapture(state: string, { window, electron }: App): Capture {
  const dir = join(folder, state)
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  let suffix = ''
  let zoomed = false
  const inPage = () => window.screenshot({ animations: 'disabled', caret: 'hide' })
  // Playwright ignores Electron's zoom factor and would crop the screenshot.
  const wholeWindow = async () => {
    const png = await electron.evaluate(async ({ BrowserWindow }) => {
      const image = await BrowserWindow.getAllWindows()[0]?.webContents.capturePage()
      return image?.toPNG().toString('base64') ?? ''
    })
    return Buffer.from(png, 'base64')
  }
  return {
    async resize(theme, size) {
      suffix = `${theme}-${formatSize(size)}`
      zoomed = (size.zoom ?? 1) !== 1
      await electron.evaluate(
        ({ BrowserWindow, nativeTheme }, wanted) => {
          nativeTheme.themeSource = wanted.theme
          const [first] = BrowserWindow.getAllWindows()
          first?.setContentSize(wanted.size.width, wanted.size.height)
          first?.webContents.setZoomFactor(wanted.size.zoom ?? 1)
        },
        { theme, size },
      )
      await window.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await window.waitForFunction((width) => innerWidth === width, size.width / (size.zoom ?? 1))
    },
    async save(name) {
      writeFileSync(
        join(dir, `${name}-${suffix}.png`),
        await captureWhenStable(zoomed ? wholeWindow : inPage),
      )
    },
  }
}

/** The first screenshot that equals the one before it. */
async function captureWhenStable(takeScreenshot: () => Promise<Buffer>): Promise<Buffer> {
  const end = Date.now() + SETTLE_MS
  let last = await takeScreenshot()
  while (Date.now() < end) {
    const next = await takeScreenshot()
    if (next.equals(last)) return next
    last = next
  }
  return last
}

/** Makes a contact sheet of a state's screenshots for each theme and size. */
export async function makeSheets(state: string, electron: ElectronApplication): Promise<void> {
  const dir = join(folder, state)
  const pictures = readdirSync(dir).filter((file) => file.endsWith('.png') && !file.startsWith('sheet-'))
  const groups = Map.groupBy(pictures, (file) =>
    file
      .replace(/\.png$/, '')
      .split('-')
      .slice(-2)
      .join('-'),
  )
  for (const [group, files] of groups) {
    const page = join(dir, `sheet-${group}.html`)
    writeFileSync(page, renderSheet(files.sort()))
    const opened = electron.waitForEvent('window')
    await electron.evaluate(async ({ BrowserWindow }, url) => {
      await new BrowserWindow({ width: 1900, height: 1200 }).loadURL(url)
    }, pathToFileURL(page).href)
    const window = await opened
    await window.screenshot({ path: join(dir, `sheet-${group}.png`), fullPage: true })
    await window.close()
    rmSync(page)
  }
}

function renderSheet(files: readonly string[]): string {
  const figures = files.map((file) => `<figure><figcaption>${file}</figcaption><img src="${file}"></figure>`)
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 12px; background: #777; font: 13px sans-serif; display: grid; gap: 12px;
      grid-template-columns: repeat(3, 1fr) }
    figure { margin: 0 } img { width: 100%; display: block } figcaption { color: #fff; padding: 2px 0 }
  </style>${figures.join('')}`
}
