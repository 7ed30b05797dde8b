// Owns the images that go with the next question, in small.
import { X } from 'lucide-react'

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
            aria-label={`Take attachment ${index + 1} out`}
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
