import { replaceHidden } from '../shared/values/text.ts'

/**
 * One of pino's JSON lines as a line for a terminal: time, level, message, other fields, request id. The stack of an error
 * follows, indented.
 */
export function formatLogLine(json: string): string {
  const { time, level, msg, requestId, err, ...fields } = JSON.parse(json)
  const [error, ...frames] = err === undefined ? [] : String(err.stack ?? err.message).split('\n')
  const line = [
    `${time} ${level} ${msg}${error === undefined ? '' : `: ${error}`}`,
    ...Object.entries(fields).map(([name, value]) => `${name}=${value}`),
    ...(requestId === undefined ? [] : [`[${requestId}]`]),
  ].join(' ')
  return replaceHidden([line, ...frames].join('\n').replaceAll('\n', '\n  '), () => ' ')
}
