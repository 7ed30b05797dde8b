import { useQuery } from '@tanstack/react-query'
import { Braces, MessageSquarePlus, PanelLeft, SlidersHorizontal, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useMemo } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { pickModel } from '../../../shared/tools/tool-models.ts'
import { toRequestBody } from '../../data/chat-stream.ts'
import { useBaseUrl, useChatModels } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Page } from '../../kit/page.tsx'
import { useMediaQuery } from '../../kit/theme.ts'
import { markdown } from '../../parts/answer/answer.tsx'
import { buildChatRequest } from '../../parts/chats/chat-request.ts'
import type { Chat } from '../../parts/chats/chat-storage.ts'
import { currentChat } from '../../parts/chats/playground-state.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { readParameters } from '../../parts/chats/request-fields.ts'
import { DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import {
  REQUEST_CODE_KINDS,
  type RequestCodeKind,
  writeRequestCode,
} from '../../parts/snippets/request-code.ts'
import { ChatList, deleteChat, exportItem } from './chat-list.tsx'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { ModelColumns } from './model-columns.tsx'
import { PanelButton, Panels, usePanels, WIDE } from './panels.tsx'
import { ParameterPanel } from './parameters.tsx'
import { describePrompt } from './prompt-size.ts'

export function Playground() {
  useEffect(() => void markdown.preload(), [])
  const models = useChatModels()
  const { streaming, change, startChat, send } = usePlayground()
  const { setOver } = usePanels()
  const chat = usePlayground(currentChat)
  const { chosen, replaced, fallback } = useChosen(models, chat?.models)
  useEscape(streaming, stopAll)
  const blocked = useBlocked(chat, models)
  if (!chat) return null
  const vision = chosen.every((id) => findModel(models, id)?.capabilities.includes('vision'))
  const isUnused = chat.exchanges.length === 0
  const ask = (text: string, images: string[]) => {
    change({ models: chosen })
    void send(text, images)
  }
  return (
    <Page
      title="Playground"
      subtitle="Uses the Playground key."
      fixed
      actions={
        <>
          <PanelButton name="chats" label="Chats" icon={PanelLeft} />
          <PanelButton name="parameters" label="Parameters" icon={SlidersHorizontal} />
          <ChatMenu chat={chat} model={chosen[0] ?? ''} />
          <Button icon={MessageSquarePlus} onClick={() => startChat()} disabled={isUnused}>
            New chat
          </Button>
        </>
      }
    >
      <Panels
        chats={<ChatList onOpened={() => setOver(null)} />}
        parameters={<ParameterPanel chat={chat} chosen={chosen} models={models} onChange={change} />}
      >
        <ModelColumns
          chat={chat}
          models={models}
          chosen={chosen}
          onChoose={(column, id) => change({ models: chosen.with(column, id) })}
          onAdd={(id) => change({ models: [...chosen, id] })}
          onRemove={(column) => change({ models: chosen.toSpliced(column, 1) })}
        />
        {replaced.length > 0 && fallback ? (
          <p className="border-line border-b bg-warn-soft px-6 py-1.5 text-sm">
            {`${replaced.map((id) => `“${id}”`).join(' and ')} ${replaced.length === 1 ? 'is' : 'are'} not available. Using ${fallback} instead.`}
          </p>
        ) : null}
        <Conversation chat={chat} models={chosen} onSuggest={(text) => ask(text, [])} />
        <Composer
          key={chat.id}
          models={chosen}
          vision={vision}
          streaming={streaming}
          blocked={blocked}
          measure={(question) => describePrompt(chat, chosen, models, question)}
          onSend={ask}
          onStop={stopAll}
        />
      </Panels>
    </Page>
  )
}

function findModel(models: readonly ModelRecord[], wanted: string): ModelRecord | undefined {
  return models.find(({ id, provider }) => id === wanted || `${provider}/${id}` === wanted)
}

const noModels: readonly string[] = []

/** The models of a chat, those that are not served replaced by one that is. */
function useChosen(models: readonly ModelRecord[], wanted: readonly string[] = noModels) {
  const { data: allModels } = useQuery(queries.models)
  const fallback = models.length > 0 ? pickModel(models) : ''
  const chosen = useMemo(
    () => wanted.map((id) => (findModel(models, id) ? id : fallback)),
    [wanted, fallback, models],
  )
  const replaced = allModels ? wanted.filter((id) => id !== '' && !findModel(models, id)) : noModels
  return { chosen, replaced, fallback }
}

/** Why nothing can be sent; null if a message can be sent. */
function useBlocked(chat: Chat | undefined, models: readonly ModelRecord[]): ReactNode {
  const { data: allModels } = useQuery(queries.models)
  const { setDocked, setOver } = usePanels()
  const wide = useMediaQuery(WIDE)
  if (allModels && models.length === 0) {
    return (
      <>
        No model is available.{' '}
        <Link href="/providers?add=1" className="text-accent-ink hover:underline">
          Add a provider
        </Link>
      </>
    )
  }
  if (!chat || readParameters(chat).errors.size === 0) return null
  return (
    <>
      Some parameters are not valid.{' '}
      <button
        type="button"
        onClick={() => (wide ? setDocked('parameters', true) : setOver('parameters'))}
        className="rounded-sm font-medium text-accent-ink hover:underline"
      >
        Fix them
      </button>
    </>
  )
}

function ChatMenu({ chat, model }: { chat: Chat; model: string }) {
  const baseUrl = useBaseUrl() ?? DEFAULT_BASE_URL
  const { tip } = chat
  const copyCode = async (kind: RequestCodeKind) => {
    if (tip === null) return
    const body = toRequestBody(buildChatRequest(chat, tip, 0, model))
    const call = { endpoint: 'POST /v1/chat/completions', body }
    if (await copyText(writeRequestCode(kind, call, new URL(baseUrl).origin)))
      toast.success(`Copied as ${kind}. It reads the key from TOLLGATE_API_KEY.`)
  }
  return (
    <Menu
      label="Chat options"
      items={[
        ...REQUEST_CODE_KINDS.map((kind) => ({
          label: `Copy as ${kind}`,
          icon: Braces,
          disabled: tip === null,
          onSelect: () => void copyCode(kind),
        })),
        { ...exportItem(chat), disabled: tip === null },
        'separator',
        {
          label: 'Delete chat',
          icon: Trash2,
          danger: true,
          disabled: chat.exchanges.length === 0,
          onSelect: () => deleteChat(chat.id),
        },
      ]}
    />
  )
}

const stopAll = () => usePlayground.getState().stop()

/** Calls `onEscape` when Escape is pressed and nothing else uses the key: an open menu, popover or dialog closes first. */
export function useEscape(active: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!active) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onEscape()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [active, onEscape])
}
