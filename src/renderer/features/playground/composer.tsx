import { ArrowUp, Paperclip, Square, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { showError } from '../../kit/show-error.ts'
import { useToastClearance } from '../../kit/toast-clearance.ts'
import type { PromptSize } from './prompt-size.ts'

const MAX_HEIGHT_PX = 200
const MAX_IMAGES = 8
/** Only the icon. */
const ROUND = 'w-8 rounded-lg px-0!'

interface ComposerProps {
  models: readonly string[]
  /** All chosen models accept images. */
  vision: boolean
  streaming: boolean
  /** Why nothing can be sent; null if a message can be sent. */
  blocked: ReactNode
  /** The size of the prompt with a question that is being typed; null without one. */
  measure: (question: string) => PromptSize | null
  onSend: (text: string, images: string[]) => void
  onStop: () => void
}

export function Composer({ models, vision, streaming, blocked, measure, onSend, onStop }: ComposerProps) {
  const input = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  const [images, setImages] = useState<string[]>([])
  useAutoHeight(input, text)
  const toastClearance = useToastClearance()
  const imagesUnsupported = images.length > 0 && !vision
  const isEmpty = text.trim() === '' && images.length === 0
  const ready = !isEmpty && blocked === null && !imagesUnsupported && !streaming
  const size = measure(text)
  const model = models.length > 1 ? `${models.length} models` : (models[0] ?? '')
  const attach = async (files: FileList | null) => {
    const { imageFiles = [], textFiles = [] } = Object.groupBy(files ?? [], ({ type }) =>
      type.startsWith('image/') ? 'imageFiles' : 'textFiles',
    )
    if (imageFiles.length > 0 && !vision)
      showError(`${models.join(' and ')} cannot read images. Choose a model with vision.`)
    const urls = await readAll(vision ? imageFiles : [], readImage)
    const blocks = await readAll(textFiles, readText)
    setImages((previous) => [...new Set([...previous, ...urls])].slice(0, MAX_IMAGES))
    if (blocks.length === 0) return
    setText((typed) => [typed.trimEnd(), ...blocks, ''].join('\n\n').trimStart())
    input.current?.focus()
  }
  const submit = () => {
    if (!ready) return
    onSend(text.trim(), images)
    setText('')
    setImages([])
  }
  // The button for stopping becomes one that is disabled, which would lose the focus.
  const stop = () => {
    onStop()
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    // In the column of the conversation, which leaves space for a scroll bar.
    <div ref={toastClearance} className="shrink-0 overflow-y-hidden px-6 pt-1 pb-4 [scrollbar-gutter:stable]">
      <DropArea onDrop={(files) => void attach(files)}>
        <AttachedImages
          images={images}
          onRemove={(url) => setImages(images.filter((other) => other !== url))}
        />
        <div className="flex items-end gap-2 pl-1.5">
          <AddFiles onChoose={(files) => void attach(files)} />
          <textarea
            ref={input}
            rows={1}
            aria-label="Message"
            placeholder={model ? `Message ${model}` : 'Message'}
            value={text}
            // biome-ignore lint/a11y/noAutofocus: the view is opened to write
            autoFocus
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={(event) => {
              if (event.clipboardData.files.length > 0) event.preventDefault()
              void attach(event.clipboardData.files)
            }}
            className="min-h-8 flex-1 resize-none bg-transparent py-1.5 pl-1 outline-none placeholder:text-ink-3"
          />
          {streaming ? (
            <Button
              variant="primary"
              icon={Square}
              aria-label="Stop"
              onClick={stop}
              className={cn(ROUND, '[&>svg]:fill-current')}
            />
          ) : (
            <Button
              variant="primary"
              icon={ArrowUp}
              aria-label="Send"
              disabled={!ready}
              onClick={submit}
              className={ROUND}
            />
          )}
        </div>
      </DropArea>
      <p
        className={cn('mt-1.5 text-center text-xs tabular-nums', size?.tooLong ? 'text-warn' : 'text-ink-3')}
      >
        {imagesUnsupported
          ? 'Not every chosen model can read images. Remove the images or choose other models.'
          : (blocked ??
            size?.text ??
            'Enter to send, Shift+Enter for a new line. Chats stay on this computer.')}
      </p>
    </div>
  )
}

/** Makes a field as high as its text. */
function useAutoHeight(input: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: its height depends on its text
  useLayoutEffect(() => {
    if (!input.current) return
    input.current.style.height = 'auto'
    input.current.style.height = `${Math.min(MAX_HEIGHT_PX, input.current.scrollHeight)}px`
  }, [text])
}

/** Dropping files is optional: a button does the same and is accessible. */
function DropArea({ onDrop, children }: { onDrop: (files: FileList) => void; children: ReactNode }) {
  const [dragOver, setDragOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      className={cn(
        'mx-auto max-w-3xl rounded-xl border bg-surface p-2 shadow-card focus-within:border-accent',
        dragOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setDragOver(true)
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setDragOver(false)
        onDrop(event.dataTransfer.files)
      }}
    >
      {children}
    </div>
  )
}

function AddFiles({ onChoose }: { onChoose: (files: FileList | null) => void }) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton label="Add files" icon={Paperclip} onClick={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        multiple
        aria-label="Files"
        className="hidden"
        onChange={({ target }) => {
          onChoose(target.files)
          target.value = ''
        }}
      />
    </>
  )
}

interface AttachedImagesProps {
  /** Data URLs. */
  images: readonly string[]
  onRemove: (url: string) => void
}

function AttachedImages({ images, onRemove }: AttachedImagesProps) {
  if (images.length === 0) return null
  return (
    <ul aria-label="Attached images" className="mb-2 flex flex-wrap gap-2 px-1 pt-1">
      {images.map((url, index) => (
        <li key={url.slice(-64)} className="relative">
          <img src={url} alt={`Attachment ${index + 1}`} className="size-16 rounded-md border object-cover" />
          <button
            type="button"
            aria-label={`Remove attachment ${index + 1}`}
            onClick={() => onRemove(url)}
            className="absolute -top-1.5 -right-1.5 flex size-5 items-center justify-center rounded-full border border-line bg-raised text-ink-2 shadow-float hover:text-ink"
          >
            <X size={11} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
const MAX_IMAGE_BYTES = 10_000_000
/** About 125,000 tokens. */
const MAX_TEXT_BYTES = 500_000

/** The contents of files, without those that `read` refuses. */
async function readAll(files: readonly File[], read: (file: File) => Promise<string | null>) {
  const contents = await Promise.all(files.map(read))
  return contents.filter((content) => content !== null)
}

/** The data URL of an image; null after saying why it cannot be read. */
async function readImage(file: File): Promise<string | null> {
  if (!IMAGE_TYPES.includes(file.type)) return refuse(file, 'is not a PNG, JPEG, WebP or GIF image.')
  if (file.size > MAX_IMAGE_BYTES) return refuse(file, 'is larger than 10 MB.')
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => resolve(refuse(file, 'could not be read.'))
    reader.readAsDataURL(file)
  })
}

/** A text file as its name and a block of code; null after saying why it cannot be read. */
async function readText(file: File): Promise<string | null> {
  if (file.size > MAX_TEXT_BYTES) return refuse(file, 'is larger than 500 kB.')
  // Folders cannot be read, and what is not UTF-8 cannot be decoded.
  const text = await file
    .arrayBuffer()
    .then((bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    .catch(() => null)
  if (text === null || text.includes('\0')) return refuse(file, 'is not a text file.')
  // Longer than any fence in the text, which may be Markdown itself.
  let fence = '```'
  while (text.includes(fence)) fence += '`'
  return `${file.name}\n${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}

function refuse({ name }: File, problem: string): null {
  showError(`${name} ${problem}`)
  return null
}
