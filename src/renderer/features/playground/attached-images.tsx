import { X } from 'lucide-react'

const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
export const IMAGE_TYPES = TYPES.join(',')
const MAX_BYTES = 10_000_000

type ImageRead = { ok: true; url: string } | { ok: false; message: string }

interface AttachedImagesProps {
  /** Data URLs. */
  images: readonly string[]
  onRemove: (url: string) => void
}

export function AttachedImages({ images, onRemove }: AttachedImagesProps) {
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

/** The images among files that were pasted, dropped or chosen. */
export function filterImages(files: FileList | readonly File[] | null | undefined): File[] {
  return [...(files ?? [])].filter(({ type }) => type.startsWith('image/'))
}

/** The file as a data URL. */
export async function readImage(file: File): Promise<ImageRead> {
  if (!TYPES.includes(file.type)) {
    return { ok: false, message: `${file.name} is not a PNG, JPEG, WebP or GIF image.` }
  }
  if (file.size > MAX_BYTES) return { ok: false, message: `${file.name} is larger than 10 MB.` }
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve({ ok: true, url: String(reader.result) })
    reader.onerror = () => resolve({ ok: false, message: `${file.name} could not be read.` })
    reader.readAsDataURL(file)
  })
}
