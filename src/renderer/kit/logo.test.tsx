import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Logo } from './logo.tsx'
import { type LogoName, logos } from './logo-shapes.ts'

test.each(Object.entries(logos))('%s is drawn whole, in the color of the text', (name, source) => {
  const drawn = source.match(/<(path|circle|rect|ellipse|polygon|g|use|image)\b/g) ?? []
  expect(source).toContain('viewBox="0 0 24 24"')
  expect(source).not.toMatch(/transform=|stroke=|fill="(?!currentColor|none)/)
  const { container } = render(<Logo name={name as LogoName} />)
  const paths = [...container.querySelectorAll('path')]
  expect(paths).toHaveLength(drawn.length)
  for (const path of paths) expect(path.getAttribute('d')).toMatch(/^[Mm]/)
})
