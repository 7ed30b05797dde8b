/** A path as it is typed in a shell of Unix. A leading `~/` stands for the home folder only outside of quotes. */
export function shellPath(path: string): string {
  if (/^[\w~./@%+=:-]+$/.test(path)) return path
  const [, home = '', rest = ''] = /^(~\/)?(.*)$/s.exec(path) ?? []
  return `${home}'${rest.replaceAll("'", `'\\''`)}'`
}
