// Owns the box to write in. Enter sends, Shift+Enter makes a line; images are pasted, dropped or chosen.
import { ArrowUp, ImagePlus, Square } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { toast } from 'sonner'
import { IconButton } from '../../components/button.tsx'
import { cn } from '../../components/cn.ts'
import { AttachedImages } from './attached-images.tsx'
import { IMAGE_TYPES, imageFiles, readImage } from './images.ts'

const TALLEST_PX = 200
const MOST_IMAGES = 8

interface ComposerProps {
  models: readonly string[]
  /** Every model that is asked can see images. */
  vision: boolean
  streaming: boolean
  /** Why nothing can be sent; null when it can. */
  blocked: ReactNode
  onSend: (text: string, images: string[]) => void
  onStop: () => void
}

export function Composer({ models, vision, streaming, blocked, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('')
  const [images, setImages] = useState<string[]>([])
  const [over, setOver] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const blind = images.length > 0 && !vision
  const ready = (text.trim() !== '' || images.length > 0) && blocked === null && !blind && !streaming

  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows its text
  useLayoutEffect(() => {
    if (!box.current) return
    box.current.style.height = 'auto'
    box.current.style.height = `${Math.min(TALLEST_PX, box.current.scrollHeight)}px`
  }, [text])

  const attach = async (files: readonly File[]) => {
    if (files.length === 0) return
    if (!vision)
      return void toast.error(`${models.join(' and ')} cannot see images. Choose a model with vision.`)
    const read = await Promise.all(files.map(readImage))
    for (const one of read) if (!one.ok) toast.error(one.message)
    const urls = read.flatMap((one) => (one.ok ? [one.url] : []))
    setImages((before) => [...new Set([...before, ...urls])].slice(0, MOST_IMAGES))
  }
  const submit = () => {
    if (!ready) return
    onSend(text.trim(), images)
    setText('')
    setImages([])
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const model = models.length > 1 ? `${models.length} models` : (models[0] ?? '')

  return (
    <div className="shrink-0 px-6 pb-4">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of three ways; the button is the one for all */}
      <div
        className="mx-auto max-w-3xl"
        onDragOver={(event) => {
          if (!event.dataTransfer.types.includes('Files')) return
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          void attach(imageFiles(event.dataTransfer.files))
        }}
      >
        <div
          className={cn(
            'rounded-xl border bg-surface p-2 shadow-card focus-within:border-accent',
            over ? 'border-accent bg-accent-soft' : 'border-line-strong',
          )}
        >
          <AttachedImages
            images={images}
            onRemove={(url) => setImages(images.filter((other) => other !== url))}
          />
          <div className="flex items-end gap-2 pl-1.5">
            {vision ? (
              <>
                <IconButton label="Add images" icon={ImagePlus} onClick={() => picker.current?.click()} />
                <input
                  ref={picker}
                  type="file"
                  multiple
                  accept={IMAGE_TYPES}
                  aria-label="Image files"
                  className="hidden"
                  onChange={({ target }) => {
                    void attach(imageFiles(target.files))
                    target.value = ''
                  }}
                />
              </>
            ) : null}
            <textarea
              ref={box}
              rows={1}
              aria-label="Message"
              placeholder={model ? `Message ${model}` : 'Message'}
              value={text}
              // biome-ignore lint/a11y/noAutofocus: writing is what this view is opened for
              autoFocus
              onChange={(event) => setText(event.target.value)}
              onKeyDown={onKeyDown}
              onPaste={(event) => {
                const files = imageFiles(event.clipboardData.files)
                if (files.length > 0) event.preventDefault()
                void attach(files)
              }}
              className="min-h-8 flex-1 resize-none bg-transparent py-1.5 pl-1 outline-none placeholder:text-ink-3"
            />
            {streaming ? (
              <RoundButton label="Stop" onClick={onStop}>
                <Square size={12} aria-hidden fill="currentColor" />
              </RoundButton>
            ) : (
              <RoundButton label="Send" onClick={submit} disabled={!ready}>
                <ArrowUp size={16} aria-hidden />
              </RoundButton>
            )}
          </div>
        </div>
        <p className="mt-1.5 text-center text-ink-3 text-xs">
          {blind
            ? 'Not every chosen model sees images. Take them out, or choose others.'
            : (blocked ?? 'Enter sends, Shift+Enter makes a line. Chats stay on this computer.')}
        </p>
      </div>
    </div>
  )
}

interface RoundButtonProps {
  label: string
  onClick: () => void
  disabled?: boolean
  children: ReactNode
}

function RoundButton({ label, children, ...rest }: RoundButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      className="flex size-8 shrink-0 items-center justify-center rounded-lg bg-accent text-white hover:bg-accent-hover disabled:bg-sunken disabled:text-ink-3"
      {...rest}
    >
      {children}
    </button>
  )
}
