import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const css = readFileSync(join(import.meta.dirname, '../renderer/theme.css'), 'utf8')
const OKLCH = String.raw`oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)`
/** A color with its value in the light theme and, unless it is the same, in the dark one. */
const TOKEN = new RegExp(String.raw`--color-([\w-]+): (?:light-dark\()?${OKLCH}(?:, ${OKLCH}\))?;`, 'g')

type Luminances = ReadonlyMap<string, number>

/** The relative luminance (WCAG 2.2) of each token that is opaque. */
function readTokens(theme: 'light' | 'dark'): Luminances {
  return new Map(
    [...css.matchAll(TOKEN)].map(([, name = '', ...numbers]) => {
      const [light, dark] = [numbers.slice(0, 3), numbers.slice(3)]
      const [l, c, h] = (theme === 'light' || dark[0] === undefined ? light : dark).map(Number)
      return [name, luminance(l ?? 0, c ?? 0, h ?? 0)]
    }),
  )
}

/** The matrices are those of CSS Color 4. */
function luminance(lightness: number, chroma: number, hue: number): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clamp = (value: number) => Math.min(1, Math.max(0, value))
  const red = clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)
  const green = clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)
  const blue = clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (a: number, b: number) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)

const TEXTS = ['ink', 'ink-2', 'ink-3', 'accent-ink', 'good', 'warn', 'bad']
const BACKGROUNDS = ['canvas', 'surface', 'raised', 'sunken', 'highlight', 'accent-soft']
const OWN_BACKGROUNDS = ['good', 'warn', 'bad'].map((name) => [name, `${name}-soft`] as const)
const WHITE_ON = ['accent', 'accent-hover', 'bad-solid']

test.each(['light', 'dark'] as const)(
  'text has a contrast of 7 : 1 on every surface of the %s theme',
  (theme) => {
    const tokens = readTokens(theme)
    expect(tokens.size).toBeGreaterThan(20)
    const pairs = [
      ...TEXTS.flatMap((text) => BACKGROUNDS.map((background) => [text, background] as const)),
      ...OWN_BACKGROUNDS,
      ...['warn-soft', 'bad-soft', 'good-soft'].map((background) => ['ink-3', background] as const),
    ]
    const low = pairs.filter(([a, b]) => contrast(tokens.get(a) ?? 0, tokens.get(b) ?? 0) < 7)
    expect(low).toEqual([])
    expect(WHITE_ON.filter((name) => contrast(1, tokens.get(name) ?? 1) < 7)).toEqual([])
  },
)
