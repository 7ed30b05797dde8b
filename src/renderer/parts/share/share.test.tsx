import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderView } from '../../testing/render.tsx'
import { ShareDialog, type SharedPicture } from './share-dialog.tsx'

const picture: SharedPicture = {
  title: 'Fix the secret project',
  isNamed: true,
  period: 'November 2026',
  figures: [{ label: 'Spend', value: '$12.00' }],
  chart: { kind: 'bars', columns: [[0.5, 0.25], [0.1]], top: '$8', ends: ['1 Nov', '2 Nov'] },
  rowsTitle: 'By model',
  rows: [
    { name: 'secret-project-model', value: '$8.00', series: 0 },
    { name: 'another', value: '$4.00', series: 1 },
  ],
}

test('names are left out of the picture, not only covered, when they are hidden', async () => {
  const { user } = renderView(<ShareDialog picture={picture} fileName="spend" onClose={() => undefined} />)
  const image = () => screen.getByRole('img', { name: /November 2026/ })
  expect(image().textContent).toContain('secret-project-model')
  await user.click(screen.getByRole('switch', { name: 'Hide names' }))
  for (const name of ['secret-project-model', 'another', 'Fix the secret project'])
    expect(image().outerHTML).not.toContain(name)
  for (const kept of ['$12.00', '$8.00', 'November 2026']) expect(image().textContent).toContain(kept)
})

test('parts of columns are stacked to their shares of the height', () => {
  renderView(<ShareDialog picture={picture} fileName="spend" onClose={() => undefined} />)
  const heights = [...screen.getByRole('img').querySelectorAll('rect[data-share]')].map((part) =>
    Number(part.getAttribute('height')),
  )
  expect(heights).toEqual([130, 65, 26])
})
