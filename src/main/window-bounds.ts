// Where the window opens.

interface Size {
  width: number
  height: number
}

interface Bounds extends Size {
  x: number
  y: number
}

export const MIN_SIZE: Size = { width: 900, height: 600 }
const DEFAULT_SIZE: Size = { width: 1240, height: 820 }

/** The frame that the desktop draws around the window is not part of its size, and is not known before. */
const FRAME: Size = { width: 16, height: 48 }

/**
 * The previous bounds if enough of the title bar is on a display, which may have been disconnected; else the default size on
 * the primary display. Neither is larger than the display has room for, without panels and docks.
 */
export function firstBounds(
  previous: Bounds | undefined,
  workAreas: readonly Bounds[],
  primary: Bounds,
): Size | Bounds {
  const area = previous && workAreas.find((workArea) => isWithinReach(previous, workArea))
  if (previous === undefined || area === undefined) return shrink(DEFAULT_SIZE, primary)
  return { x: previous.x, y: previous.y, ...shrink(previous, area) }
}

const METER_SIZE: Size = { width: 300, height: 168 }
/** From the edges of the display. */
const METER_MARGIN = 16

/** Where the taximeter was, if that is on a display; else at the top right of the primary one. */
export function placeMeter(
  previous: { x: number; y: number } | undefined,
  workAreas: readonly Bounds[],
  primary: Bounds,
): Bounds {
  const previousBounds = previous && { ...previous, ...METER_SIZE }
  if (previousBounds && workAreas.some((workArea) => isWithinReach(previousBounds, workArea)))
    return previousBounds
  return {
    ...METER_SIZE,
    x: primary.x + primary.width - METER_SIZE.width - METER_MARGIN,
    y: primary.y + METER_MARGIN,
  }
}

function shrink({ width, height }: Size, room: Size): Size {
  return {
    width: Math.max(MIN_SIZE.width, Math.min(width, room.width - FRAME.width)),
    height: Math.max(MIN_SIZE.height, Math.min(height, room.height - FRAME.height)),
  }
}

function isWithinReach({ x, y, width }: Bounds, workArea: Bounds): boolean {
  return (
    y >= workArea.y &&
    y < workArea.y + workArea.height - 50 &&
    x + width > workArea.x + 100 &&
    x < workArea.x + workArea.width - 100
  )
}
