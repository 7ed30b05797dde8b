import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderView } from '../../testing/render.tsx'
import { findParagraphs } from './document.tsx'
import { HelpHint, HINTS } from './help-hint.tsx'
import { helpTexts } from './help-pages.ts'

test('a question mark opens the paragraph that explains a term, with a link to the page', async () => {
  const { user, history } = renderView(<HelpHint of="strict" />)
  await user.click(screen.getByRole('button', { name: 'About strict keys' }))
  const panel = within(await screen.findByRole('dialog', { name: 'About strict keys' }))
  expect(await panel.findByText(/never exceeds its cap/)).toBeDefined()
  await user.click(panel.getByRole('link', { name: 'Read more' }))
  expect(history.at(-1)).toBe('/help/caps#strict-keys')
})

test.each(Object.values(HINTS))('the help explains $term', ({ page, heading }) => {
  const [first = ''] = findParagraphs(helpTexts[page] ?? '', heading)
  expect(first.length).toBeGreaterThan(40)
  expect(first).not.toMatch(/\bsrc\//)
})
