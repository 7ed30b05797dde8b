import { type LogoName, logos } from './logo-shapes.ts'

interface LogoProps {
  name: LogoName
  size?: number
  className?: string
}

interface Shape {
  path: string
  opacity: string | undefined
}

const VIEW_BOX = '0 0 24 24'
const parsed = new Map<LogoName, Shape[]>()

/** The paths of the file, which has nothing else to draw. */
function getShapes(name: LogoName): Shape[] {
  const known = parsed.get(name)
  if (known) return known
  const shapes = [...logos[name].matchAll(/<path\s([^>]*)>/g)].map(([, attributes = '']) => ({
    path: readAttribute(attributes, 'd') ?? '',
    opacity: readAttribute(attributes, 'fill-opacity'),
  }))
  parsed.set(name, shapes)
  return shapes
}

function readAttribute(attributes: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1]
}

/** A logo in the color of the text next to it, which has the name. */
export function Logo({ name, size = 18, className }: LogoProps) {
  return (
    <svg viewBox={VIEW_BOX} width={size} height={size} fill="currentColor" aria-hidden className={className}>
      {getShapes(name).map(({ path, opacity }) => (
        <path key={path} d={path} fillRule="evenodd" clipRule="evenodd" fillOpacity={opacity} />
      ))}
    </svg>
  )
}
