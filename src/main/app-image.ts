/**
 * The AppImage that this program runs from; null if it runs from none. It runs from a temporary mount; APPIMAGE is the path of
 * the file itself. A program that another AppImage has started inherits its APPIMAGE, and must not take that for its own.
 */
export function ownAppImage(
  env: Readonly<Record<string, string | undefined>> = process.env,
  execPath: string = process.execPath,
): string | null {
  const { APPIMAGE, APPDIR } = env
  if (!APPIMAGE?.startsWith('/') || !APPDIR?.startsWith('/')) return null
  return execPath.startsWith(`${APPDIR.replace(/\/$/, '')}/`) ? APPIMAGE : null
}
