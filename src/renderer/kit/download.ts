/** Saves a file as the browser saves downloads. */
export function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has opened the file by this time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
