import { Copy, Download, Printer } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { toast } from 'sonner'
import { Button } from '../../kit/button.tsx'
import { Switch } from '../../kit/controls.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { download } from '../../kit/download.ts'
import { showError } from '../../kit/show-error.ts'
import { HEIGHT, Picture, type SharedPicture, WIDTH } from './picture.tsx'

interface ShareDialogProps {
  /** Null while nothing is shared. */
  picture: SharedPicture | null
  /** Without its ending. */
  fileName: string
  onClose: () => void
}

/** Shows the picture, and gives it away: to the clipboard, as a file, or on paper. */
export function ShareDialog({ picture, fileName, onClose }: ShareDialogProps) {
  const [hidden, setHidden] = useState(false)
  const drawn = useRef<SVGSVGElement>(null)
  const note = useId()
  const draw = async () => {
    if (drawn.current === null) throw new Error('The picture is not shown.')
    return await drawPng(drawn.current)
  }
  const copy = async () => {
    // The promise keeps the click's permission in browsers that would lose it during the drawing.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': draw() })])
    toast.success('Picture copied.')
  }
  const save = async () => download(await draw(), `${fileName}.png`)
  const attempt = (action: Promise<void>, failure: string) => void action.catch(() => showError(failure))
  return (
    <Dialog
      open={picture !== null}
      onClose={onClose}
      title="Share"
      description="Nothing is uploaded: the picture is drawn on this computer."
      large
    >
      {picture ? (
        <div data-print>
          <Picture ref={drawn} picture={picture} hidden={hidden} />
        </div>
      ) : null}
      <div className="mt-4 flex items-center gap-3">
        <Switch label="Hide names" on={hidden} onChange={setHidden} describedBy={note} />
        <span aria-hidden>Hide names</span>
        <span id={note} className="text-ink-3 text-sm">
          Names of models, keys and sessions are left out of the picture.
        </span>
      </div>
      <DialogActions>
        <Button icon={Printer} onClick={() => window.print()}>
          Print or PDF
        </Button>
        <Button
          icon={Copy}
          onClick={() => attempt(copy(), 'The picture could not be copied here. Save it instead.')}
        >
          Copy picture
        </Button>
        <Button
          variant="primary"
          icon={Download}
          onClick={() => attempt(save(), 'The picture could not be drawn.')}
        >
          Save picture
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Pixels of the picture for each unit of its size. */
const SCALE = 2

async function drawPng(svg: SVGSVGElement): Promise<Blob> {
  const text = new XMLSerializer().serializeToString(svg)
  const image = new Image(WIDTH * SCALE, HEIGHT * SCALE)
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH * SCALE
  canvas.height = HEIGHT * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return await new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The canvas is empty.'))), 'image/png')
  })
}
