import { useQuery } from '@tanstack/react-query'
import { Braces, MessageSquarePlus, PanelLeft, SlidersHorizontal, Trash2 } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { pickModel } from '../../../shared/tools/tool-models.ts'
import { type ChatInput, toRequestBody } from '../../data/chat-stream.ts'
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
import { addModel, getParameters, removeModel } from '../../parts/chats/parameters.ts'
import { currentChat } from '../../parts/chats/playground-state.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { readParameters } from '../../parts/chats/read-parameters.ts'
import { DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import { toPython } from '../../parts/snippets/snippet.ts'
import { ChatList } from './chat-list.tsx'
import { deleteChats, exportItems } from './chat-row.tsx'
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
  const copyCode = async (kind: CodeKind) => {
    const { tip } = chat
    if (tip === null) return
    const code = writeChatCode(kind, buildChatRequest(chat, tip, 0, chosen[0] ?? ''), baseUrl)
    if (await copyText(code)) toast.success(`Copied as ${kind}. It reads the key from TOLLGATE_API_KEY.`)
  }
  const invalid = chat.models.some((_, column) => readParameters(getParameters(chat, column)).errors.size > 0)
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
              ...CODE_KINDS.map((kind) => ({
                label: `Copy as ${kind}`,
                icon: Braces,
                disabled: chat.tip === null,
                onSelect: () => void copyCode(kind),
              })),
              ...exportItems([chat.id]).map((item) => ({ ...item, disabled: chat.tip === null })),
              'separator',
              {
                label: 'Delete chat',
                icon: Trash2,
                danger: true,
                disabled: chat.exchanges.length === 0,
                onSelect: () => deleteChats([chat.id]),
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
          onAdd={(id) => change(addModel({ ...chat, models: chosen }, id))}
          onRemove={(column) => change(removeModel({ ...chat, models: chosen }, column))}
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

export const CODE_KINDS = ['curl', 'Python', 'TypeScript'] as const
export type CodeKind = (typeof CODE_KINDS)[number]

const writeCode: Record<CodeKind, (input: ChatInput, baseUrl: string) => string> = {
  curl(input, baseUrl) {
    const body = JSON.stringify(toRequestBody(input), null, 2)
    return [
      `curl ${baseUrl}/chat/completions \\`,
      `  -H "Authorization: Bearer $TOLLGATE_API_KEY" \\`,
      `  -H "Content-Type: application/json" \\`,
      `  -d '${body.replaceAll("'", "'\\''")}'`,
    ].join('\n')
  },
  Python(input, baseUrl) {
    // The openai package rejects unknown arguments; it forwards the fields of `extra_body`.
    const { extra, ...known } = input
    const body = extra === undefined ? toRequestBody(known) : { ...toRequestBody(known), extra_body: extra }
    const fields = Object.entries(body).map(([name, value]) => `    ${name}=${toPython(value, 1)},`)
    return `import os

from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["TOLLGATE_API_KEY"])

completion = client.chat.completions.create(
${fields.join('\n')}
)
print(completion.choices[0].message.content)`
  },
  TypeScript(input, baseUrl) {
    return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: process.env.TOLLGATE_API_KEY,
})

const completion = await client.chat.completions.create(${JSON.stringify(toRequestBody(input), null, 2)})
console.log(completion.choices[0]?.message.content)`
  },
}

/** A chat as code that sends the same request. It reads the key from the environment, so that no script contains one. */
export function writeChatCode(kind: CodeKind, input: ChatInput, baseUrl: string): string {
  return writeCode[kind](input, baseUrl)
}
