/** For the user, or the program that reads the output. */
export function print(text: string): void {
  process.stdout.write(text)
}

export function printJson(value: unknown): void {
  print(`${JSON.stringify(value, null, 2)}\n`)
}

/** What is neither data nor an error: it does not reach a program that reads the output. */
export function note(text: string): void {
  process.stderr.write(text)
}
