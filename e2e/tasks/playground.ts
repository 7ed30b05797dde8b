// The playground: a chat is held, stopped, asked again and otherwise, compared, found again, and taken away as code.
import { expect } from '@playwright/test'
import { clipboard, type Task } from './task.ts'

export const playground: Task = async (hand, { window, electron }) => {
  const message = window.getByLabel('Message', { exact: true })
  const answers = window.getByRole('article', { name: 'Answer' })
  const settled = async (count: number) => {
    await expect(answers).toHaveCount(count)
    for (let at = 0; at < count; at += 1) await expect(answers.nth(at)).toHaveAttribute('aria-busy', 'false')
  }
  const say = async (text: string) => {
    await hand.write(message, text)
    await hand.send(window.getByRole('button', { name: 'Send' }))
  }
  await hand.command('New chat')
  await expect(message).toBeVisible()

  await say(`A toll, paid by ${hand.name}.`)
  await settled(1)
  await hand.press(window.getByRole('button', { name: 'Regenerate' }))
  await expect(window.getByText('2 of 2')).toBeVisible()
  await settled(1)
  await hand.press(window.getByRole('button', { name: 'Edit question' }))
  await hand.write(window.getByLabel('Question', { exact: true }), `A fare, paid by ${hand.name}.`)
  await hand.send(window.getByRole('button', { name: 'Ask again' }))
  await expect(answers).toContainText('A fare')
  await settled(1)
  await hand.press(window.getByRole('button', { name: 'Earlier branch' }))
  await expect(answers).toContainText('A toll')

  await say('[[sandbox:stall]] Go on and on.')
  await hand.press(window.getByRole('button', { name: 'Stop' }))
  await expect(answers.last()).toContainText('Stopped')

  await hand.choose(window.getByRole('button', { name: 'More about this chat' }), 'Copy as Python')
  await expect.poll(() => clipboard(electron)).toContain(`A toll, paid by ${hand.name}.`)

  await hand.press(window.getByRole('button', { name: 'New chat' }))
  await hand.press(window.getByRole('button', { name: 'Compare' }))
  await say('Which of you is cheaper?')
  await settled(2)
  await expect(answers.locator('[data-usd]')).toHaveCount(2)

  await hand.find(window.getByRole('button', { name: 'Earlier chats' }), `paid by ${hand.name}`)
  await expect(answers.first()).toContainText('A toll')
}
