import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderView } from '../../testing/render.tsx'
import { Composer } from './composer.tsx'

function renderComposer(props: Partial<Parameters<typeof Composer>[0]> = {}) {
  const onSend = vi.fn()
  const onStop = vi.fn()
  const view = renderView(
    <Composer
      models={['gpt-5.5']}
      vision
      streaming={false}
      blocked={null}
      measure={() => null}
      onSend={onSend}
      onStop={onStop}
      {...props}
    />,
  )
  const message = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
  return { ...view, onSend, onStop, message }
}

const png = (name = 'a.png', bytes = 'x') => new File([bytes], name, { type: 'image/png' })
const sendButton = () => screen.getByRole('button', { name: 'Send' })

test('Enter sends the trimmed text and empties the field', async () => {
  const { user, onSend, message } = renderComposer()
  expect(document.activeElement).toBe(message())
  await user.type(message(), '  Hello {Enter}')
  expect(onSend.mock.calls).toEqual([['Hello', []]])
  expect(message().value).toBe('')
})

test('the size of the prompt is shown while it is typed', async () => {
  const measure = (text: string) => (text === '' ? null : { text: `${text.length} tokens`, tooLong: false })
  const { user, message } = renderComposer({ measure })
  expect(screen.getByText(/^Enter to send/)).toBeDefined()
  await user.type(message(), 'Hello')
  expect(screen.getByText('5 tokens')).toBeDefined()
})

test('Shift+Enter starts a new line', async () => {
  const { user, onSend, message } = renderComposer()
  await user.type(message(), 'one{Shift>}{Enter}{/Shift}two')
  expect(message().value).toBe('one\ntwo')
  expect(onSend).not.toHaveBeenCalled()
})

test('Enter that confirms an input method’s suggestion sends nothing', () => {
  const { onSend, message } = renderComposer()
  fireEvent.change(message(), { target: { value: 'にほん' } })
  fireEvent.keyDown(message(), { key: 'Enter', isComposing: true })
  expect(onSend).not.toHaveBeenCalled()
  expect(message().value).toBe('にほん')
})

test('blanks are not sent', async () => {
  const { user, onSend, message } = renderComposer()
  await user.type(message(), '   {Enter}')
  expect(sendButton()).toHaveProperty('disabled', true)
  expect(onSend).not.toHaveBeenCalled()
})

test('while an answer streams, Enter sends nothing and Stop takes the place of Send', async () => {
  const { user, onSend, onStop, message } = renderComposer({ streaming: true })
  await user.type(message(), 'next{Enter}')
  expect(onSend).not.toHaveBeenCalled()
  expect(message().value).toBe('next')
  expect(screen.queryByRole('button', { name: 'Send' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Stop' }))
  expect(onStop).toHaveBeenCalledTimes(1)
})

test('the reason why nothing can be sent is shown, and nothing is sent', async () => {
  const { user, onSend, message } = renderComposer({ blocked: 'No model is available.' })
  await user.type(message(), 'Hi{Enter}')
  expect(screen.getByText('No model is available.')).toBeDefined()
  expect(onSend).not.toHaveBeenCalled()
})

test('chosen images are shown, can be removed, and are sent as data URLs', async () => {
  const { user, onSend, message } = renderComposer()
  await user.upload(screen.getByLabelText('Files'), [png('a.png', 'aa'), png('b.png', 'bb')])
  await screen.findByRole('img', { name: 'Attachment 2' })
  await user.click(screen.getByRole('button', { name: 'Remove attachment 1' }))
  expect(screen.queryByRole('img', { name: 'Attachment 2' })).toBeNull()
  await user.type(message(), 'What is this?{Enter}')
  expect(onSend.mock.calls).toEqual([['What is this?', [`data:image/png;base64,${btoa('bb')}`]]])
  expect(screen.queryByRole('list', { name: 'Attached images' })).toBeNull()
})

test('a pasted image is attached, and can be sent without text', async () => {
  const { user, onSend, message } = renderComposer()
  fireEvent.paste(message(), { clipboardData: { files: [png()], getData: () => '' } })
  await screen.findByRole('img', { name: 'Attachment 1' })
  await user.click(sendButton())
  expect(onSend.mock.calls).toEqual([['', [`data:image/png;base64,${btoa('x')}`]]])
})

test('a text file becomes a block of code in the question', async () => {
  const { user, onSend, message } = renderComposer({ vision: false })
  await user.type(message(), 'Explain this:')
  await user.upload(screen.getByLabelText('Files'), [new File(['# A\n```js\nx\n```\n'], 'a.md')])
  await waitFor(() => expect(message().value).toContain('a.md'))
  await user.type(message(), 'Briefly.{Enter}')
  const block = 'a.md\n````\n# A\n```js\nx\n```\n````'
  expect(onSend.mock.calls).toEqual([[`Explain this:\n\n${block}\n\nBriefly.`, []]])
})

test('a dropped image is attached', async () => {
  const { message } = renderComposer()
  fireEvent.drop(message(), { dataTransfer: { files: [png()], types: ['Files'] } })
  expect(await screen.findByRole('img', { name: 'Attachment 1' })).toBeDefined()
})

test.each([
  [new File(['x'], 'a.svg', { type: 'image/svg+xml' }), 'a.svg is not a PNG, JPEG, WebP or GIF image.'],
  [new File([new Uint8Array([0xff, 0x00])], 'a.pdf'), 'a.pdf is not a text file.'],
  [new File(['a\0b'], 'a.bin'), 'a.bin is not a text file.'],
  [new File(['x'.repeat(500_001)], 'big.log'), 'big.log is larger than 500 kB.'],
  [png('big.png', 'x'.repeat(10_000_001)), 'big.png is larger than 10 MB.'],
])('an unsupported file is rejected with a reason', async (file, reason) => {
  const { message } = renderComposer()
  fireEvent.paste(message(), { clipboardData: { files: [file], getData: () => '' } })
  expect(await screen.findByText(reason)).toBeDefined()
  expect(screen.queryByRole('list', { name: 'Attached images' })).toBeNull()
})

test('for a model without vision, images cannot be added', async () => {
  const { message } = renderComposer({ vision: false })
  fireEvent.paste(message(), { clipboardData: { files: [png()], getData: () => '' } })
  await waitFor(() => expect(screen.getByText(/^gpt-5\.5 cannot read images/)).toBeDefined())
  expect(screen.queryByRole('list', { name: 'Attached images' })).toBeNull()
})
