// Owns turning the user's own image files into what a request can carry. Nothing is fetched and nothing is uploaded.

const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
export const IMAGE_TYPES = TYPES.join(',')
const MOST_BYTES = 10_000_000

export type ImageRead = { ok: true; url: string } | { ok: false; message: string }

/** The image files among those that were pasted, dropped or chosen. */
export function imageFiles(files: FileList | readonly File[] | null | undefined): File[] {
  return [...(files ?? [])].filter(({ type }) => type.startsWith('image/'))
}

/** The file as a data URL. */
export async function readImage(file: File): Promise<ImageRead> {
  if (!TYPES.includes(file.type)) {
    return { ok: false, message: `${file.name} is neither PNG, JPEG, WebP nor GIF.` }
  }
  if (file.size > MOST_BYTES) return { ok: false, message: `${file.name} has more than 10 MB.` }
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve({ ok: true, url: String(reader.result) })
    reader.onerror = () => resolve({ ok: false, message: `${file.name} could not be read.` })
    reader.readAsDataURL(file)
  })
}
