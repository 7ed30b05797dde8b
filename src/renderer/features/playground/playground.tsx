import { useQuery } from '@tanstack/react-query'
import { Braces, MessageSquarePlus, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import type { z } from 'zod'
import { useBaseUrl, useChatModels } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { FormField } from '../../kit/form.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Page } from '../../kit/page.tsx'
import { markdown } from '../../parts/answer/answer.tsx'
import type { Chat } from '../../parts/chats/chat.ts'
import { chooseModels, findModel } from '../../parts/chats/chat-models.ts'
import { buildChatRequest } from '../../parts/chats/chat-request.ts'
import { DEFAULT_PARAMETERS, ParameterFields, readParameters } from '../../parts/chats/parameters.ts'
import { currentChat, usePlayground } from '../../parts/chats/playground-store.ts'
import { DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import {
  REQUEST_CODE_KINDS,
  type RequestCodeKind,
  writeRequestCode,
} from '../../parts/snippets/request-code.ts'
import { ChatList, deleteChats } from './chat-list.tsx'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { ModelColumns } from './model-columns.tsx'
import { Panel, PanelButton, type PanelState, usePanels } from './panels.tsx'
import { describePrompt } from './prompt-size.ts'

export function Playground() {
  useEffect(() => void markdown.preload(), [])
  const models = useChatModels()
  const { streaming, startChat, send, stop } = usePlayground()
  const panels = usePanels()
  const chat = usePlayground(currentChat)
  const { cover } = panels
  const uncover = cover && (() => panels.close(cover))
  useEscape(uncover ?? (streaming ? stop : null))
  const blocked = useBlocked(chat, panels)
  if (!chat) return null
  const chosen = chooseModels(chat.models, models)
  return (
    <Page
      title="Playground"
      subtitle="Uses the Playground key."
      fixed
      actions={
        <>
          <PanelButton name="chats" panels={panels} />
          <PanelButton name="parameters" panels={panels} />
          <ChatMenu chat={chat} model={chosen[0] ?? ''} />
          <Button icon={MessageSquarePlus} onClick={() => startChat()} disabled={chat.exchanges.length === 0}>
            New chat
          </Button>
        </>
      }
    >
      <div className="relative flex min-h-0 flex-1">
        <Panel name="chats" panels={panels}>
          <ChatList onOpened={() => uncover?.()} />
        </Panel>
        <div className="relative flex h-full min-w-0 flex-1 flex-col overflow-hidden">
          <ModelColumns chat={chat} models={models} chosen={chosen} />
          <ReplacedModels wanted={chat.models} chosen={chosen} />
          <Conversation chat={chat} models={chosen} />
          <Composer
            key={chat.id}
            models={chosen}
            vision={chosen.every((id) => findModel(models, id)?.capabilities.includes('vision'))}
            streaming={streaming}
            blocked={blocked}
            measure={(question) => describePrompt(chat, chosen, models, question)}
            onSend={(text, images) => void send({ text, images })}
            onStop={stop}
          />
        </div>
        <Panel name="parameters" panels={panels}>
          <ParameterPanel chat={chat} />
        </Panel>
      </div>
    </Page>
  )
}

/** Says which models of a chat are no longer served. */
function ReplacedModels({ wanted, chosen }: { wanted: readonly string[]; chosen: readonly string[] }) {
  const replaced = wanted.filter((id, column) => id !== '' && id !== chosen[column])
  if (replaced.length === 0) return null
  return (
    <p className="border-line border-b bg-warn-soft px-6 py-1.5 text-sm">
      {`${replaced.map((id) => `“${id}”`).join(' and ')} ${replaced.length === 1 ? 'is' : 'are'} not available. Using ${chosen[wanted.indexOf(replaced[0] ?? '')]} instead.`}
    </p>
  )
}

/** The parameters of a chat, which all its models get. */
function ParameterPanel({ chat }: { chat: Chat }) {
  const { change } = usePlayground.getState()
  const { errors } = readParameters(chat)
  const names = ParameterFields.keyof().options
  const { shape }: z.ZodObject = ParameterFields
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 pb-5 -outline-offset-2">
      {names.map((name) => (
        <FormField
          key={name}
          look={shape[name]?.meta() ?? {}}
          value={chat[name]}
          error={errors.get(name) ?? null}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
      <Button
        small
        variant="quiet"
        className="-ml-2 self-start"
        disabled={names.every((name) => chat[name] === '')}
        onClick={() => change(DEFAULT_PARAMETERS)}
      >
        Reset all
      </Button>
    </div>
  )
}

/** Why nothing can be sent; null if a message can be sent. */
function useBlocked(chat: Chat | undefined, panels: PanelState): ReactNode {
  const models = useChatModels()
  const { isSuccess } = useQuery(queries.models)
  if (isSuccess && models.length === 0) {
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
        onClick={() => panels.open('parameters')}
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
    const call = { endpoint: 'POST /v1/chat/completions', body: buildChatRequest(chat, tip, 0, model) }
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
        'separator',
        {
          label: 'Delete chat',
          icon: Trash2,
          danger: true,
          disabled: tip === null,
          onSelect: () => deleteChats([chat.id]),
        },
      ]}
    />
  )
}

/** Calls a function when Escape is pressed and nothing else uses the key: an open menu, popover or dialog closes first. */
function useEscape(onEscape: (() => void) | null): void {
  useEffect(() => {
    if (onEscape === null) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onEscape()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [onEscape])
}
