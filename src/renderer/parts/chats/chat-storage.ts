// The playground's chats. They are stored in this browser's localStorage only and never sent anywhere.
import { z } from 'zod'
import { readStored } from '../../kit/stored.ts'
import { Chat, Exchange } from './chat.ts'
import { DEFAULT_PARAMETERS, jsonText, readParameters } from './parameters.ts'

const STORAGE_KEY = 'tollgate.chats'
const MAX_CHATS = 100

/** Newest first. */
export function loadChats(): Chat[] {
  return readStored(STORAGE_KEY, z.array(StoredChat)) ?? []
}

/** Stores the newest chats that have a question. When the storage is full, it tries again with half as many. */
export function saveChats(chats: readonly Chat[], limit = MAX_CHATS): void {
  const stored = chats.filter(({ exchanges }) => exchanges.length > 0).slice(0, limit)
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(stored.map(removeImages)))
  } catch {
    if (limit > 1) saveChats(chats, Math.floor(limit / 2))
  }
}

/** A single image could fill the storage that all chats share. */
function removeImages(chat: Chat): Chat {
  const removeData = (image: string) => (image.startsWith('data:') ? '' : image)
  return {
    ...chat,
    exchanges: chat.exchanges.map((exchange) => ({ ...exchange, images: exchange.images.map(removeData) })),
  }
}

// How earlier versions stored a chat: with the versions of an answer in one exchange, and with more parameters.

const StoredExchange = z.object({
  ...Exchange.shape,
  /** The id of the answer that a column shows. */
  selected: z.record(z.string(), z.string()).default({}),
  imageCount: z.number().default(0),
})

const Text = z.string().default('')
const StoredParameters = z.object({
  seed: Text,
  stop: Text,
  presencePenalty: Text,
  frequencyPenalty: Text,
  responseFormat: z.string().default('text'),
  schema: Text.pipe(jsonText(z.record(z.string(), z.unknown()))).catch(null),
})

const StoredChat = z
  .object({ ...Chat.shape, ...StoredParameters.shape, exchanges: z.array(StoredExchange) })
  .transform((stored): Chat => {
    const fields = readStoredFields(stored)
    const { extra } = stored
    return {
      ...Chat.parse(stored),
      extra:
        Object.keys(fields).length === 0
          ? extra
          : JSON.stringify(
              { ...fields, ...readParameters({ ...DEFAULT_PARAMETERS, extra }).fields },
              null,
              2,
            ),
      exchanges: stored.exchanges.flatMap(separateVersions),
    }
  })

/** The request fields of parameters that are now among the other fields. */
function readStoredFields(stored: z.output<typeof StoredParameters>): Record<string, unknown> {
  const { seed, stop, presencePenalty, frequencyPenalty, responseFormat, schema } = stored
  return {
    ...(seed && { seed: Number(seed) }),
    ...(stop && { stop: stop.split('\n').map((line) => line.replaceAll('\\n', '\n')) }),
    ...(presencePenalty && { presence_penalty: Number(presencePenalty) }),
    ...(frequencyPenalty && { frequency_penalty: Number(frequencyPenalty) }),
    ...(responseFormat === 'json_object' && { response_format: { type: 'json_object' } }),
    ...(responseFormat === 'json_schema' &&
      schema && {
        response_format: {
          type: 'json_schema',
          json_schema: 'schema' in schema ? schema : { name: 'answer', schema },
        },
      }),
  }
}

/** The exchange with the answers that it shows, after one for each other answer. Nothing streams after a start. */
function separateVersions({ selected, imageCount, ...stored }: z.output<typeof StoredExchange>): Exchange[] {
  const answers = stored.answers.map((answer) =>
    answer.state === 'streaming' ? { ...answer, state: 'stopped' as const } : answer,
  )
  const shown = answers.filter((answer) => {
    const versions = answers.filter(({ column }) => column === answer.column)
    return answer === (versions.find(({ id }) => id === selected[answer.column]) ?? versions.at(-1))
  })
  const images = [...stored.images, ...Array.from({ length: imageCount - stored.images.length }, () => '')]
  const others = answers.filter((answer) => !shown.includes(answer))
  return [
    ...others.map((answer) => ({
      ...stored,
      images,
      id: crypto.randomUUID(),
      answers: [...shown.filter(({ column }) => column !== answer.column), answer],
    })),
    { ...stored, images, answers: shown },
  ]
}
