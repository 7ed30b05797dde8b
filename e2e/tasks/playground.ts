// Chat, regenerate, edit a question, stop a stream, copy as code, compare two models, reopen an earlier chat and rename it.
import { expect } from '@playwright/test'
import { clipboard, type Task } from './task.ts'

export const playground: Task = async (driver, { window, electron }) => {
  const message = window.getByLabel('Message', { exact: true })
  const answers = window.getByRole('article', { name: 'Answer' })
  const settled = async (count: number) => {
    await expect(answers).toHaveCount(count)
    for (let at = 0; at < count; at += 1) await expect(answers.nth(at)).toHaveAttribute('aria-busy', 'false')
  }
  const say = async (text: string) => {
    await driver.fill(message, text)
    await driver.submit(window.getByRole('button', { name: 'Send' }))
  }
  await driver.runCommand('New chat')
  await expect(message).toBeVisible()
  // A toast of the view before stays for as long as the mouse is over it, and covers the buttons of an answer.
  await expect(window.locator('[data-sonner-toast]')).toHaveCount(0, { timeout: 30_000 })

  await say(`A toll, paid by ${driver.name}.`)
  await settled(1)
  await driver.press(window.getByRole('button', { name: 'Regenerate' }))
  await expect(window.getByText('2 of 2')).toBeVisible()
  await settled(1)
  await driver.press(window.getByRole('button', { name: 'Edit question' }))
  await driver.fill(window.getByLabel('Question', { exact: true }), `A fare, paid by ${driver.name}.`)
  await driver.submit(window.getByRole('button', { name: 'Ask again' }))
  await expect(answers).toContainText('A fare')
  await settled(1)
  await driver.press(window.getByRole('button', { name: 'Previous version' }))
  await expect(answers).toContainText('A toll')

  await say('[[sandbox:stall]] Never finish.')
  await driver.press(window.getByRole('button', { name: 'Stop' }))
  await expect(answers.last()).toContainText('Stopped')

  await driver.select(window.getByRole('button', { name: 'Chat options' }), 'Copy as Python')
  await expect.poll(() => clipboard(electron)).toContain(`A toll, paid by ${driver.name}.`)

  await driver.press(window.getByRole('button', { name: 'New chat' }))
  await driver.press(window.getByRole('button', { name: 'Add model' }))
  await say('Which of you is cheaper?')
  await settled(2)
  await expect(answers.locator('[data-usd]')).toHaveCount(2)

  const chats = window.getByRole('complementary', { name: 'Chats' })
  await driver.fill(chats.getByLabel('Search chats'), `paid by ${driver.name}`)
  await driver.press(chats.getByRole('button', { name: `A toll, paid by ${driver.name}.`, exact: true }))
  await expect(answers.first()).toContainText('A toll')
  const findChat = (name: string) => chats.getByRole('button', { name, exact: true })
  const options = chats.getByRole('button', { name: /^Options for A toll/ })
  await driver.select(options, 'Rename')
  await driver.fill(chats.getByLabel('Name of the chat'), `Tolls of ${driver.name}`)
  await window.keyboard.press('Enter')
  await driver.fill(chats.getByLabel('Search chats'), `Tolls of ${driver.name}`)
  await expect(findChat(`Tolls of ${driver.name}`)).toBeVisible()
}
