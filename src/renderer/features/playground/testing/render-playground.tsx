import { screen } from '@testing-library/react'
import { type Chat, newChat } from '../../../parts/chats/chat.ts'
import { usePlayground } from '../../../parts/chats/playground-store.ts'
import { FakeGateway } from '../../../testing/fake-gateway.ts'
import { renderView } from '../../../testing/render.tsx'
import { Playground } from '../playground.tsx'

/** Renders the playground with an empty chat, or with the first of these. */
export async function renderPlayground(gateway = new FakeGateway(), ...stored: Chat[]) {
  usePlayground.getState().stop()
  const chats = stored.length === 0 ? [newChat()] : stored
  usePlayground.setState({ chats, currentId: chats[0]?.id ?? '', streaming: false })
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
