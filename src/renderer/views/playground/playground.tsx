// Owns the view to talk to models: the conversation, what is asked of them, and the box to write in.
import { Braces, MessageSquarePlus, Trash2 } from 'lucide-react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy.tsx'
import { Menu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { buildChatRequest } from '../../playground/chat-request.ts'
import { parseExtraFields } from '../../playground/parse-extra-fields.ts'
import { parseTools } from '../../playground/parse-tools.ts'
import { currentChat } from '../../playground/playground-state.ts'
import { usePlayground } from '../../playground/playground-store.ts'
import { DEFAULT_BASE_URL, pickModel } from '../../snippets/snippets.ts'
import { useBaseUrl } from '../../stores/gateway.ts'
import { useModels } from '../../stores/models.ts'
import { CODE_KINDS, type CodeKind, chatCode } from './chat-code.ts'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { EarlierChats } from './earlier-chats.tsx'
import { ModelColumns } from './model-columns.tsx'
import { Parameters } from './parameters.tsx'

export default function Playground() {
  const models = useModels((store) => store.models)
  const modelsKnown = useModels((store) => store.state === 'ready')
  const { chats, streaming, change, startChat, openChat, removeChat, send, stop } = usePlayground()
  const chat = usePlayground(currentChat)
  const baseUrl = useBaseUrl() ?? DEFAULT_BASE_URL
  if (!chat) return null
  const usual = modelsKnown && models.length > 0 ? pickModel(models) : ''
  const served = (id: string) =>
    models.some((model) => model.id === id || `${model.provider}/${model.id}` === id)
  const chosen = chat.models.map((id) => (served(id) ? id : usual))
  const gone = modelsKnown ? chat.models.filter((id) => id !== '' && !served(id)) : []
  const vision = chosen.every((id) =>
    models
      .find((model) => model.id === id || `${model.provider}/${model.id}` === id)
      ?.capabilities.includes('vision'),
  )

  const ask = (text: string, images: string[]) => {
    change({ models: chosen })
    void send(text, images)
  }
  const copyCode = async (kind: CodeKind) => {
    const { tip } = chat
    if (tip === null) return
    const code = chatCode(kind, buildChatRequest(chat, tip, 0, chosen[0] ?? ''), baseUrl)
    if (await copyText(code)) toast.success(`Copied as ${kind}. It reads the key from TOLLGATE_API_KEY.`)
  }
  const blocked =
    modelsKnown && models.length === 0 ? (
      <>
        No model can be served now.{' '}
        <Link href="/providers?add=1" className="text-accent-ink hover:underline">
          Add a provider
        </Link>
      </>
    ) : !parseTools(chat.tools).ok ? (
      'The tools cannot be read. Mend them under Parameters.'
    ) : !parseExtraFields(chat.extra).ok ? (
      'The other parameters cannot be read. Mend them under Parameters.'
    ) : null

  return (
    <Page
      title="Playground"
      subtitle="Billed to the key named “Playground”."
      fixed
      actions={
        <>
          <Parameters chat={chat} models={chosen} onChange={change} />
          <EarlierChats chats={chats} currentId={chat.id} onOpen={openChat} />
          <Menu
            label="More about this chat"
            items={[
              ...CODE_KINDS.map((kind) => ({
                label: `Copy as ${kind}`,
                icon: Braces,
                disabled: chat.tip === null,
                onSelect: () => void copyCode(kind),
              })),
              'separator',
              {
                label: 'Delete this chat',
                icon: Trash2,
                danger: true,
                disabled: chat.exchanges.length === 0,
                onSelect: () => removeChat(chat.id),
              },
            ]}
          />
          <Button icon={MessageSquarePlus} onClick={startChat} disabled={chat.exchanges.length === 0}>
            New chat
          </Button>
        </>
      }
    >
      <ModelColumns
        models={models}
        chosen={chosen}
        disabled={streaming}
        onChange={(next) => change({ models: next })}
      />
      {gone.length > 0 && usual ? (
        <p className="border-line border-b bg-warn-soft px-6 py-1.5 text-sm">
          {gone.map((id) => `“${id}”`).join(' and ')} cannot be called now. {usual} is asked instead.
        </p>
      ) : null}
      <Conversation chat={chat} models={chosen} onSuggest={(text) => ask(text, [])} />
      <Composer
        key={chat.id}
        models={chosen}
        vision={vision}
        streaming={streaming}
        blocked={blocked}
        onSend={ask}
        onStop={stop}
      />
    </Page>
  )
}
