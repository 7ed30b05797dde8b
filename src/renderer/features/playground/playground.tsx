import { useQuery } from '@tanstack/react-query'
import { Braces, MessageSquarePlus, PanelLeft, SlidersHorizontal, Trash2 } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
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
import { usePanels } from '../../parts/chats/panel-state.ts'
import { currentChat } from '../../parts/chats/playground-state.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { readParameters } from '../../parts/chats/read-parameters.ts'
import { DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import {
  REQUEST_CODE_KINDS,
  type RequestCodeKind,
  writeRequestCode,
} from '../../parts/snippets/request-code.ts'
import { ChatList } from './chat-list.tsx'
import { deleteChat, exportItem } from './chat-row.tsx'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { ModelColumns } from './model-columns.tsx'
import { PanelButton, WIDE } from './panel-button.tsx'
import { Panels } from './panels.tsx'
import { Parameters } from './parameters.tsx'
import { describePrompt } from './prompt-size.ts'

export function Playground() {
  useEffect(() => void markdown.preload(), [])
  const models = useChatModels()
  const { data: allModels } = useQuery(queries.models)
  const { streaming, change, startChat, send } = usePlayground()
  const { setDocked, setOver } = usePanels()
  const wide = useMediaQuery(WIDE)
  const openParameters = () => (wide ? setDocked('parameters', true) : setOver('parameters'))
  const chat = usePlayground(currentChat)
  const baseUrl = useBaseUrl() ?? DEFAULT_BASE_URL
  useEscape(streaming, stopAll)
  const fallbackModel = models.length > 0 ? pickModel(models) : ''
  const isServed = (id: string) =>
    models.some((model) => model.id === id || `${model.provider}/${model.id}` === id)
  const wanted = chat?.models
  // biome-ignore lint/correctness/useExhaustiveDependencies: isServed depends on the models only
  const chosen = useMemo(
    () => (wanted ?? []).map((id) => (isServed(id) ? id : fallbackModel)),
    [wanted, fallbackModel, models],
  )
  if (!chat) return null
  const unavailable = allModels ? chat.models.filter((id) => id !== '' && !isServed(id)) : []
  const vision = chosen.every((id) =>
    models
      .find((model) => model.id === id || `${model.provider}/${model.id}` === id)
      ?.capabilities.includes('vision'),
  )

  const ask = (text: string, images: string[]) => {
    change({ models: chosen })
    void send(text, images)
  }
  const copyCode = async (kind: RequestCodeKind) => {
    const { tip } = chat
    if (tip === null) return
    const body = toRequestBody(buildChatRequest(chat, tip, 0, chosen[0] ?? ''))
    const call = { endpoint: 'POST /v1/chat/completions', body }
    if (await copyText(writeRequestCode(kind, call, new URL(baseUrl).origin)))
      toast.success(`Copied as ${kind}. It reads the key from TOLLGATE_API_KEY.`)
  }
  const invalid = readParameters(chat).errors.size > 0
  const blocked =
    allModels && models.length === 0 ? (
      <>
        No model is available.{' '}
        <Link href="/providers?add=1" className="text-accent-ink hover:underline">
          Add a provider
        </Link>
      </>
    ) : invalid ? (
      <>
        Some parameters are not valid.{' '}
        <button
          type="button"
          onClick={openParameters}
          className="rounded-sm font-medium text-accent-ink hover:underline"
        >
          Fix them
        </button>
      </>
    ) : null

  return (
    <Page
      title="Playground"
      subtitle="Uses the Playground key."
      fixed
      actions={
        <>
          <PanelButton name="chats" label="Chats" icon={PanelLeft} />
          <PanelButton name="parameters" label="Parameters" icon={SlidersHorizontal} />
          <Menu
            label="Chat options"
            items={[
              ...REQUEST_CODE_KINDS.map((kind) => ({
                label: `Copy as ${kind}`,
                icon: Braces,
                disabled: chat.tip === null,
                onSelect: () => void copyCode(kind),
              })),
              { ...exportItem(chat), disabled: chat.tip === null },
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
          <Button icon={MessageSquarePlus} onClick={() => startChat()} disabled={chat.exchanges.length === 0}>
            New chat
          </Button>
        </>
      }
    >
      <Panels
        chats={<ChatList onOpened={() => setOver(null)} />}
        parameters={<Parameters chat={chat} chosen={chosen} models={models} onChange={change} />}
      >
        <ModelColumns
          chat={chat}
          models={models}
          chosen={chosen}
          onChoose={(column, id) => change({ models: chosen.with(column, id) })}
          onAdd={(id) => change({ models: [...chosen, id] })}
          onRemove={(column) => change({ models: chosen.toSpliced(column, 1) })}
        />
        {unavailable.length > 0 && fallbackModel ? (
          <p className="border-line border-b bg-warn-soft px-6 py-1.5 text-sm">
            {`${unavailable.map((id) => `“${id}”`).join(' and ')} ${unavailable.length === 1 ? 'is' : 'are'} not available. Using ${fallbackModel} instead.`}
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
