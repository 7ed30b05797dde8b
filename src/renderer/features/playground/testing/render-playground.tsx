import { screen } from '@testing-library/react'
import { newChat } from '../../../parts/chats/chat-storage.ts'
import { usePlayground } from '../../../parts/chats/playground-store.ts'
import { FakeGateway } from '../../../testing/fake-gateway.ts'
import { renderView } from '../../../testing/render.tsx'
import { Playground } from '../playground.tsx'

/** Renders the playground with an empty chat, or with the chats that the store has. */
export async function renderPlayground(gateway = new FakeGateway(), { keepChats = false } = {}) {
  if (!keepChats) {
    usePlayground.getState().stop()
    const chat = newChat()
    usePlayground.setState({ chats: [chat], currentId: chat.id, streaming: false })
  }
  const view = renderView(<Playground />, { gateway, path: '/playground' })
  await screen.findByPlaceholderText(/^Message \S/)
  return {
    ...view,
    ask: (text: string) => view.user.type(screen.getByRole('textbox', { name: 'Message' }), `${text}{Enter}`),
    /** The request bodies of all chat completions so far. */
    requests: () =>
      gateway.listCalls('createChatCompletion').map(({ body }) => body as { messages: unknown[] }),
  }
}

/** The texts of the questions and answers that are shown, in order. */
export function getShownAnswers(): string[] {
  return screen
    .getAllByRole('article', { name: 'Answer' })
    .map((answer) => answer.querySelector('.markdown')?.textContent ?? '')
}
