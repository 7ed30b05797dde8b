// Owns the view to talk to a model: the conversation, what is asked of the model, and the box to write in.
import { History, MessageSquarePlus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { Menu } from '../../components/menu.tsx'
import { ModelPicker } from '../../components/model-picker.tsx'
import { Page } from '../../components/page.tsx'
import type { Chat } from '../../stores/chats-kept.ts'
import { useModels } from '../../stores/models.ts'
import { currentChat, usePlayground } from '../../stores/playground.ts'
import { pickModel } from '../connect/snippets.ts'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { Parameters } from './parameters.tsx'

/** Earlier conversations offered in the menu. */
const MOST_LISTED = 12

export default function Playground() {
  const models = useModels((store) => store.models)
  const modelsKnown = useModels((store) => store.state === 'ready')
  const { chats, change, startChat, openChat, removeChat } = usePlayground()
  const chat = usePlayground(currentChat)
  if (!chat) return null
  const known = models.some(({ id }) => id === chat.model)
  const model = known ? chat.model : modelsKnown && models.length > 0 ? pickModel(models) : ''
  const earlier = chats.filter(({ id, turns }) => id !== chat.id && turns.length > 0).slice(0, MOST_LISTED)

  return (
    <Page
      title="Playground"
      subtitle="Billed to the key named “Playground”."
      fixed
      actions={
        <>
          <ModelPicker
            models={models}
            value={model}
            onChange={(id) => change({ model: id })}
            className="w-52"
          />
          <Parameters chat={chat} onChange={change} />
          <Menu
            label="Earlier chats"
            trigger={<IconButton label="Earlier chats" icon={History} />}
            items={
              earlier.length === 0 && chat.turns.length === 0
                ? [{ label: 'No earlier chats', disabled: true, onSelect: () => undefined }]
                : [
                    ...earlier.map((other) => ({
                      label: titleOf(other),
                      onSelect: () => openChat(other.id),
                    })),
                    ...(chat.turns.length > 0
                      ? ([
                          'line',
                          {
                            label: 'Delete this chat',
                            icon: Trash2,
                            danger: true,
                            onSelect: () => removeChat(chat.id),
                          },
                        ] as const)
                      : []),
                  ]
            }
          />
          <Button icon={MessageSquarePlus} onClick={startChat} disabled={chat.turns.length === 0}>
            New chat
          </Button>
        </>
      }
    >
      <Conversation chat={chat} model={model} />
      <Composer key={chat.id} model={model} noModels={modelsKnown && models.length === 0} />
    </Page>
  )
}

function titleOf(chat: Chat): string {
  return chat.turns[0]?.text.trim().split('\n')[0]?.slice(0, 60) || 'Untitled'
}
